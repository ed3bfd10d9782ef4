//! How a statement is asked: prepared once for each connection, its values never in its text.

use crate::trouble::database;
use deadpool_postgres::GenericClient;
use store::Result;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

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
