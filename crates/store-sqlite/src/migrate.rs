//! Migrations: the numbered steps that bring a file to the schema of this binary.
//!
//! A released step never changes, and there are no downgrades.

use super::connect::{APPLICATION_ID, damage_error, unfit_error};
use contract::fold::to_nfc;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior};
use sha2::{Digest, Sha256};
use std::path::Path;
use store::columns::END_OF_VALUE;
use store::columns::database_error;
use store::{Result, StoreError};

/// One migration step.
pub(super) struct Migration {
    pub(super) name: &'static str,
    sql: &'static str,
}

/// Builds the list of steps from their file names.
macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &[$(Migration {
            name: $name,
            sql: include_str!(concat!("../migrations/", $name, ".sql")),
        }),+]
    };
}

/// All steps, in order. The first leads to version 1.
pub(super) const MIGRATIONS: &[Migration] = migrations!(
    "0001_start",
    "0002_imports",
    "0003_versions",
    "0004_intake",
    "0005_import_resume",
    "0006_insight",
    "0007_access",
    "0008_people",
    "0009_audit",
    "0010_identities",
    "0011_composed_texts",
    "0012_deleted_forms",
    "0013_removed_fields",
    "0014_unlisted",
    "0015_outbox",
    "0016_mail",
    "0017_key_access",
    "0018_delivery_queues",
    "0019_triage",
    "0020_read_marks",
    "0021_done_at",
    "0022_saved_views",
    "0023_editors",
    "0024_member_forms",
    "0025_mentions",
    "0026_updated_at",
    "0027_notified_views",
);

/// SHA-256 of the schema that all steps make, in hexadecimal: see [`schema_checksum`]. A new step
/// changes it; a test prints the new value.
const SCHEMA_CHECKSUM: &str = "17d98b3647101f066d956a2e4753517a481039356ac5857375f8836ab9217571";

/// Migrates a file to the newest schema. Several processes may do this at the same time.
///
/// # Errors
/// If the schema of the file is newer, was made by other steps with the same numbers, or differs
/// from the schema that its steps make.
pub(super) fn migrate(path: &Path, conn: &mut Connection, steps: &[Migration]) -> Result<()> {
    if schema_version(path, conn, steps)? < steps.len() {
        run_missing_steps(path, conn, steps)?;
    }
    // Making the schema again takes longer than all other work of a short command.
    if schema_checksum(conn).map_err(database_error)? == SCHEMA_CHECKSUM {
        return Ok(());
    }
    match find_altered(conn, steps).map_err(database_error)? {
        Some(finding) => Err(damage_error(path, &finding)),
        None => Ok(()),
    }
}

fn run_missing_steps(path: &Path, conn: &mut Connection, steps: &[Migration]) -> Result<()> {
    add_functions(conn).map_err(database_error)?;
    for (version, step) in (1..).zip(steps) {
        let tx = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(database_error)?;
        // Another process may have done this step while this one waited for the lock.
        if schema_version(path, &tx, steps)? < version {
            apply_step(&tx, version, step).map_err(|error| step_error(path, error))?;
        }
        tx.commit().map_err(database_error)?;
    }
    Ok(())
}

/// Converts the error of a step. SQLite rejects a statement of a step only if the schema does not
/// match its version.
fn step_error(path: &Path, error: rusqlite::Error) -> StoreError {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => {
            damage_error(path, &format!("its schema is wrong: {msg}"))
        }
        error => database_error(error),
    }
}

