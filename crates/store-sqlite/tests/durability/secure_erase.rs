//! Secure deletion: deleted rows leave the file, its log and its index, at any size.

use crate::TestFolder;
use contract::SubmissionId;
use contract::trash::DAYS_DEFAULT;
use memchr::memmem;
use std::time::{Duration, Instant};
use store::Store;
use store::unlisted::{
    MoveOutcome, Selection, UnlistRequest, UnlistedSelection, UnlistedState, UnlistedStore as _,
};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, at, submission};

/// Delay of the clean-up after a write, and its maximum duration in this test.
const CLEANUP_DELAY: Duration = Duration::from_millis(500);
const CLEANUP_MAX: Duration = Duration::from_mins(4);

fn canary(n: usize) -> String {
    format!("canary{n:06}x")
}

/// Returns how many of the deleted rows are still in each file.
fn count_traces(place: &TestFolder, deleted: impl Fn(usize) -> bool) -> Vec<(&'static str, usize)> {
    let count = |end: &&'static str| {
        let bytes = std::fs::read(place.path(end)).unwrap_or_default();
        let number =
            |at: usize| std::str::from_utf8(bytes.get(at + 6..at + 12)?).ok()?.parse().ok();
        let mut found: Vec<usize> = memmem::find_iter(&bytes, b"canary")
            .filter_map(number)
            .filter(|n| deleted(*n))
            .collect();
        found.sort_unstable();
        found.dedup();
        (*end, found.len())
    };
    ["sheaf.db", "sheaf.db-wal", "sheaf.db-shm"].iter().map(count).filter(|f| f.1 > 0).collect()
}

/// Kind of deletion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeletionKind {
    /// Permanent deletion of listed submissions.
    Delete,
    /// Move to the trash, and deletion there.
    Trash,
    /// Move to the trash, and expiry there.
    Purge,
}

impl DeletionKind {
    async fn delete_rows(self, store: &SqliteStore, ids: Vec<SubmissionId>) {
        if self == Self::Delete {
            for id in ids {
                assert!(store.delete_submission(&id).await.unwrap());
            }
            return;
        }
        let count = ids.len() as u64;
        // The scattered order also splits pages of the trash.
        for (number, id) in ids.into_iter().enumerate() {
            let request = UnlistRequest {
                form: fixtures::form_id(),
                selection: Selection::Ids(vec![id]),
                state: UnlistedState::Trash,
                batch: format!("bat_{number}").parse().unwrap(),
                at: at(0),
                is_permanent: false,
            };
            let expected = MoveOutcome::Moved { count: 1, remaining: 0, is_restorable: true };
            assert_eq!(store.move_submissions(request).await.unwrap(), Some(expected));
        }
        let deleted = match self {
            Self::Purge => store.purge_expired(at(i64::from(DAYS_DEFAULT) * 86_400_000_000)).await,
            _ => {
                store
                    .delete_unlisted(
                        &fixtures::form_id(),
                        UnlistedState::Trash,
                        UnlistedSelection::All,
                    )
                    .await
            }
        };
        assert_eq!(deleted.unwrap(), count);
    }
}

/// Inserts rows of many lengths in scattered order, so that pages split, and deletes some of them
/// while the store stays open.
async fn check_deletion(rows: usize, length: usize, bytes_min: u64, by: DeletionKind) {
    let place = TestFolder::new();
    let store = SqliteStore::open_with_erase_delay(&place.file(), CLEANUP_DELAY).unwrap();
    fixtures::owner_and_form(&store).await;
    let scattered = |n: usize| n * 7919 % rows;
    for first in (0..rows).step_by(50) {
        let row = |n: usize| {
            let text = format!("{} {}", canary(n), "filler ".repeat(n * 31 % length / 7));
            submission(&format!("sub_{n}"), i64::try_from(n).unwrap(), &text)
        };
        fixtures::insert_submissions(
            &store,
            (first..first + 50).map(|n| row(scattered(n))).collect(),
        )
        .await;
    }
    let batch_rows = if by == DeletionKind::Delete { 97 } else { 4 };
    let deleted = |n: usize| n.is_multiple_of(batch_rows);
    assert!(!count_traces(&place, deleted).is_empty(), "the files do not have the rows");
    assert!(std::fs::metadata(place.file()).unwrap().len() >= bytes_min);
    let ids = (0..rows).map(scattered).filter(|n| deleted(*n));
    let ids = ids.map(|n| format!("sub_{n}").parse().unwrap());
    by.delete_rows(&store, ids.collect()).await;
    let start = Instant::now();
    while !count_traces(&place, deleted).is_empty() {
        let traces = count_traces(&place, deleted);
        assert!(start.elapsed() < CLEANUP_MAX, "{traces:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let after = start.elapsed();
    drop(store);
    assert!(count_traces(&place, deleted).is_empty(), "traces are back after the close");
    let retained = u64::try_from((0..rows).filter(|n| !deleted(*n)).count()).unwrap();
    assert_eq!(crate::check_file(&place.file()), retained);
    eprintln!("{} MB: gone after {after:?}", std::fs::metadata(place.file()).unwrap().len() >> 20);
}

#[tokio::test]
async fn deletion_from_trash_leaves_no_trace() {
    check_deletion(1000, 3000, 1 << 20, DeletionKind::Trash).await;
    check_deletion(1000, 3000, 1 << 20, DeletionKind::Purge).await;
}

#[tokio::test]
async fn deletion_leaves_no_trace_in_large_file() {
    let (rows, bytes_min) =
        if test_servers::is_full_run() { (30_000, 100 << 20) } else { (6000, 20 << 20) };
    check_deletion(rows, 5000, bytes_min, DeletionKind::Delete).await;
}
