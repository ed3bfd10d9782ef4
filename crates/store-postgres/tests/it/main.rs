//! Integration tests of the PostgreSQL store: the suite for all stores, and tests specific to
//! PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test fails on the first unexpected error")]

mod access;
mod audit;
mod connections;
mod feed;
mod imports;
mod insertions;
mod insight;
mod labels;
mod lifecycle;
mod live;
mod mail;
mod migrations;
mod open;
mod proxy;
mod replica;
mod sorted;
mod submissions;
mod tls;
mod triage;
mod unlisted;

use futures_util::StreamExt;
use std::time::{Duration, Instant};
use store_postgres::{PostgresStore, Setup};
use test_servers::Postgres;

/// The cluster of the tests in this process. It need not survive a power failure.
fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// Creates an empty database and returns its address.
pub(crate) fn create_database() -> String {
    cluster().create_database().unwrap()
}

/// Creates a database with the newest schema and no data, and returns its address.
pub(crate) fn prepared_database() -> String {
    let prepare = async |url: &str| {
        PostgresStore::open(&Setup::with_defaults(url)).await.unwrap();
    };
    cluster().create_prepared_database(prepare).unwrap()
}

/// Opens a store on a new database.
pub(crate) async fn open() -> PostgresStore {
    let setup = Setup { connections_max: 4, ..Setup::with_defaults(&prepared_database()) };
    PostgresStore::open(&setup).await.unwrap()
}

/// Opens two stores on one new database, like two processes. Also returns the database's name.
pub(crate) async fn open_two() -> ([PostgresStore; 2], String) {
    let url = prepared_database();
    let setup = Setup { connections_max: 4, ..Setup::with_defaults(&url) };
    let store = PostgresStore::open(&setup).await.unwrap();
    let other = PostgresStore::open(&setup).await.unwrap();
    ([store, other], url.rsplit('/').next().unwrap().to_owned())
}

/// Runs statements in a database as an administrator, and returns their output.
pub(crate) fn sql(database: &str, sql: &str) -> Result<String, String> {
    cluster().run_sql(database, sql).map_err(|error| error.to_string())
}

/// Runs many calls of the store, a few of them at once, and returns their results in order.
///
/// A call waits at most five seconds for one of the four connections of its store. Hundreds of calls
/// at once would exceed that on a busy machine.
pub(crate) async fn run_many<F: Future>(calls: impl Iterator<Item = F>) -> Vec<F::Output> {
    const AT_ONCE_MAX: usize = 16;
    futures_util::stream::iter(calls).buffered(AT_ONCE_MAX).collect().await
}

/// Waits until a condition is true.
async fn poll_until(description: &str, is_true: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !is_true().await {
        assert!(begin.elapsed() < Duration::from_mins(1), "timed out: {description}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Several stores on one database, like several processes.
pub(crate) struct StoreGroup {
    pub(crate) stores: Vec<PostgresStore>,
    pub(crate) url: String,
    name: String,
}

/// Opens `count` stores on one new database.
pub(crate) async fn open_several(count: usize) -> StoreGroup {
    let url = prepared_database();
    let setup = Setup { connections_max: 8, ..Setup::with_defaults(&url) };
    let mut stores = Vec::new();
    for _ in 0..count {
        stores.push(PostgresStore::open(&setup).await.unwrap());
    }
    let name = url.rsplit('/').next().unwrap().to_owned();
    StoreGroup { stores, url, name }
}

impl StoreGroup {
    /// Runs statements in the database as an administrator, and returns their output.
    pub(crate) fn sql(&self, text: &str) -> String {
        sql(&self.name, text).unwrap()
    }

    /// Opens a separate connection.
    pub(crate) async fn connect(&self) -> tokio_postgres::Client {
        let (client, connection) =
            tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

async fn new_store() -> (PostgresStore, ()) {
    (open().await, ())
}

store_tests::suite!(new_store);
