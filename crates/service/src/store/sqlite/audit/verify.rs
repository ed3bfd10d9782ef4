//! Looking whether the audit log is what was written: every chain, from its beginning to its end.
//! Never mends anything.

use super::super::super::row::database;
use super::super::super::{Hash, Result};
use super::super::connect;
use super::chain::Line;
use rusqlite::{Connection, OptionalExtension, Row};
use std::path::Path;

/// How one chain stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Whose it is; empty where no account is known.
    pub account: String,
    /// How many notes are in it.
    pub notes: u64,
    /// The place of its last note, and its hash in hexadecimal: kept elsewhere, they tell later
    /// that nothing before was changed.
    pub end: (i64, String),
    /// The first thing that does not fit, in words.
    pub finding: Option<String>,
}

/// How all chains stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditReport {
    /// Each, by account.
    pub chains: Vec<Chain>,
    /// Which of the notes that were asked for, by place and hash in hexadecimal, no chain holds.
    pub missing: Vec<(i64, String)>,
}

/// Looks at every chain of a file, at one state of the data, and for some notes by place and hash.
///
/// # Errors
/// A file that is no database of ours, or cannot be read.
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

/// As [`verify`], in a transaction.
pub(in super::super) fn look(conn: &Connection) -> rusqlite::Result<AuditReport> {
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
    let (mut place, mut hash) = place_of("audit_starts")?;
    let end = place_of("audit_heads")?;
    let (mut notes, mut finding) = (0, None);
    let mut all = conn.prepare(
        "SELECT account, place, at, environment, actor_kind, actor_id, device, browser, address,
           request, action, object_kind, object_id, outcome, code, detail, prev_hash, hash
         FROM audit WHERE account = ? ORDER BY place",
    )?;
    let mut rows = all.query([&account])?;
    while let Some(row) = rows.next()?
        && finding.is_none()
    {
        let (line, kept) = (line(row)?, row.get::<_, Hash>(17)?);
        finding = wrong(&line, kept, (place, hash));
        (place, hash) = (line.place, kept);
        notes += 1;
    }
    if finding.is_none() && (place, hash) != end {
        finding =
            Some(format!("the log should end with note {}, but ends with note {place}", end.0));
    }
    let hex = end.1.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    Ok(Chain { account, notes, end: (end.0, hex), finding })
}

/// Says what of a line does not fit behind the one before.
fn wrong(line: &Line, kept: Hash, (place, hash): (i64, Hash)) -> Option<String> {
    let due = place + 1;
    if line.place != due {
        return Some(format!("note {due} is missing; note {} stands there", line.place));
    }
    if line.prev_hash != hash {
        return Some(format!("note {due} does not stand behind the note before it"));
    }
    (line.hash() != kept).then(|| format!("note {due} is not as it was written"))
}

fn line(row: &Row<'_>) -> rusqlite::Result<Line> {
    Ok(Line {
        account: row.get(0)?,
        place: row.get(1)?,
        at: row.get(2)?,
        environment: row.get(3)?,
        actor_kind: row.get(4)?,
        actor_id: row.get(5)?,
        device: row.get(6)?,
        browser: row.get(7)?,
        address: row.get(8)?,
        request: row.get(9)?,
        action: row.get(10)?,
        object_kind: row.get(11)?,
        object_id: row.get(12)?,
        outcome: row.get(13)?,
        code: row.get(14)?,
        detail: row.get(15)?,
        prev_hash: row.get(16)?,
    })
}
