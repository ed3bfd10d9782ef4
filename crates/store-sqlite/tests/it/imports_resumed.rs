//! A long import is resumed after its process was killed.

use super::Place;
use contract::Filter;
use std::collections::HashSet;
use store::{Import, ImportSource, Store, StoreError};
use store_sqlite::SqliteStore;
use store_tests::imports::{ROWS, Told, import, row, source};
use store_tests::make::{self, form_id, submission};

/// Starts an import and kills it when two chunks are on disk.
async fn kill(store: &SqliteStore, import: Import) {
    let told = Told::default();
    let ended = store.import_submissions(&form_id(), import, source(&told, true, None)).await;
    assert!(matches!(ended, Err(StoreError::Database(_))), "{ended:?}");
}

async fn seen(store: &SqliteStore) -> Vec<String> {
    let rows = make::export(store, &Filter::default(), None, 100_000).await;
    let page = store.list_submissions(&form_id(), &Filter::default(), None, 1).await.unwrap();
    assert_eq!(page.total, rows.len() as u64);
    let id = |json: &String| {
        let submission: contract::Submission = serde_json::from_str(json).unwrap();
        submission.id.to_string()
    };
    rows.iter().map(id).collect()
}

/// Returns the number of hidden rows and of unfinished imports.
fn marks(place: &Place) -> (i64, i64) {
    let conn = rusqlite::Connection::open(place.file()).unwrap();
    let sql = "SELECT (SELECT COUNT(*) FROM hidden), (SELECT COUNT(*) FROM imports)";
    conn.query_row(sql, [], |row| row.try_into()).unwrap()
}

async fn begun() -> (Place, SqliteStore) {
    let place = Place::new();
    let store = place.open();
    make::owner_and_form(&store).await;
    kill(&store, import(1, 1000, "fld_1")).await;
    assert_eq!(marks(&place), (2000, 1));
    (place, store)
}

#[tokio::test]
async fn same_import_is_resumed() {
    let (place, store) = begun().await;
    drop(store);
    let store = place.open();
    assert_eq!(seen(&store).await.len(), 0);
    assert_eq!(marks(&place), (2000, 1), "a new process removed a resumable import");
    let told = Told::default();
    let again = import(1, 777_000, "fld_other");
    let source = source(&told, false, None);
    assert_eq!(store.import_submissions(&form_id(), again, source).await.unwrap(), 2200);
    let first = vec![make::field("fld_1", "answer")];
    assert_eq!(*told.lock().unwrap(), [(2000, 1000, first.clone())]);
    let ids = seen(&store).await;
    assert_eq!((ids.len(), ids.iter().collect::<HashSet<_>>().len()), (ROWS, ROWS));
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!((form.submission_count, form.fields), (2200, first));
    assert_eq!(marks(&place), (0, 0));
}

#[tokio::test]
async fn other_import_ignores_killed_one() {
    let (place, store) = begun().await;
    let other = import(2, 5000, "fld_2");
    let rows = (0..70).map(|n| Ok(submission(&format!("sub_other_{n}"), 500_000, "x")));
    let source: ImportSource = Box::new(move |import| {
        assert_eq!(import.inserted, 0);
        Ok(Box::new(rows))
    });
    assert_eq!(store.import_submissions(&form_id(), other, source).await.unwrap(), 70);
    assert_eq!(seen(&store).await.len(), 70);
    assert_eq!(marks(&place), (2000, 1));
    // The same without a fingerprint, and with more than one chunk.
    let more = (0..2100).map(|n| submission(&format!("sub_more_{n}"), 600_000, "x")).collect();
    make::insert(&store, more).await;
    assert_eq!(seen(&store).await.len(), 2170);
    assert_eq!(marks(&place), (2000, 1));
}

#[tokio::test]
async fn old_or_deleted_imports_are_removed() {
    let (place, store) = begun().await;
    store.delete_imports(&form_id()).await.unwrap();
    assert_eq!(marks(&place), (0, 0));
    kill(&store, import(1, 1000, "fld_1")).await;
    let age = |days: i64| {
        let conn = rusqlite::Connection::open(place.file()).unwrap();
        let micros = days * 86_400_000_000;
        conn.execute("UPDATE imports SET touched_at = touched_at - ?", [micros]).unwrap();
    };
    age(6);
    drop(place.open());
    assert_eq!(marks(&place), (2000, 1), "a week has not passed");
    age(2);
    drop(place.open());
    assert_eq!(marks(&place), (0, 0));
    make::insert(&store, (0..ROWS).map(|n| row(n, 1000)).collect()).await;
    assert_eq!(seen(&store).await.len(), ROWS);
}

#[tokio::test]
async fn failed_resumption_leaves_no_rows() {
    let (place, store) = begun().await;
    let told = Told::default();
    let source = source(&told, false, Some("line 9 is wrong"));
    let failed = store.import_submissions(&form_id(), import(1, 1, "fld_1"), source).await;
    assert!(matches!(&failed, Err(StoreError::Source(why)) if why == "line 9 is wrong"));
    assert_eq!((told.lock().unwrap()[0].0, marks(&place)), (2000, (0, 0)));
    let refused: ImportSource = Box::new(|_| Err("the file is gone".to_owned()));
    let failed = store.import_submissions(&form_id(), import(1, 1, "fld_1"), refused).await;
    assert!(matches!(failed, Err(StoreError::Source(_))));
    assert_eq!((seen(&store).await.len(), marks(&place)), (0, (0, 0)));
}
