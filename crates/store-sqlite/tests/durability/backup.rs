//! A backup under load is a snapshot, and can replace a lost database.

use crate::TestFolder;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use store::Store;
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};

const WRITERS: usize = 64;
const BACKUPS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_under_64_writers_is_snapshot() {
    let place = TestFolder::new();
    let store = Arc::new(place.open());
    fixtures::owner_and_form(&*store).await;
    let stop = Arc::new(AtomicBool::new(false));
    let acknowledged = Arc::<Mutex<BTreeSet<_>>>::default();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = Arc::clone(&store);
            let stop = Arc::clone(&stop);
            let acknowledged = Arc::clone(&acknowledged);
            tokio::spawn(async move {
                for n in 0_i64.. {
                    if stop.load(Ordering::Relaxed) {
                        return n;
                    }
                    let id = format!("sub_{writer:02}_{n:06}");
                    fixtures::insert_submissions(
                        &*store,
                        vec![submission(&id, n, &"x".repeat(500))],
                    )
                    .await;
                    acknowledged.lock().unwrap().insert(id);
                }
                unreachable!("the test stops the writers")
            })
        })
        .collect();
    let count_acknowledged = || acknowledged.lock().unwrap().len();
    let mut written = 0;
    for n in 0..BACKUPS {
        while count_acknowledged() < (n + 1) * 2 * WRITERS {
            tokio::task::yield_now().await;
        }
        let before = acknowledged.lock().unwrap().clone();
        let copy = place.path(&format!("copy_{n}.db"));
        store.backup(&copy).await.unwrap();
        written += count_acknowledged() - before.len();
        let rows_min = u64::try_from(before.len()).unwrap();
        assert!(crate::check_file(&copy) >= rows_min);
        check_restored_copy(&place, n, &before, WRITERS).await;
    }
    // On a busy machine a single backup may see no write.
    for n in BACKUPS..20 {
        if written > 0 {
            break;
        }
        let before = count_acknowledged();
        store.backup(&place.path(&format!("copy_{n}.db"))).await.unwrap();
        written += count_acknowledged() - before;
    }
    assert!(written > 0, "nothing was written during the backups");
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let count = count_acknowledged();
    drop(store);
    assert_eq!(crate::check_file(&place.file()), u64::try_from(count).unwrap());
}

/// Opens a copy in an empty folder and checks it. It has all rows acknowledged before the backup,
/// no row without the earlier rows of its writer, and the right count.
async fn check_restored_copy(
    place: &TestFolder,
    n: usize,
    before: &BTreeSet<String>,
    writers: usize,
) {
    let folder = place.path(&format!("restored_{n}"));
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("sheaf.db");
    std::fs::copy(place.path(&format!("copy_{n}.db")), &file).unwrap();
    let store = SqliteStore::open(&file).unwrap();
    let rows = crate::list_rows(&store).await;
    let stored: BTreeSet<String> = rows.into_iter().map(|row| row.position.id.into()).collect();
    let missing: Vec<_> = before.difference(&stored).collect();
    assert!(missing.is_empty(), "acknowledged before the backup, and not in it: {missing:?}");
    for writer in 0..writers {
        let ids = stored.range(format!("sub_{writer:02}_")..format!("sub_{writer:02}_~"));
        for (n, id) in ids.enumerate() {
            assert_eq!(*id, format!("sub_{writer:02}_{n:06}"), "an earlier row is missing");
        }
    }
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, u64::try_from(stored.len()).unwrap());
    fixtures::insert_submissions(&store, vec![submission("sub_after", 1, "x")]).await;
}
