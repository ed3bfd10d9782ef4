//! Triage in the file: erased texts, restored indexes and damage.

use super::TestFolder;
use super::summary::build_facts_index;
use super::traces::files_with_marker;
use contract::Filter;
use contract::triage::Note;
use store::Store;
use store::triage::{NoteKey, NoteOutcome, TriageStore as _, UpdateOutcome};
use store::unlisted::{
    Selection, UnlistRequest, UnlistedSelection, UnlistedState, UnlistedStore as _,
};
use store_sqlite::{IndexLimits, SqliteStore};
use store_tests::fixtures::{self, at, form_id, submission};
use store_tests::triage::{filter, triage_update, update_ids};

fn empty_log(place: &TestFolder) {
    let other = rusqlite::Connection::open(place.file()).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}

async fn store_with_rows(place: &TestFolder, rows: i64) -> SqliteStore {
    let store = place.open_holding(IndexLimits { rows_min: 0, ..IndexLimits::default() });
    fixtures::owner_and_form(&store).await;
    let all = (0..rows).map(|n| submission(&format!("sub_{n}"), n, "apple"));
    fixtures::insert_submissions(&store, all.collect()).await;
    store
}

#[tokio::test]
async fn texts_of_deleted_notes_are_erased() {
    let place = TestFolder::new();
    let store = store_with_rows(&place, 3).await;
    // Many notes, so that pages split and leave copies behind.
    let text = |n: usize| format!("marker{n:03}x {}", "filler ".repeat(n * 31 % 200));
    let key = |n: usize| NoteKey {
        form: form_id(),
        submission: format!("sub_{}", n % 2).parse().unwrap(),
        note: format!("nte_{:03}", n * 7 % 100).parse().unwrap(),
        person: "psn_1".parse().unwrap(),
    };
    for n in 0..100 {
        let NoteKey { form, submission, note, person } = key(n);
        let (id, author) = (note, Some(person));
        let note = Note { id, author, text: text(n), created_at: at(1), edited_at: None };
        assert_eq!(
            store.insert_note(&form, &submission, note, Vec::new()).await.unwrap(),
            NoteOutcome::Done
        );
    }
    assert!(files_with_marker(&place, "marker002x").contains(&"db-wal"));
    // Half of the notes of `sub_0` are deleted, the others edited. `sub_1` is deleted itself.
    for n in (0..100).step_by(2) {
        let outcome = if n % 4 == 0 {
            store.delete_note(&key(n)).await
        } else {
            store.edit_note(&key(n), format!("edited {n}"), at(2), Vec::new()).await
        };
        assert_eq!(outcome.unwrap(), NoteOutcome::Done);
    }
    assert!(store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    drop(store);
    empty_log(&place);
    assert_eq!(files_with_marker(&place, "edited 2"), ["db"]);
    for n in 0..100 {
        let marker = format!("marker{n:03}x");
        assert!(files_with_marker(&place, &marker).is_empty(), "{marker} is still there");
    }
}

/// Counts in memory. Fails if the index was dropped.
async fn count(store: &SqliteStore, query: &str) -> u64 {
    let total = fixtures::list_page(store, &filter(query), None, 1).await.unwrap().total;
    assert_eq!(store.index_stats().facts, 1, "{query}");
    total
}

#[tokio::test]
async fn index_in_memory_follows_large_update() {
    let place = TestFolder::new();
    let store = store_with_rows(&place, 6000).await;
    build_facts_index(&store).await;
    assert_eq!(count(&store, "status=open").await, 6000);
    let selection = Selection::matching(filter("status=open"), 6000);
    let update = triage_update(selection, r#"{"status":"done","add_tags":["a"]}"#, 9);
    let outcome = store.update_triage(update).await.unwrap();
    assert_eq!(outcome, Some(UpdateOutcome::changed(6000)));
    update_ids(&store, &["sub_7"], r#"{"status":"open"}"#, 10).await;
    assert_eq!(count(&store, "status=open&tag=a").await, 1);
    assert_eq!(count(&store, "status=done&search=apple").await, 5999);
    // Restored rows have their triage in memory, too.
    let request = UnlistRequest {
        form: form_id(),
        selection: Selection::Ids(vec!["sub_7".parse().unwrap(), "sub_8".parse().unwrap()]),
        state: UnlistedState::Trash,
        batch: "bat_1".parse().unwrap(),
        at: at(20),
        is_permanent: false,
    };
    store.move_submissions(request).await.unwrap().unwrap();
    assert_eq!(count(&store, "tag=a").await, 5998);
    let all = UnlistedSelection::All;
    let restored = store.restore_submissions(&form_id(), UnlistedState::Trash, all).await;
    assert_eq!(restored.unwrap(), 2);
    assert_eq!((count(&store, "tag=a").await, count(&store, "status=open").await), (6000, 1));
}

#[tokio::test]
async fn check_finds_damaged_triage() {
    let place = TestFolder::new();
    let store = store_with_rows(&place, 2).await;
    update_ids(&store, &["sub_1"], r#"{"starred":true}"#, 9).await;
    drop(store);
    let findings = || store_sqlite::check(&place.file()).unwrap().findings;
    assert_eq!(findings(), Vec::<String>::new());
    let conn = rusqlite::Connection::open(place.file()).unwrap();
    for triage in [r#"{"status":"open"}"#, r#"{"status":"Open"}"#, r#"{"starred": true}"#] {
        let sql = "UPDATE submissions SET triage = ? WHERE id = 'sub_1'";
        conn.execute(sql, [triage]).unwrap();
        assert_eq!(findings(), ["submission `sub_1` has an invalid triage"], "{triage}");
    }
    drop(conn);
    let store = place.open();
    let all = fixtures::list_page(&store, &Filter::default(), None, 9).await.unwrap();
    assert_eq!(all.total, 2, "a list without triage filters does not need it");
    assert!(fixtures::list_page(&store, &filter("starred=true"), None, 9).await.is_ok());
}
