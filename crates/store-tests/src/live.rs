//! Live updates: the sent changes, and their owners.

use super::arrivals::{insert_spam, new_submission};
use super::fixtures::{self, at, form_id, submission};
use super::imports::{ROWS, SourceCalls, import_source, new_import};
use super::insight::{insert_analysed_form, outcome, sample_insight, write_outcomes};
use super::notes::{batch, insert_note, move_to, note, note_key};
use super::triage::{triage_update, update_ids};
use contract::SubmissionId;
use contract::insight::InsightCorrection;
use contract::live::IDS_MAX;
use std::time::Duration;
use store::live::{LiveMessage, LiveReceiver};
use store::triage::UpdateOutcome;
use store::unlisted::{Selection, UnlistedSelection, UnlistedState};
use store::{Store, StoreError};
use tokio::time::timeout;

/// Maximum time until a change arrives.
const SOON: Duration = Duration::from_mins(1);

/// Returns the next message as `kind: ids` in ascending order. It must belong to `frm_1`.
async fn next(receiver: &mut LiveReceiver) -> String {
    let message = timeout(SOON, receiver.next()).await.unwrap().unwrap();
    let LiveMessage::Change(change) = message.as_ref() else { return "reset".to_owned() };
    assert_eq!((&change.owner, &change.change.form_id), (&fixtures::owner(), &form_id()));
    let mut ids: Vec<_> = change.change.ids.iter().map(SubmissionId::as_str).collect();
    ids.sort_unstable();
    format!("{}: {}", change.kind.as_str(), ids.join(" "))
}

/// Inserts `sub_1`, `sub_2` and `sub_3`, and subscribes.
async fn subscribe_with_rows(store: &dyn Store) -> LiveReceiver {
    fixtures::owner_and_form(store).await;
    let rows = (1..=3).map(|n| submission(&format!("sub_{n}"), n, "x")).collect();
    fixtures::insert_submissions(store, rows).await;
    store.subscribe_changes().await
}

async fn restore(store: &dyn Store, state: UnlistedState, chosen: UnlistedSelection) -> u64 {
    store.restore_submissions(&form_id(), state, chosen).await.unwrap()
}

pub async fn new_submissions_are_sent_as_created(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let mut receiver = store.subscribe_changes().await;
    let arrival = new_submission(store, submission("sub_1", 1, "x")).await;
    store.insert_submission(arrival).await.unwrap();
    assert_eq!(next(&mut receiver).await, "created: sub_1");
    let rows = vec![submission("sub_2", 2, "x"), submission("sub_3", 3, "x")];
    fixtures::insert_submissions(store, rows).await;
    assert_eq!(next(&mut receiver).await, "created: sub_2 sub_3");
    // Spam and its release.
    insert_spam(store, submission("sub_4", 4, "x")).await;
    let spam = UnlistedSelection::Ids(vec!["sub_4".parse().unwrap()]);
    assert_eq!(restore(store, UnlistedState::Spam, spam).await, 1);
    assert_eq!(next(&mut receiver).await, "created: sub_4");
    // Trash and its restoration.
    move_to(store, UnlistedState::Trash, "sub_2").await;
    assert_eq!(next(&mut receiver).await, "removed: sub_2");
    let trash = UnlistedSelection::Batch(batch(UnlistedState::Trash, "sub_2"));
    assert_eq!(restore(store, UnlistedState::Trash, trash).await, 1);
    assert_eq!(next(&mut receiver).await, "created: sub_2");
}

pub async fn many_new_submissions_are_sent_without_ids(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let mut receiver = store.subscribe_changes().await;
    let count = i64::try_from(IDS_MAX).unwrap() + 1;
    let rows = (0..count).map(|n| submission(&format!("sub_a{n}"), n, "x")).collect();
    fixtures::insert_submissions(store, rows).await;
    assert_eq!(next(&mut receiver).await, "created: ");
    let import = new_import(1, 10_000, "fld_1");
    let source = import_source(&SourceCalls::default(), false, None);
    let inserted = store.import_submissions(&form_id(), import, source).await.unwrap();
    assert_eq!(inserted, ROWS as u64);
    assert_eq!(next(&mut receiver).await, "created: ");
    store.delete_submission(&"sub_a1".parse().unwrap()).await.unwrap();
    assert_eq!(next(&mut receiver).await, "removed: sub_a1");
}

