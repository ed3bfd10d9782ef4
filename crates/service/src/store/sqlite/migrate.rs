//! Migrations: the numbered steps by which a file comes to the schema that this binary knows.
//!
//! A step is never changed once it was released, and none leads back.

use super::super::row::database;
use super::super::{Result, StoreError};
use super::connect::{APPLICATION_ID, unfit};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use sha2::{Digest, Sha256};
use std::path::Path;

/// One step.
pub(super) struct Migration {
    pub(super) name: &'static str,
    sql: &'static str,
}

/// Every step, in order; the first is version 1.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        name: "0001_start",
        sql: include_str!("../../../migrations/sqlite/0001_start.sql"),
    },
    Migration {
        name: "0002_imports",
        sql: include_str!("../../../migrations/sqlite/0002_imports.sql"),
    },
    Migration {
        name: "0003_versions",
        sql: include_str!("../../../migrations/sqlite/0003_versions.sql"),
    },
    Migration {
        name: "0004_intake",
        sql: include_str!("../../../migrations/sqlite/0004_intake.sql"),
    },
    Migration {
        name: "0005_import_resume",
        sql: include_str!("../../../migrations/sqlite/0005_import_resume.sql"),
    },
    Migration {
        name: "0006_insight",
        sql: include_str!("../../../migrations/sqlite/0006_insight.sql"),
    },
    Migration {
        name: "0007_access",
        sql: include_str!("../../../migrations/sqlite/0007_access.sql"),
    },
];

/// Brings a file to the newest schema. Several processes may do so at once.
///
/// # Errors
/// A file whose schema is newer, or was made by other steps of the same number.
pub(super) fn migrate(path: &Path, conn: &mut Connection, steps: &[Migration]) -> Result<()> {
    if newest(path, conn, steps)? == steps.len() {
        return Ok(());
    }
    for (version, step) in (1..).zip(steps) {
        let tx =
            conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)?;
        // Another process may have done this step while this one waited for its turn.
        if newest(path, &tx, steps)? < version {
            apply(&tx, version, step).map_err(database)?;
        }
        tx.commit().map_err(database)?;
    }
    Ok(())
}

fn apply(conn: &Connection, version: usize, step: &Migration) -> rusqlite::Result<()> {
    if version == 1 {
        conn.pragma_update(None, "application_id", APPLICATION_ID)?;
        conn.execute_batch(
            "CREATE TABLE schema_migrations (
               version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum BLOB NOT NULL
             ) STRICT",
        )?;
    }
    conn.execute_batch(step.sql)?;
    conn.execute(
        "INSERT INTO schema_migrations (version, name, checksum) VALUES (?, ?, ?)",
        (i64::try_from(version).unwrap_or(i64::MAX), step.name, checksum(step)),
    )?;
    Ok(())
}

/// Returns the version that a file is at, having checked that it came there by the same steps.
fn newest(path: &Path, conn: &Connection, steps: &[Migration]) -> Result<usize> {
    let kept = checksums(conn).map_err(database)?;
    if kept.len() > steps.len() {
        return Err(unfit(format!(
            "`{}` has schema {}, but this version of sheaf knows schemas up to {}; run the \
             newer one",
            path.display(),
            kept.len(),
            steps.len()
        )));
    }
    let same = kept.iter().zip(steps).all(|(kept, step)| *kept == checksum(step));
    same.then_some(kept.len()).ok_or_else(|| differs(path))
}

fn differs(path: &Path) -> StoreError {
    unfit(format!(
        "the schema of `{}` was made by another build of sheaf; run that one, or name another file",
        path.display()
    ))
}

fn checksums(conn: &Connection) -> rusqlite::Result<Vec<Vec<u8>>> {
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'";
    if conn.query_row(table, [], |_| Ok(())).optional()?.is_none() {
        return Ok(Vec::new());
    }
    conn.prepare("SELECT checksum FROM schema_migrations ORDER BY version")?
        .query_map([], |row| row.get(0))?
        .collect()
}

fn checksum(step: &Migration) -> Vec<u8> {
    Sha256::digest(step.sql).to_vec()
}
