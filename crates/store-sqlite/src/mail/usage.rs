//! Numbers of e-mails per account and day, and the retention of pending e-mails.

use super::pending;
use crate::{erase_traces, query};
use contract::{AccountId, Timestamp};
use rusqlite::Connection;
use store::clock::micros_before;
use store::columns::parse_count;
use store::daily_limits::UtcDay;
use store::mail::{MAIL_PURGE_ROWS_MAX, MailUsage, PENDING_AGE_MAX, UsageKind};
use store::{Hash, Owner, Result};

pub(super) fn claim(
    conn: &Connection,
    account: &AccountId,
    kind: UsageKind,
    day: UtcDay,
    limit: u64,
) -> Result<bool> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    if limit == 0 {
        return Ok(false);
    }
    let sql = "INSERT INTO mail_usage (account, kind, day, used) VALUES (?1, ?2, ?3, 1)
               ON CONFLICT (account, kind, day) DO UPDATE SET used = used + 1 WHERE used < ?4";
    Ok(query::execute(conn, sql, (account.as_str(), kind.as_str(), day.0, limit))? > 0)
}

pub(super) fn release(
    conn: &Connection,
    account: &AccountId,
    kind: UsageKind,
    day: UtcDay,
) -> Result<()> {
    let sql = "UPDATE mail_usage SET used = used - 1
               WHERE account = ? AND kind = ? AND day = ? AND used > 0";
    query::execute(conn, sql, (account.as_str(), kind.as_str(), day.0)).map(drop)
}

pub(super) fn find(conn: &Connection, owner: &Owner, day: UtcDay) -> Result<MailUsage> {
    let sql = "SELECT COALESCE(SUM(used) FILTER (WHERE kind = ?3), 0),
                 COALESCE(SUM(used) FILTER (WHERE kind = ?4), 0)
               FROM mail_usage WHERE account = ?1 AND day = ?2";
    let [notification, auto_reply] =
        [UsageKind::Notification, UsageKind::AutoReply].map(|kind| kind(owner.environment));
    let values = (owner.account_id.as_str(), day.0, notification.as_str(), auto_reply.as_str());
    let (notifications, auto_replies): (i64, i64) =
        query::one(conn, sql, values, |row| row.try_into())?;
    Ok(MailUsage {
        notifications: parse_count(notifications)?,
        auto_replies: parse_count(auto_replies)?,
    })
}

pub(super) fn claim_address(conn: &Connection, address: Hash, day: UtcDay) -> Result<bool> {
    let sql = "INSERT OR IGNORE INTO auto_reply_addresses (day, address) VALUES (?, ?)";
    Ok(query::execute(conn, sql, (day.0, address))? > 0)
}

pub(super) fn release_address(conn: &Connection, address: Hash, day: UtcDay) -> Result<()> {
    let sql = "DELETE FROM auto_reply_addresses WHERE day = ? AND address = ?";
    query::execute(conn, sql, (day.0, address)).map(drop)
}

/// Returns whether [`purge`] deletes anything.
pub(super) fn has_expired(conn: &Connection, now: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM mail_usage WHERE day < ?1)
                 OR EXISTS (SELECT 1 FROM auto_reply_addresses WHERE day < ?1)";
    let is_used: bool = query::one(conn, sql, [yesterday(now)], |row| row.get(0))?;
    Ok(is_used || pending::has_expired(conn, micros_before(now, PENDING_AGE_MAX))?)
}

pub(super) fn purge(conn: &Connection, now: Timestamp) -> Result<u64> {
    for sql in
        ["DELETE FROM mail_usage WHERE day < ?", "DELETE FROM auto_reply_addresses WHERE day < ?"]
    {
        query::execute(conn, sql, [yesterday(now)])?;
    }
    erase_traces::request_erasure(conn)?;
    pending::purge(conn, micros_before(now, PENDING_AGE_MAX), MAIL_PURGE_ROWS_MAX)
}

fn yesterday(now: Timestamp) -> i64 {
    UtcDay::of(now).0 - 1
}
