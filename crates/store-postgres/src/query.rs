//! How a statement is sent, and how its rows are read. It is prepared once for each connection, and
//! values are never in its text.

use crate::errors::database;
use deadpool_postgres::GenericClient;
use store::{Result, StoreError};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, ToSql};

/// The values of a statement.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Returns all rows.
pub(super) async fn rows(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Values<'_>,
) -> Result<Vec<Row>> {
    let statement = conn.prepare_cached(sql).await.map_err(database)?;
    conn.query(&statement, values).await.map_err(database)
}

/// Returns the one row that there may be.
pub(super) async fn row(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Values<'_>,
) -> Result<Option<Row>> {
    let statement = conn.prepare_cached(sql).await.map_err(database)?;
    conn.query_opt(&statement, values).await.map_err(database)
}

/// Changes rows and returns how many. The error is the driver's own: it tells what was in the way.
pub(super) async fn change(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Values<'_>,
) -> Result<u64, tokio_postgres::Error> {
    let statement = conn.prepare_cached(sql).await?;
    conn.execute(&statement, values).await
}

/// As [`change`], where nothing is expected to be in the way.
pub(super) async fn run(
    conn: &impl GenericClient,
    sql: &'static str,
    values: Values<'_>,
) -> Result<u64> {
    change(conn, sql, values).await.map_err(database)
}

/// Returns a column, by its place.
pub(super) fn column<'a, T: FromSql<'a>>(row: &'a Row, place: usize) -> Result<T> {
    row.try_get(place).map_err(database)
}

/// Returns a hash from its column.
pub(super) fn hash(row: &Row, place: usize) -> Result<[u8; 32]> {
    let bytes: &[u8] = column(row, place)?;
    bytes.try_into().map_err(store::columns::damaged)
}

/// Returns the error of an insertion; `what` names what is there already, where that is why.
pub(super) fn exists(error: tokio_postgres::Error, what: impl FnOnce() -> String) -> StoreError {
    if error.code() == Some(&SqlState::UNIQUE_VIOLATION) {
        StoreError::Exists(what())
    } else {
        database(error)
    }
}
