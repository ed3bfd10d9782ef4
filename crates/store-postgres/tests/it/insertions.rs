//! Insertions of submissions by several processes, and after lost connections.

use super::proxy::{BreakPoint, DatabaseProxy};
use super::{StoreGroup, open_several, run_many};
use contract::{FormId, Receipt, SpamReason, Submission, SubmissionId};
use futures_util::future::join_all;
use std::collections::HashSet;
use store::new_submission::{IdempotencyKey, InsertOutcome, NewSubmission};
use store::unlisted::{UnlistedSelection, UnlistedState, UnlistedStore as _};
use store::{Store, StoreError};
use store_postgres::{PostgresStore, Setup};
use store_tests::fixtures::{self, at, field, form, form_id, submission};

async fn intake_version(store: &PostgresStore, form: &FormId) -> i64 {
    store.find_intake(form).await.unwrap().unwrap().version
}

async fn new_arrival(store: &PostgresStore, form: &FormId, id: &str) -> NewSubmission {
    let submission = Submission { form_id: form.clone(), ..submission(id, 5, "x") };
    let (form, version) = (form.clone(), intake_version(store, form).await);
    NewSubmission {
        form,
        version,
        submission,
        fields: Vec::new(),
        spam: None,
        idempotency: None,
        rows_max: None,
    }
}

fn taken_result(id: &str) -> InsertOutcome {
    InsertOutcome::Inserted(Receipt { id: id.parse().unwrap(), submitted_at: at(5) })
}

fn repeat(key: &str, request: u8) -> IdempotencyKey {
    IdempotencyKey { key: key.to_owned(), request: [request; 32] }
}

