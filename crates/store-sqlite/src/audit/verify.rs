//! Verifies the hash chains of the audit log. Never repairs anything.

use super::line::{COLUMNS, line};
use crate::connect;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;
use store::audit::{AuditReport, Chain, Look};
use store::columns::database;
use store::{Hash, Result};

/// Verifies every chain of a file in one snapshot, and searches for entries by number and hash.
/// Entries of `wanted` that are not found are in [`AuditReport::missing`].
///
/// # Errors
/// If the file is not a Sheaf database, or cannot be read.
pub fn verify(path: &Path, wanted: Vec<(i64, String)>) -> Result<AuditReport> {
    let conn = connect::existing(path)?;
    let snapshot = conn.unchecked_transaction().map_err(database)?;
    let report = look(&snapshot).map_err(database)?;
    let holds = |(place, hash): &(i64, String)| -> rusqlite::Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM audit WHERE place = ? AND hash = unhex(?))";
        snapshot.query_row(sql, (place, hash), |row| row.get(0))
    };
    let mut missing = Vec::new();
    for one in wanted {
        if !holds(&one).map_err(database)? {
            missing.push(one);
        }
    }
    Ok(AuditReport { missing, ..report })
}

/// As [`verify`], within a transaction, and without searching for entries.
pub(crate) fn look(conn: &Connection) -> rusqlite::Result<AuditReport> {
    let is_there = "SELECT 1 FROM sqlite_schema WHERE name = 'audit_heads'";
    if conn.query_row(is_there, [], |_| Ok(())).optional()?.is_none() {
        return Ok(AuditReport { chains: Vec::new(), missing: Vec::new() });
    }
    let accounts: Vec<String> = conn
        .prepare(
            "SELECT account FROM audit_heads UNION SELECT account FROM audit
             UNION SELECT account FROM audit_starts ORDER BY 1",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let chains = accounts.into_iter().map(|account| look_at(conn, account));
    let chains = chains.collect::<rusqlite::Result<_>>()?;
    Ok(AuditReport { chains, missing: Vec::new() })
}

fn look_at(conn: &Connection, account: String) -> rusqlite::Result<Chain> {
    let place_of = |table: &str| -> rusqlite::Result<(i64, Hash)> {
        let sql = format!("SELECT place, hash FROM {table} WHERE account = ?");
        let found = conn.query_row(&sql, [&account], |row| row.try_into()).optional()?;
        Ok(found.unwrap_or_default())
    };
    let mut look = Look::behind(place_of("audit_starts")?);
    let end = place_of("audit_heads")?;
    let mut all =
        conn.prepare(&format!("SELECT {COLUMNS} FROM audit WHERE account = ? ORDER BY place"))?;
    let mut rows = all.query([&account])?;
    while let Some(row) = rows.next()?
        && look.goes_on()
    {
        let (line, kept) = line(row)?;
        look.take(&line, kept);
    }
    Ok(look.end(account, end))
}
