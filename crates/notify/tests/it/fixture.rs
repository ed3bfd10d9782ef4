//! A store with a form, a clock that the test sets, and workers.

use contract::webhook::{Delivery, WebhookEvent, WebhookFormat};
use contract::{Filter, FormId, Submission, Timestamp, WebhookId};
use notify::{AddressPolicy, Counters, Worker};
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::clock::{Clock, FixedClock};
use store::new_submission::{InsertOutcome, NewSubmission};
use store::outbox::{DeliveryQuery, LEASE, OutboxStore as _, WebhookRecord, new_webhook};
use store::unlisted::{Selection, UnlistRequest, UnlistedState, UnlistedStore as _};
use store_sqlite::SqliteStore;
use store_tests::fixtures;
use tokio::task::JoinHandle;

/// Store, clock and counters. Submissions go to the form `frm_1` unless the test names another.
pub(crate) struct Fixture {
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) policy: AddressPolicy,
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = |file: &Path| SqliteStore::open(file).unwrap();
        let file = folder.path().join("sheaf.db");
        test_servers::copy_prepared_file(&file, |file| drop(open(file))).unwrap();
        let store = open(&file);
        fixtures::owner_and_form(&store).await;
        let start = Timestamp::parse("2026-03-01T09:30:00Z").unwrap();
        Self {
            store: Arc::new(store),
            clock: Arc::new(FixedClock::at(start)),
            counters: Arc::default(),
            policy: AddressPolicy::new(true, vec!["127.0.0.0/8".parse().unwrap()]),
            _folder: folder,
        }
    }

    pub(crate) fn worker(&self) -> Worker {
        self.worker_with(Arc::<FixedClock>::clone(&self.clock))
    }

    pub(crate) fn worker_with(&self, clock: Arc<dyn Clock>) -> Worker {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        let store: Arc<dyn Store> = Arc::<SqliteStore>::clone(&self.store);
        let counters = Arc::clone(&self.counters);
        Worker::new(store, clock, self.policy.clone(), Arc::new(tls), counters)
    }

    /// Starts a worker that runs until it is aborted.
    pub(crate) fn run_worker(&self) -> JoinHandle<()> {
        tokio::spawn(self.worker().run(pending()))
    }

    /// Inserts forms with webhooks for `submission.created`, and returns both.
    pub(crate) async fn add_forms(
        &self,
        forms: usize,
        webhooks: usize,
        url: &str,
    ) -> (Vec<FormId>, Vec<WebhookId>) {
        let mut form_ids = Vec::new();
        let mut webhook_ids = Vec::new();
        for number in 0..forms {
            let record = fixtures::form("acc_1", &format!("frm_more{number}"));
            let form = record.form.id.clone();
            self.store.insert_form(record).await.unwrap();
            for _ in 0..webhooks {
                let events = [WebhookEvent::Created];
                let form = form.clone();
                let added = self.add_webhook_with(form, url, WebhookFormat::Json, &events).await;
                webhook_ids.push(added.webhook.id);
            }
            form_ids.push(form);
        }
        (form_ids, webhook_ids)
    }

    /// Inserts a webhook of `frm_1` for `submission.created`.
    pub(crate) async fn add_webhook(&self, url: &str) -> WebhookRecord {
        let events = [WebhookEvent::Created];
        self.add_webhook_with(fixtures::form_id(), url, WebhookFormat::Json, &events).await
    }

    pub(crate) async fn add_webhook_with(
        &self,
        form: FormId,
        url: &str,
        format: WebhookFormat,
        events: &[WebhookEvent],
    ) -> WebhookRecord {
        let record = new_webhook(form, url.to_owned(), events, format, self.clock.now());
        assert!(self.store.insert_webhook(record.clone()).await.unwrap());
        record
    }

    /// Inserts a submission of `frm_1`.
    pub(crate) async fn submit(&self, id: &str) {
        self.submit_to(fixtures::form_id(), id).await;
    }

    pub(crate) async fn submit_to(&self, form: FormId, id: &str) {
        let mut submission = fixtures::submission(id, self.clock.now().micros(), "hello");
        submission.form_id = form;
        self.insert(submission).await;
    }

    /// Inserts a submission of its form.
    pub(crate) async fn insert(&self, submission: Submission) {
        let form = submission.form_id.clone();
        let arrival = NewSubmission {
            version: self.store.find_intake(&form).await.unwrap().unwrap().version,
            form,
            submission,
            fields: Vec::new(),
            spam: None,
            idempotency: None,
            rows_max: None,
        };
        let outcome = self.store.insert_submission(arrival).await.unwrap();
        assert!(matches!(outcome, InsertOutcome::Inserted(_)), "{outcome:?}");
    }

    /// Imports submissions of `frm_1`, and moves all of them to the trash: one deletion for each is
    /// enqueued at once.
    pub(crate) async fn move_to_trash(&self, count: u64) {
        let at = self.clock.now().micros();
        let submission = |number| fixtures::submission(&format!("sub_old{number}"), at, "hello");
        let submissions = (0..count).map(submission).collect();
        fixtures::insert_submissions(self.store.as_ref(), submissions).await;
        let request = UnlistRequest {
            form: fixtures::form_id(),
            selection: Selection::matching(Filter::default(), count),
            state: UnlistedState::Trash,
            batch: "bat_1".parse().unwrap(),
            at: self.clock.now(),
            is_permanent: true,
        };
        self.store.move_submissions(request).await.unwrap().unwrap();
    }

    /// Sends all due deliveries.
    pub(crate) async fn send_due(&self) {
        let mut worker = self.worker();
        while worker.step().await.unwrap() {}
    }

    /// Sends all due deliveries in a task of its own.
    pub(crate) fn spawn_send_due(&self) -> JoinHandle<()> {
        let mut worker = self.worker();
        tokio::spawn(async move { while worker.step().await.unwrap() {} })
    }

    pub(crate) fn advance(&self, duration: Duration) {
        self.clock.advance_ms(i64::try_from(duration.as_millis()).unwrap());
    }

    /// Returns the deliveries of a webhook, newest first.
    pub(crate) async fn deliveries(&self, webhook: &WebhookId) -> Vec<Delivery> {
        let webhook = webhook.clone();
        let query = DeliveryQuery { webhook, state: None, before: None, rows_max: 1000 };
        self.store.list_deliveries(query).await.unwrap()
    }

    /// Returns the number of deliveries of a webhook that were leased at the present time.
    pub(crate) async fn count_leased(&self, webhook: &WebhookId) -> usize {
        let until = Some(self.clock.now().saturating_add(LEASE));
        let deliveries = self.deliveries(webhook).await;
        deliveries.iter().filter(|delivery| delivery.next_attempt_at == until).count()
    }

    /// Returns the only delivery of a webhook.
    pub(crate) async fn only_delivery(&self, webhook: &WebhookRecord) -> Delivery {
        let mut deliveries = self.deliveries(&webhook.webhook.id).await;
        assert_eq!(deliveries.len(), 1);
        deliveries.remove(0)
    }
}
