//! The log stays short, whoever reads and however much is written.

use crate::Place;
use crate::make::{self, form_id, submission};
use contract::Filter;
use service::store::Store;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What the log may have: 32 MB, and what is written until it is noticed.
const LOG_BYTES_MAX: u64 = 48 << 20;
/// Written meanwhile, in bytes of the log; some of it twice.
const WRITTEN_BYTES_MIN: u64 = 200 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_short_under_readers_that_never_pause() {
    let place = Place::new();
    let store = Arc::new(place.open());
    make::owner_and_form(&*store).await;
    let stop = Arc::new(AtomicBool::new(false));
    // More than may read at once, so that at every moment somebody does.
    let readers: Vec<_> = (0..12)
        .map(|_| {
            let (store, stop) = (Arc::clone(&store), Arc::clone(&stop));
            tokio::spawn(async move {
                let all = Filter::default();
                while !stop.load(Ordering::Relaxed) {
                    store.export_submissions(&form_id(), &all, None, 100).await.unwrap();
                    store.list_submissions(&form_id(), &all, None, 100).await.unwrap();
                }
            })
        })
        .collect();
    let watch = {
        let (log, stop) = (place.path("sheaf.db-wal"), Arc::clone(&stop));
        tokio::spawn(async move {
            let mut longest = 0;
            while !stop.load(Ordering::Relaxed) {
                longest = longest.max(std::fs::metadata(&log).map_or(0, |log| log.len()));
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            longest
        })
    };
    let answer = "written ".repeat(8000);
    let each_bytes = 2 * answer.len() as u64;
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (store, answer) = (Arc::clone(&store), answer.clone());
            tokio::spawn(async move {
                for n in 0..WRITTEN_BYTES_MIN / each_bytes / 4 {
                    let id = format!("sub_{writer}_{n}");
                    make::insert(&*store, vec![submission(&id, 1, &answer)]).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
    let longest = watch.await.unwrap();
    assert!(longest <= LOG_BYTES_MAX, "the log came to {} MB", longest >> 20);
    assert!(longest > 4 << 20, "the log was not seen at work: {longest}");
}
