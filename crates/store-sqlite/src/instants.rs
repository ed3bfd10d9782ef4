//! Reads rows by their instants, which the indexes in memory know. They know only hashes of ids.

use rusqlite::{Connection, Row};
use std::ops::ControlFlow;
use store::Result;
use store::columns::database_error;

/// Reads all rows of a form at some instants, by descending id at each of them. Calls `on_row` with
/// the instant and a row of id, JSON and triage until it returns [`ControlFlow::Break`].
///
/// Rows of unfinished imports are included. The indexes in memory do not have them.
pub(super) fn for_each_row_at(
    conn: &Connection,
    form: i64,
    instants: impl IntoIterator<Item = i64>,
    mut on_row: impl FnMut(i64, &Row<'_>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    // `NOT INDEXED` prevents SQLite from using another index than the primary key.
    let sql = "SELECT id, json, triage FROM submissions NOT INDEXED
               WHERE form = ? AND submitted_at = ? ORDER BY id DESC";
    let mut statement = conn.prepare_cached(sql).map_err(database_error)?;
    for instant in instants {
        let mut rows = statement.query((form, instant)).map_err(database_error)?;
        while let Some(row) = rows.next().map_err(database_error)? {
            if on_row(instant, row)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}
