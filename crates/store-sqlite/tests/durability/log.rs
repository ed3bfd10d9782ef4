//! The write-ahead log stays bounded, with constant readers and many writes.

use crate::TestFolder;
use contract::Filter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::Store;
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};

/// Maximum length of the log. The server empties it at 32 MB. If a reader prevents that, it retries
/// a second later, and the log grows meanwhile: by more on a faster disk. Without any checkpoint
/// the log becomes twice as long as this.
const LOG_BYTES_MAX: u64 = WRITTEN_BYTES_MIN;
/// Minimum number of bytes written to the log; most are written twice.
const WRITTEN_BYTES_MIN: u64 = 200 << 20;

/// Like [`LOG_BYTES_MAX`], during an import by another process, which empties the log at 64 MB.
/// Without any checkpoint the log becomes twice as long as this.
const LOG_BYTES_MAX_DURING_IMPORT: u64 = 2 * IMPORTED_BYTES;
const IMPORTED_BYTES: u64 = 150 << 20;

/// Reads constantly during the writes, with more readers than the read pool has slots; returns the
/// maximum length of the log.
async fn measure_longest_log(
    place: &TestFolder,
    store: &Arc<SqliteStore>,
    writes: impl Future<Output = ()>,
) -> u64 {
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..12)
        .map(|reader| {
            let store = Arc::clone(store);
            let stop = Arc::clone(&stop);
            tokio::spawn(async move {
                let filter = Filter::default();
                // One reader reads so long that it delays the emptying of the log.
                let rows = if reader == 0 { 100 } else { 1 };
                while !stop.load(Ordering::Relaxed) {
                    fixtures::list_page(&*store, &filter, None, rows).await.unwrap();
                    store.find_submission(&"sub_0_0".parse().unwrap()).await.unwrap();
                    // The runtime would only switch to a writer after 128 reads.
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let log_watcher = {
        let log = place.path("sheaf.db-wal");
        let stop = Arc::clone(&stop);
        tokio::spawn(async move {
            let mut longest = 0;
            while !stop.load(Ordering::Relaxed) {
                longest = longest.max(std::fs::metadata(&log).map_or(0, |log| log.len()));
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            longest
        })
    };
    writes.await;
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
    let longest = log_watcher.await.unwrap();
    assert!(longest > 4 << 20, "the log did not grow: {longest}");
    longest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_is_bounded_under_constant_readers() {
    let place = TestFolder::new();
    let store = Arc::new(place.open());
    fixtures::owner_and_form(&*store).await;
    let answer = "written ".repeat(8000);
    let row_bytes = 2 * answer.len() as u64;
    let writes = async {
        let writers = (0..4).map(|writer| {
            let store = Arc::clone(&store);
            let answer = answer.clone();
            tokio::spawn(async move {
                for n in 0..WRITTEN_BYTES_MIN / row_bytes / 4 {
                    let id = format!("sub_{writer}_{n}");
                    fixtures::insert_submissions(&*store, vec![submission(&id, 1, &answer)]).await;
                }
            })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
    };
    let longest = measure_longest_log(&place, &store, writes).await;
    eprintln!("longest log: {} MB", longest >> 20);
    assert!(longest <= LOG_BYTES_MAX, "longest log: {} MB", longest >> 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_is_bounded_during_other_process_import() {
    let place = TestFolder::new();
    let server = Arc::new(place.open());
    let tool = place.open();
    fixtures::owner_and_form(&tool).await;
    let answer = "imported ".repeat(500);
    let count = IMPORTED_BYTES / 2 / answer.len() as u64;
    let rows = (0..count)
        .map(move |n| Ok(submission(&format!("sub_{n}"), i64::try_from(n).unwrap(), &answer)));
    let writes = async {
        let form = form_id();
        let insertion = tool.insert_submissions(&form, Vec::new(), Box::new(rows)).await;
        assert_eq!(insertion.unwrap(), count);
    };
    let longest = measure_longest_log(&place, &server, writes).await;
    eprintln!("longest log during an import: {} MB", longest >> 20);
    assert!(longest <= LOG_BYTES_MAX_DURING_IMPORT, "longest log: {} MB", longest >> 20);
}
