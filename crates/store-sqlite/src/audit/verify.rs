//! Verifies the hash chains of the audit log. Never repairs anything.

use super::entry_row::{COLUMNS, read_entry};
use crate::connect;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;
use store::audit::{AuditReport, ChainReport, ChainVerifier};
use store::columns::database_error;
use store::{Hash, Result};

/// Verifies every chain of a file in one snapshot, and searches for entries by number and hash.
/// Entries of `expected` that are not found are in [`AuditReport::missing`].
///
/// # Errors
/// If the file is not a Sheaf database, or cannot be read.
pub fn verify(path: &Path, expected: Vec<(i64, String)>) -> Result<AuditReport> {
    let conn = connect::open_existing(path)?;
    let snapshot = conn.unchecked_transaction().map_err(database_error)?;
    let report = verify_chains(&snapshot).map_err(database_error)?;
    let is_stored = |(place, hash): &(i64, String)| -> rusqlite::Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM audit WHERE place = ? AND hash = unhex(?))";
        snapshot.query_row(sql, (place, hash), |row| row.get(0))
    };
    let mut missing = Vec::new();
    for entry in expected {
        if !is_stored(&entry).map_err(database_error)? {
            missing.push(entry);
        }
    }
    Ok(AuditReport { missing, ..report })
}

/// As [`verify`], within a transaction, and without searching for entries.
pub(crate) fn verify_chains(conn: &Connection) -> rusqlite::Result<AuditReport> {
    // Databases of older versions have no audit log until they are migrated.
    let sql = "SELECT 1 FROM sqlite_schema WHERE name = 'audit_heads'";
    if conn.query_row(sql, [], |_| Ok(())).optional()?.is_none() {
        return Ok(AuditReport { chains: Vec::new(), missing: Vec::new() });
    }
    let accounts: Vec<String> = conn
        .prepare(
            "SELECT account FROM audit_heads UNION SELECT account FROM audit
             UNION SELECT account FROM audit_starts ORDER BY 1",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let chains = accounts.into_iter().map(|account| verify_chain(conn, account));
    let chains = chains.collect::<rusqlite::Result<_>>()?;
    Ok(AuditReport { chains, missing: Vec::new() })
}

fn verify_chain(conn: &Connection, account: String) -> rusqlite::Result<ChainReport> {
    let position_in = |table: &str| -> rusqlite::Result<(i64, Hash)> {
        let sql = format!("SELECT place, hash FROM {table} WHERE account = ?");
        let found = conn.query_row(&sql, [&account], |row| row.try_into()).optional()?;
        Ok(found.unwrap_or_default())
    };
    let mut verifier = ChainVerifier::after(position_in("audit_starts")?);
    let head = position_in("audit_heads")?;
    let mut statement =
        conn.prepare(&format!("SELECT {COLUMNS} FROM audit WHERE account = ? ORDER BY place"))?;
    let mut rows = statement.query([&account])?;
    while let Some(row) = rows.next()?
        && verifier.is_valid()
    {
        let (line, stored_hash) = read_entry(row)?;
        verifier.add_row(&line, stored_hash);
    }
    Ok(verifier.finish(account, head))
}
