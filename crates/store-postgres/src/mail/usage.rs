//! Numbers of e-mails per account and day, and the addresses that received an auto-reply.

use crate::query;
use crate::query::read_column;
use contract::{AccountId, Timestamp};
use deadpool_postgres::GenericClient;
use store::columns::parse_count;
use store::daily_limits::UtcDay;
use store::mail::{MailUsage, UsageKind};
use store::{Hash, Owner, Result};

pub(super) async fn claim(
    conn: &impl GenericClient,
    account: &AccountId,
    kind: UsageKind,
    day: UtcDay,
    limit: u64,
) -> Result<bool> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let sql = "INSERT INTO mail_usage AS u (account, kind, day, used)
               SELECT $1, $2, $3, 1 WHERE $4::BIGINT > 0
               ON CONFLICT (account, kind, day) DO UPDATE SET used = u.used + 1 WHERE u.used < $4";
    let values: query::Parameters<'_> = &[&account.as_str(), &kind.as_str(), &day.0, &limit];
    Ok(query::execute(conn, sql, values).await? > 0)
}

pub(super) async fn release(
    conn: &impl GenericClient,
    account: &AccountId,
    kind: UsageKind,
    day: UtcDay,
) -> Result<()> {
    let sql = "UPDATE mail_usage SET used = used - 1
               WHERE account = $1 AND kind = $2 AND day = $3 AND used > 0";
    query::execute(conn, sql, &[&account.as_str(), &kind.as_str(), &day.0]).await.map(drop)
}

pub(super) async fn find(
    conn: &impl GenericClient,
    owner: &Owner,
    day: UtcDay,
) -> Result<MailUsage> {
    let sql = "SELECT kind, used FROM mail_usage WHERE account = $1 AND day = $2";
    let mut usage = MailUsage::default();
    let [notification, auto_reply] =
        [UsageKind::Notification, UsageKind::AutoReply].map(|kind| kind(owner.environment));
    for row in query::fetch_rows(conn, sql, &[&owner.account_id.as_str(), &day.0]).await? {
        let used = parse_count(read_column(&row, 1)?)?;
        let kind: &str = read_column(&row, 0)?;
        if kind == notification.as_str() {
            usage.notifications = used;
        } else if kind == auto_reply.as_str() {
            usage.auto_replies = used;
        }
    }
    Ok(usage)
}

pub(super) async fn claim_address(
    conn: &impl GenericClient,
    address: Hash,
    day: UtcDay,
) -> Result<bool> {
    let sql = "INSERT INTO auto_reply_addresses (day, address) VALUES ($1, $2)
               ON CONFLICT DO NOTHING";
    Ok(query::execute(conn, sql, &[&day.0, &address.as_slice()]).await? > 0)
}

pub(super) async fn release_address(
    conn: &impl GenericClient,
    address: Hash,
    day: UtcDay,
) -> Result<()> {
    let sql = "DELETE FROM auto_reply_addresses WHERE day = $1 AND address = $2";
    query::execute(conn, sql, &[&day.0, &address.as_slice()]).await.map(drop)
}

/// Deletes the usage of days before yesterday.
pub(super) async fn purge(conn: &impl GenericClient, now: Timestamp) -> Result<()> {
    let yesterday = UtcDay::of(now).0 - 1;
    for sql in
        ["DELETE FROM mail_usage WHERE day < $1", "DELETE FROM auto_reply_addresses WHERE day < $1"]
    {
        query::execute(conn, sql, &[&yesterday]).await?;
    }
    Ok(())
}
