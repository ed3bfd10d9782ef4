//! Runs statements. Each is prepared once per connection; errors become [`StoreError::Database`].
//!
//! [`StoreError::Database`]: store::StoreError::Database

use rusqlite::{Connection, OptionalExtension, Params, Row};
use store::Result;
use store::columns::database_error;

/// Runs a statement that returns no rows; returns the number of changed rows.
pub(super) fn execute(conn: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(params))
        .map_err(database_error)
}

/// Returns the first row; fails without one.
pub(super) fn one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(params, read))
        .map_err(database_error)
}

/// Returns the first row, or `None` without one.
pub(super) fn find<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(params, read).optional())
        .map_err(database_error)
}

/// Returns all rows.
pub(super) fn list<C: FromIterator<T>, T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<C> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.query_map(params, read)?.collect())
        .map_err(database_error)
}
