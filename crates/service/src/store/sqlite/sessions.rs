//! Sessions, and the links that open one. Only hashes of tokens are seen here.

use super::super::access::SESSIONS_MAX;
use super::super::row::{database, instant, parse};
use super::super::{Hash, Result, SessionRecord};
use contract::account::Client;
use contract::{AccountId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row};

/// Inserts a sign-in link.
pub(super) fn insert_link(
    conn: &Connection,
    token: Hash,
    account: &AccountId,
    expires_at: Timestamp,
) -> Result<()> {
    conn.execute(
        "INSERT INTO links (token, account, expires_at) VALUES (?, ?, ?)",
        (token, account.as_str(), expires_at.micros()),
    )
    .map_err(database)?;
    Ok(())
}

/// Takes a link out, and with it all that have expired.
pub(super) fn take_link(
    conn: &Connection,
    token: Hash,
    now: Timestamp,
) -> Result<Option<AccountId>> {
    conn.execute("DELETE FROM links WHERE expires_at <= ?", [now.micros()]).map_err(database)?;
    conn.query_row("DELETE FROM links WHERE token = ? RETURNING account", [token], |row| {
        row.get::<_, String>(0)
    })
    .optional()
    .map_err(database)?
    .map(|account| parse(&account))
    .transpose()
}

/// Inserts a session, and ends those of its account that are too many.
pub(super) fn insert(conn: &Connection, session: &SessionRecord, client: &Client) -> Result<()> {
    let account = session.account_id.as_str();
    conn.execute(
        "INSERT INTO sessions (token, account, created_at, seen_at, device, browser)
         VALUES (?, ?, ?, ?, ?, ?)",
        (
            session.token_hash,
            account,
            session.created_at.micros(),
            session.seen_at.micros(),
            &client.device,
            &client.browser,
        ),
    )
    .map_err(database)?;
    conn.execute(
        "DELETE FROM sessions WHERE token IN (
           SELECT token FROM sessions WHERE account = ? AND token <> ?
           ORDER BY seen_at DESC LIMIT -1 OFFSET ?)",
        (account, session.token_hash, SESSIONS_MAX - 1),
    )
    .map_err(database)?;
    Ok(())
}

/// Lists an account's sessions, the last used first.
pub(super) fn list(conn: &Connection, account: &AccountId) -> Result<Vec<(SessionRecord, Client)>> {
    let mut all = conn
        .prepare_cached(
            "SELECT token, created_at, seen_at, device, browser FROM sessions
             WHERE account = ? ORDER BY seen_at DESC, created_at DESC",
        )
        .map_err(database)?;
    let columns = |row: &Row<'_>| -> rusqlite::Result<(Hash, i64, i64, Client)> {
        let client = Client { device: row.get(3)?, browser: row.get(4)? };
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, client))
    };
    let rows = all.query_map([account.as_str()], columns).map_err(database)?;
    rows.map(|row| {
        let (token_hash, created_at, seen_at, client) = row.map_err(database)?;
        let session = SessionRecord {
            token_hash,
            account_id: account.clone(),
            created_at: instant(created_at)?,
            seen_at: instant(seen_at)?,
        };
        Ok((session, client))
    })
    .collect()
}

/// Finds a session.
pub(super) fn find(conn: &Connection, token: Hash) -> Result<Option<SessionRecord>> {
    let found: Option<(String, i64, i64)> = conn
        .prepare_cached("SELECT account, created_at, seen_at FROM sessions WHERE token = ?")
        .and_then(|mut found| found.query_row([token], |row| row.try_into()).optional())
        .map_err(database)?;
    let record = |(account, created_at, seen_at): (String, i64, i64)| {
        Ok(SessionRecord {
            token_hash: token,
            account_id: parse(&account)?,
            created_at: instant(created_at)?,
            seen_at: instant(seen_at)?,
        })
    };
    found.map(record).transpose()
}

/// Notes that a session was used. Never moves the note back.
pub(super) fn touch(conn: &Connection, token: Hash, seen_at: Timestamp) -> Result<()> {
    conn.prepare_cached("UPDATE sessions SET seen_at = MAX(seen_at, ?) WHERE token = ?")
        .and_then(|mut touch| touch.execute((seen_at.micros(), token)))
        .map_err(database)?;
    Ok(())
}

/// Deletes a session.
pub(super) fn delete(conn: &Connection, token: Hash) -> Result<()> {
    conn.execute("DELETE FROM sessions WHERE token = ?", [token]).map_err(database)?;
    Ok(())
}

/// Deletes all sessions of an account but one.
pub(super) fn delete_others(conn: &Connection, account: &AccountId, kept: Hash) -> Result<()> {
    let of = "DELETE FROM sessions WHERE account = ? AND token <> ?";
    conn.execute(of, (account.as_str(), kept)).map_err(database)?;
    Ok(())
}

/// Deletes whatever opens an account without a password.
pub(super) fn delete_all(conn: &Connection, account: &AccountId) -> Result<()> {
    for of in ["DELETE FROM sessions WHERE account = ?", "DELETE FROM links WHERE account = ?"] {
        conn.execute(of, [account.as_str()]).map_err(database)?;
    }
    Ok(())
}

/// Deletes the sessions that were last used, or created, at these instants or before.
pub(super) fn delete_old(
    conn: &Connection,
    seen_at: Timestamp,
    created_at: Timestamp,
) -> Result<()> {
    conn.execute(
        "DELETE FROM sessions WHERE seen_at <= ? OR created_at <= ?",
        (seen_at.micros(), created_at.micros()),
    )
    .map_err(database)?;
    Ok(())
}
