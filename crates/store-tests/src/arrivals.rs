//! Insertion of single submissions: spam, idempotency and intake settings.

use super::fixtures::{at, count_all, field, form_id, list_page, owner_and_form, submission};
use contract::{Filter, FormId, Intake, Receipt, SpamReason, Submission};
use futures_util::StreamExt as _;
use store::new_submission::{IdempotencyKey, InsertOutcome, NewSubmission};
use store::unlisted::{SPAM_ROWS_MAX, UnlistedSelection, UnlistedState};
use store::{Position, Store, StoreError};

const DAY_US: i64 = 86_400_000_000;

async fn intake_version(store: &dyn Store) -> i64 {
    store.find_intake(&form_id()).await.unwrap().unwrap().version
}

pub(crate) async fn new_submission(store: &dyn Store, submission: Submission) -> NewSubmission {
    let form = form_id();
    let version = intake_version(store).await;
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

fn expected_receipt(submission: &Submission) -> InsertOutcome {
    let id = submission.id.clone();
    let submitted_at = submission.metadata.submitted_at;
    InsertOutcome::Inserted(Receipt { id, submitted_at })
}

pub(crate) async fn insert_spam(store: &dyn Store, submission: Submission) {
    let spam = Some(SpamReason::TooFast);
    let arrival = NewSubmission { spam, ..new_submission(store, submission.clone()).await };
    assert_eq!(store.insert_submission(arrival).await.unwrap(), expected_receipt(&submission));
}

async fn list_spam_ids(store: &dyn Store) -> Vec<String> {
    let page = store.list_spam(&form_id(), at(0), None, 10_000).await.unwrap();
    assert_eq!(page.total, page.rows.len() as u64);
    page.rows.into_iter().map(|row| row.position.id.into()).collect()
}

pub async fn inserted_submission_is_found_and_counted(store: &dyn Store) {
    owner_and_form(store).await;
    let sent = submission("sub_1", 5, "héllo");
    let outcome = store.insert_submission(new_submission(store, sent.clone()).await).await.unwrap();
    assert_eq!(outcome, expected_receipt(&sent));
    let found = store.find_submission(&sent.id).await.unwrap().unwrap();
    assert_eq!(found.submission.json, serde_json::to_string(&sent).unwrap());
    let search = contract::filter::Search::new("HÉLLO").unwrap();
    let filter = Filter { search, ..Filter::default() };
    let page = list_page(store, &filter, None, 9).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (1, 1));
    assert_eq!(store.find_form(&form_id()).await.unwrap().unwrap().form.submission_count, 1);
    let again = store.insert_submission(new_submission(store, sent).await).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    assert_eq!(count_all(store).await, 1);
}

pub async fn intake_update_changes_version(store: &dyn Store) {
    owner_and_form(store).await;
    let found = store.find_intake(&form_id()).await.unwrap().unwrap();
    assert_eq!((found.intake, found.account_id.as_str()), (Intake::default(), "acc_1"));
    let intake = Intake {
        redirects: vec!["https://a.example/thanks".to_owned()],
        learns_fields: Some(false),
        form_limit: None,
        ..Intake::default()
    };
    assert!(store.update_intake(&form_id(), intake.clone()).await.unwrap());
    let changed = store.find_intake(&form_id()).await.unwrap().unwrap();
    assert_eq!(changed.intake, intake);
    assert_ne!(changed.version, found.version);
    let fields = vec![field("fld_1", "a")];
    let none = Box::new(std::iter::empty());
    store.insert_submissions(&form_id(), fields.clone(), none).await.unwrap();
    let grown = store.find_intake(&form_id()).await.unwrap().unwrap();
    assert_eq!(grown.fields, fields);
    assert_ne!(grown.version, changed.version);
    super::fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    assert_eq!(intake_version(store).await, grown.version, "submissions do not change the version");
    let unknown = "frm_unknown".parse().unwrap();
    assert!(!store.update_intake(&unknown, Intake::default()).await.unwrap());
    assert_eq!(store.find_intake(&unknown).await.unwrap(), None);
}

pub async fn other_intake_version_is_stale(store: &dyn Store) {
    owner_and_form(store).await;
    let old = new_submission(store, submission("sub_1", 1, "x")).await;
    store.update_intake(&form_id(), Intake::default()).await.unwrap();
    let spam = NewSubmission { spam: Some(SpamReason::Honeypot), ..old.clone() };
    let unknown = NewSubmission { form: "frm_unknown".parse().unwrap(), ..old.clone() };
    for arrival in [old, spam, unknown] {
        assert_eq!(store.insert_submission(arrival).await.unwrap(), InsertOutcome::Stale);
    }
    assert_eq!((count_all(store).await, list_spam_ids(store).await.len()), (0, 0));
}

