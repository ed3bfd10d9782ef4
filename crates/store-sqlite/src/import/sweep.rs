//! Deletes the rows of abandoned imports, and unhides the rows of finished ones.
//!
//! Callers must hold the import lock, so no import is running. [`sweep_at_open`] takes it itself.

use super::batches::BATCH_ROWS_MAX;
use super::{LOG_BYTES_MAX, begin_transaction, import_lock, yield_to_writers};
use crate::write_ahead_log::LogLimiter;
use crate::{erase_traces, query};
use rusqlite::Connection;
use std::path::Path;
use store::Result;
use store::clock::{Clock as _, SystemClock};
use store::columns::database_error;

/// How long a killed import can be resumed: seven days, in microseconds.
const RESUMABLE_MICROS: i64 = 7 * 24 * 60 * 60 * 1_000_000;
/// Condition for imports that cannot be resumed, or were not for seven days.
const ABANDONED_SQL: &str = "fingerprint IS NULL OR touched_at < ?";

/// Deletes the rows of abandoned imports, unless an import is running.
pub(crate) fn sweep_at_open(path: &Path, conn: &mut Connection) -> Result<()> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM imports WHERE {ABANDONED_SQL})
           OR (EXISTS (SELECT 1 FROM hidden) AND NOT EXISTS (SELECT 1 FROM imports))"
    );
    if !query::one(conn, &sql, [resumable_since()], |row| row.get::<_, bool>(0))? {
        return Ok(());
    }
    match import_lock::try_acquire(path)? {
        Some(_turn) => sweep_abandoned(conn),
        None => Ok(()),
    }
}

/// Deletes the rows of abandoned imports.
pub(super) fn sweep_abandoned(conn: &mut Connection) -> Result<()> {
    sweep(conn, ABANDONED_SQL, resumable_since())
}

/// Deletes the rows of imports that match a condition, batch by batch.
pub(super) fn sweep(conn: &mut Connection, condition: &str, value: i64) -> Result<()> {
    for import in list_imports(conn, condition, value)? {
        for_each_batch(conn, "import = ?", import, |conn, place| {
            for table in ["submissions", "submission_texts", "hidden"] {
                delete_row(conn, table, place)?;
            }
            Ok(())
        })?;
        query::execute(conn, "DELETE FROM imports WHERE seq = ?", [import])?;
    }
    unhide_finished(conn)
}

/// Deletes entries of `hidden` that do not belong to a resumable import. If there is no import, one
/// fast statement deletes all entries.
pub(super) fn unhide_finished(conn: &mut Connection) -> Result<()> {
    let tx = begin_transaction(conn)?;
    let has_no_import = "SELECT NOT EXISTS (SELECT 1 FROM imports)";
    if query::one(&tx, has_no_import, [], |row| row.get::<_, bool>(0))? {
        tx.execute_batch("DELETE FROM hidden").map_err(database_error)?;
        return tx.commit().map_err(database_error);
    }
    drop(tx);
    let condition = "? AND import NOT IN (SELECT seq FROM imports)";
    for_each_batch(conn, condition, 1, |conn, place| delete_row(conn, "hidden", place))
}

fn resumable_since() -> i64 {
    SystemClock.now().micros() - RESUMABLE_MICROS
}

fn list_imports(conn: &Connection, condition: &str, value: i64) -> Result<Vec<i64>> {
    let sql = format!("SELECT seq FROM imports WHERE {condition}");
    query::list(conn, &sql, [value], |row| row.get(0))
}

/// Key of a submission: form, instant and id.
type HiddenRowKey = (i64, i64, String);

/// Calls `work` with each hidden submission that matches a condition, one transaction per batch.
/// Each batch starts after the previous one, so rows of other imports are scanned only once.
fn for_each_batch(
    conn: &mut Connection,
    condition: &str,
    value: i64,
    work: impl Fn(&Connection, &HiddenRowKey) -> Result<()>,
) -> Result<()> {
    let sql = format!(
        "SELECT form, submitted_at, id FROM hidden
         WHERE {condition} AND (form, submitted_at, id) > (?, ?, ?)
         ORDER BY form, submitted_at, id LIMIT {BATCH_ROWS_MAX}"
    );
    let mut log = LogLimiter::of(conn, LOG_BYTES_MAX);
    let mut last: HiddenRowKey = (i64::MIN, i64::MIN, String::new());
    loop {
        let params = (value, last.0, last.1, &last.2);
        let keys: Vec<HiddenRowKey> = query::list(conn, &sql, params, |row| row.try_into())?;
        let Some(end) = keys.last() else { return Ok(()) };
        last = end.clone();
        let tx = begin_transaction(conn)?;
        keys.iter().try_for_each(|key| work(&tx, key))?;
        erase_traces::request_erasure(&tx)?;
        tx.commit().map_err(database_error)?;
        yield_to_writers(conn, &mut log);
    }
}

fn delete_row(conn: &Connection, table: &str, place: &HiddenRowKey) -> Result<()> {
    let sql = format!("DELETE FROM {table} WHERE form = ? AND submitted_at = ? AND id = ?");
    let (form, at, id) = place;
    query::execute(conn, &sql, (form, at, id)).map(drop)
}
