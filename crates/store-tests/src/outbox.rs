//! Webhooks and their deliveries.

use super::fixtures::{self, account, at, form, form_id, owner_and_form, submission};
use super::insight::sample_insight;
use contract::insight::InsightCorrection;
use contract::triage::Note;
use contract::webhook::{
    Attempt, Delivery, DeliveryState, DisabledReason, WebhookEvent, WebhookFormat, WebhookSettings,
};
use contract::{BatchId, PersonId, SpamReason, Submission, SubmissionId, Triage, WebhookId};
use store::daily_limits::DailyLimits;
use store::insight::AnalysisOutcome;
use store::new_submission::{InsertOutcome, NewSubmission};
use store::outbox::{
    AttemptOutcome, AttemptRecord, DeliveryContent, DeliveryKey, DeliveryQuery, LEASE, LOG_AGE_MAX,
    LeaseQuery, LeasedBatch, LeasedDelivery, OLD_SECRET_AGE_MAX, SigningSecret, WebhookRecord,
    new_webhook,
};
use store::triage::{NoteKey, TriageUpdate};
use store::unlisted::{Selection, UnlistRequest, UnlistedSelection, UnlistedState};
use store::{QueueStats, Store, StoreError};

const NOW: i64 = 20_000 * 86_400_000_000;
const URL: &str = "https://a.example/hook";

/// Inserts a webhook of `frm_1` with these events.
async fn insert_webhook(store: &dyn Store, events: &[WebhookEvent]) -> WebhookRecord {
    let url = URL.to_owned();
    let count = store.list_webhooks(&form_id()).await.unwrap().len();
    let created_at = at(NOW + i64::try_from(count).unwrap());
    let record = new_webhook(form_id(), url, events, WebhookFormat::Json, created_at);
    assert!(store.insert_webhook(record.clone()).await.unwrap());
    record
}

/// Inserts an arriving submission.
pub(super) async fn submit(store: &dyn Store, submission: Submission, spam: Option<SpamReason>) {
    let form = form_id();
    let version = store.find_intake(&form).await.unwrap().unwrap().version;
    let arrival = NewSubmission {
        form,
        version,
        submission,
        fields: Vec::new(),
        spam,
        idempotency: None,
        rows_max: None,
    };
    let outcome = store.insert_submission(arrival).await.unwrap();
    assert!(matches!(outcome, InsertOutcome::Inserted(_)), "{outcome:?}");
}

async fn deliveries(store: &dyn Store, webhook: &WebhookId) -> Vec<Delivery> {
    let webhook = webhook.clone();
    let query = DeliveryQuery { webhook, state: None, before: None, rows_max: 100 };
    store.list_deliveries(query).await.unwrap()
}

/// Returns the events and submissions of a webhook's deliveries, newest first.
async fn events(store: &dyn Store, webhook: &WebhookId) -> Vec<(WebhookEvent, String)> {
    let all = deliveries(store, webhook).await;
    all.into_iter()
        .map(|it| (it.event, it.submission_id.map_or_else(String::new, Into::into)))
        .collect()
}

async fn lease(store: &dyn Store, micros: i64, rows_max: usize) -> Vec<LeasedBatch> {
    let query = LeaseQuery {
        now: at(micros),
        busy: Vec::new(),
        webhooks_max: 10,
        rows_max,
        failing_max: 9,
    };
    store.lease_deliveries(query).await.unwrap()
}

/// Leases the only due delivery.
async fn lease_one(store: &dyn Store, micros: i64) -> LeasedDelivery {
    let mut batches = lease(store, micros, 10).await;
    assert_eq!(batches.len(), 1);
    let mut deliveries = batches.remove(0).deliveries;
    assert_eq!(deliveries.len(), 1);
    deliveries.remove(0)
}

