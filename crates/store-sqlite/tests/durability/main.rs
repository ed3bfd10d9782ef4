//! Long tests of durability, for `cargo xtask test durability`.
//!
//! Most start child processes of this same program, to kill them or to record every write, which a
//! test within one process cannot do.
#![expect(clippy::print_stderr, reason = "the counts are part of the result")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod backup;
mod child;
mod damage;
mod faults;
mod full;
mod log;
mod power;
mod rng;
mod secure_erase;

use contract::Filter;
use std::path::PathBuf;
use store::{Store, StoredSubmission};
use store_sqlite::SqliteStore;
use store_tests::fixtures;

/// A temporary folder for one test, deleted when it is dropped.
struct TestFolder(tempfile::TempDir);

impl TestFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Returns a folder in memory if there is enough space, for speed.
    fn in_memory() -> Self {
        let memory = std::path::Path::new("/dev/shm");
        let room = rustix::fs::statvfs(memory).map_or(0, |disk| disk.f_bavail * disk.f_frsize);
        if room >= 1 << 30 { Self(tempfile::tempdir_in(memory).unwrap()) } else { Self::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.path("sheaf.db")
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.file()).unwrap()
    }
}

/// Returns all submissions of `frm_1`, newest first.
async fn list_rows(store: &dyn Store) -> Vec<StoredSubmission> {
    let mut rows = Vec::<StoredSubmission>::new();
    let filter = Filter::default();
    loop {
        let after = rows.last().map(|row| row.position.clone());
        let page = fixtures::list_page(store, &filter, after.as_ref(), 1000).await;
        let page = page.unwrap().rows;
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

/// Runs a full check of a file, which must succeed; returns the number of submissions.
#[track_caller]
fn check_file(file: &std::path::Path) -> u64 {
    let report = store_sqlite::check(file).unwrap();
    assert_eq!(report.findings, [""; 0]);
    report.submissions
}