/// Three stores on one database with the forms `frm_1` to `frm_3`.
async fn open_three() -> StoreGroup {
    let group = open_several(3).await;
    fixtures::owner_and_form(&group.stores[0]).await;
    for id in ["frm_2", "frm_3"] {
        group.stores[0].insert_form(form("acc_1", id)).await.unwrap();
    }
    group
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_repeats_insert_one_submission() {
    let group = open_three().await;
    let template = new_arrival(&group.stores[0], &form_id(), "sub_x").await;
    let send = async |store: usize, key: usize| {
        let submission = submission(&format!("sub_{store}_{key}"), 5, "x");
        let repeat = Some(repeat(&format!("k\0{key}"), 1));
        let arrival = NewSubmission { submission, idempotency: repeat, ..template.clone() };
        group.stores[store].insert_submission(arrival).await.unwrap()
    };
    let answered = (0..40).map(|key| join_all((0..3).map(move |store| send(store, key))));
    for answers in run_many(answered).await {
        let InsertOutcome::Inserted(_) = &answers[0] else { panic!("{answers:?}") };
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
    assert_eq!(group.sql("SELECT COUNT(*) FROM submissions"), "40");
    assert_eq!(group.sql("SELECT submission_count FROM forms WHERE form_id = 'frm_1'"), "40");
    let other = new_arrival(&group.stores[2], &form_id(), "sub_y").await;
    let other = NewSubmission { idempotency: Some(repeat("k\u{0}7", 2)), ..other };
    assert_eq!(
        group.stores[2].insert_submission(other).await.unwrap(),
        InsertOutcome::IdempotencyConflict
    );
}

#[tokio::test]
async fn idempotency_key_is_scoped_to_form() {
    let group = open_three().await;
    for (store, form) in ["frm_2", "frm_1", "frm_3"].into_iter().enumerate() {
        let form = form.parse().unwrap();
        let id = format!("sub_{store}");
        let submission = new_arrival(&group.stores[store], &form, &id).await;
        let arrival = NewSubmission { idempotency: Some(repeat("k", 1)), ..submission };
        let outcome = group.stores[store].insert_submission(arrival).await.unwrap();
        let InsertOutcome::Inserted(receipt) = outcome else { panic!("{form}: {outcome:?}") };
        assert_eq!(receipt.id.as_str(), id);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_new_field_is_added_once() {
    let group = open_three().await;
    for round in 0..10 {
        let template = new_arrival(&group.stores[0], &form_id(), "sub_x").await;
        let insert = async |store: usize| {
            let fields = vec![field(&format!("fld_{round}_{store}"), &format!("key_{round}"))];
            let submission = submission(&format!("sub_{round}_{store}"), 5, "x");
            let arrival = NewSubmission { submission, fields, ..template.clone() };
            group.stores[store].insert_submission(arrival).await.unwrap()
        };
        let answers = join_all((0..3).map(insert)).await;
        let stale = answers.iter().filter(|answer| **answer == InsertOutcome::Stale).count();
        assert_eq!(stale, 2, "{answers:?}");
    }
    let learned = group.stores[1].find_intake(&form_id()).await.unwrap().unwrap();
    assert_eq!((learned.fields.len(), learned.intake.learns_fields), (10, Some(true)));
    assert_eq!(group.sql("SELECT COUNT(*) FROM submissions"), "10");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_inserts_are_counted_once() {
    let group = open_three().await;
    let forms: Vec<FormId> = ["frm_1", "frm_2", "frm_3"].map(|id| id.parse().unwrap()).into();
    let mut arrivals = Vec::new();
    for form in &forms {
        arrivals.push(new_arrival(&group.stores[0], form, "sub_x").await);
    }
    let send = async |n: usize| {
        let arrivals = arrivals[n % 3].clone();
        // Each id is sent twice, to two stores.
        let id = format!("sub_{}", n / 2).parse().unwrap();
        let form_id = arrivals.form.clone();
        let submission = Submission { id, form_id, ..arrivals.submission.clone() };
        let spam = (n % 3 == 1 && n.is_multiple_of(2)).then_some(SpamReason::TooFast);
        group.stores[n / 7 % 3]
            .insert_submission(NewSubmission { submission, spam, ..arrivals })
            .await
    };
    let answers = run_many((0..600).map(send)).await;
    let is_inserted = |answer: &&Result<InsertOutcome, StoreError>| {
        matches!(answer, Ok(InsertOutcome::Inserted(_)))
    };
    let inserted = answers.iter().filter(is_inserted).count();
    let rejected =
        |answer: &&Result<InsertOutcome, StoreError>| matches!(answer, Err(StoreError::Exists(_)));
    assert_eq!(inserted + answers.iter().filter(rejected).count(), 600, "{answers:?}");
    let count_sql = "SELECT (SELECT COUNT(*) FROM submissions) + (SELECT COUNT(*) FROM unlisted)";
    assert_eq!(group.sql(count_sql), inserted.to_string());
    let counted_inserts: u64 =
        group.stores.iter().map(|store| store.metrics().submissions_inserted).sum();
    assert_eq!(counted_inserts, inserted as u64);
    let difference_sql = "SELECT COUNT(*) FROM forms AS f WHERE submission_count <>
                   (SELECT COUNT(*) FROM submissions AS s WHERE s.form_id = f.form_id)";
    assert_eq!(group.sql(difference_sql), "0");
}

/// A long lock on a form delays only that form.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locked_form_does_not_block_another() {
    let group = open_three().await;
    let holder = group.connect().await;
    holder
        .batch_execute("BEGIN; SELECT 1 FROM forms WHERE form_id = 'frm_1' FOR UPDATE")
        .await
        .unwrap();
    let store = &group.stores[0];
    let (first_form, second_form): (FormId, FormId) = (form_id(), "frm_2".parse().unwrap());
    let waiting = new_arrival(store, &first_form, "sub_1").await;
    let other = new_arrival(store, &second_form, "sub_2").await;
    let free = async {
        // One in the same batch, and one in a later batch.
        assert_eq!(store.insert_submission(other.clone()).await.unwrap(), taken_result("sub_2"));
        let submission = Submission { id: "sub_3".parse().unwrap(), ..other.submission.clone() };
        let other = NewSubmission { submission, ..other };
        assert_eq!(store.insert_submission(other).await.unwrap(), taken_result("sub_3"));
        holder.batch_execute("COMMIT").await.unwrap();
    };
    let waited = async {
        // On a busy machine, the form may be locked for longer than the lock timeout.
        loop {
            match store.insert_submission(waiting.clone()).await {
                Err(StoreError::Busy(_)) => {}
                answer => break answer.unwrap(),
            }
        }
    };
    let (waited, ()) = tokio::join!(waited, free);
    assert_eq!(waited, taken_result("sub_1"));
}

/// Locked forms delay neither each other nor forms of the same batch.
#[tokio::test]
async fn locked_forms_wait_outside_the_batch() {
    let group = open_three().await;
    let holder = group.connect().await;
    let lock = "BEGIN; SELECT 1 FROM forms WHERE form_id <> 'frm_2' FOR UPDATE";
    holder.batch_execute(lock).await.unwrap();
    let mut arrivals = Vec::new();
    for form in ["frm_1", "frm_2", "frm_3"] {
        let form = form.parse().unwrap();
        arrivals.push(new_arrival(&group.stores[0], &form, &format!("sub_{form}")).await);
    }
    let send = |arrivals: &NewSubmission| {
        let store = group.stores[0].clone();
        let arrival = arrivals.clone();
        tokio::spawn(async move { store.insert_submission(arrival).await })
    };
    let [one, two, three] = [0, 1, 2].map(|n| send(&arrivals[n]));
    assert_eq!(two.await.unwrap().unwrap(), taken_result("sub_frm_2"));
    let submission =
        Submission { id: "sub_next".parse().unwrap(), ..arrivals[1].submission.clone() };
    let next = NewSubmission { submission, ..arrivals[1].clone() };
    assert_eq!(send(&next).await.unwrap().unwrap(), taken_result("sub_next"));
    assert!(!one.is_finished() && !three.is_finished());
    holder.batch_execute("COMMIT").await.unwrap();
    assert_eq!(one.await.unwrap().unwrap(), taken_result("sub_frm_1"));
    assert_eq!(three.await.unwrap().unwrap(), taken_result("sub_frm_3"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_limit_is_exact_across_processes() {
    let group = open_three().await;
    let template = new_arrival(&group.stores[0], &form_id(), "sub_x").await;
    let send = |n: usize| {
        let submission = submission(&format!("sub_{n}"), 5, "x");
        let arrival = NewSubmission { submission, rows_max: Some(17), ..template.clone() };
        group.stores[n % 3].insert_submission(arrival)
    };
    let outcomes = run_many((0..120).map(send)).await;
    let inserted =
        outcomes.iter().filter(|outcome| matches!(outcome, Ok(InsertOutcome::Inserted(_)))).count();
    let closed = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Ok(InsertOutcome::LimitReached)))
        .count();
    assert_eq!((inserted, closed), (17, 103));
    assert_eq!(group.sql("SELECT COUNT(*) FROM submissions"), "17");
}

/// Checks that `count` submissions with this answer can wait for a locked form, and no more.
async fn check_wait(count: usize, answer: &str, waiting_bytes_max: Option<usize>) {
    let group = open_three().await;
    let usual = Setup::with_defaults(&group.url);
    let waiting_bytes_max = waiting_bytes_max.unwrap_or(usual.waiting_bytes_max);
    let store = PostgresStore::open(&Setup { waiting_bytes_max, ..usual }).await.unwrap();
    let holder = group.connect().await;
    let lock = "BEGIN; SELECT 1 FROM forms WHERE form_id = 'frm_1' FOR UPDATE";
    holder.batch_execute(lock).await.unwrap();
    let template = new_arrival(&store, &form_id(), "sub_x").await;
    let send = |n: usize| {
        let submission = submission(&format!("sub_{n}"), 5, answer);
        store.insert_submission(NewSubmission { submission, ..template.clone() })
    };
    let inserts = (0..count).map(|n| Box::pin(send(n)));
    let rejected = async {
        let rejected = send(count).await;
        assert!(matches!(rejected, Err(StoreError::Busy(n)) if n == count), "{rejected:?}");
        holder.batch_execute("COMMIT").await.unwrap();
    };
    let (answers, ()) = tokio::join!(biased; join_all(inserts), rejected);
    assert!(answers.into_iter().all(|answer| answer.is_ok()));
    assert_eq!(group.sql("SELECT COUNT(*) FROM submissions"), count.to_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queue_rejects_beyond_byte_limit() {
    // Each counts twice, as JSON and as searched text, so a seventh does not fit.
    check_wait(6, &"x".repeat(50 << 10), Some(640 << 10)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queue_rejects_beyond_row_limit() {
    check_wait(1024, "x", None).await;
}

/// However an interrupted commit ended, the submission exists once and is confirmed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_commit_outcome_is_resolved() {
    let group = open_three().await;
    let proxy = DatabaseProxy::start(&group.url).await;
    let setup = Setup { connections_max: 4, ..Setup::with_defaults(&proxy.url) };
    let store = PostgresStore::open(&setup).await.unwrap();
    let mut ids = HashSet::new();
    for break_point in [BreakPoint::Before, BreakPoint::After, BreakPoint::During] {
        for (n, spam) in [None, Some(SpamReason::TooFast)].into_iter().enumerate() {
            let id = format!("sub_{break_point:?}_{n}");
            let template = new_arrival(&store, &form_id(), &id).await;
            let arrival = NewSubmission { spam, idempotency: Some(repeat(&id, 1)), ..template };
            proxy.break_at(break_point);
            let answer = store.insert_submission(arrival.clone()).await.unwrap();
            assert_eq!(answer, taken_result(&id), "{break_point:?}");
            let repeated = submission("sub_again", 6, "x");
            let repeated = NewSubmission { submission: repeated, ..arrival };
            assert_eq!(
                store.insert_submission(repeated).await.unwrap(),
                taken_result(&id),
                "{break_point:?}"
            );
            ids.insert(id);
        }
    }
    let stored = "SELECT id FROM submissions UNION ALL SELECT id FROM unlisted";
    let stored: Vec<String> = group.sql(stored).lines().map(str::to_owned).collect();
    assert_eq!((stored.len(), stored.into_iter().collect()), (6, ids));
}

/// A known id may also be in a concurrent import.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restore_waits_for_known_ids_lock() {
    let group = open_three().await;
    let store = &group.stores[0];
    let spam = new_arrival(store, &form_id(), "sub_1").await;
    let spam = NewSubmission { spam: Some(SpamReason::TooFast), ..spam };
    assert_eq!(store.insert_submission(spam).await.unwrap(), taken_result("sub_1"));
    let holder = group.connect().await;
    holder.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(126892214674945)").await.unwrap();
    let id: SubmissionId = "sub_1".parse().unwrap();
    let release = async || {
        store
            .restore_submissions(
                &form_id(),
                UnlistedState::Spam,
                UnlistedSelection::Ids(vec![id.clone()]),
            )
            .await
    };
    let busy = release().await;
    assert!(matches!(busy, Err(StoreError::Busy(_))), "{busy:?}");
    let other: FormId = "frm_2".parse().unwrap();
    holder.batch_execute("COMMIT").await.unwrap();
    let row = Submission { form_id: other.clone(), ..submission("sub_1", 9, "x") };
    store
        .insert_submissions(&other, Vec::new(), fixtures::submission_source(vec![row]))
        .await
        .unwrap();
    let inserted = release().await;
    assert!(matches!(inserted, Err(StoreError::Exists(_))), "{inserted:?}");
    assert!(store.delete_submission(&id).await.unwrap());
    assert_eq!(release().await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn insert_succeeds_after_all_connections_lost() {
    let group = open_three().await;
    let store = &group.stores[0];
    for n in 0..5 {
        let arrival = new_arrival(store, &form_id(), &format!("sub_{n}")).await;
        group.sql(
            "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE application_name = 'sheaf' AND datname = current_database()",
        );
        assert_eq!(
            store.insert_submission(arrival).await.unwrap(),
            taken_result(&format!("sub_{n}"))
        );
    }
    assert_eq!(group.sql("SELECT submission_count FROM forms WHERE form_id = 'frm_1'"), "5");
}
