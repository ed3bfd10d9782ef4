//! Imports by several processes, and during other work.

use super::{StoreGroup, open_several, poll_until};
use store::new_submission::{InsertOutcome, NewSubmission};
use store::{Store, StoreError};
use store_postgres::PostgresStore;
use store_tests::fixtures::{self, form_id, submission};
use store_tests::imports::{
    ROWS, SourceCalls, blocking_source, count_visible, failed_audit_entry_hides_import,
    import_source, kill_import, new_import,
};

async fn open_two_with_form() -> StoreGroup {
    let group = open_several(2).await;
    fixtures::owner_and_form(&group.stores[0]).await;
    group
}

fn count_staged(group: &StoreGroup) -> (String, String) {
    let undone = "SELECT COUNT(*) FROM imports WHERE NOT is_done";
    (group.sql("SELECT COUNT(*) FROM import_rows"), group.sql(undone))
}

fn count_texts(rows: usize, imports: usize) -> (String, String) {
    (rows.to_string(), imports.to_string())
}

async fn insert_one(store: &PostgresStore, id: &str) -> InsertOutcome {
    let version = store.find_intake(&form_id()).await.unwrap().unwrap().version;
    let form = form_id();
    let submission = submission(id, 5, "x");
    let arrival = NewSubmission {
        form,
        version,
        submission,
        fields: Vec::new(),
        spam: None,
        idempotency: None,
        rows_max: None,
    };
    store.insert_submission(arrival).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_resumes_killed_import() {
    let group = open_two_with_form().await;
    kill_import(&group.stores[0], new_import(1, 1000, "fld_1")).await;
    assert_eq!(count_staged(&group), count_texts(2000, 1));
    let calls = SourceCalls::default();
    let other = &group.stores[1];
    let source = import_source(&calls, false, None);
    let done = other.import_submissions(&form_id(), new_import(1, 9, "fld_2"), source).await;
    assert_eq!(done.unwrap(), 2200);
    assert_eq!(calls.lock().unwrap()[0].0, 2000);
    assert_eq!(
        (count_visible(&group.stores[0]).await, count_staged(&group)),
        (ROWS, count_texts(0, 0))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_same_import_runs_once() {
    let group = open_two_with_form().await;
    let form = form_id();
    let (blocked, is_reached, go) = blocking_source(0);
    let first = group.stores[0].import_submissions(&form, new_import(1, 1000, "fld_1"), blocked);
    let calls = SourceCalls::default();
    let second = async {
        tokio::task::spawn_blocking(move || is_reached.recv().unwrap()).await.unwrap();
        let free = import_source(&calls, false, None);
        let second = group.stores[1].import_submissions(&form, new_import(1, 7, "fld_2"), free);
        let go = async {
            // The first, which has the lock, has run other statements since.
            let reading_sql = "SELECT COUNT(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                              AND query LIKE '%pg_try_advisory_lock%'";
            poll_until("the second import tries the lock", async || group.sql(reading_sql) != "0")
                .await;
            go.send(None).unwrap();
        };
        tokio::join!(second, go).0
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.unwrap(), second.unwrap()), (2200, 2200));
    assert!(calls.lock().unwrap().is_empty(), "the second import read its source");
    assert_eq!(
        (count_visible(&group.stores[1]).await, count_staged(&group)),
        (ROWS, count_texts(0, 0))
    );
    // The same content later is another import, and its ids are taken.
    let repeated = import_source(&calls, false, None);
    let repeated =
        group.stores[1].import_submissions(&form_id(), new_import(1, 7, "fld_2"), repeated).await;
    assert!(matches!(repeated, Err(StoreError::Exists(_))), "{repeated:?}");
}

/// Tests insertions during the last, long transaction of an import.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inserts_do_not_wait_for_import() {
    let group = open_two_with_form().await;
    let form = form_id();
    let holder = group.connect().await;
    // The import waits here, as it would while it inserts its rows.
    holder.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(126892214674945)").await.unwrap();
    let free = import_source(&SourceCalls::default(), false, None);
    let importing = group.stores[0].import_submissions(&form, new_import(1, 7, "fld_1"), free);
    let meanwhile = async {
        let blocked_sql = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        poll_until("the import waits", async || group.sql(blocked_sql) != "0").await;
        assert!(matches!(insert_one(&group.stores[0], "sub_a").await, InsertOutcome::Inserted(_)));
        assert!(matches!(insert_one(&group.stores[1], "sub_b").await, InsertOutcome::Inserted(_)));
        assert_eq!(count_visible(&group.stores[1]).await, 2);
        holder.batch_execute("COMMIT").await.unwrap();
    };
    let (done, ()) = tokio::join!(importing, meanwhile);
    assert_eq!(done.unwrap(), 2200);
    assert_eq!(count_visible(&group.stores[1]).await, ROWS + 2);
    let difference_sql = "SELECT f.submission_count - SUM(d.submission_count) FROM forms AS f
                   JOIN submission_days AS d USING (form_id) GROUP BY f.submission_count";
    assert_eq!(group.sql(difference_sql), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn week_old_import_is_removed() {
    let group = open_two_with_form().await;
    let store = &group.stores[0];
    kill_import(store, new_import(1, 1000, "fld_1")).await;
    let age = |days| {
        group.sql(&format!("UPDATE imports SET touched_at = touched_at - INTERVAL '{days} days'"))
    };
    let other = async |fingerprint| {
        let empty_source: store::ImportSource = Box::new(|_| Ok(Box::new(std::iter::empty())));
        let import = store::Import { fields: Vec::new(), ..new_import(fingerprint, 1, "fld_9") };
        store.import_submissions(&form_id(), import, empty_source).await.unwrap()
    };
    age(6);
    assert_eq!((other(2).await, count_staged(&group)), (0, count_texts(2000, 1)));
    age(2);
    assert_eq!((other(3).await, count_staged(&group)), (0, count_texts(0, 0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn import_is_hidden_without_its_audit_entry() {
    let group = open_several(1).await;
    let forbid_entries = |is_forbidden| {
        group.sql(if is_forbidden {
            "ALTER TABLE audit ADD CONSTRAINT no_entries CHECK (FALSE)"
        } else {
            "ALTER TABLE audit DROP CONSTRAINT no_entries"
        });
    };
    failed_audit_entry_hides_import(&group.stores[0], forbid_entries).await;
    assert_eq!(count_staged(&group), count_texts(0, 0));
}
