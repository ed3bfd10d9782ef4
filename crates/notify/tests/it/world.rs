//! A store with a form, a clock that the test sets, and workers.

use contract::webhook::{Delivery, WebhookEvent, WebhookFormat};
use contract::{FormId, Timestamp, WebhookId};
use notify::{AddressPolicy, Counters, Worker};
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::clock::{Clock as _, FixedClock};
use store::new_submission::{InsertOutcome, NewSubmission};
use store::outbox::{DeliveryQuery, OutboxStore as _, WebhookRecord, new_webhook};
use store_sqlite::SqliteStore;
use store_tests::fixtures;

/// Store, clock and counters. Submissions go to the form `frm_1` unless the test names another.
pub(crate) struct World {
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) policy: AddressPolicy,
    _folder: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("sheaf.db")).unwrap();
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
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        let store: Arc<dyn Store> = Arc::<SqliteStore>::clone(&self.store);
        let clock = Arc::<FixedClock>::clone(&self.clock);
        let counters = Arc::clone(&self.counters);
        Worker::new(store, clock, self.policy.clone(), Arc::new(tls), counters)
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
        submission.form_id = form.clone();
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

    /// Sends all due deliveries.
    pub(crate) async fn send_due(&self) {
        let mut worker = self.worker();
        while worker.step().await.unwrap() {}
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

    /// Returns the only delivery of a webhook.
    pub(crate) async fn only_delivery(&self, webhook: &WebhookRecord) -> Delivery {
        let mut deliveries = self.deliveries(&webhook.webhook.id).await;
        assert_eq!(deliveries.len(), 1);
        deliveries.remove(0)
    }
}