pub async fn submission_and_fields_are_inserted_atomically(store: &dyn Store) {
    owner_and_form(store).await;
    let sent = submission("sub_1", 1, "x");
    let fields = vec![field("fld_1", "answer")];
    let arrival = NewSubmission { fields: fields.clone(), ..new_submission(store, sent).await };
    store.insert_submission(arrival.clone()).await.unwrap();
    let learned = store.find_intake(&form_id()).await.unwrap().unwrap();
    assert_eq!((learned.fields, learned.intake.learns_fields), (fields, Some(true)));
    let version = intake_version(store).await;
    let twice = NewSubmission { version, submission: submission("sub_2", 2, "x"), ..arrival };
    let refused = store.insert_submission(twice).await;
    assert!(matches!(refused, Err(StoreError::Exists(_))), "{refused:?}");
    assert_eq!(count_all(store).await, 1);
}

pub async fn repeated_request_returns_first_receipt(store: &dyn Store) {
    owner_and_form(store).await;
    let send = async |id: &str, micros: i64, key: &str, request: u8| {
        let repeat = Some(IdempotencyKey { key: key.to_owned(), request: [request; 32] });
        let arrival = NewSubmission {
            idempotency: repeat,
            ..new_submission(store, submission(id, micros, "x")).await
        };
        store.insert_submission(arrival).await.unwrap()
    };
    let first = expected_receipt(&submission("sub_1", 7, "x"));
    assert_eq!(send("sub_1", 7, "k", 1).await, first);
    assert_eq!(send("sub_2", 8, "k", 1).await, first);
    assert_eq!(send("sub_3", 9, "k", 2).await, InsertOutcome::IdempotencyConflict);
    assert_eq!(send("sub_4", 9, "K", 2).await, expected_receipt(&submission("sub_4", 9, "x")));
    assert_eq!(send("sub_5", 7 + 2 * DAY_US - 1, "k", 1).await, first);
    let next = expected_receipt(&submission("sub_6", 7 + 2 * DAY_US, "x"));
    assert_eq!(send("sub_6", 7 + 2 * DAY_US, "k", 2).await, next, "the record has expired");
    assert_eq!(send("sub_7", 8 + 2 * DAY_US, "k", 2).await, next);
    assert_eq!(count_all(store).await, 3);
}

/// Queued insertions are written in one batch, and each has the result of a single insertion.
pub async fn concurrent_insertions_are_independent(store: &dyn Store) {
    owner_and_form(store).await;
    super::fixtures::insert_submissions(store, vec![submission("sub_there", 1, "x")]).await;
    let plain = new_submission(store, submission("sub_0", 1, "x")).await;
    let sent = |n: usize| submission(&format!("sub_{n}"), 1_000 + i64::try_from(n).unwrap(), "x");
    let repeat = |request| Some(IdempotencyKey { key: "k".to_owned(), request: [request; 32] });
    let of = |n: usize| {
        let plain = NewSubmission { submission: sent(n), ..plain.clone() };
        match n % 10 {
            3 => NewSubmission { submission: submission("sub_there", 7, "x"), ..plain },
            4 => NewSubmission { spam: Some(SpamReason::TooFast), ..plain },
            5 => NewSubmission { idempotency: repeat(1), ..plain },
            6 => NewSubmission { idempotency: repeat(2), ..plain },
            7 => NewSubmission { version: plain.version + 1, ..plain },
            _ => plain,
        }
    };
    let outcomes = futures_util::future::join_all((0..200).map(|n| store.insert_submission(of(n))));
    for (n, outcome) in outcomes.await.into_iter().enumerate() {
        match n % 10 {
            3 => assert!(matches!(outcome, Err(StoreError::Exists(_))), "{n}: {outcome:?}"),
            5 => assert_eq!(outcome.unwrap(), expected_receipt(&sent(5)), "{n}"),
            6 => assert_eq!(outcome.unwrap(), InsertOutcome::IdempotencyConflict, "{n}"),
            7 => assert_eq!(outcome.unwrap(), InsertOutcome::Stale, "{n}"),
            _ => assert_eq!(outcome.unwrap(), expected_receipt(&sent(n)), "{n}"),
        }
    }
    assert_eq!((count_all(store).await, list_spam_ids(store).await.len()), (102, 20));
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, 102);
    // The second submission was built without the new field of the first one, so it is stale.
    let brings = NewSubmission { fields: vec![field("fld_1", "answer")], ..of(300) };
    let (first, second) =
        tokio::join!(biased; store.insert_submission(brings), store.insert_submission(of(301)));
    assert_eq!(
        (first.unwrap(), second.unwrap()),
        (expected_receipt(&sent(300)), InsertOutcome::Stale)
    );
}

