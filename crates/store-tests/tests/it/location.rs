//! Location of a store; dump and restore for both kinds.

use contract::Timestamp;
use std::io::{Read, Write};
use std::path::PathBuf;
use store::Result;
use store::archive::{Progress, TableSum};
use store_postgres::{PostgresStore, Setup};
use tempfile::TempDir;
use test_servers::Postgres;

/// Location of a store.
pub(crate) enum Location {
    Sqlite(PathBuf),
    Postgres(Setup),
}

pub(crate) async fn dump<W: Write + Send>(
    from: &Location,
    to: W,
    now: Timestamp,
    mut report: impl FnMut(Progress) + Send,
) -> Result<(Vec<TableSum>, W)> {
    match from {
        Location::Sqlite(path) => store_sqlite::dump(path, to, now, &mut report).await,
        Location::Postgres(setup) => store_postgres::dump(setup, to, now, &mut report).await,
    }
}

pub(crate) async fn restore<R: Read + Send>(
    from: R,
    to: &Location,
    mut report: impl FnMut(Progress) + Send,
) -> Result<Vec<TableSum>> {
    match to {
        Location::Sqlite(path) => store_sqlite::restore(from, path, &mut report).await,
        Location::Postgres(setup) => store_postgres::restore(from, setup, &mut report).await,
    }
}

/// A temporary folder for one test, deleted when it is dropped.
pub(crate) struct TempFolder(TempDir);

impl TempFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Returns the path of a database in a folder that does not exist yet.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("data").join("sheaf.db")
    }
}

/// Creates an empty database for one test; returns its URL.
pub(crate) fn create_database() -> String {
    Postgres::shared().create_database().unwrap()
}

/// Creates a database with the newest schema and no data; returns its URL.
pub(crate) fn prepared_database() -> String {
    let prepare = async |url: &str| {
        PostgresStore::open(&Setup::with_defaults(url)).await.unwrap();
    };
    Postgres::shared().create_prepared_database(prepare).unwrap()
}

/// Runs SQL in a database as its administrator; returns the output.
pub(crate) fn run_sql(database: &str, sql: &str) -> std::result::Result<String, String> {
    Postgres::shared().run_sql(database, sql).map_err(|error| error.to_string())
}
