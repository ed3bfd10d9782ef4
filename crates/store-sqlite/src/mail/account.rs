//! E-mails to members.

use crate::{erase_traces, query};
use contract::Timestamp;
use rusqlite::Connection;
use store::Result;
use store::columns::{database_error, skip_damaged};
use store::mail::{AccountMail, LeasedAccountMail, MAIL_LEASE};

/// Inserts an e-mail to a member.
pub(crate) fn insert(conn: &Connection, mail: &AccountMail, now: Timestamp) -> Result<()> {
    let content = serde_json::to_string(mail).map_err(database_error)?;
    let sql = "INSERT INTO account_mails (content, created_at) VALUES (?, ?)";
    query::execute(conn, sql, (content, now.micros())).map(drop)
}

pub(super) fn has_due(conn: &Connection, now: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM account_mails WHERE due_at <= ?)";
    query::one(conn, sql, [now.micros()], |row| row.get(0))
}

/// Leases due e-mails, within a writer job.
pub(super) fn lease(
    conn: &Connection,
    now: Timestamp,
    rows_max: usize,
) -> Result<Vec<LeasedAccountMail>> {
    let sql = "UPDATE account_mails SET due_at = ?, is_leased = 1 WHERE seq IN (
                 SELECT seq FROM account_mails WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?)
               RETURNING seq, content, created_at, retries";
    let lease_until = now.saturating_add(MAIL_LEASE).micros();
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let rows: Vec<(i64, String, i64, i64)> =
        query::list(conn, sql, (lease_until, now.micros(), rows_max), |row| row.try_into())?;
    let rows = rows.into_iter().map(LeasedAccountMail::from_columns);
    let mut leased = skip_damaged(rows, "an e-mail to a member");
    leased.sort_unstable_by_key(|mail| mail.seq);
    Ok(leased)
}

pub(super) fn record(conn: &Connection, seq: i64, retry_at: Option<Timestamp>) -> Result<()> {
    if let Some(at) = retry_at {
        let sql = "UPDATE account_mails SET due_at = ?, is_leased = 0, retries = retries + 1
                   WHERE seq = ?";
        return query::execute(conn, sql, (at.micros(), seq)).map(drop);
    }
    query::execute(conn, "DELETE FROM account_mails WHERE seq = ?", [seq])?;
    erase_traces::request_erasure(conn)
}
