//! What was taken is kept: the long proofs, which `cargo xtask test durability` runs.
//!
//! Each starts processes of its own, of this same program, and does to them what no test in one
//! process can: kills them, or looks at every write that they make.
#![expect(clippy::print_stderr, reason = "what was counted belongs to what is proven")]
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod backup;
mod child;
mod damage;
mod dice;
mod faults;
mod full;
mod gone;
mod log;
mod power;

use contract::Filter;
use std::path::PathBuf;
use store::{Store, StoredSubmission};
use store_sqlite::SqliteStore;

/// A folder for one test, gone when the test ends.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// On a disk that takes no time, where there is one.
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

/// All submissions of `frm_1`, newest first.
async fn rows(store: &dyn Store) -> Vec<StoredSubmission> {
    let (mut rows, all) = (Vec::<StoredSubmission>::new(), Filter::default());
    loop {
        let behind = rows.last().map(|row| row.position.clone());
        let page = store
            .list_submissions(&store_tests::make::form_id(), &all, behind.as_ref(), 1000)
            .await;
        let page = page.unwrap().rows;
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

/// Looks through a file, which must be whole, and returns how many submissions it has.
#[track_caller]
fn whole(file: &std::path::Path) -> u64 {
    let report = store_sqlite::check(file).unwrap();
    assert_eq!(report.findings, [""; 0]);
    report.submissions
}
