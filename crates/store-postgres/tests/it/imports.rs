//! Imports by several processes, and during other work.

use super::{Several, several, soon};
use store::new_submission::{Arrival, Arrived};
use store::{Store, StoreError};
use store_postgres::PostgresStore;
use store_tests::imports::{ROWS, Told, held_source, import, kill, seen, source};
use store_tests::make::{self, form_id, submission};

async fn two() -> Several {
    let several = several(2).await;
    make::owner_and_form(&several.stores[0]).await;
    several
}

fn staged(them: &Several) -> (String, String) {
    let undone = "SELECT COUNT(*) FROM imports WHERE NOT is_done";
    (them.sql("SELECT COUNT(*) FROM import_rows"), them.sql(undone))
}

fn counts(rows: usize, imports: usize) -> (String, String) {
    (rows.to_string(), imports.to_string())
}

async fn arrive(store: &PostgresStore, id: &str) -> Arrived {
    let version = store.find_intake(&form_id()).await.unwrap().unwrap().version;
    let (form, submission) = (form_id(), submission(id, 5, "x"));
    let arrival = Arrival {
        form,
        version,
        submission,
        fields: Vec::new(),
        spam: None,
        repeat: None,
        rows_max: None,
    };
    store.insert_arrival(arrival).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_resumes_killed_import() {
    let them = two().await;
    kill(&them.stores[0], import(1, 1000, "fld_1")).await;
    assert_eq!(staged(&them), counts(2000, 1));
    let told = Told::default();
    let other = &them.stores[1];
    let source = source(&told, false, None);
    let done = other.import_submissions(&form_id(), import(1, 9, "fld_2"), source).await;
    assert_eq!(done.unwrap(), 2200);
    assert_eq!(told.lock().unwrap()[0].0, 2000);
    assert_eq!((seen(&them.stores[0]).await, staged(&them)), (ROWS, counts(0, 0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_same_import_runs_once() {
    let (them, form) = (two().await, form_id());
    let (held, is_reached, go) = held_source(0);
    let first = them.stores[0].import_submissions(&form, import(1, 1000, "fld_1"), held);
    let told = Told::default();
    let second = async {
        tokio::task::spawn_blocking(move || is_reached.recv().unwrap()).await.unwrap();
        let free = source(&told, false, None);
        let second = them.stores[1].import_submissions(&form, import(1, 7, "fld_2"), free);
        let go = async {
            // The first, which has the lock, has run other statements since.
            let looked = "SELECT COUNT(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                              AND query LIKE '%pg_try_advisory_lock%'";
            soon("the second import tries the lock", async || them.sql(looked) != "0").await;
            go.send(None).unwrap();
        };
        tokio::join!(second, go).0
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.unwrap(), second.unwrap()), (2200, 2200));
    assert!(told.lock().unwrap().is_empty(), "the second import read its source");
    assert_eq!((seen(&them.stores[1]).await, staged(&them)), (ROWS, counts(0, 0)));
    // The same content later is another import, and its ids are taken.
    let again = source(&told, false, None);
    let again = them.stores[1].import_submissions(&form_id(), import(1, 7, "fld_2"), again).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
}

/// Tests insertions during the last, long transaction of an import.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inserts_do_not_wait_for_import() {
    let (them, form) = (two().await, form_id());
    let holder = them.connect().await;
    // The import waits here, as it would while it inserts its rows.
    holder.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(126892214674945)").await.unwrap();
    let free = source(&Told::default(), false, None);
    let importing = them.stores[0].import_submissions(&form, import(1, 7, "fld_1"), free);
    let meanwhile = async {
        let waits = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        soon("the import waits", async || them.sql(waits) != "0").await;
        assert!(matches!(arrive(&them.stores[0], "sub_a").await, Arrived::Taken(_)));
        assert!(matches!(arrive(&them.stores[1], "sub_b").await, Arrived::Taken(_)));
        assert_eq!(seen(&them.stores[1]).await, 2);
        holder.batch_execute("COMMIT").await.unwrap();
    };
    let (done, ()) = tokio::join!(importing, meanwhile);
    assert_eq!(done.unwrap(), 2200);
    assert_eq!(seen(&them.stores[1]).await, ROWS + 2);
    let wrong = "SELECT f.submission_count - SUM(d.submission_count) FROM forms AS f
                   JOIN submission_days AS d USING (form_id) GROUP BY f.submission_count";
    assert_eq!(them.sql(wrong), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn week_old_import_is_removed() {
    let them = two().await;
    let store = &them.stores[0];
    kill(store, import(1, 1000, "fld_1")).await;
    let age = |days| {
        them.sql(&format!("UPDATE imports SET touched_at = touched_at - INTERVAL '{days} days'"))
    };
    let other = async |fingerprint| {
        let none: store::ImportSource = Box::new(|_| Ok(Box::new(std::iter::empty())));
        let import = store::Import { fields: Vec::new(), ..import(fingerprint, 1, "fld_9") };
        store.import_submissions(&form_id(), import, none).await.unwrap()
    };
    age(6);
    assert_eq!((other(2).await, staged(&them)), (0, counts(2000, 1)));
    age(2);
    assert_eq!((other(3).await, staged(&them)), (0, counts(0, 0)));
}