fn attempt_record(
    webhook: &WebhookId,
    leased: &LeasedDelivery,
    micros: i64,
    outcome: AttemptOutcome,
) -> AttemptRecord {
    let status = if outcome.is_success() { 204 } else { 500 };
    AttemptRecord {
        webhook: webhook.clone(),
        key: leased.key.clone(),
        lease_until: leased.lease_until,
        url: URL.to_owned(),
        format: WebhookFormat::Json,
        body: "{\"a\":\"\u{1}é\"}".to_owned(),
        attempt: Attempt {
            at: at(micros),
            duration_ms: 12,
            status: Some(status),
            error: None,
            response: Some("o\u{0}k".to_owned()),
        },
        outcome,
        disable: None,
    }
}

fn ids(ids: &[&str]) -> Vec<SubmissionId> {
    ids.iter().map(|id| id.parse().unwrap()).collect()
}

async fn move_one(store: &dyn Store, id: &str, state: UnlistedState) -> BatchId {
    let batch: BatchId = format!("bat_{id}").parse().unwrap();
    let request = UnlistRequest {
        form: form_id(),
        selection: Selection::Ids(ids(&[id])),
        state,
        batch: batch.clone(),
        at: at(NOW),
        is_permanent: true,
    };
    store.move_submissions(request).await.unwrap().unwrap();
    batch
}

pub async fn webhooks_are_listed_changed_and_deleted(store: &dyn Store) {
    owner_and_form(store).await;
    let first = insert_webhook(store, &[WebhookEvent::Created]).await;
    let second = insert_webhook(store, &WebhookEvent::CHOICES).await;
    assert_eq!(store.list_webhooks(&form_id()).await.unwrap(), [first.clone(), second.clone()]);
    let id = &first.webhook.id;
    assert_eq!(store.find_webhook(id).await.unwrap().as_ref(), Some(&first));

    let settings = |enabled| WebhookSettings {
        url: "https://b.example/".to_owned(),
        events: vec![WebhookEvent::Deleted],
        format: WebhookFormat::Slack,
        enabled,
    };
    assert!(store.update_webhook(id, settings(false), at(NOW + 5)).await.unwrap());
    let changed = store.find_webhook(id).await.unwrap().unwrap().webhook;
    assert_eq!(
        (changed.url.as_str(), changed.format),
        ("https://b.example/", WebhookFormat::Slack)
    );
    assert_eq!(changed.events, [WebhookEvent::Deleted]);
    let disabled = changed.disabled.unwrap();
    assert_eq!((disabled.at, disabled.reason), (at(NOW + 5), DisabledReason::Owner));
    assert!(store.update_webhook(id, settings(true), at(NOW + 6)).await.unwrap());
    assert_eq!(store.find_webhook(id).await.unwrap().unwrap().webhook.disabled, None);

    let new = second.secret;
    assert!(store.rotate_secret(id, new, at(NOW + 7)).await.unwrap());
    let rotated = store.find_webhook(id).await.unwrap().unwrap();
    let until = at(NOW + 7).saturating_add(OLD_SECRET_AGE_MAX);
    assert_eq!((rotated.secret, rotated.old_secret), (new, Some((first.secret, until))));

    assert!(store.delete_webhook(id).await.unwrap());
    assert!(!store.delete_webhook(id).await.unwrap());
    assert!(!store.update_webhook(id, settings(true), at(NOW)).await.unwrap());
    assert!(!store.rotate_secret(id, new, at(NOW)).await.unwrap());
    assert_eq!(store.insert_test(id, at(NOW)).await.unwrap(), None);
    assert_eq!(store.list_webhooks(&form_id()).await.unwrap(), [second]);
}

