//! Triage by several processes at once.

use super::unlisted::wait_until_blocked;
use super::{StoreGroup, open_several};
use contract::triage::{TriageDetail, TriageSettings};
use contract::{Filter, ListQuery, SubmissionId};
use futures_util::future::join_all;
use store::StoreError;
use store::triage::{SettingsOutcome, TriageStore as _, TriageUpdate, UpdateOutcome};
use store::unlisted::{
    MoveOutcome, Selection, UnlistRequest, UnlistedSelection, UnlistedState, UnlistedStore as _,
};
use store_postgres::PostgresStore;
use store_tests::fixtures::{self, at, form_id, submission};

fn filter(query: &str) -> Filter {
    ListQuery::parse(query).unwrap().filter
}

fn ids(all: impl IntoIterator<Item = i64>) -> Selection {
    Selection::Ids(all.into_iter().map(|n| format!("sub_{n}").parse().unwrap()).collect())
}

fn matching(query: &str, count: u64) -> Selection {
    Selection::matching(filter(query), count)
}

/// Updates submissions of `frm_1`, again while the store is busy. `change` is JSON.
async fn update(store: &PostgresStore, selection: Selection, change: &str) -> UpdateOutcome {
    let change = serde_json::from_str(change).unwrap();
    let reader = fixtures::owner_as_reader();
    let update =
        TriageUpdate { form: form_id(), selection, change, reader, at: at(1), with_undo: false };
    loop {
        match store.update_triage(update.clone()).await {
            Err(StoreError::Busy(_)) => {}
            outcome => return outcome.unwrap().unwrap(),
        }
    }
}

async fn detail(store: &PostgresStore, n: i64) -> TriageDetail {
    let id: SubmissionId = format!("sub_{n}").parse().unwrap();
    store.find_triage(&form_id(), &id).await.unwrap().unwrap()
}

