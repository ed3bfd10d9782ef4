//! Tests of the SQLite store: the tests of every store, and tests of the file.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod backup;
mod durability;
mod exports;
mod feed;
mod field_filters;
mod imports;
mod imports_resumed;
mod insert_submission;
mod lifecycle;
mod mail;
mod memory_index;
mod open;
mod outbox;
mod processes;
mod schemas;
mod sorted;
mod summary;
mod traces;
mod triage;

use contract::Filter;
use contract::filter::Search;
use std::future::{Ready, ready};
use std::path::{Path, PathBuf};
use store_sqlite::{IndexLimits, SqliteStore};
use store_tests::fixtures;
use tempfile::TempDir;

/// A temporary folder for one test, deleted when it is dropped.
pub(crate) struct TestFolder(TempDir);

impl TestFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of the database, in a folder that does not exist yet.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("data").join("sheaf.db")
    }

    pub(crate) fn open(&self) -> SqliteStore {
        self.open_holding(IndexLimits::default())
    }

    pub(crate) fn open_holding(&self, holding: IndexLimits) -> SqliteStore {
        let prepare = |file: &Path| drop(SqliteStore::open(file).unwrap());
        test_servers::copy_prepared_file(&self.file(), prepare).unwrap();
        SqliteStore::open_with_limits(&self.file(), holding).unwrap()
    }
}

/// Searches and counts in `frm_1` until its index in memory serves both.
pub(crate) async fn build_index(store: &SqliteStore) {
    let search = Search::new("nothing of this kind").unwrap();
    let counted = Filter { utm_source: Some("none".to_owned()), ..Filter::default() };
    let searched = Filter { search, ..Filter::default() };
    while store.index_stats().texts == 0 || store.index_stats().tallies == 0 {
        for filter in [&counted, &searched] {
            fixtures::list_page(store, filter, None, 1).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
}

fn open() -> Ready<(SqliteStore, TestFolder)> {
    let place = TestFolder::new();
    ready((place.open(), place))
}

store_tests::suite!(open);