pub async fn submission_limit_of_form_is_enforced(store: &dyn Store) {
    owner_and_form(store).await;
    super::fixtures::insert_submissions(store, vec![submission("sub_there", 1, "x")]).await;
    let plain = NewSubmission {
        rows_max: Some(6),
        ..new_submission(store, submission("sub_0", 1, "x")).await
    };
    let sent = |n: usize| submission(&format!("sub_{n}"), 1_000 + i64::try_from(n).unwrap(), "x");
    let repeat = |n: usize| Some(IdempotencyKey { key: format!("k{n}"), request: [1; 32] });
    let of =
        |n: usize| NewSubmission { submission: sent(n), idempotency: repeat(n), ..plain.clone() };
    let spam = NewSubmission { spam: Some(SpamReason::TooFast), ..of(500) };
    assert_eq!(store.insert_submission(spam.clone()).await.unwrap(), expected_receipt(&sent(500)));
    let all = (0..100).map(|n| store.insert_submission(of(n)));
    let outcomes: Vec<_> = futures_util::future::join_all(all).await;
    let outcomes: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
    let taken = outcomes.iter().filter(|it| matches!(it, InsertOutcome::Inserted(_))).count();
    let closed = outcomes.iter().filter(|it| **it == InsertOutcome::LimitReached).count();
    assert_eq!((taken, closed), (5, 95), "existing submissions count, spam does not");
    assert_eq!(count_all(store).await, 6);
    // A repeated request returns its receipt as before; spam is refused too.
    let first = outcomes.iter().position(|it| matches!(it, InsertOutcome::Inserted(_))).unwrap();
    assert_eq!(store.insert_submission(of(first)).await.unwrap(), outcomes[first]);
    let spam = NewSubmission { submission: sent(501), idempotency: None, ..spam };
    assert_eq!(store.insert_submission(spam).await.unwrap(), InsertOutcome::LimitReached);
    let refused = outcomes.iter().position(|it| *it == InsertOutcome::LimitReached).unwrap();
    let more = NewSubmission { rows_max: Some(7), ..of(refused) };
    assert_eq!(store.insert_submission(more).await.unwrap(), expected_receipt(&sent(refused)));
    let closed = NewSubmission { rows_max: Some(0), ..of(300) };
    assert_eq!(store.insert_submission(closed).await.unwrap(), InsertOutcome::LimitReached);
    let any = NewSubmission { rows_max: None, ..of(300) };
    assert_eq!(store.insert_submission(any).await.unwrap(), expected_receipt(&sent(300)));
    assert_eq!((count_all(store).await, list_spam_ids(store).await.len()), (8, 1));
}

async fn restore_spam(store: &dyn Store, form: &FormId, id: &str) -> u64 {
    let chosen = UnlistedSelection::Ids(vec![id.parse().unwrap()]);
    store.restore_submissions(form, UnlistedState::Spam, chosen).await.unwrap()
}

async fn delete_spam(store: &dyn Store, form: &FormId, id: Option<&str>) -> u64 {
    let chosen =
        id.map_or(UnlistedSelection::All, |id| UnlistedSelection::Ids(vec![id.parse().unwrap()]));
    store.delete_unlisted(form, UnlistedState::Spam, chosen).await.unwrap()
}

pub async fn spam_is_listed_restored_and_deleted(store: &dyn Store) {
    owner_and_form(store).await;
    for (id, micros) in [("sub_a", 1), ("sub_b", 2), ("sub_c", 2), ("sub_d", 3)] {
        insert_spam(store, submission(id, micros, "buy")).await;
    }
    assert_eq!((count_all(store).await, list_spam_ids(store).await.len()), (0, 4));
    assert_eq!(list_spam_ids(store).await, ["sub_d", "sub_c", "sub_b", "sub_a"]);
    let after = Position { submitted_at: at(2), id: "sub_c".parse().unwrap() };
    let page = store.list_spam(&form_id(), at(1), Some(&after), 9).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (1, 3));
    assert_eq!(page.rows[0].reason, SpamReason::TooFast);
    let b = submission("sub_b", 2, "buy");
    assert_eq!(page.rows[0].json, serde_json::to_string(&b).unwrap());

    assert!(store.find_submission(&b.id).await.unwrap().is_none());
    assert_eq!(restore_spam(store, &form_id(), "sub_b").await, 1);
    let found = store.find_submission(&b.id).await.unwrap().unwrap().submission;
    assert_eq!(
        (found.json, found.position.submitted_at),
        (serde_json::to_string(&b).unwrap(), at(2))
    );
    assert_eq!(restore_spam(store, &form_id(), "sub_b").await, 0);
    assert_eq!(delete_spam(store, &form_id(), Some("sub_a")).await, 1);
    assert_eq!(delete_spam(store, &form_id(), Some("sub_b")).await, 0);
    assert_eq!(list_spam_ids(store).await, ["sub_d", "sub_c"]);
    let unknown = "frm_unknown".parse().unwrap();
    assert_eq!(delete_spam(store, &unknown, None).await, 0);
    assert_eq!(restore_spam(store, &unknown, "sub_d").await, 0);
    assert_eq!(delete_spam(store, &form_id(), None).await, 2);
    assert_eq!((count_all(store).await, list_spam_ids(store).await.len()), (1, 0));
}

