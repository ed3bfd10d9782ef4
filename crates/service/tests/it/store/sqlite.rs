//! What the store in a file promises beside what every store does.

mod backup;
mod durability;
mod exports;
mod imports;
mod open;
mod processes;
mod traces;

use service::store::sqlite::SqliteStore;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for one test, gone when the test ends.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Where the store is: in a folder that is not there yet.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("data").join("sheaf.db")
    }

    pub(crate) fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.file()).unwrap()
    }
}