pub async fn secret_is_rotated_once_old_one_expired(store: &dyn Store) {
    owner_and_form(store).await;
    let first = insert_webhook(store, &[WebhookEvent::Created]).await;
    let id = &first.webhook.id;
    let second = SigningSecret::generate();
    let third = SigningSecret::generate();
    assert!(store.rotate_secret(id, second, at(NOW)).await.unwrap());
    let until = at(NOW).saturating_add(OLD_SECRET_AGE_MAX);
    for now in [NOW, until.micros() - 1] {
        let refused = store.rotate_secret(id, third, at(now)).await;
        let Err(StoreError::SecretRotated(promised)) = refused else { panic!("{refused:?}") };
        assert_eq!(promised, until);
    }
    let stored = store.find_webhook(id).await.unwrap().unwrap();
    assert_eq!((stored.secret, stored.old_secret), (second, Some((first.secret, until))));
    assert!(store.rotate_secret(id, third, until).await.unwrap());
    let stored = store.find_webhook(id).await.unwrap().unwrap();
    let until = until.saturating_add(OLD_SECRET_AGE_MAX);
    assert_eq!((stored.secret, stored.old_secret), (third, Some((second, until))));
}

pub async fn number_of_webhooks_is_limited(store: &dyn Store) {
    owner_and_form(store).await;
    for _ in 0..contract::webhook::WEBHOOKS_MAX {
        insert_webhook(store, &[WebhookEvent::Created]).await;
    }
    let url = "https://a.example/".to_owned();
    let record = new_webhook(form_id(), url, &[], WebhookFormat::Json, at(NOW));
    let full = store.insert_webhook(record.clone()).await;
    assert!(matches!(full, Err(StoreError::TooManyWebhooks)), "{full:?}");
    let unknown = WebhookRecord { form: "frm_x".parse().unwrap(), ..record };
    assert!(!store.insert_webhook(unknown).await.unwrap());
}

pub async fn arrival_enqueues_chosen_events_only(store: &dyn Store) {
    owner_and_form(store).await;
    store.insert_form(form("acc_1", "frm_2")).await.unwrap();
    let other = new_webhook(
        "frm_2".parse().unwrap(),
        "https://a.example/".to_owned(),
        &WebhookEvent::CHOICES,
        WebhookFormat::Json,
        at(NOW),
    );
    assert!(store.insert_webhook(other.clone()).await.unwrap());
    let created = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    let deleted = insert_webhook(store, &[WebhookEvent::Deleted]).await.webhook.id;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    submit(store, submission("sub_2", NOW + 2, "b"), Some(SpamReason::TooFast)).await;
    fixtures::insert_submissions(store, vec![submission("sub_3", NOW + 3, "c")]).await;
    assert_eq!(events(store, &created).await, [(WebhookEvent::Created, "sub_1".to_owned())]);
    assert_eq!(events(store, &deleted).await, []);
    assert_eq!(events(store, &other.webhook.id).await, []);
    let delivery = deliveries(store, &created).await.remove(0);
    assert_eq!((delivery.created_at, delivery.state), (at(NOW + 1), DeliveryState::Pending));
    assert_eq!(delivery.next_attempt_at, Some(at(NOW + 1)));
    assert_eq!((delivery.request_body, delivery.attempts), (None, Vec::new()));
}

pub async fn changes_of_a_submission_enqueue_events(store: &dyn Store) {
    let mut analysed = form("acc_1", "frm_1");
    analysed.form.analysis = true;
    store.insert_account(account("acc_1", "owner@example.com")).await.unwrap();
    store.insert_form(analysed).await.unwrap();
    let id = insert_webhook(store, &WebhookEvent::CHOICES).await.webhook.id;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    let insight = Some(sample_insight("positive"));
    let outcome = AnalysisOutcome { id: "sub_1".parse().unwrap(), insight, actions: 1 };
    store.insert_insights(vec![outcome], DailyLimits::default(), at(NOW)).await.unwrap();
    let correction =
        InsightCorrection { sentiment: Some("mixed".to_owned()), ..InsightCorrection::default() };
    let one = "sub_1".parse().unwrap();
    assert!(store.correct_insight(&one, Some(correction.clone()), at(NOW)).await.unwrap());
    // Repeated corrections, and those to the result of the analysis, change nothing.
    assert!(store.correct_insight(&one, Some(correction), at(NOW)).await.unwrap());
    assert!(store.correct_insight(&one, None, at(NOW)).await.unwrap());
    assert!(store.correct_insight(&one, None, at(NOW)).await.unwrap());
    let same = InsightCorrection {
        sentiment: Some("positive".to_owned()),
        ..InsightCorrection::default()
    };
    assert!(store.correct_insight(&one, Some(same.clone()), at(NOW + 1)).await.unwrap());
    assert_eq!(store.find_insight(&one).await.unwrap().unwrap().correction, Some(same));
    assert!(store.correct_insight(&one, None, at(NOW)).await.unwrap());
    change_triage(store).await;
    let seen: Vec<_> = events(store, &id).await.into_iter().map(|it| it.0).collect();
    let mut expected = vec![WebhookEvent::Updated; 6];
    expected.extend([WebhookEvent::Analyzed, WebhookEvent::Created]);
    assert_eq!(seen, expected);
    let leased = lease(store, NOW + 10, 100).await;
    let is_done = |triage: &Triage| triage.status.as_str() == "done";
    assert!(leased[0].deliveries.iter().all(|delivery| {
        matches!(&delivery.content, DeliveryContent::Submission { triage, .. } if is_done(triage))
    }));
}

