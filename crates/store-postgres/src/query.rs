//! Helpers that run statements and read rows. Statements are prepared once per connection. Values
//! are always parameters, never part of the SQL text.

use crate::errors::database_error;
use deadpool_postgres::GenericClient;
use store::{Result, StoreError};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, ToSql};

/// Parameters of a statement.
pub(super) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Returns all rows.
pub(super) async fn fetch_rows(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Parameters<'_>,
) -> Result<Vec<Row>> {
    let statement = conn.prepare_cached(sql).await.map_err(database_error)?;
    conn.query(&statement, values).await.map_err(database_error)
}

/// Returns the row, if there is one.
pub(super) async fn fetch_row(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Parameters<'_>,
) -> Result<Option<Row>> {
    let statement = conn.prepare_cached(sql).await.map_err(database_error)?;
    conn.query_opt(&statement, values).await.map_err(database_error)
}

/// Returns the only row; fails without one.
pub(super) async fn fetch_one(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Parameters<'_>,
) -> Result<Row> {
    let statement = conn.prepare_cached(sql).await.map_err(database_error)?;
    conn.query_one(&statement, values).await.map_err(database_error)
}

/// Executes a statement and returns the number of changed rows. The error is the driver's own, so
/// that callers can inspect its code.
pub(super) async fn execute_raw(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Parameters<'_>,
) -> Result<u64, tokio_postgres::Error> {
    let statement = conn.prepare_cached(sql).await?;
    conn.execute(&statement, values).await
}

/// Like [`execute_raw`], with the error converted.
pub(super) async fn execute(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Parameters<'_>,
) -> Result<u64> {
    execute_raw(conn, sql, values).await.map_err(database_error)
}

/// Returns a column by its index.
pub(super) fn read_column<'a, T: FromSql<'a>>(row: &'a Row, place: usize) -> Result<T> {
    row.try_get(place).map_err(database_error)
}

/// Returns a hash column by its index.
pub(super) fn read_hash(row: &Row, place: usize) -> Result<[u8; 32]> {
    let bytes: &[u8] = read_column(row, place)?;
    bytes.try_into().map_err(store::columns::damaged_row)
}

/// Converts the error of an insertion. If a unique constraint was violated, `object` names the
/// existing object.
pub(super) fn insert_error(
    error: tokio_postgres::Error,
    object: impl FnOnce() -> String,
) -> StoreError {
    if error.code() == Some(&SqlState::UNIQUE_VIOLATION) {
        StoreError::Exists(object())
    } else {
        database_error(error)
    }
}
