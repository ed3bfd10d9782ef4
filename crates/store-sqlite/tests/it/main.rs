//! The store in one SQLite file: what every store must do, and what is particular to a file.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod backup;
mod durability;
mod exports;
mod feed;
mod held;
mod imports;
mod imports_resumed;
mod lifecycle;
mod open;
mod processes;
mod schemas;
mod summary;
mod traces;

use contract::Filter;
use contract::filter::Search;
use std::future::{Ready, ready};
use std::path::{Path, PathBuf};
use store::Store;
use store_sqlite::{Holding, SqliteStore};
use store_tests::make::form_id;
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

    pub(crate) fn open_holding(&self, holding: Holding) -> SqliteStore {
        SqliteStore::open_holding(&self.file(), holding).unwrap()
    }
}

/// Searches and counts in `frm_1` until it is held in memory for both.
pub(crate) async fn hold(store: &SqliteStore) {
    let search = Search::new("nothing of this kind").unwrap();
    let counted = Filter { utm_source: Some("none".to_owned()), ..Filter::default() };
    let searched = Filter { search, ..Filter::default() };
    while store.holds().texts == 0 || store.holds().tallies == 0 {
        for filter in [&counted, &searched] {
            store.list_submissions(&form_id(), filter, None, 1).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
}

fn open() -> Ready<(SqliteStore, Place)> {
    let place = Place::new();
    ready((place.open(), place))
}

store_tests::suite!(open);