/// Changes the triage of `sub_1` twice, and inserts, edits and deletes a note: four updates.
async fn change_triage(store: &dyn Store) {
    let submission: SubmissionId = "sub_1".parse().unwrap();
    let person: PersonId = "psn_1".parse().unwrap();
    for json in [r#"{"starred":true}"#, r#"{"starred":true}"#, r#"{"status":"done"}"#] {
        let update = TriageUpdate {
            form: form_id(),
            selection: Selection::Ids(vec![submission.clone()]),
            change: serde_json::from_str(json).unwrap(),
            reader: fixtures::owner_as_reader(),
            at: at(NOW + 2),
            with_undo: false,
        };
        store.update_triage(update).await.unwrap();
    }
    let note = Note {
        id: "nte_1".parse().unwrap(),
        author: Some(person.clone()),
        text: "a".to_owned(),
        created_at: at(NOW + 3),
        edited_at: None,
    };
    let key = NoteKey { form: form_id(), submission, note: note.id.clone(), person };
    store.insert_note(&form_id(), &key.submission, note, Vec::new()).await.unwrap();
    store.edit_note(&key, "b".to_owned(), at(NOW + 4), Vec::new()).await.unwrap();
    store.delete_note(&key).await.unwrap();
}

pub async fn moves_enqueue_deleted_and_created(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &WebhookEvent::CHOICES).await.webhook.id;
    for (number, name) in [(1, "sub_1"), (2, "sub_2"), (3, "sub_3")] {
        fixtures::insert_submissions(store, vec![submission(name, NOW + number, "a")]).await;
    }
    let batch = move_one(store, "sub_1", UnlistedState::Trash).await;
    let chosen = UnlistedSelection::Batch(batch);
    let state = UnlistedState::Trash;
    assert_eq!(store.restore_submissions(&form_id(), state, chosen).await.unwrap(), 1);
    move_one(store, "sub_2", UnlistedState::Spam).await;
    let state = UnlistedState::Spam;
    let chosen = UnlistedSelection::Ids(ids(&["sub_2"]));
    assert_eq!(store.restore_submissions(&form_id(), state, chosen).await.unwrap(), 1);
    assert!(store.delete_submission(&"sub_3".parse().unwrap()).await.unwrap());
    let all = events(store, &id).await;
    let of = |id: &str| -> Vec<_> { all.iter().filter(|it| it.1 == id).map(|it| it.0).collect() };
    // The moves have the time of the test, and the restores that of the clock.
    assert_eq!(of("sub_1"), [WebhookEvent::Created, WebhookEvent::Deleted]);
    assert_eq!(of("sub_2"), [WebhookEvent::Created, WebhookEvent::Deleted]);
    assert_eq!(of("sub_3"), [WebhookEvent::Deleted]);
    assert_eq!(all.len(), 5);
}

