//! Deletes the rows of abandoned imports, and unhides the rows of finished ones.
//!
//! Callers must hold the import lock, so no import is running. [`recover`] takes it itself.

use super::pieces::PIECE_ROWS_MAX;
use super::{LOG_BYTES_MAX, pause, start, turn};
use crate::erase_traces;
use crate::write_ahead_log::ShortLog;
use rusqlite::Connection;
use std::path::Path;
use store::Result;
use store::clock::{Clock as _, SystemClock};
use store::columns::database;

/// How long a killed import can be resumed: seven days, in microseconds.
const KEPT_MICROS: i64 = 7 * 24 * 60 * 60 * 1_000_000;
/// Condition for imports that cannot be resumed, or were not for seven days.
const DEAD: &str = "fingerprint IS NULL OR touched_at < ?";

/// Deletes the rows of abandoned imports, unless an import is running.
pub(crate) fn recover(path: &Path, conn: &mut Connection) -> Result<()> {
    let any = format!(
        "SELECT EXISTS (SELECT 1 FROM imports WHERE {DEAD})
           OR (EXISTS (SELECT 1 FROM hidden) AND NOT EXISTS (SELECT 1 FROM imports))"
    );
    if !conn.query_row(&any, [kept_since()], |row| row.get::<_, bool>(0)).map_err(database)? {
        return Ok(());
    }
    match turn::take(path)? {
        Some(_turn) => sweep_dead(conn),
        None => Ok(()),
    }
}

/// Deletes the rows of abandoned imports.
pub(super) fn sweep_dead(conn: &mut Connection) -> Result<()> {
    sweep(conn, DEAD, kept_since())
}

/// Deletes the rows of imports that match a condition, batch by batch.
pub(super) fn sweep(conn: &mut Connection, condition: &str, value: i64) -> Result<()> {
    for import in listed(conn, condition, value)? {
        each_piece(conn, "import = ?", import, |conn, place| {
            for table in ["submissions", "submission_texts", "hidden"] {
                remove(conn, table, place)?;
            }
            Ok(())
        })?;
        conn.execute("DELETE FROM imports WHERE seq = ?", [import]).map_err(database)?;
    }
    cross_off(conn)
}

/// Deletes entries of `hidden` that do not belong to a resumable import. If there is no import, one
/// fast statement deletes all entries.
pub(super) fn cross_off(conn: &mut Connection) -> Result<()> {
    let tx = start(conn)?;
    let none = "SELECT NOT EXISTS (SELECT 1 FROM imports)";
    let none: bool = tx.query_row(none, [], |row| row.get(0)).map_err(database)?;
    if none {
        tx.execute_batch("DELETE FROM hidden").map_err(database)?;
        return tx.commit().map_err(database);
    }
    drop(tx);
    let seen = "? AND import NOT IN (SELECT seq FROM imports)";
    each_piece(conn, seen, 1, |conn, place| remove(conn, "hidden", place))
}

fn kept_since() -> i64 {
    SystemClock.now().micros() - KEPT_MICROS
}

fn listed(conn: &Connection, condition: &str, value: i64) -> Result<Vec<i64>> {
    let all = format!("SELECT seq FROM imports WHERE {condition}");
    let mut all = conn.prepare_cached(&all).map_err(database)?;
    let rows = all.query_map([value], |row| row.get(0)).map_err(database)?;
    rows.collect::<rusqlite::Result<_>>().map_err(database)
}

/// Key of a submission: form, instant and id.
type Place = (i64, i64, String);

/// Calls `work` with each hidden submission that matches a condition, one transaction per batch.
/// Each batch starts after the previous one, so rows of other imports are scanned only once.
fn each_piece(
    conn: &mut Connection,
    condition: &str,
    value: i64,
    work: impl Fn(&Connection, &Place) -> rusqlite::Result<()>,
) -> Result<()> {
    let sql = format!(
        "SELECT form, submitted_at, id FROM hidden
         WHERE {condition} AND (form, submitted_at, id) > (?, ?, ?)
         ORDER BY form, submitted_at, id LIMIT {PIECE_ROWS_MAX}"
    );
    let mut log = ShortLog::of(conn, LOG_BYTES_MAX);
    let mut last: Place = (i64::MIN, i64::MIN, String::new());
    loop {
        let piece: Vec<Place> = {
            let mut some = conn.prepare_cached(&sql).map_err(database)?;
            let rows = some.query_map((value, last.0, last.1, &last.2), |row| row.try_into());
            rows.and_then(Iterator::collect).map_err(database)?
        };
        let Some(end) = piece.last() else { return Ok(()) };
        last = end.clone();
        let tx = start(conn)?;
        piece.iter().try_for_each(|place| work(&tx, place)).map_err(database)?;
        erase_traces::ask(&tx).map_err(database)?;
        tx.commit().map_err(database)?;
        pause(conn, &mut log);
    }
}

fn remove(conn: &Connection, table: &str, place: &Place) -> rusqlite::Result<()> {
    let sql = format!("DELETE FROM {table} WHERE form = ? AND submitted_at = ? AND id = ?");
    let (form, at, id) = place;
    conn.prepare_cached(&sql)?.execute((form, at, id)).map(drop)
}
