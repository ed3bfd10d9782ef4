//! Spam and trash with several processes, and with more rows than one statement examines.

use super::{StoreGroup, open_several, poll_until};
use contract::insight::{InsightCorrection, SetAnalysis};
use contract::{BatchId, Filter, FormId, SubmissionId};
use futures_util::future::join_all;
use store::insight::InsightStore as _;
use store::lifecycle::LifecycleStore as _;
use store::unlisted::{
    MoveOutcome, Selection, UnlistRequest, UnlistedSelection, UnlistedState, UnlistedStore as _,
};
use store::{Store, StoreError};
use store_postgres::PostgresStore;
use store_tests::fixtures::{self, at, form_id, search_filter, submission};

const DAY: i64 = 24 * 3_600_000_000;

fn batch(number: i64) -> BatchId {
    format!("bat_{number}").parse().unwrap()
}

fn move_of_ids(
    ids: impl IntoIterator<Item = String>,
    state: UnlistedState,
    number: i64,
) -> UnlistRequest {
    let ids: Vec<SubmissionId> = ids.into_iter().map(|id| id.parse().unwrap()).collect();
    UnlistRequest {
        is_permanent: false,
        form: form_id(),
        selection: Selection::Ids(ids),
        state,
        batch: batch(number),
        at: at(DAY),
    }
}

async fn trash_matching(store: &PostgresStore, filter: &Filter, count: u64, number: i64) {
    let selection = Selection::matching(filter.clone(), count);
    let request = UnlistRequest { selection, ..move_of_ids([], UnlistedState::Trash, number) };
    let outcome = store.move_submissions(request).await.unwrap();
    assert_eq!(outcome, Some(MoveOutcome::Moved { count, remaining: 0, is_restorable: true }));
}

async fn restore_batch(store: &PostgresStore, number: i64) -> Result<u64, StoreError> {
    store
        .restore_submissions(
            &form_id(),
            UnlistedState::Trash,
            UnlistedSelection::Batch(batch(number)),
        )
        .await
}

/// Whether the form's count and its counts by day match its rows.
fn is_counted(group: &StoreGroup) -> bool {
    let difference_sql = "SELECT count(*) FROM (
        SELECT form_id, sum(submission_count) AS counted FROM submission_days GROUP BY 1) AS d
      FULL JOIN (SELECT form_id, count(*) AS there FROM submissions GROUP BY 1) AS s USING (form_id)
      FULL JOIN forms AS f USING (form_id)
      WHERE coalesce(counted, 0) <> coalesce(there, 0) OR submission_count <> coalesce(there, 0)";
    let by_day = "SELECT count(*) FROM submission_days AS d WHERE submission_count <> (
        SELECT count(*) FROM submissions AS s WHERE s.form_id = d.form_id
          AND floor(s.submitted_at / 86400000000.0) = d.day
          AND coalesce('=' || s.utm_source, '') = d.utm_source)";
    (group.sql(difference_sql), group.sql(by_day)) == ("0".to_owned(), "0".to_owned())
}