pub async fn permanent_deletion_deletes_deliveries(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    for (number, name) in [(1, "sub_1"), (2, "sub_2"), (3, "sub_3"), (4, "sub_4")] {
        submit(store, submission(name, NOW + number, "a"), None).await;
    }
    assert!(store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    move_one(store, "sub_2", UnlistedState::Trash).await;
    let left = |all: Vec<(WebhookEvent, String)>| -> Vec<String> {
        all.into_iter().map(|it| it.1).collect()
    };
    // Those of a submission in the trash stay.
    assert_eq!(left(events(store, &id).await), ["sub_4", "sub_3", "sub_2"]);
    let chosen = UnlistedSelection::All;
    store.delete_unlisted(&form_id(), UnlistedState::Trash, chosen).await.unwrap();
    assert_eq!(left(events(store, &id).await), ["sub_4", "sub_3"]);
    assert!(store.set_trash_days(&form_id(), 0).await.unwrap());
    move_one(store, "sub_3", UnlistedState::Trash).await;
    assert_eq!(left(events(store, &id).await), ["sub_4"]);
    assert!(store.delete_form(&form_id()).await.unwrap());
    assert_eq!(store.find_webhook(&id).await.unwrap(), None);
    assert_eq!(lease(store, NOW + 9, 10).await, []);
    store.finish_deletions().await.unwrap();
    assert_eq!(events(store, &id).await, []);
}

pub async fn due_deliveries_are_leased_once(store: &dyn Store) {
    owner_and_form(store).await;
    let record = insert_webhook(store, &[WebhookEvent::Created]).await;
    for number in 1..=5 {
        let name = format!("sub_{number}");
        submit(store, submission(&name, NOW + number, "a"), None).await;
    }
    let query = |busy: Vec<WebhookId>, webhooks_max| LeaseQuery {
        now: at(NOW + 10),
        busy,
        webhooks_max,
        rows_max: 2,
        failing_max: 9,
    };
    let busy = query(vec![record.webhook.id.clone()], 10);
    assert_eq!(store.lease_deliveries(busy).await.unwrap(), []);
    assert_eq!(store.lease_deliveries(query(Vec::new(), 0)).await.unwrap(), []);
    let both = || store.lease_deliveries(query(Vec::new(), 10));
    let (one, two) = tokio::join!(both(), both());
    let batches: Vec<_> = one.unwrap().into_iter().chain(two.unwrap()).collect();
    let leased: Vec<_> = batches.iter().flat_map(|batch| &batch.deliveries).collect();
    assert!(batches.iter().all(|batch| batch.webhook == record && batch.form_name == "Feedback"));
    let mut keys: Vec<i64> = leased.iter().map(|delivery| delivery.key.seq).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((leased.len(), keys.len()), (4, 4));
    let sent = serde_json::to_string(&submission("sub_1", NOW + 1, "a")).unwrap();
    let is_sent = |content: &DeliveryContent| matches!(content, DeliveryContent::Submission { json, .. } if *json == sent);
    assert!(leased.iter().any(|delivery| is_sent(&delivery.content)));

    assert_eq!(lease(store, NOW + 11, 10).await[0].deliveries.len(), 1);
    assert_eq!(lease(store, NOW + 12, 10).await, []);
    // The process died: others repeat the deliveries after the lease.
    let later = at(NOW + 11).saturating_add(LEASE).micros();
    assert_eq!(lease(store, later, 10).await[0].deliveries.len(), 5);
}

pub async fn attempts_are_recorded_and_retried(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    let leased = lease_one(store, NOW).await;
    assert_eq!(leased.retries, 0);
    let failed = attempt_record(&id, &leased, NOW, AttemptOutcome::Retry(at(NOW + 50)));
    store.record_attempt(failed.clone()).await.unwrap();
    // The lease has ended, so a second record is only added to the log.
    let late = attempt_record(&id, &leased, NOW + 1, AttemptOutcome::Failed);
    store.record_attempt(late.clone()).await.unwrap();
    assert_eq!(
        store.find_webhook(&id).await.unwrap().unwrap().webhook.failing_since,
        Some(at(NOW))
    );
    let delivery = deliveries(store, &id).await.remove(0);
    assert_eq!(
        (delivery.state, delivery.next_attempt_at),
        (DeliveryState::Pending, Some(at(NOW + 50)))
    );
    assert_eq!(delivery.request_body.as_ref(), Some(&failed.body));
    assert_eq!(delivery.attempts, [failed.attempt.clone(), late.attempt.clone()]);

    assert_eq!(lease(store, NOW + 49, 10).await, []);
    let leased = lease_one(store, NOW + 50).await;
    assert_eq!((leased.retries, &leased.content), (1, &DeliveryContent::Body(failed.body)));
    let sent = attempt_record(&id, &leased, NOW + 50, AttemptOutcome::Delivered);
    store.record_attempt(sent.clone()).await.unwrap();
    let key = leased.key;
    let (webhook, delivery) = store.find_delivery(&key).await.unwrap().unwrap();
    assert_eq!((&webhook, delivery.id), (&id, key.id().unwrap()));
    assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Delivered, None));
    assert_eq!(delivery.attempts, [failed.attempt, late.attempt, sent.attempt]);
    assert_eq!(store.find_webhook(&id).await.unwrap().unwrap().webhook.failing_since, None);
    let foreign = DeliveryKey { nonce: "0".repeat(16), ..key };
    assert_eq!(store.find_delivery(&foreign).await.unwrap(), None);
}

