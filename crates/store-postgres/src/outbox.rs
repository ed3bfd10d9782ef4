//! [`OutboxStore`] for PostgreSQL: webhooks and their deliveries.
//!
//! Any number of processes may send. A lease skips rows that another transaction has locked, and
//! moves the leased ones into the future.

mod enqueue;
mod lease;
mod log;
mod webhooks;

pub(super) use enqueue::{delete_deliveries, enqueue, enqueue_created, has_webhooks};
pub(super) use lease::find_submissions;

use super::PostgresStore;
use crate::errors::database_error;
use async_trait::async_trait;
use contract::webhook::{Delivery, WebhookSettings};
use contract::{DeliveryId, FormId, Timestamp, WebhookId};
use store::audit::Unaudited;
use store::outbox::{
    AttemptRecord, DeliveryKey, DeliveryQuery, LeaseQuery, LeasedBatch, OutboxStore, SigningSecret,
    WebhookRecord,
};
use store::{QueueStats, Result};

#[async_trait]
impl OutboxStore for PostgresStore {
    async fn insert_webhook(&self, record: WebhookRecord) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = webhooks::insert(&tx, &record).await?;
        tx.commit_audited(done).await
    }

    async fn list_webhooks(&self, form: &FormId) -> Result<Vec<WebhookRecord>> {
        webhooks::list(&self.connections.get().await?, form).await
    }

    async fn find_webhook(&self, id: &WebhookId) -> Result<Option<WebhookRecord>> {
        webhooks::find(&self.connections.get().await?, id).await
    }

    async fn update_webhook(
        &self,
        id: &WebhookId,
        settings: WebhookSettings,
        now: Timestamp,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = webhooks::update(&tx, id, &settings, now).await?;
        tx.commit_audited(done).await
    }

    async fn rotate_secret(
        &self,
        id: &WebhookId,
        secret: SigningSecret,
        now: Timestamp,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = webhooks::rotate(&tx, id, &secret, now).await?;
        tx.commit_audited(done).await
    }

    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = webhooks::delete(&tx, id).await?;
        tx.commit_audited(done).await
    }

    async fn list_deliveries(&self, query: DeliveryQuery) -> Result<Vec<Delivery>> {
        log::list(&self.connections.get().await?, &query).await
    }

    async fn find_delivery(&self, key: &DeliveryKey) -> Result<Option<(WebhookId, Delivery)>> {
        log::find(&self.connections.get().await?, key).await
    }

    async fn replay_delivery(&self, key: &DeliveryKey) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = log::replay(&tx, key).await?;
        tx.commit_audited(done).await
    }

    async fn replay_failed(&self, id: &WebhookId, since: Timestamp) -> Result<u64> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = log::replay_failed(&tx, id, since).await?;
        tx.commit_audited(done).await
    }

    async fn insert_test(&self, id: &WebhookId, now: Timestamp) -> Result<Option<DeliveryId>> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = enqueue::insert_test(&tx, id, now).await?;
        tx.commit_audited(done).await
    }

    async fn lease_deliveries(&self, query: LeaseQuery) -> Result<Vec<LeasedBatch>> {
        let mut conn = self.connections.get().await?;
        // Check first, so that no transaction begins if nothing is due.
        let due = lease::due_webhooks(&conn, &query).await?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let tx = conn.transaction().await.map_err(database_error)?;
        let batches = lease::lease(&tx, &due, query).await?;
        tx.commit().await.map_err(database_error)?;
        Ok(batches)
    }

    async fn record_attempt(&self, record: AttemptRecord) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let is_disabled = lease::record_attempt(&tx, &record).await?;
        tx.commit_audited(is_disabled).await
    }

    async fn drop_delivery(&self, key: &DeliveryKey) -> Result<()> {
        log::end(&self.connections.get().await?, key).await
    }

    /// Does nothing: other processes may have leases.
    async fn release_leases(&self) -> Result<()> {
        Ok(())
    }

    async fn purge_deliveries(&self, now: Timestamp) -> Result<u64> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let purged = log::purge(&tx, now).await?;
        tx.commit_audited(Unaudited).await?;
        Ok(purged)
    }

    async fn outbox_stats(&self) -> Result<QueueStats> {
        log::stats(&self.connections.get().await?).await
    }
}