/// Released spam adds fields only as far as the form may add them.
pub async fn released_spam_adds_few_fields(store: &dyn Store) {
    owner_and_form(store).await;
    for n in 0..3 {
        let spam = new_submission(store, submission(&format!("sub_{n}"), n + 1, "buy")).await;
        let new = |at: i64| field(&format!("fld_{n}x{at}"), &format!("key {n} {at}"));
        let fields = (0..40).map(new).collect();
        let spam = NewSubmission { spam: Some(SpamReason::Honeypot), fields, ..spam };
        assert!(matches!(store.insert_submission(spam).await, Ok(InsertOutcome::Inserted(_))));
    }
    let count_fields =
        async || store.find_form(&form_id()).await.unwrap().unwrap().form.fields.len();
    let set_learning = async |learns_fields| {
        let intake = Intake { learns_fields: Some(learns_fields), ..Intake::default() };
        assert!(store.update_intake(&form_id(), intake).await.unwrap());
    };
    set_learning(false).await;
    assert_eq!(restore_spam(store, &form_id(), "sub_0").await, 1);
    assert_eq!(count_fields().await, 0);
    set_learning(true).await;
    let all = UnlistedSelection::All;
    let restored = store.restore_submissions(&form_id(), UnlistedState::Spam, all).await;
    assert_eq!(restored.unwrap(), 2);
    assert_eq!(count_fields().await, store::new_fields::FIELDS_PER_DAY_MAX);
}

pub async fn spam_is_limited_by_count_and_age(store: &dyn Store) {
    owner_and_form(store).await;
    let count = i64::try_from(SPAM_ROWS_MAX).unwrap();
    let spam = new_submission(store, submission("sub_0000", 1, "buy")).await;
    let spam = NewSubmission { spam: Some(SpamReason::TooFast), ..spam };
    // Many insertions share a disk sync. All at once would exceed the timeout of the connection
    // pool.
    let all = (0..=count).map(|n| {
        let submission = submission(&format!("sub_{n:04}"), n + 1, "buy");
        store.insert_submission(NewSubmission { submission, ..spam.clone() })
    });
    let all = futures_util::stream::iter(all).buffer_unordered(64);
    for outcome in all.collect::<Vec<_>>().await {
        assert!(matches!(outcome, Ok(InsertOutcome::Inserted(_))), "{outcome:?}");
    }
    let spam_ids = list_spam_ids(store).await;
    assert_eq!(
        (spam_ids.len(), spam_ids.last().map(String::as_str)),
        (SPAM_ROWS_MAX, Some("sub_0001"))
    );
    let much_later = 31 * DAY_US;
    insert_spam(store, submission("sub_late", much_later, "buy")).await;
    let shown = store.list_spam(&form_id(), at(DAY_US), None, 9).await.unwrap();
    assert_eq!((shown.rows.len(), shown.total), (1, 1));
    assert_eq!(store.purge_expired(at(much_later)).await.unwrap(), SPAM_ROWS_MAX as u64 - 1);
    assert_eq!(list_spam_ids(store).await, ["sub_late"]);
}

pub async fn spam_page_is_limited_to_2_mib(store: &dyn Store) {
    owner_and_form(store).await;
    for n in 0..12 {
        insert_spam(store, submission(&format!("sub_{n}"), 12 - n, &"x".repeat(300_000))).await;
    }
    let mut after = None;
    let mut ids = Vec::new();
    let mut pages = 0;
    loop {
        let page = store.list_spam(&form_id(), at(0), after.as_ref(), 101).await.unwrap();
        assert_eq!(page.total, 12);
        // The store returns one row more than fits.
        let is_last = page.rows.len() <= 6;
        assert!(page.rows.len() <= 7, "{}", page.rows.len());
        pages += 1;
        ids.extend(page.rows.iter().take(6).map(|row| row.position.id.to_string()));
        after = page.rows.into_iter().take(6).next_back().map(|row| row.position);
        if is_last {
            break;
        }
    }
    assert_eq!(ids, (0..12).map(|n| format!("sub_{n}")).collect::<Vec<_>>());
    assert_eq!(pages, 2);
}