pub async fn disabled_webhook_gets_nothing(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    submit(store, submission("sub_2", NOW + 1, "b"), None).await;
    let leased = lease(store, NOW + 1, 1).await.remove(0).deliveries.remove(0);
    let gone = attempt_record(&id, &leased, NOW + 2, AttemptOutcome::Failed);
    let gone = AttemptRecord { disable: Some(DisabledReason::Gone), ..gone };
    assert!(store.record_attempt(gone.clone()).await.unwrap());
    assert!(!store.record_attempt(gone).await.unwrap(), "it was disabled already");
    let disabled = store.find_webhook(&id).await.unwrap().unwrap().webhook.disabled.unwrap();
    assert_eq!((disabled.at, disabled.reason), (at(NOW + 2), DisabledReason::Gone));
    submit(store, submission("sub_3", NOW + 3, "c"), None).await;
    assert_eq!(lease(store, NOW + 9, 10).await, []);
    assert_eq!(store.outbox_stats().await.unwrap(), QueueStats::default());
    // Once it is enabled, the pending delivery is sent.
    let settings = WebhookSettings {
        url: URL.to_owned(),
        events: vec![WebhookEvent::Created],
        format: WebhookFormat::Json,
        enabled: true,
    };
    assert!(store.update_webhook(&id, settings, at(NOW + 9)).await.unwrap());
    let oldest = Some(at(NOW + 1));
    assert_eq!(store.outbox_stats().await.unwrap(), QueueStats { pending: 1, oldest });
    let leased = lease_one(store, NOW + 9).await;
    let id: SubmissionId = "sub_2".parse().unwrap();
    let delivery = store.find_delivery(&leased.key).await.unwrap().unwrap().1;
    assert_eq!(delivery.submission_id, Some(id));
}

pub async fn failed_deliveries_are_replayed(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    let mut keys = Vec::new();
    for number in 1..=3 {
        submit(store, submission(&format!("sub_{number}"), NOW + number, "a"), None).await;
        let leased = lease_one(store, NOW + number).await;
        let failed = attempt_record(&id, &leased, NOW + number, AttemptOutcome::Failed);
        store.record_attempt(failed).await.unwrap();
        keys.push(leased.key);
    }
    assert_eq!(lease(store, NOW + 9, 10).await, []);
    assert!(store.replay_delivery(&keys[0]).await.unwrap());
    let leased = lease_one(store, NOW + 9).await;
    assert_eq!((&leased.key, leased.retries), (&keys[0], 0));
    assert_eq!(store.replay_failed(&id, at(NOW + 3)).await.unwrap(), 1);
    assert_eq!(lease_one(store, NOW + 9).await.key, keys[2]);
    let unknown = DeliveryKey { nonce: "0".repeat(16), ..keys[0].clone() };
    assert!(!store.replay_delivery(&unknown).await.unwrap());
}