fn apply_step(conn: &Connection, version: usize, step: &Migration) -> rusqlite::Result<()> {
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

/// Adds the SQL functions that migrations call.
fn add_functions(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function("composed", 1, flags, |call| {
        Ok(to_nfc(call.get_raw(0).as_str()?).into_owned())
    })?;
    conn.create_scalar_function("composed_values", 1, flags, |call| {
        let mut values = Vec::new();
        for value in call.get_raw(0).as_blob()?.split_inclusive(|byte| *byte == END_OF_VALUE) {
            match std::str::from_utf8(value.strip_suffix(&[END_OF_VALUE]).unwrap_or(value)) {
                Ok(text) => {
                    values.extend_from_slice(to_nfc(text).as_bytes());
                    values.push(END_OF_VALUE);
                }
                Err(_) => values.extend_from_slice(value),
            }
        }
        Ok(values)
    })
}

/// Returns the first difference between a schema and the schema that its steps make. SQLite does
/// not verify a schema: a flipped bit in a column name would only fail the first query that uses
/// it.
pub(super) fn find_altered(
    conn: &Connection,
    steps: &[Migration],
) -> rusqlite::Result<Option<String>> {
    let empty = Connection::open_in_memory()?;
    add_functions(&empty)?;
    let stored = read_schema(conn)?;
    let lossy = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    // First only the steps that the file has had: it may not be migrated yet.
    let checksums = read_checksums(conn)?;
    let mut numbered_steps = (1..).zip(steps);
    for (version, step) in numbered_steps.by_ref().take(checksums.len()) {
        apply_step(&empty, version, step)?;
    }
    let schema = read_schema(&empty)?;
    if let Some([name, _]) = schema.iter().find(|item| !stored.contains(item)) {
        return Ok(Some(format!("the schema of `{}` has been changed", lossy(name))));
    }
    let other = checksums.iter().zip(steps).find(|(stored, step)| **stored != checksum(step));
    if let Some((_, step)) = other {
        let name = step.name;
        return Ok(Some(format!(
            "the stored checksum of the migration `{name}` differs: the file is damaged, or \
             another build of sheaf wrote it"
        )));
    }
    // A file that has objects of later steps has lost rows of the list of its steps.
    for (version, step) in numbered_steps {
        apply_step(&empty, version, step)?;
    }
    let later = read_schema(&empty)?;
    let premature = later.iter().find(|item| !schema.contains(item) && stored.contains(item));
    Ok(premature.map(|[name, _]| format!("the list of migrations lacks that of `{}`", lossy(name))))
}

/// Returns name and SQL of each object of a schema. As bytes, because damaged text may not be
/// UTF-8; without whitespace, because line breaks do not matter.
fn read_schema(conn: &Connection) -> rusqlite::Result<Vec<[Vec<u8>; 2]>> {
    let mut statement = conn.prepare("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL")?;
    let bytes = |row: &Row<'_>, column| -> rusqlite::Result<Vec<u8>> {
        let text = row.get_ref(column)?.as_bytes_or_null()?.unwrap_or_default();
        Ok(text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect())
    };
    statement.query_map([], |row| Ok([bytes(row, 0)?, bytes(row, 1)?]))?.collect()
}

/// Returns the schema version of a file, after checking that the same steps led to it.
fn schema_version(path: &Path, conn: &Connection, steps: &[Migration]) -> Result<usize> {
    let stored = read_checksums(conn).map_err(database_error)?;
    if stored.len() > steps.len() {
        return Err(newer_schema_error(path, stored.len(), steps));
    }
    let is_same = stored.iter().zip(steps).all(|(stored_sum, step)| *stored_sum == checksum(step));
    is_same.then_some(stored.len()).ok_or_else(|| foreign_schema_error(path))
}

/// Returns the error for an intact schema of another version, which cannot be checked.
pub(super) fn find_other_version(
    path: &Path,
    conn: &Connection,
    steps: &[Migration],
) -> rusqlite::Result<Option<StoreError>> {
    let steps_done = read_checksums(conn)?.len();
    if steps_done > steps.len() {
        return Ok(Some(newer_schema_error(path, steps_done, steps)));
    }
    // A current file that has lost rows of the list of its steps is damaged.
    if steps_done == steps.len() || find_altered(conn, steps)?.is_some() {
        return Ok(None);
    }
    Ok(Some(unfit_error(format!(
        "`{}` has schema {steps_done}, but this version of sheaf checks only schema {}; check it \
         with the version that wrote it, or copy it to `DIR/sheaf.db`, upgrade it by \
         `sheaf account list --data DIR`, and check that",
        path.display(),
        steps.len()
    ))))
}

fn newer_schema_error(path: &Path, version: usize, steps: &[Migration]) -> StoreError {
    unfit_error(format!(
        "`{}` has schema {version}, but this version of sheaf knows schemas up to {}; run the \
         newer one",
        path.display(),
        steps.len()
    ))
}

fn foreign_schema_error(path: &Path) -> StoreError {
    unfit_error(format!(
        "the schema of `{}` was made by another build of sheaf; run that one, or name another file",
        path.display()
    ))
}

fn read_checksums(conn: &Connection) -> rusqlite::Result<Vec<Vec<u8>>> {
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

/// Returns the SHA-256 of a schema, in hexadecimal.
fn schema_checksum(conn: &Connection) -> rusqlite::Result<String> {
    let mut objects = read_schema(conn)?;
    objects.sort_unstable();
    let mut hasher = Sha256::new();
    for text in objects.iter().flatten() {
        hasher.update(text);
        hasher.update([END_OF_VALUE]);
    }
    Ok(format!("{:x}", hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_that_of_all_steps() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(Path::new("memory"), &mut conn, MIGRATIONS).unwrap();
        assert_eq!(schema_checksum(&conn).unwrap(), SCHEMA_CHECKSUM, "write it into the code");
    }
}
