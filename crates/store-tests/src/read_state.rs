//! Read state: which submissions a member has read, and filters by it.

use super::fixtures::{self, at, form_id, submission};
use super::notes::{batch, move_to};
use super::triage::{detail, parse_ids, triage_update, update_ids};
use contract::triage::Reader;
use contract::{Filter, FormId, PersonId, SubmissionId};
use store::Store;
use store::triage::{TriageUpdate, UpdateOutcome};
use store::unlisted::{Selection, UnlistedSelection, UnlistedState};

/// Inserts a reader of the account at microsecond 2.
async fn insert_member(store: &dyn Store) -> Reader {
    store.insert_member(fixtures::reader("acc_1", "psn_r", "r@example.com")).await.unwrap();
    let person: PersonId = "psn_r".parse().unwrap();
    store.find_reader(&person).await.unwrap().unwrap()
}

/// Inserts `sub_0`, `sub_1`, … at the microseconds of their numbers.
async fn insert_rows(store: &dyn Store, rows: i64) {
    fixtures::owner_and_form(store).await;
    let row = |n| submission(&format!("sub_{n}"), n, ["apple", "pear"][usize::from(n % 2 > 0)]);
    fixtures::insert_submissions(store, (0..rows).map(row).collect()).await;
}

async fn list_read(store: &dyn Store, form: &FormId, ids: &[&str], reader: &Reader) -> Vec<String> {
    let read = store.list_read(form, &parse_ids(ids), reader).await.unwrap();
    let mut read: Vec<_> = read.iter().map(SubmissionId::to_string).collect();
    read.sort_unstable();
    read
}

/// Returns the number of unread submissions of `frm_1`.
async fn count_unread(store: &dyn Store, reader: &Reader) -> u64 {
    let counts = store.count_unread(&fixtures::owner().account_id, reader).await.unwrap();
    assert!(counts.iter().all(|count| count.unread > 0));
    counts.into_iter().find(|count| count.form_id == form_id()).map_or(0, |count| count.unread)
}