pub async fn log_is_paged_and_filtered(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    let leased = lease_one(store, NOW).await;
    store
        .record_attempt(attempt_record(&id, &leased, NOW, AttemptOutcome::Delivered))
        .await
        .unwrap();
    let test = store.insert_test(&id, at(NOW + 1)).await.unwrap().unwrap();
    let test = DeliveryKey::parse(&test).unwrap();
    let query = |state, before| DeliveryQuery { webhook: id.clone(), state, before, rows_max: 1 };
    let page = store.list_deliveries(query(None, None)).await.unwrap();
    assert_eq!((page.len(), page[0].event), (1, WebhookEvent::Test));
    assert_eq!(page[0].submission_id, None);
    let page = store.list_deliveries(query(None, Some(test.clone()))).await.unwrap();
    assert_eq!((page.len(), page[0].event), (1, WebhookEvent::Created));
    let state = Some(DeliveryState::Delivered);
    let page = store.list_deliveries(query(state, None)).await.unwrap();
    assert_eq!((page.len(), page[0].event), (1, WebhookEvent::Created));
    let failed = query(Some(DeliveryState::Failed), None);
    assert_eq!(store.list_deliveries(failed).await.unwrap(), []);
    let leased = lease_one(store, NOW + 1).await;
    assert_eq!((&leased.key, &leased.content), (&test, &DeliveryContent::Test));
}

pub async fn content_follows_the_submission(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &WebhookEvent::CHOICES).await.webhook.id;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    move_one(store, "sub_1", UnlistedState::Trash).await;
    let mut batches = lease(store, NOW + 1, 10).await;
    let deliveries = batches.remove(0).deliveries;
    let contents: Vec<_> = deliveries.iter().map(|it| (it.event, it.content.clone())).collect();
    let deleted = DeliveryContent::Deleted("sub_1".parse().unwrap());
    let expected =
        [(WebhookEvent::Created, DeliveryContent::Gone), (WebhookEvent::Deleted, deleted)];
    assert_eq!(contents, expected);
    store.drop_delivery(&deliveries[0].key).await.unwrap();
    assert_eq!(events(store, &id).await, [(WebhookEvent::Deleted, "sub_1".to_owned())]);
    // With attempts it stays in the log.
    let record = attempt_record(&id, &deliveries[1], NOW, AttemptOutcome::Delivered);
    store.record_attempt(record).await.unwrap();
    assert!(store.replay_delivery(&deliveries[1].key).await.unwrap());
    let leased = lease_one(store, NOW + 1).await;
    store.drop_delivery(&leased.key).await.unwrap();
    let delivery = store.find_delivery(&leased.key).await.unwrap().unwrap().1;
    assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Failed, None));
}

pub async fn attempt_to_former_url_keeps_webhook_state(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    let leased = lease_one(store, NOW).await;
    let failed = attempt_record(&id, &leased, NOW, AttemptOutcome::Retry(at(NOW + 50)));
    store.record_attempt(failed).await.unwrap();
    let leased = lease_one(store, NOW + 50).await;
    let settings = WebhookSettings {
        url: "https://b.example/".to_owned(),
        events: vec![WebhookEvent::Created],
        format: WebhookFormat::Slack,
        enabled: true,
    };
    assert!(store.update_webhook(&id, settings, at(NOW)).await.unwrap());
    let find = async || store.find_webhook(&id).await.unwrap().unwrap().webhook;
    assert_eq!(find().await.failing_since, None);
    let gone = attempt_record(&id, &leased, NOW + 51, AttemptOutcome::Failed);
    let gone = AttemptRecord { disable: Some(DisabledReason::Gone), ..gone };
    store.record_attempt(gone).await.unwrap();
    let webhook = find().await;
    assert_eq!((webhook.failing_since, webhook.disabled), (None, None));
    // The body of the former format is not sent again.
    assert!(store.replay_delivery(&leased.key).await.unwrap());
    let leased = lease_one(store, NOW + 60).await;
    assert!(matches!(leased.content, DeliveryContent::Submission { .. }), "{leased:?}");
}

