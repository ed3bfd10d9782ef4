//! Deletions leave no rows in the file, and sequence numbers are not reused.

use super::TestFolder;
use super::traces::files_with_marker;
use memchr::memmem;
use store::Store;
use store::lifecycle::LifecycleStore as _;
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id};
use store_tests::lifecycle::insert_full_account;

/// Returns each table with the column, and the number of its rows with this value.
fn rows_with(place: &TestFolder, column: &str, value: &dyn rusqlite::ToSql) -> Vec<(String, i64)> {
    let conn = rusqlite::Connection::open(place.file()).unwrap();
    let sql = "SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
               WHERE m.type = 'table' AND c.name = ? ORDER BY 1";
    let mut tables = conn.prepare(sql).unwrap();
    let names = tables.query_map([column], |row| row.get::<_, String>(0)).unwrap();
    let count = |name: String| {
        let sql = format!("SELECT COUNT(*) FROM {name} WHERE {column} = ?");
        let count = conn.query_row(&sql, [value], |row| row.get(0)).unwrap();
        (name, count)
    };
    let counts = names.map(|name| count(name.unwrap()));
    counts.filter(|(_, count)| *count > 0).collect()
}

fn check_file(place: &TestFolder) {
    assert_eq!(store_sqlite::check(&place.file()).unwrap().findings, Vec::<String>::new());
}

async fn filled_store() -> (TestFolder, SqliteStore) {
    let place = TestFolder::new();
    let store = place.open();
    insert_full_account(&store).await;
    (place, store)
}

#[tokio::test]
async fn killed_deletion_is_finished_after_restart() {
    let (place, store) = filled_store().await;
    assert!(store.delete_form(&form_id()).await.unwrap());
    drop(store);
    check_file(&place);
    let full = rows_with(&place, "form", &1);
    assert!(full.iter().any(|(name, count)| name == "submissions" && *count == 4301), "{full:?}");
    let store = place.open();
    assert_eq!(store.finish_deletions().await.unwrap(), 1);
    check_file(&place);
    assert_eq!(rows_with(&place, "form", &1), [("deleted_forms".to_owned(), 1)]);
}

/// The file passes a full check between two chunks of a deletion.
#[tokio::test]
async fn file_is_consistent_between_deletion_chunks() {
    let (place, store) = filled_store().await;
    assert!(store.delete_form(&form_id()).await.unwrap());
    let conn = rusqlite::Connection::open(place.file()).unwrap();
    let sql = "SELECT COUNT(*) FROM submissions WHERE form = 1";
    let rows = || conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    {
        let mut finish = std::pin::pin!(store.finish_deletions());
        // The 2,000 rows of the import go first; each turn of the loop removes at most one chunk.
        while rows() > 2000 {
            tokio::select! {
                biased;
                finished = &mut finish => panic!("the deletion had one chunk: {finished:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    drop(store);
    assert!(rows() > 0);
    check_file(&place);
    assert_eq!(place.open().finish_deletions().await.unwrap(), 1);
    assert_eq!(rows(), 0);
    check_file(&place);
}

#[tokio::test]
async fn deleted_account_leaves_only_audit_entries() {
    let (place, store) = filled_store().await;
    assert!(store.delete_account(&"acc_1".parse().unwrap()).await.unwrap());
    store.finish_deletions().await.unwrap();
    check_file(&place);
    let remaining = [
        rows_with(&place, "form", &1),
        rows_with(&place, "account", &"acc_1"),
        rows_with(&place, "account", &"deleted"),
        rows_with(&place, "person", &"psn_1"),
        rows_with(&place, "person", &"psn_b"),
    ];
    assert_eq!(remaining.concat(), [("deleted_forms".to_owned(), 1)]);
}

#[tokio::test]
async fn form_sequence_numbers_are_not_reused() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    for round in 0..3 {
        let id = format!("frm_{round}0");
        store.insert_form(fixtures::form("acc_1", &id)).await.unwrap();
        assert!(store.delete_form(&id.parse().unwrap()).await.unwrap());
        store.finish_deletions().await.unwrap();
    }
    let conn = rusqlite::Connection::open(place.file()).unwrap();
    let sql = "SELECT (SELECT group_concat(form) FROM deleted_forms), group_concat(seq) FROM forms";
    let numbers: (String, String) = conn.query_row(sql, [], |row| row.try_into()).unwrap();
    assert_eq!(numbers, ("2,3,4".to_owned(), "1".to_owned()));
}

#[tokio::test]
async fn deleted_form_leaves_no_text() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    let row = |n: usize| {
        let answer = format!("marker{n:05}x {}", "filler ".repeat(n * 31 % 200));
        fixtures::submission(&format!("sub_{n}"), i64::try_from(n * 7919 % 1000).unwrap(), &answer)
    };
    for first in (0..700).step_by(10) {
        fixtures::insert_submissions(&store, (first..first + 10).map(row).collect()).await;
    }
    assert!(!files_with_marker(&place, "marker00003x").is_empty());
    assert!(store.delete_form(&form_id()).await.unwrap());
    store.finish_deletions().await.unwrap();
    drop(store);
    for end in ["db", "db-wal", "db-shm"] {
        let bytes = std::fs::read(place.file().with_extension(end)).unwrap_or_default();
        let is_left = |n: &usize| {
            let marker = format!("marker{n:05}x");
            memmem::find(&bytes, marker.as_bytes()).is_some()
        };
        assert_eq!((0..700).find(is_left), None, "still in {end}");
    }
}