async fn set_read(store: &dyn Store, ids: &[&str], reader: &Reader, is_read: bool) -> u64 {
    let selection = Selection::Ids(parse_ids(ids));
    let update = triage_update(selection, &format!(r#"{{"read":{is_read}}}"#), 50);
    let update = TriageUpdate { reader: reader.clone(), ..update };
    match store.update_triage(update).await.unwrap() {
        Some(UpdateOutcome::Changed(count, _)) => count,
        other => panic!("{other:?}"),
    }
}

fn by_read_state(reader: &Reader, is_read: bool, query: &str) -> Filter {
    Filter { read: Some(is_read), reader: Some(reader.clone()), ..super::triage::filter(query) }
}

pub async fn each_member_has_a_read_state(store: &dyn Store) {
    insert_rows(store, 6).await;
    let owner = fixtures::owner_as_reader();
    let member = insert_member(store).await;
    assert_eq!(store.find_reader(&owner.person).await.unwrap(), Some(owner.clone()));
    assert_eq!(member.unread_from, at(2));
    assert_eq!(store.find_reader(&"psn_none".parse().unwrap()).await.unwrap(), None);
    let ids = ["sub_0", "sub_1", "sub_2", "sub_3", "sub_none"];
    let form = form_id();
    assert_eq!(list_read(store, &form, &ids, &owner).await, ["sub_0"]);
    assert_eq!(list_read(store, &form, &ids, &member).await, ["sub_0", "sub_1"]);
    let counts = (count_unread(store, &owner).await, count_unread(store, &member).await);
    assert_eq!(counts, (5, 4));

    let marked = ["sub_1", "sub_2", "sub_2", "sub_0", "sub_none"];
    assert_eq!(set_read(store, &marked, &owner, true).await, 2);
    assert_eq!(set_read(store, &marked, &owner, true).await, 0);
    assert_eq!(set_read(store, &["sub_0", "sub_5"], &member, false).await, 1);
    assert_eq!(list_read(store, &form, &ids, &owner).await, ["sub_0", "sub_1", "sub_2"]);
    assert_eq!(list_read(store, &form, &ids, &member).await, ["sub_1"]);
    let counts = (count_unread(store, &owner).await, count_unread(store, &member).await);
    assert_eq!(counts, (3, 5));
    // The default again.
    assert_eq!(set_read(store, &["sub_2"], &owner, false).await, 1);
    assert_eq!(list_read(store, &form, &ids, &owner).await, ["sub_0", "sub_1"]);

    let other: FormId = "frm_none".parse().unwrap();
    assert!(list_read(store, &other, &ids, &owner).await.is_empty());
    assert!(store.count_unread(&"acc_2".parse().unwrap(), &owner).await.unwrap().is_empty());
}

pub async fn read_state_is_no_part_of_the_triage(store: &dyn Store) {
    insert_rows(store, 3).await;
    let owner = fixtures::owner_as_reader();
    assert_eq!(set_read(store, &["sub_1"], &owner, true).await, 1);
    let found = detail(store, "sub_1").await.unwrap();
    assert!(found.triage.is_default() && found.history.is_empty() && found.updated_at.is_none());

    let both = r#"{"read":true,"status":"done"}"#;
    assert_eq!(update_ids(store, &["sub_1", "sub_2"], both, 60).await, UpdateOutcome::changed(2));
    assert_eq!(update_ids(store, &["sub_1", "sub_2"], both, 61).await, UpdateOutcome::changed(0));
    let found = detail(store, "sub_2").await.unwrap();
    let entry = serde_json::to_string(&found.history[0].change).unwrap();
    assert_eq!((found.history.len(), &*entry), (1, r#"{"status":"done"}"#));
    assert_eq!(count_unread(store, &owner).await, 0);
    // A different count prevents all writes.
    let filter = by_read_state(&owner, true, "");
    for (count, outcome) in [(2, UpdateOutcome::CountDiffers(3)), (3, UpdateOutcome::changed(3))] {
        let selection = Selection::matching(filter.clone(), count);
        let update = triage_update(selection, r#"{"read":false}"#, 62);
        assert_eq!(store.update_triage(update).await.unwrap(), Some(outcome));
        let unread = if count == 2 { 0 } else { 3 };
        assert_eq!(count_unread(store, &owner).await, unread);
    }
}

pub async fn filters_select_by_read_state(store: &dyn Store) {
    insert_rows(store, 40).await;
    let owner = fixtures::owner_as_reader();
    let member = insert_member(store).await;
    let ids: Vec<_> = (0..40).step_by(3).map(|n| format!("sub_{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    set_read(store, &ids, &owner, true).await;
    set_read(store, &["sub_0", "sub_1"], &member, false).await;
    set_read(store, &["sub_39"], &member, true).await;
    update_ids(store, &ids[..5], r#"{"starred":true}"#, 70).await;
    for (reader, is_read, query, total) in [
        (&owner, true, "", 14),
        (&owner, false, "", 26),
        (&owner, true, "starred=true", 5),
        (&owner, false, "starred=true", 0),
        (&owner, true, "search=pear", 7),
        (&owner, false, "search=apple&starred=false", 13),
        (&owner, true, "date_to=1970-01-01T00:00:00.00001Z", 4),
        (&member, true, "", 1),
        (&member, false, "", 39),
        (&member, false, "date_to=1970-01-01T00:00:00.00003Z", 30),
    ] {
        let filter = by_read_state(reader, is_read, query);
        let page = fixtures::list_page(store, &filter, None, 100).await.unwrap();
        assert_eq!(page.total, total, "{query}");
        assert_eq!(page.rows.len() as u64, total, "{query}");
        let ids: Vec<_> = page.rows.iter().map(|row| row.position.id.clone()).collect();
        let read = store.list_read(&form_id(), &ids, reader).await.unwrap();
        assert_eq!(read.len(), if is_read { ids.len() } else { 0 }, "{query}");
        let exported = fixtures::export_all(store, &filter, None, 500).await;
        let rows: Vec<_> = page.rows.iter().map(|row| row.json.clone()).collect();
        assert_eq!(exported, rows, "{query}");
        assert_eq!(super::summary::summary(store, &filter).await.total, total, "{query}");
    }
}

pub async fn moves_keep_the_read_state(store: &dyn Store) {
    insert_rows(store, 3).await;
    let owner = fixtures::owner_as_reader();
    set_read(store, &["sub_1"], &owner, true).await;
    for state in [UnlistedState::Trash, UnlistedState::Spam] {
        for (id, unread) in [("sub_1", 1), ("sub_2", 0)] {
            move_to(store, state, id).await;
            assert_eq!(count_unread(store, &owner).await, unread);
            let is_listed = id != "sub_1";
            let read = list_read(store, &form_id(), &["sub_1"], &owner).await;
            assert_eq!(read.is_empty(), !is_listed);
            assert_eq!(set_read(store, &[id], &owner, true).await, 0);
            let chosen = UnlistedSelection::Batch(batch(state, id));
            store.restore_submissions(&form_id(), state, chosen).await.unwrap();
            assert_eq!(count_unread(store, &owner).await, 1);
        }
    }
    let read = by_read_state(&owner, true, "");
    assert_eq!(fixtures::list_page(store, &read, None, 9).await.unwrap().total, 2);
    // A new submission with the key of a deleted one is unread.
    assert!(store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "again")]).await;
    assert_eq!(count_unread(store, &owner).await, 2);
    let unread = by_read_state(&owner, false, "");
    assert_eq!(fixtures::list_page(store, &unread, None, 9).await.unwrap().total, 2);
}
