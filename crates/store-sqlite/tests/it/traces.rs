//! Deleted data leaves no trace in the files.

use super::TestFolder;
use memchr::memmem;
use store::Store;
use store_tests::fixtures::{self, submission};

pub(super) fn files_with_marker(place: &TestFolder, marker: &str) -> Vec<&'static str> {
    let contains_marker = |end: &&str| {
        let bytes = std::fs::read(place.file().with_extension(end)).unwrap_or_default();
        memmem::find(&bytes, marker.as_bytes()).is_some()
    };
    ["db", "db-wal", "db-shm"].into_iter().filter(contains_marker).collect()
}

#[tokio::test]
async fn deleted_row_leaves_file_and_log() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    fixtures::insert_submissions(
        &store,
        vec![submission("sub_1", 1, "gone"), submission("sub_2", 2, "stays")],
    )
    .await;
    assert!(store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    assert_eq!(files_with_marker(&place, "gone"), ["db-wal"], "the log has it until a checkpoint");
    let other = rusqlite::Connection::open(place.file()).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    assert_eq!(
        (files_with_marker(&place, "gone").len(), files_with_marker(&place, "stays")),
        (0, vec!["db"])
    );
}

#[tokio::test]
async fn deleted_text_leaves_no_copy_after_splits() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    // Many lengths, some longer than a page, in scattered order, so that pages split and move.
    let marker = |n: usize| format!("marker{n:05}x");
    let scattered = |n: usize| n * 7919 % 1000;
    let row = |n: usize| {
        let answer = format!("{} {}", marker(n), "filler ".repeat(n * 31 % 3000 / 10));
        submission(&format!("sub_{}", marker(n)), i64::try_from(n).unwrap(), &answer)
    };
    for first in (0..1000).step_by(10) {
        fixtures::insert_submissions(
            &store,
            (first..first + 10).map(|n| row(scattered(n))).collect(),
        )
        .await;
    }
    assert!(files_with_marker(&place, &marker(3)).contains(&"db-wal"));
    let deleted: Vec<usize> = (0..1000).filter(|n| n % 3 == 0).collect();
    let ids = deleted.iter().map(|n| format!("sub_{}", marker(*n)).parse().unwrap());
    for id in ids.collect::<Vec<_>>() {
        assert!(store.delete_submission(&id).await.unwrap());
    }
    drop(store);
    assert_eq!(files_with_marker(&place, &marker(1)), ["db"], "other rows remain");
    let bytes = std::fs::read(place.file()).unwrap();
    let is_left = |n: &&usize| memmem::find(&bytes, marker(**n).as_bytes()).is_some();
    let remaining: Vec<_> = deleted.iter().filter(is_left).collect();
    assert!(
        remaining.is_empty(),
        "{} of {} are still there: {remaining:?}",
        remaining.len(),
        deleted.len()
    );
}
