//! [`OutboxStore`] for SQLite: webhooks and their deliveries.

mod enqueue;
mod lease;
mod log;
mod webhooks;

pub(super) use enqueue::{
    DeliveryTarget, enqueue, enqueue_created, enqueue_moved, enqueue_restored, enqueue_updated,
    find_targets,
};
pub(super) use log::delete_orphans;

use super::SqliteStore;
use async_trait::async_trait;
use contract::webhook::{Delivery, WebhookSettings};
use contract::{DeliveryId, FormId, Timestamp, WebhookId};
use store::outbox::{
    AttemptRecord, DeliveryKey, DeliveryQuery, LeaseQuery, LeasedBatch, OutboxStore, SigningSecret,
    WebhookRecord,
};
use store::{QueueStats, Result};

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn insert_webhook(&self, record: WebhookRecord) -> Result<bool> {
        self.writer.write(move |conn| webhooks::insert(conn, &record)).await
    }

    async fn list_webhooks(&self, form: &FormId) -> Result<Vec<WebhookRecord>> {
        let form = form.clone();
        self.readers.read(move |conn| webhooks::list(conn, &form)).await
    }

    async fn find_webhook(&self, id: &WebhookId) -> Result<Option<WebhookRecord>> {
        let id = id.clone();
        self.readers.read(move |conn| webhooks::find(conn, &id)).await
    }

    async fn update_webhook(
        &self,
        id: &WebhookId,
        settings: WebhookSettings,
        now: Timestamp,
    ) -> Result<bool> {
        let id = id.clone();
        self.writer.write(move |conn| webhooks::update(conn, &id, &settings, now)).await
    }

    async fn rotate_secret(
        &self,
        id: &WebhookId,
        secret: SigningSecret,
        now: Timestamp,
    ) -> Result<bool> {
        let id = id.clone();
        self.writer.write(move |conn| webhooks::rotate(conn, &id, &secret, now)).await
    }

    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool> {
        let id = id.clone();
        self.writer.write_when_full(move |conn| webhooks::delete(conn, &id)).await
    }

    async fn list_deliveries(&self, query: DeliveryQuery) -> Result<Vec<Delivery>> {
        self.readers.read(move |conn| log::list(conn, &query)).await
    }

    async fn find_delivery(&self, key: &DeliveryKey) -> Result<Option<(WebhookId, Delivery)>> {
        let key = key.clone();
        self.readers.read(move |conn| log::find(conn, &key)).await
    }

    async fn replay_delivery(&self, key: &DeliveryKey) -> Result<bool> {
        let key = key.clone();
        self.writer.write(move |conn| log::replay(conn, &key)).await
    }

    async fn replay_failed(&self, id: &WebhookId, since: Timestamp) -> Result<u64> {
        let id = id.clone();
        self.writer.write(move |conn| log::replay_failed(conn, &id, since)).await
    }

    async fn insert_test(&self, id: &WebhookId, now: Timestamp) -> Result<Option<DeliveryId>> {
        let id = id.clone();
        self.writer.write(move |conn| enqueue::insert_test(conn, &id, now)).await
    }

    async fn lease_deliveries(&self, query: LeaseQuery) -> Result<Vec<LeasedBatch>> {
        // A read first, so that the writer is not used if nothing is due.
        let due = {
            let query = query.clone();
            self.readers.read(move |conn| lease::due_webhooks(conn, &query)).await?
        };
        if due.is_empty() {
            return Ok(Vec::new());
        }
        self.writer.write_when_full(move |conn| lease::lease(conn, &due, query)).await
    }

    async fn record_attempt(&self, record: AttemptRecord) -> Result<bool> {
        self.writer.write_when_full(move |conn| lease::record_attempt(conn, &record)).await
    }

    async fn drop_delivery(&self, key: &DeliveryKey) -> Result<()> {
        let key = key.clone();
        self.writer.write_when_full(move |conn| log::end(conn, &key)).await
    }

    async fn release_leases(&self) -> Result<()> {
        self.writer.write_when_full(lease::release).await
    }

    async fn purge_deliveries(&self, now: Timestamp) -> Result<u64> {
        if !self.readers.read(move |conn| log::has_expired(conn, now)).await? {
            return Ok(0);
        }
        self.writer.write_when_full(move |conn| log::purge(conn, now)).await
    }

    async fn outbox_stats(&self) -> Result<QueueStats> {
        self.readers.read(log::stats).await
    }
}
