//! The store in PostgreSQL: what every store must do, and what is particular to a database.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod access;
mod arrivals;
mod audit;
mod connections;
mod feed;
mod imports;
mod insight;
mod lifecycle;
mod migrations;
mod open;
mod proxy;
mod replica;
mod submissions;
mod tls;
mod unlisted;

use std::time::{Duration, Instant};
use store_postgres::{PostgresStore, Setup};
use test_servers::Postgres;

/// The cluster of this process's tests. It need not outlive a power cut.
fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// An address of an empty database that no other test has.
pub(crate) fn database() -> String {
    cluster().database().unwrap()
}

/// An address of a database that no other test has, with the newest schema and no data.
pub(crate) fn prepared_database() -> String {
    let prepare = |url: &str| {
        let setup = Setup { connections_max: 1, ..Setup::of(url) };
        let open = async || PostgresStore::open(&setup).await.map(drop);
        // The caller has a runtime already.
        let open = || tokio::runtime::Runtime::new().unwrap().block_on(open()).unwrap();
        std::thread::scope(|scope| scope.spawn(open).join().unwrap());
    };
    cluster().prepared_database(prepare).unwrap()
}

/// A store in a database of its own.
pub(crate) async fn open() -> PostgresStore {
    let setup = Setup { connections_max: 4, ..Setup::of(&prepared_database()) };
    PostgresStore::open(&setup).await.unwrap()
}

/// Two stores on one database of their own, as two processes have them, and its name.
pub(crate) async fn two() -> ([PostgresStore; 2], String) {
    let url = prepared_database();
    let setup = Setup { connections_max: 4, ..Setup::of(&url) };
    let one = PostgresStore::open(&setup).await.unwrap();
    let other = PostgresStore::open(&setup).await.unwrap();
    ([one, other], url.rsplit('/').next().unwrap().to_owned())
}

/// Runs statements in a database, as whoever administers it, and returns what they give.
pub(crate) fn sql(database: &str, sql: &str) -> Result<String, String> {
    cluster().sql(database, sql).map_err(|error| error.to_string())
}

/// Waits until it is so.
async fn soon(what: &str, is_so: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !is_so().await {
        assert!(begin.elapsed() < Duration::from_mins(1), "it did not come to pass: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Several stores on one database of their own, as processes have them.
pub(crate) struct Several {
    pub(crate) stores: Vec<PostgresStore>,
    pub(crate) url: String,
    name: String,
}

/// Opens so many stores on one database.
pub(crate) async fn several(count: usize) -> Several {
    let url = prepared_database();
    let setup = Setup { connections_max: 8, ..Setup::of(&url) };
    let mut stores = Vec::new();
    for _ in 0..count {
        stores.push(PostgresStore::open(&setup).await.unwrap());
    }
    let name = url.rsplit('/').next().unwrap().to_owned();
    Several { stores, url, name }
}

impl Several {
    /// Runs statements in the database, as whoever administers it, and returns what they give.
    pub(crate) fn sql(&self, text: &str) -> String {
        sql(&self.name, text).unwrap()
    }

    /// A connection of somebody else.
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
