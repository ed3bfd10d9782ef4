//! Numbers of e-mails per account and day, and the retention of pending e-mails.

use super::pending;
use crate::erase_traces;
use crate::insert_submission::micros_before;
use contract::{AccountId, Timestamp};
use rusqlite::Connection;
use store::columns::{database_error, parse_count};
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
    let changed = conn
        .prepare_cached(sql)
        .and_then(|mut claim| claim.execute((account.as_str(), kind.as_str(), day.0, limit)));
    Ok(changed.map_err(database_error)? > 0)
}

pub(super) fn release(
    conn: &Connection,
    account: &AccountId,
    kind: UsageKind,
    day: UtcDay,
) -> Result<()> {
    let sql = "UPDATE mail_usage SET used = used - 1
               WHERE account = ? AND kind = ? AND day = ? AND used > 0";
    conn.execute(sql, (account.as_str(), kind.as_str(), day.0)).map(drop).map_err(database_error)
}

pub(super) fn find(conn: &Connection, owner: &Owner, day: UtcDay) -> Result<MailUsage> {
    let sql = "SELECT COALESCE(SUM(used) FILTER (WHERE kind = ?3), 0),
                 COALESCE(SUM(used) FILTER (WHERE kind = ?4), 0)
               FROM mail_usage WHERE account = ?1 AND day = ?2";
    let [notification, auto_reply] =
        [UsageKind::Notification, UsageKind::AutoReply].map(|kind| kind(owner.environment));
    let values = (owner.account_id.as_str(), day.0, notification.as_str(), auto_reply.as_str());
    let (notifications, auto_replies): (i64, i64) = conn
        .prepare_cached(sql)
        .and_then(|mut usage| usage.query_row(values, |row| row.try_into()))
        .map_err(database_error)?;
    Ok(MailUsage {
        notifications: parse_count(notifications)?,
        auto_replies: parse_count(auto_replies)?,
    })
}

pub(super) fn claim_address(conn: &Connection, address: Hash, day: UtcDay) -> Result<bool> {
    let sql = "INSERT OR IGNORE INTO auto_reply_addresses (day, address) VALUES (?, ?)";
    let inserted = conn
        .prepare_cached(sql)
        .and_then(|mut insert| insert.execute((day.0, address)))
        .map_err(database_error)?;
    Ok(inserted > 0)
}

pub(super) fn release_address(conn: &Connection, address: Hash, day: UtcDay) -> Result<()> {
    conn.execute("DELETE FROM auto_reply_addresses WHERE day = ? AND address = ?", (day.0, address))
        .map(drop)
        .map_err(database_error)
}

/// Returns whether [`purge`] deletes anything.
pub(super) fn has_expired(conn: &Connection, now: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM mail_usage WHERE day < ?1)
                 OR EXISTS (SELECT 1 FROM auto_reply_addresses WHERE day < ?1)";
    let is_used: bool =
        conn.query_row(sql, [yesterday(now)], |row| row.get(0)).map_err(database_error)?;
    Ok(is_used || pending::has_expired(conn, micros_before(now, PENDING_AGE_MAX))?)
}

pub(super) fn purge(conn: &Connection, now: Timestamp) -> Result<u64> {
    for sql in
        ["DELETE FROM mail_usage WHERE day < ?", "DELETE FROM auto_reply_addresses WHERE day < ?"]
    {
        conn.execute(sql, [yesterday(now)]).map_err(database_error)?;
    }
    erase_traces::request_erasure(conn).map_err(database_error)?;
    pending::purge(conn, micros_before(now, PENDING_AGE_MAX), MAIL_PURGE_ROWS_MAX)
}

fn yesterday(now: Timestamp) -> i64 {
    UtcDay::of(now).0 - 1
}
