//! The outbox: webhooks, and the pending and past deliveries of events to them.
//!
//! The transaction that changes a submission also inserts a delivery for each webhook of its form
//! that chose the event. A delivery refers to its submission. The first attempt adds the body of
//! the request, so that all attempts send the same body. A permanent deletion of a submission also
//! deletes its deliveries, except that of the deletion itself.

mod deliveries;
mod webhooks;

pub use deliveries::{
    AttemptOutcome, AttemptRecord, DeliveryColumns, DeliveryContent, DeliveryKey, DeliveryQuery,
    LeaseQuery, LeasedBatch, LeasedColumns, LeasedDelivery, append_attempt,
};
pub use webhooks::{
    SigningSecret, WebhookColumns, WebhookRecord, events_from_bits, events_to_bits, new_webhook,
    old_secret_end,
};

use super::{QueueStats, Result};
use async_trait::async_trait;
use contract::webhook::{Delivery, LOG_DAYS, OLD_SECRET_HOURS, WebhookSettings};
use contract::{DeliveryId, FormId, Timestamp, WebhookId};
use std::time::Duration;

/// Maximum age of deliveries in the log.
pub const LOG_AGE_MAX: Duration = Duration::from_hours(24 * LOG_DAYS as u64);
/// Validity of the previous secret after a rotation.
pub const OLD_SECRET_AGE_MAX: Duration = Duration::from_hours(OLD_SECRET_HOURS as u64);
/// Time until another worker may repeat a leased delivery, if this process dies. It is longer than
/// an attempt may take, and than the clocks of several servers may differ.
pub const LEASE: Duration = Duration::from_mins(1);
/// Maximum number of deliveries that one change by the owner replays or deletes.
pub const CHANGE_MAX: i64 = 10_000;
/// Number of deliveries that one call of [`OutboxStore::purge_deliveries`] deletes.
pub const PURGE_ROWS_MAX: i64 = 500;

/// Webhooks and their deliveries. Each method is one transaction.
#[async_trait]
pub trait OutboxStore: Send + Sync + 'static {
    /// Inserts a webhook; `false` if there is no such form.
    ///
    /// # Errors
    /// [`StoreError::TooManyWebhooks`](super::StoreError::TooManyWebhooks).
    async fn insert_webhook(&self, record: WebhookRecord) -> Result<bool>;
    /// Lists the webhooks of a form, oldest first.
    async fn list_webhooks(&self, form: &FormId) -> Result<Vec<WebhookRecord>>;
    /// Finds a webhook.
    async fn find_webhook(&self, id: &WebhookId) -> Result<Option<WebhookRecord>>;
    /// Changes the settings of a webhook; `false` if there is no such webhook. Enabling a disabled
    /// webhook resets its failing state; its pending deliveries continue.
    async fn update_webhook(
        &self,
        id: &WebhookId,
        settings: WebhookSettings,
        now: Timestamp,
    ) -> Result<bool>;
    /// Replaces the secret of a webhook; `false` if there is no such webhook. The previous secret
    /// stays valid until `now` + [`OLD_SECRET_AGE_MAX`].
    ///
    /// # Errors
    /// [`StoreError::SecretRotated`](super::StoreError::SecretRotated) while there is a previous
    /// secret: it was promised to stay valid.
    async fn rotate_secret(
        &self,
        id: &WebhookId,
        secret: SigningSecret,
        now: Timestamp,
    ) -> Result<bool>;
    /// Deletes a webhook and at most [`CHANGE_MAX`] of its deliveries; `false` if there is no such
    /// webhook. [`OutboxStore::purge_deliveries`] deletes the rest.
    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool>;

    /// Lists deliveries of a webhook with their attempts, newest first: by number, or by the time
    /// of the event and then by number.
    async fn list_deliveries(&self, query: DeliveryQuery) -> Result<Vec<Delivery>>;
    /// Finds a delivery with its attempts, and its webhook.
    async fn find_delivery(&self, key: &DeliveryKey) -> Result<Option<(WebhookId, Delivery)>>;
    /// Makes a delivery due at once, with all its retries; `false` if there is no such delivery.
    async fn replay_delivery(&self, key: &DeliveryKey) -> Result<bool>;
    /// Makes failed deliveries of a webhook for events at `since` or later due at once, the oldest
    /// first and at most [`CHANGE_MAX`]; returns their number.
    async fn replay_failed(&self, id: &WebhookId, since: Timestamp) -> Result<u64>;
    /// Inserts a delivery of a test event, due at once; `None` if there is no such webhook.
    async fn insert_test(&self, id: &WebhookId, now: Timestamp) -> Result<Option<DeliveryId>>;

    /// Leases due deliveries of enabled webhooks, a few of each webhook, until `now` + [`LEASE`].
    /// No two calls lease the same delivery at once, also from several processes.
    async fn lease_deliveries(&self, query: LeaseQuery) -> Result<Vec<LeasedBatch>>;
    /// Records an attempt. Changes the state of the delivery only if its lease still holds, and
    /// that of the webhook only if it still has the URL of the attempt. Returns whether this
    /// disabled the webhook.
    async fn record_attempt(&self, record: AttemptRecord) -> Result<bool>;
    /// Ends a leased delivery whose submission is not listed any more. It stays in the log if it
    /// has attempts, otherwise it is deleted.
    async fn drop_delivery(&self, key: &DeliveryKey) -> Result<()>;
    /// Makes all leased deliveries due at once. Only for a store that one process uses: its earlier
    /// leases are those of a process that died. Others have to wait for [`LEASE`].
    async fn release_leases(&self) -> Result<()>;
    /// Deletes at most [`PURGE_ROWS_MAX`] finished deliveries older than [`LOG_AGE_MAX`] or
    /// deliveries of deleted webhooks, and returns their number. Deletes expired secrets, too.
    async fn purge_deliveries(&self, now: Timestamp) -> Result<u64>;
    /// Returns size and age of the queue of enabled webhooks. The age is that of the earliest event
    /// among the first due deliveries of each webhook.
    async fn outbox_stats(&self) -> Result<QueueStats>;
}
