//! Where a store is, and archives from and into it.

use contract::Timestamp;
use std::io::{Read, Write};
use std::path::PathBuf;
use store::Result;
use store::archive::{Progress, TableSum};
use store_postgres::Setup;
use tempfile::TempDir;
use test_servers::Postgres;

/// Where a store is.
pub(crate) enum Place {
    Sqlite(PathBuf),
    Postgres(Setup),
}

pub(crate) async fn dump<W: Write + Send>(
    from: &Place,
    to: W,
    now: Timestamp,
    mut told: impl FnMut(Progress) + Send,
) -> Result<(Vec<TableSum>, W)> {
    match from {
        Place::Sqlite(path) => store_sqlite::dump(path, to, now, &mut told).await,
        Place::Postgres(setup) => store_postgres::dump(setup, to, now, &mut told).await,
    }
}

pub(crate) async fn restore<R: Read + Send>(
    from: R,
    to: &Place,
    mut told: impl FnMut(Progress) + Send,
) -> Result<Vec<TableSum>> {
    match to {
        Place::Sqlite(path) => store_sqlite::restore(from, path, &mut told).await,
        Place::Postgres(setup) => store_postgres::restore(from, setup, &mut told).await,
    }
}

/// A folder for one test, gone when the test ends.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A file in a folder that is not there yet.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("data").join("sheaf.db")
    }
}

/// An address of an empty database that no other test has.
pub(crate) fn database() -> String {
    Postgres::shared().database().unwrap()
}

/// Runs statements in a database, as whoever administers it, and returns what they give.
pub(crate) fn sql(database: &str, sql: &str) -> std::result::Result<String, String> {
    Postgres::shared().sql(database, sql).map_err(|error| error.to_string())
}