pub async fn failing_webhooks_are_leased_last(store: &dyn Store) {
    owner_and_form(store).await;
    let mut failing = Vec::new();
    for number in 0..3 {
        let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
        submit(store, submission(&format!("sub_f{number}"), NOW + number, "a"), None).await;
        for batch in lease(store, NOW + number, 9).await {
            for leased in batch.deliveries {
                let webhook = &batch.webhook.webhook.id;
                let record = attempt_record(webhook, &leased, NOW, AttemptOutcome::Failed);
                store.record_attempt(record).await.unwrap();
            }
        }
        failing.push(id);
    }
    let healthy = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    for number in 0..5 {
        submit(store, submission(&format!("sub_{number}"), NOW + 9, "a"), None).await;
    }
    let query = |webhooks_max, failing_max| LeaseQuery {
        now: at(NOW + 10),
        busy: Vec::new(),
        webhooks_max,
        rows_max: 4,
        failing_max,
    };
    let first = store.lease_deliveries(query(1, 9)).await.unwrap().remove(0);
    assert_eq!((first.webhook.webhook.id, first.deliveries.len()), (healthy.clone(), 4));
    let batches = store.lease_deliveries(query(9, 2)).await.unwrap();
    let counts: Vec<_> = batches.iter().map(|batch| batch.deliveries.len()).collect();
    assert_eq!(counts, [1, 1, 1]);
    assert_eq!(batches[0].webhook.webhook.id, healthy);
    assert!(batches[1..].iter().all(|batch| failing.contains(&batch.webhook.webhook.id)));
}

pub async fn log_is_purged_after_its_retention(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert_webhook(store, &[WebhookEvent::Created]).await.webhook.id;
    for number in 0..3 {
        submit(store, submission(&format!("sub_{number}"), NOW + 5 * number, "a"), None).await;
        if number < 2 {
            let leased = lease_one(store, NOW + 5 * number).await;
            let record = attempt_record(&id, &leased, NOW, AttemptOutcome::Delivered);
            store.record_attempt(record).await.unwrap();
        }
    }
    let secret = store.find_webhook(&id).await.unwrap().unwrap().secret;
    assert!(store.rotate_secret(&id, secret, at(NOW + 3)).await.unwrap());
    let expiry = at(NOW).saturating_add(LOG_AGE_MAX);
    assert_eq!(store.purge_deliveries(at(NOW + 2)).await.unwrap(), 0);
    assert!(store.find_webhook(&id).await.unwrap().unwrap().old_secret.is_some());
    assert_eq!(store.purge_deliveries(at(expiry.micros() - 1)).await.unwrap(), 0);
    assert_eq!(store.find_webhook(&id).await.unwrap().unwrap().old_secret, None);
    assert_eq!(store.purge_deliveries(expiry).await.unwrap(), 1);
    let left = |number| (WebhookEvent::Created, format!("sub_{number}"));
    assert_eq!(events(store, &id).await, [left(2), left(1)]);
    // A pending delivery stays, however old it is.
    let late = expiry.saturating_add(LOG_AGE_MAX);
    assert_eq!(store.purge_deliveries(late).await.unwrap(), 1);
    assert_eq!(events(store, &id).await, [left(2)]);
    assert!(store.delete_webhook(&id).await.unwrap());
    assert_eq!(events(store, &id).await, []);
    assert_eq!(store.purge_deliveries(late).await.unwrap(), 0);
}
