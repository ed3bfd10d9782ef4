//! A long import is resumed after its process was killed.

use super::TestFolder;
use contract::Filter;
use std::collections::HashSet;
use store::{Import, ImportSource, Store, StoreError};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};
use store_tests::imports::{
    ROWS, SourceCalls, failed_audit_entry_hides_import, import_source, new_import, row,
};

/// Starts an import and kills it when two chunks are on disk.
async fn kill_import(store: &SqliteStore, import: Import) {
    let calls = SourceCalls::default();
    let result =
        store.import_submissions(&form_id(), import, import_source(&calls, true, None)).await;
    assert!(matches!(result, Err(StoreError::Database(_))), "{result:?}");
}

async fn list_visible(store: &SqliteStore) -> Vec<String> {
    let rows = fixtures::export_all(store, &Filter::default(), None, 100_000).await;
    let page = fixtures::list_page(store, &Filter::default(), None, 1).await.unwrap();
    assert_eq!(page.total, rows.len() as u64);
    let id = |json: &String| {
        let submission: contract::Submission = serde_json::from_str(json).unwrap();
        submission.id.to_string()
    };
    rows.iter().map(id).collect()
}

/// Returns the number of hidden rows and of unfinished imports.
fn count_hidden_rows(place: &TestFolder) -> (i64, i64) {
    let conn = rusqlite::Connection::open(place.file()).unwrap();
    let sql = "SELECT (SELECT COUNT(*) FROM hidden), (SELECT COUNT(*) FROM imports)";
    conn.query_row(sql, [], |row| row.try_into()).unwrap()
}

async fn start_killed_import() -> (TestFolder, SqliteStore) {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    kill_import(&store, new_import(1, 1000, "fld_1")).await;
    assert_eq!(count_hidden_rows(&place), (2000, 1));
    (place, store)
}

#[tokio::test]
async fn same_import_is_resumed() {
    let (place, store) = start_killed_import().await;
    drop(store);
    let store = place.open();
    assert_eq!(list_visible(&store).await.len(), 0);
    assert_eq!(count_hidden_rows(&place), (2000, 1), "a new process removed a resumable import");
    let calls = SourceCalls::default();
    let other_import = new_import(1, 777_000, "fld_other");
    let source = import_source(&calls, false, None);
    assert_eq!(store.import_submissions(&form_id(), other_import, source).await.unwrap(), 2200);
    let first = vec![fixtures::field("fld_1", "answer")];
    assert_eq!(*calls.lock().unwrap(), [(2000, 1000, first.clone())]);
    let ids = list_visible(&store).await;
    assert_eq!((ids.len(), ids.iter().collect::<HashSet<_>>().len()), (ROWS, ROWS));
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!((form.submission_count, form.fields), (2200, first));
    assert_eq!(count_hidden_rows(&place), (0, 0));
}

#[tokio::test]
async fn killed_import_is_kept_for_a_week() {
    let (place, store) = start_killed_import().await;
    // Other imports ignore it.
    let other = new_import(2, 5000, "fld_2");
    let rows = (0..70).map(|n| Ok(submission(&format!("sub_other_{n}"), 500_000, "x")));
    let source: ImportSource = Box::new(move |import| {
        assert_eq!(import.inserted, 0);
        Ok(Box::new(rows))
    });
    assert_eq!(store.import_submissions(&form_id(), other, source).await.unwrap(), 70);
    assert_eq!(list_visible(&store).await.len(), 70);
    assert_eq!(count_hidden_rows(&place), (2000, 1));
    // The same without a fingerprint, and with more than one chunk.
    let more = (0..2100).map(|n| submission(&format!("sub_more_{n}"), 600_000, "x")).collect();
    fixtures::insert_submissions(&store, more).await;
    assert_eq!(list_visible(&store).await.len(), 2170);
    assert_eq!(count_hidden_rows(&place), (2000, 1));
    let age = |days: i64| {
        let conn = rusqlite::Connection::open(place.file()).unwrap();
        let micros = days * 86_400_000_000;
        conn.execute("UPDATE imports SET touched_at = touched_at - ?", [micros]).unwrap();
    };
    age(6);
    drop(place.open());
    assert_eq!(count_hidden_rows(&place), (2000, 1), "a week has not passed");
    age(2);
    drop(place.open());
    assert_eq!(count_hidden_rows(&place), (0, 0));
    fixtures::insert_submissions(&store, (0..ROWS).map(|n| row(n, 1000)).collect()).await;
    assert_eq!(list_visible(&store).await.len(), 2170 + ROWS);
}

#[tokio::test]
async fn deletion_and_failed_resumption_leave_no_rows() {
    let (place, store) = start_killed_import().await;
    store.delete_imports(&form_id()).await.unwrap();
    assert_eq!(count_hidden_rows(&place), (0, 0));
    kill_import(&store, new_import(1, 1000, "fld_1")).await;
    let calls = SourceCalls::default();
    let source = import_source(&calls, false, Some("line 9 is wrong"));
    let failed = store.import_submissions(&form_id(), new_import(1, 1, "fld_1"), source).await;
    assert!(matches!(&failed, Err(StoreError::Source(why)) if why == "line 9 is wrong"));
    assert_eq!((calls.lock().unwrap()[0].0, count_hidden_rows(&place)), (2000, (0, 0)));
    let failing: ImportSource = Box::new(|_| Err("the file is gone".to_owned()));
    let failed = store.import_submissions(&form_id(), new_import(1, 1, "fld_1"), failing).await;
    assert!(matches!(failed, Err(StoreError::Source(_))));
    assert_eq!((list_visible(&store).await.len(), count_hidden_rows(&place)), (0, (0, 0)));
}

#[tokio::test]
async fn import_is_hidden_without_its_audit_entry() {
    let place = TestFolder::new();
    let store = place.open();
    let forbid_entries = |is_forbidden| {
        let conn = rusqlite::Connection::open(place.file()).unwrap();
        conn.execute_batch(if is_forbidden {
            "CREATE TRIGGER no_entries BEFORE INSERT ON audit
             BEGIN SELECT RAISE(ABORT, 'no entries'); END;"
        } else {
            "DROP TRIGGER no_entries;"
        })
        .unwrap();
    };
    failed_audit_entry_hides_import(&store, forbid_entries).await;
    assert_eq!(count_hidden_rows(&place), (0, 0));
}