pub async fn triage_and_notes_are_sent_as_updated(store: &dyn Store) {
    let mut receiver = subscribe_with_rows(store).await;
    // Submissions that do not change are not named, and read marks are not sent.
    update_ids(store, &["sub_1"], r#"{"starred":true}"#, 10).await;
    assert_eq!(next(&mut receiver).await, "updated: sub_1");
    let ids = ["sub_1", "sub_2", "sub_3"];
    let marked = update_ids(store, &ids, r#"{"read":true}"#, 11).await;
    assert_eq!(marked, UpdateOutcome::changed(3));
    let both = r#"{"starred":true,"read":false}"#;
    assert_eq!(update_ids(store, &ids, both, 12).await, UpdateOutcome::changed(3));
    assert_eq!(next(&mut receiver).await, "updated: sub_2 sub_3");
    insert_note(store, "sub_3", note("nte_1", "psn_1", "Call back", 20)).await;
    assert_eq!(next(&mut receiver).await, "updated: sub_3");
    let key = note_key("sub_3", "nte_1", "psn_1");
    store.edit_note(&key, "Called".to_owned(), at(21), Vec::new()).await.unwrap();
    assert_eq!(next(&mut receiver).await, "updated: sub_3");
    // Not their own note.
    store.delete_note(&note_key("sub_3", "nte_1", "psn_2")).await.unwrap();
    store.delete_note(&key).await.unwrap();
    assert_eq!(next(&mut receiver).await, "updated: sub_3");
    update_ids(store, &["sub_2"], r#"{"status":"done"}"#, 30).await;
    assert_eq!(next(&mut receiver).await, "updated: sub_2");
}

pub async fn insights_are_sent_as_analyzed(store: &dyn Store) {
    insert_analysed_form(store).await;
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    let mut receiver = store.subscribe_changes().await;
    let found = vec![outcome("sub_1", Some(sample_insight("mixed")), 1)];
    assert_eq!(write_outcomes(store, found, 9, 100).await, 1);
    assert_eq!(next(&mut receiver).await, "analyzed: sub_1");
    let id = "sub_1".parse().unwrap();
    let correction: InsightCorrection =
        serde_json::from_str(r#"{"sentiment":"negative"}"#).unwrap();
    assert!(store.correct_insight(&id, Some(correction), at(200)).await.unwrap());
    assert_eq!(next(&mut receiver).await, "analyzed: sub_1");
    assert!(store.correct_insight(&id, None, at(300)).await.unwrap());
    assert_eq!(next(&mut receiver).await, "analyzed: sub_1");
}

pub async fn removals_are_sent(store: &dyn Store) {
    let mut receiver = subscribe_with_rows(store).await;
    assert!(store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    assert_eq!(next(&mut receiver).await, "removed: sub_1");
    move_to(store, UnlistedState::Trash, "sub_2").await;
    assert_eq!(next(&mut receiver).await, "removed: sub_2");
    move_to(store, UnlistedState::Spam, "sub_3").await;
    assert_eq!(next(&mut receiver).await, "removed: sub_3");
    // The trash is not listed, so its deletion is no change.
    super::notes::delete_all(store, UnlistedState::Trash).await;
    assert!(store.delete_form(&form_id()).await.unwrap());
    assert_eq!(next(&mut receiver).await, "removed: ");
}

pub async fn account_deletion_is_sent_to_each_subscriber(store: &dyn Store) {
    let mut receiver = subscribe_with_rows(store).await;
    let mut other = store.subscribe_changes().await;
    assert!(store.delete_account(&fixtures::owner().account_id).await.unwrap());
    for subscriber in [&mut receiver, &mut other] {
        assert_eq!(next(subscriber).await, "removed: ");
    }
}

pub async fn failed_transactions_send_nothing(store: &dyn Store) {
    let mut receiver = subscribe_with_rows(store).await;
    // The id of the second submission exists.
    let rows = vec![submission("sub_9", 9, "x"), submission("sub_1", 10, "x")];
    let source = fixtures::submission_source(rows);
    let failed = store.insert_submissions(&form_id(), Vec::new(), source).await;
    assert!(matches!(failed, Err(StoreError::Exists(_))), "{failed:?}");
    let taken = new_submission(store, submission("sub_1", 11, "x")).await;
    let failed = store.insert_submission(taken).await;
    assert!(matches!(failed, Err(StoreError::Exists(_))), "{failed:?}");
    let selection = Selection::matching(super::triage::filter(""), 7);
    let update = triage_update(selection, r#"{"starred":true}"#, 12);
    let refused = store.update_triage(update).await.unwrap();
    assert_eq!(refused, Some(UpdateOutcome::CountDiffers(3)));
    let source = import_source(&SourceCalls::default(), false, Some("broken"));
    let failed = store.import_submissions(&form_id(), new_import(2, 100, "fld_2"), source).await;
    assert!(failed.is_err());
    update_ids(store, &["sub_3"], r#"{"starred":true}"#, 13).await;
    assert_eq!(next(&mut receiver).await, "updated: sub_3");
}

pub async fn failure_of_one_submission_sends_the_others(store: &dyn Store) {
    let mut receiver = subscribe_with_rows(store).await;
    let mut arrivals = Vec::new();
    for id in ["sub_1", "sub_7"] {
        arrivals.push(new_submission(store, submission(id, 20, "x")).await);
    }
    // Stores insert concurrent submissions in one transaction.
    let outcomes = arrivals.into_iter().map(|arrival| store.insert_submission(arrival));
    let outcomes = futures_util::future::join_all(outcomes).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(next(&mut receiver).await, "created: sub_7");
    update_ids(store, &["sub_7"], r#"{"starred":true}"#, 21).await;
    assert_eq!(next(&mut receiver).await, "updated: sub_7");
}
