//! Deleted means gone: from the file, its log and its index, at any size.

use crate::Place;
use crate::make::{self, submission};
use memchr::memmem;
use service::store::Store;
use service::store::sqlite::SqliteStore;
use std::time::{Duration, Instant};

/// How long after a write the tidying begins, and how long it may take in this test.
const TIDY_AFTER: Duration = Duration::from_millis(500);
const GONE_AFTER_MAX: Duration = Duration::from_mins(4);

fn canary(n: usize) -> String {
    format!("canary{n:06}x")
}

/// How many of the deleted rows stand somewhere, by file.
fn left(place: &Place, deleted: impl Fn(usize) -> bool) -> Vec<(&'static str, usize)> {
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

/// Rows of many lengths in no order, so that pages are divided, and some of them deleted, while the
/// store stays open.
async fn check(rows: usize, length: usize, bytes_min: u64) {
    let place = Place::new();
    let store = SqliteStore::open_tidying(&place.file(), TIDY_AFTER).unwrap();
    make::owner_and_form(&store).await;
    let scattered = |n: usize| n * 7919 % rows;
    for first in (0..rows).step_by(50) {
        let row = |n: usize| {
            let text = format!("{} {}", canary(n), "filler ".repeat(n * 31 % length / 7));
            submission(&format!("sub_{n}"), i64::try_from(n).unwrap(), &text)
        };
        make::insert(&store, (first..first + 50).map(|n| row(scattered(n))).collect()).await;
    }
    let deleted = |n: usize| n.is_multiple_of(97);
    assert!(!left(&place, deleted).is_empty(), "the test sees nothing");
    assert!(std::fs::metadata(place.file()).unwrap().len() >= bytes_min);
    for n in (0..rows).filter(|n| deleted(*n)) {
        assert!(store.delete_submission(&format!("sub_{n}").parse().unwrap()).await.unwrap());
    }
    let began = Instant::now();
    while !left(&place, deleted).is_empty() {
        let left = left(&place, deleted);
        assert!(began.elapsed() < GONE_AFTER_MAX, "{left:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let after = began.elapsed();
    drop(store);
    assert!(left(&place, deleted).is_empty(), "back at the end");
    let kept = u64::try_from((0..rows).filter(|n| !deleted(*n)).count()).unwrap();
    assert_eq!(crate::whole(&place.file()), kept);
    eprintln!("{} MB: gone after {after:?}", std::fs::metadata(place.file()).unwrap().len() >> 20);
}

#[tokio::test]
async fn what_is_deleted_from_a_small_file_is_gone() {
    check(1000, 3000, 1 << 20).await;
}

#[tokio::test]
async fn what_is_deleted_from_a_large_file_is_gone() {
    let (rows, bytes_min) =
        if backing::is_full_run() { (30_000, 100 << 20) } else { (6000, 20 << 20) };
    check(rows, 5000, bytes_min).await;
}