/// Returns a submission on one of several days, some before 1970, with one of several UTM values.
fn numbered_submission(n: i64) -> contract::Submission {
    let mut row = submission(&format!("sub_{n:05}"), (n % 9 - 4) * DAY / 2, "apple pie");
    row.metadata.utm_source =
        [None, Some("x"), Some("y\0")][usize::try_from(n % 3).unwrap()].map(str::to_owned);
    row
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_are_exact_after_concurrent_moves() {
    let group = open_several(2).await;
    fixtures::owner_and_form(&group.stores[0]).await;
    fixtures::insert_submissions(&group.stores[0], (0..120).map(numbered_submission).collect())
        .await;
    let turn = async |worker: i64| {
        let store = &group.stores[usize::try_from(worker % 2).unwrap()];
        for round in 0..6 {
            // The ids of neighbouring workers overlap.
            let ids = (worker * 20..worker * 20 + 30).map(|n| format!("sub_{n:05}"));
            let state = [UnlistedState::Trash, UnlistedState::Spam]
                [usize::try_from((worker + round) % 2).unwrap()];
            let request = move_of_ids(ids, state, worker * 10 + round);
            let Some(MoveOutcome::Moved { .. }) = store.move_submissions(request).await.unwrap()
            else {
                panic!("the submissions were not moved")
            };
            let new = vec![numbered_submission(1000 + worker * 10 + round)];
            fixtures::insert_submissions(store, new).await;
            // On a busy machine the other workers may take long.
            let chosen = UnlistedSelection::Batch(batch(worker * 10 + round));
            while let Err(error) =
                store.restore_submissions(&form_id(), state, chosen.clone()).await
            {
                assert!(matches!(error, StoreError::Busy(_)), "{error}");
            }
        }
    };
    join_all((0..4).map(turn)).await;
    assert!(is_counted(&group));
    assert_eq!(fixtures::count_all(&group.stores[1]).await, 144);
    assert_eq!(group.sql("SELECT count(*) FROM unlisted"), "0");
    let move_all = Selection::matching(Filter::default(), 144);
    let move_all =
        UnlistRequest { selection: move_all, ..move_of_ids([], UnlistedState::Trash, 99) };
    group.stores[0].move_submissions(move_all).await.unwrap();
    assert!(is_counted(&group));
    assert_eq!(group.sql("SELECT count(*) FROM submission_days"), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_search_is_moved_and_restored() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    fixtures::owner_and_form(store).await;
    assert!(
        store.set_analysis(&form_id(), SetAnalysis { analysis: true, again: false }).await.unwrap()
    );
    while store.queue_insights(1000).await.unwrap() {}
    fixtures::insert_submissions(store, (0..10_200).map(numbered_submission).collect()).await;
    let only_x = Filter { utm_source: Some("x".to_owned()), ..search_filter("ple%20pi") };
    let partial = Filter { date_from: Some(at(1)), ..search_filter("e") };
    for (number, filter) in
        [search_filter("apple"), only_x, partial, search_filter("pl")].iter().enumerate()
    {
        let count = fixtures::list_page(store, filter, None, 1).await.unwrap().total;
        assert!(count > 3000, "{count}");
        let stale_selection = Selection::matching(filter.clone(), count - 1);
        let number = i64::try_from(number).unwrap();
        let stale_selection = UnlistRequest {
            selection: stale_selection,
            ..move_of_ids([], UnlistedState::Trash, number)
        };
        let outcome = store.move_submissions(stale_selection).await.unwrap();
        assert_eq!(outcome, Some(MoveOutcome::Changed(count)));
        trash_matching(store, filter, count, number).await;
        assert_eq!(fixtures::count_all(store).await, 10_200 - count);
        assert!(is_counted(&group));
        assert_eq!(restore_batch(store, number).await.unwrap(), count);
        assert_eq!(fixtures::list_page(store, filter, None, 1).await.unwrap().total, count);
        assert!(is_counted(&group));
    }
    // A sweep queues such a large number later.
    while store.queue_insights(5000).await.unwrap() {}
    assert_eq!(store.find_analysis(&form_id()).await.unwrap().unwrap().pending, 10_200);
}

#[tokio::test]
async fn corrected_unanalysed_submission_is_requeued() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    fixtures::owner_and_form(store).await;
    assert!(
        store.set_analysis(&form_id(), SetAnalysis { analysis: true, again: false }).await.unwrap()
    );
    fixtures::insert_submissions(store, vec![numbered_submission(1), numbered_submission(2)]).await;
    let correction =
        InsightCorrection { sentiment: Some("mixed".to_owned()), ..InsightCorrection::default() };
    store.correct_insight(&"sub_00001".parse().unwrap(), Some(correction), at(5)).await.unwrap();
    trash_matching(store, &Filter::default(), 2, 1).await;
    assert_eq!(restore_batch(store, 1).await.unwrap(), 2);
    assert_eq!(group.sql("SELECT count(*) FROM insight_queue"), "2");
    assert_eq!(group.sql("SELECT count(*) FROM insight_corrections"), "1");
}

/// Waits until a session of the database waits for a lock.
pub(crate) async fn wait_until_blocked(group: &StoreGroup) {
    let blocked_sql =
        "SELECT EXISTS (SELECT 1 FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
                 WHERE NOT l.granted AND a.datname = current_database())";
    poll_until("a session waits for a lock", async || group.sql(blocked_sql) == "t").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restore_of_deleted_rows_is_busy() {
    let group = open_several(2).await;
    let store = &group.stores[0];
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(store, (0..3).map(numbered_submission).collect()).await;
    trash_matching(store, &Filter::default(), 3, 1).await;
    let holder = group.connect().await;
    holder.batch_execute("BEGIN; SELECT 1 FROM forms FOR UPDATE").await.unwrap();
    let release = async {
        wait_until_blocked(&group).await;
        holder.batch_execute("DELETE FROM unlisted WHERE id = 'sub_00001'; COMMIT").await.unwrap();
    };
    let (restored, ()) = tokio::join!(restore_batch(store, 1), release);
    assert!(matches!(restored, Err(StoreError::Busy(_))), "{restored:?}");
    assert_eq!(fixtures::count_all(store).await, 0);
    assert_eq!(restore_batch(store, 1).await.unwrap(), 2);
    assert!(is_counted(&group));
}

#[tokio::test]
async fn deleted_form_restores_nothing() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(store, (0..1500).map(numbered_submission).collect()).await;
    trash_matching(store, &Filter::default(), 1500, 1).await;
    assert!(store.delete_form(&form_id()).await.unwrap());
    assert_eq!(restore_batch(store, 1).await.unwrap(), 0);
    let request = move_of_ids(["sub_00001".to_owned()], UnlistedState::Trash, 2);
    assert_eq!(store.move_submissions(request).await.unwrap(), None);
    assert_eq!(
        store
            .delete_unlisted(&form_id(), UnlistedState::Trash, UnlistedSelection::All)
            .await
            .unwrap(),
        0
    );
    assert_eq!(store.purge_expired(at(400 * DAY)).await.unwrap(), 0);
    assert_eq!(group.sql("SELECT count(*) FROM submissions"), "0");
    assert_eq!(group.sql("SELECT count(*) FROM unlisted"), "1500");
    assert_eq!(store.finish_deletions().await.unwrap(), 1);
    assert_eq!(group.sql("SELECT count(*) FROM unlisted"), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_purges_delete_each_row_once() {
    let group = open_several(3).await;
    fixtures::owner_and_form(&group.stores[0]).await;
    fixtures::insert_submissions(&group.stores[0], (0..1700).map(numbered_submission).collect())
        .await;
    trash_matching(&group.stores[0], &Filter::default(), 1700, 1).await;
    let rows = async |store: &PostgresStore| store.purge_expired(at(31 * DAY)).await.unwrap();
    let purged: u64 = join_all(group.stores.iter().map(rows)).await.into_iter().sum();
    assert_eq!(purged, 1700);
    assert_eq!(group.sql("SELECT count(*) FROM unlisted"), "0");
}

/// Runs the statements of the previous version. Its instances keep running during an upgrade.
#[tokio::test]
async fn old_instance_can_use_spam() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(store, vec![numbered_submission(1)]).await;
    store
        .move_submissions(move_of_ids(["sub_00001".to_owned()], UnlistedState::Spam, 1))
        .await
        .unwrap();
    let old = group.connect().await;
    let json = serde_json::to_string(&submission("sub_old", 7, "x")).unwrap();
    let insert = "INSERT INTO spam (form_id, submitted_at, id, reason, json, fields)
                  SELECT $1, * FROM unnest(
                    $2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[])";
    let json = vec![json.clone(), json.replace("sub_old", "sub_older")];
    let reasons = vec!["honeypot"; 2];
    let fields = vec!["[]"; 2];
    let submitted_at = vec![7_i64, 6];
    let ids = vec!["sub_old", "sub_older"];
    let sent = old
        .execute(insert, &[&"frm_1", &submitted_at, &ids, &reasons, &json, &fields])
        .await
        .unwrap();
    assert_eq!(sent, 2);
    let list = "SELECT submitted_at, id, reason, json FROM spam WHERE form_id = $1
                ORDER BY submitted_at DESC";
    let listed: Vec<String> =
        old.query(list, &[&"frm_1"]).await.unwrap().iter().map(|row| row.get(1)).collect();
    assert_eq!(listed, ["sub_old", "sub_older"], "rows with an unknown reason are hidden");
    let make_room = "DELETE FROM spam WHERE form_id = $1 AND (submitted_at, id) <= (
                       SELECT submitted_at, id FROM spam WHERE form_id = $1
                       ORDER BY submitted_at DESC, id DESC LIMIT 1 OFFSET $2)";
    assert_eq!(old.execute(make_room, &[&"frm_1", &1_i64]).await.unwrap(), 1);
    let clear_old = "DELETE FROM spam WHERE (form_id, submitted_at, id) IN (
                       SELECT form_id, submitted_at, id FROM spam WHERE submitted_at <= $1
                       ORDER BY submitted_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
    assert_eq!(old.execute(clear_old, &[&6_i64, &9_i64]).await.unwrap(), 0);
    // The age of a row of an old instance counts from now, so a new instance lists it.
    let page = store.list_spam(&form_id(), at(2 * DAY), None, 9).await.unwrap();
    assert_eq!((page.total, page.rows[0].position.id.as_str()), (1, "sub_old"));
    let chosen = UnlistedSelection::Ids(vec!["sub_old".parse().unwrap()]);
    assert_eq!(
        store.restore_submissions(&form_id(), UnlistedState::Spam, chosen).await.unwrap(),
        1
    );
    let take = "DELETE FROM spam WHERE form_id = $1 AND id = $2 RETURNING json, fields";
    assert!(old.query_opt(take, &[&"frm_1", &"sub_00001"]).await.unwrap().is_none());
    assert_eq!(old.execute(clear_old, &[&i64::MAX, &9_i64]).await.unwrap(), 0);
    assert_eq!(group.sql("SELECT string_agg(id, ' ') FROM unlisted"), "sub_00001");
}