async fn open_with_rows(stores: usize, rows: i64) -> StoreGroup {
    let group = open_several(stores).await;
    fixtures::owner_and_form(&group.stores[0]).await;
    let rows = (1..=rows).map(|n| submission(&format!("sub_{n}"), n, "apple pie")).collect();
    fixtures::insert_submissions(&group.stores[0], rows).await;
    group
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_updates_of_one_submission_lose_nothing() {
    let group = open_with_rows(2, 2).await;
    let turn = async |worker: usize| {
        let store = &group.stores[worker % 2];
        let change = match worker {
            0 => r#"{"status":"done"}"#.to_owned(),
            1 => r#"{"starred":true}"#.to_owned(),
            2 => r#"{"assignee":"psn_1"}"#.to_owned(),
            tag => format!(r#"{{"add_tags":["tag {tag}"]}}"#),
        };
        let selection =
            if worker.is_multiple_of(3) { matching("search=apple", 2) } else { ids([2, 1]) };
        assert_eq!(update(store, selection, &change).await, UpdateOutcome::changed(2));
    };
    join_all((0..20).map(turn)).await;
    for n in 1..=2 {
        let TriageDetail { triage, history, .. } = detail(&group.stores[0], n).await;
        assert!(triage.starred && triage.status.as_str() == "done" && triage.assignee.is_some());
        assert_eq!((triage.tags.len(), history.len()), (17, 20));
    }
    let settings = group.stores[1].find_triage_settings(&"acc_1".parse().unwrap()).await.unwrap();
    assert_eq!(settings.tags.len(), 17);
    assert_eq!(group.sql("SELECT max(place) FROM triage_history"), "20");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn count_is_checked_against_concurrent_changes() {
    let group = open_with_rows(1, 3).await;
    let store = &group.stores[0];
    let holder = group.connect().await;
    for (change, count) in [
        ("UPDATE submissions SET status = 'done' WHERE id = 'sub_2'", 2),
        ("DELETE FROM submissions WHERE id = 'sub_3'", 1),
    ] {
        holder.batch_execute(&format!("BEGIN; {change}")).await.unwrap();
        let ends = async {
            wait_until_blocked(&group).await;
            holder.batch_execute("COMMIT").await.unwrap();
        };
        let star = r#"{"starred":true}"#;
        let (outcome, ()) =
            tokio::join!(update(store, matching("status=open", count + 1), star), ends);
        assert_eq!(outcome, UpdateOutcome::CountDiffers(count), "{change}");
        assert_eq!(group.sql("SELECT count(*) FROM submissions WHERE is_starred"), "0");
    }
}

#[tokio::test]
async fn update_does_not_wait_for_intake() {
    let group = open_with_rows(1, 1).await;
    let holder = group.connect().await;
    holder.batch_execute("BEGIN; UPDATE forms SET submission_count = 1").await.unwrap();
    let star = r#"{"starred":true,"add_tags":["VIP"]}"#;
    let outcome = update(&group.stores[0], matching("", 1), star).await;
    assert_eq!(outcome, UpdateOutcome::changed(1));
    holder.batch_execute("COMMIT").await.unwrap();
}

fn move_request(selection: Selection, state: UnlistedState, number: i64) -> UnlistRequest {
    UnlistRequest {
        form: form_id(),
        selection,
        state,
        batch: format!("bat_{number}").parse().unwrap(),
        at: at(1),
        is_permanent: false,
    }
}

#[tokio::test]
async fn move_is_checked_against_concurrent_changes() {
    let group = open_with_rows(1, 3).await;
    let store = &group.stores[0];
    let holder = group.connect().await;
    let change = "BEGIN; UPDATE submissions SET status = 'done' WHERE id = 'sub_2'";
    holder.batch_execute(change).await.unwrap();
    let ends = async {
        wait_until_blocked(&group).await;
        holder.batch_execute("COMMIT").await.unwrap();
    };
    let request = move_request(matching("status=open", 3), UnlistedState::Trash, 1);
    let (outcome, ()) = tokio::join!(store.move_submissions(request), ends);
    assert_eq!(outcome.unwrap(), Some(MoveOutcome::Changed(2)));
    assert_eq!(group.sql("SELECT count(*) FROM submissions"), "3");
    let request = move_request(matching("status=open", 2), UnlistedState::Trash, 2);
    let moved = MoveOutcome::Moved { count: 2, remaining: 0, is_restorable: true };
    assert_eq!(store.move_submissions(request).await.unwrap(), Some(moved));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn updates_and_moves_do_not_deadlock() {
    let group = open_with_rows(2, 60).await;
    let mover = async |worker: i64| {
        let store = &group.stores[0];
        for round in 0..8 {
            let number = worker * 10 + round;
            let all = ids((1 + worker * 15)..=(40 + worker * 15));
            let state = [UnlistedState::Trash, UnlistedState::Spam][usize::from(round % 2 > 0)];
            let moved = store.move_submissions(move_request(all, state, number)).await.unwrap();
            assert!(matches!(moved, Some(MoveOutcome::Moved { .. })), "{moved:?}");
            let batch = UnlistedSelection::Batch(format!("bat_{number}").parse().unwrap());
            while let Err(error) = store.restore_submissions(&form_id(), state, batch.clone()).await
            {
                assert!(matches!(error, StoreError::Busy(_)), "{error}");
            }
        }
    };
    let updater = async |worker: i64| {
        let store = &group.stores[1];
        // Tags stay where moves changed the count, so a submission gets most of these 16.
        for round in (0..20).map(|round| round % 8) {
            let tag = format!(r#"{{"add_tags":["{worker} {round}"],"starred":true}}"#);
            // The ids are in descending order, against the order of the moves.
            let outcome = update(store, ids((1..=60).rev()), &tag).await;
            assert!(matches!(outcome, UpdateOutcome::Changed(..)), "{outcome:?}");
            let drop = format!(r#"{{"remove_tags":["{worker} {round}"]}}"#);
            let count = fixtures::count_all(store).await;
            update(store, matching("search=apple", count), &drop).await;
        }
    };
    tokio::join!(join_all((0..2).map(mover)), join_all((0..2).map(updater)));
    assert_eq!(fixtures::count_all(&group.stores[0]).await, 60);
    let differ = "SELECT count(*) FROM submissions
                  WHERE status IS DISTINCT FROM (triage::JSON ->> 'status')
                      AND triage::JSON ->> 'status' <> 'open'
                    OR is_starred IS DISTINCT FROM (triage::JSON ->> 'starred')::BOOLEAN
                    OR tags IS NOT NULL <> (triage::JSON -> 'tags' IS NOT NULL)";
    assert_eq!(group.sql(differ), "0", "the columns differ from the JSON");
    let last = "SELECT count(*) FROM (
                  SELECT DISTINCT ON (submission) submission, change FROM triage_history
                  ORDER BY submission, place DESC) AS h
                JOIN submissions AS s ON s.id = h.submission
                WHERE (h.change::JSON -> 'add_tags' IS NOT NULL) > (s.tags IS NOT NULL)";
    assert_eq!(group.sql(last), "0", "a change in the history was lost");
}

#[tokio::test]
async fn deleted_account_leaves_no_settings() {
    let group = open_with_rows(1, 1).await;
    let store = &group.stores[0];
    let account = "acc_1".parse().unwrap();
    let settings = TriageSettings::default();
    let outcome = store.set_triage_settings(&account, None, settings).await.unwrap();
    assert_eq!(outcome, SettingsOutcome::Set);
    update(store, ids([1]), r#"{"add_tags":["VIP"]}"#).await;
    assert_eq!(group.sql("SELECT count(*) FROM account_triage"), "1");
    assert!(store::lifecycle::LifecycleStore::delete_account(store, &account).await.unwrap());
    assert_eq!(group.sql("SELECT count(*) FROM account_triage"), "0");
    assert_eq!(group.sql("SELECT count(*) FROM triage_history"), "1");
    store::lifecycle::LifecycleStore::finish_deletions(store).await.unwrap();
    assert_eq!(group.sql("SELECT count(*) FROM triage_history"), "0");
}