#[tokio::test]
async fn form_deleted_by_old_instance_leaves_nothing() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(store, (0..5).map(numbered_submission).collect()).await;
    trash_matching(store, &Filter::default(), 5, 1).await;
    let form: FormId = "frm_2".parse().unwrap();
    store.insert_form(fixtures::form("acc_1", form.as_str())).await.unwrap();
    for form in ["frm_1", "frm_2"] {
        group.sql(&format!(
            "INSERT INTO notes (form_id, submitted_at, submission, id, text, created_at)
               VALUES ('{form}', 1, 'sub_1', 'nte_1', 'x', 1);
             INSERT INTO triage_history (form_id, submitted_at, submission, place, at, change)
               VALUES ('{form}', 1, 'sub_1', 1, 1, '{{}}')"
        ));
    }
    group.sql(
        "BEGIN; INSERT INTO deleted_forms (form_id) VALUES ('frm_1');
         DELETE FROM spam WHERE form_id = 'frm_1'; DELETE FROM forms WHERE form_id = 'frm_1';
         COMMIT; DELETE FROM deleted_forms WHERE form_id = 'frm_1'",
    );
    assert_eq!(group.sql("SELECT count(*) FROM unlisted"), "0");
    assert_eq!(group.sql("SELECT string_agg(form_id, ' ') FROM notes"), "frm_2");
    assert_eq!(group.sql("SELECT string_agg(form_id, ' ') FROM triage_history"), "frm_2");
}
