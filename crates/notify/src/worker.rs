//! Background worker: leases due deliveries, and sends many of them at once, but only a few to one
//! webhook. Failing webhooks share a part of the attempts. So slow receivers do not delay others.
//!
//! All state is in the database: the worker can be dropped at any time. Leases then end, and the
//! deliveries are sent again with the same identifiers.

use contract::WebhookId;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use store::clock::Clock;
use store::outbox::{LeaseQuery, LeasedBatch, PURGE_ROWS_MAX};
use store::{Result, Store};
use tokio::task::{Id, JoinError, JoinSet};

use crate::address::AddressPolicy;
use crate::attempt::Dispatcher;
use crate::counters::Counters;
use crate::pace::{POLL_INTERVAL, Pace};
use crate::sender::Sender;

/// Maximum number of attempts at once: all together, of one webhook, and of all failing webhooks
/// together. Each failing webhook has at most one.
const ATTEMPTS_MAX: usize = 128;
const WEBHOOK_ATTEMPTS_MAX: usize = 4;
const FAILING_ATTEMPTS_MAX: usize = 32;

/// Sends the deliveries of the outbox.
pub struct Worker {
    dispatcher: Dispatcher,
    /// Running attempts.
    attempts: JoinSet<Result<()>>,
    /// Their webhooks.
    webhooks: HashMap<Id, AttemptedWebhook>,
    pace: Pace,
}

/// Webhook of a running attempt.
struct AttemptedWebhook {
    id: WebhookId,
    /// Whether it was failing when the delivery was leased.
    is_failing: bool,
}

impl Worker {
    /// Creates a worker.
    ///
    /// `tls` has the trusted authorities. It must not offer HTTP/2 by ALPN.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        policy: AddressPolicy,
        tls: Arc<rustls::ClientConfig>,
        counters: Arc<Counters>,
    ) -> Self {
        let pace = Pace::new("webhooks", clock.steady());
        let sender = Sender::new(policy, tls);
        Self {
            dispatcher: Dispatcher { store, clock, sender, counters, tells_owner: false },
            attempts: JoinSet::new(),
            webhooks: HashMap::new(),
            pace,
        }
    }

    /// Replaces the time limit of an attempt, which is 15 s. It must be shorter than
    /// [`store::outbox::LEASE`].
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.dispatcher.sender = self.dispatcher.sender.with_timeout(timeout);
        self
    }

    /// Makes the worker report a disabled webhook to the owner of the account by e-mail. Only for a
    /// server that sends e-mail.
    #[must_use]
    pub fn with_owner_mail(mut self) -> Self {
        self.dispatcher.tells_owner = true;
        self
    }

    /// Works until `stop` resolves, and then until the running attempts are recorded. The future
    /// can be dropped at any time; running attempts are then repeated.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        loop {
            // `stop` does not interrupt this: a lease without an attempt would delay a delivery.
            let started = self.begin_attempts().await;
            tokio::select! {
                biased;
                () = &mut stop => break,
                () = self.pause(started) => {}
            }
        }
        while let Some(ended) = self.attempts.join_next_with_id().await {
            if let Err(error) = self.finish(ended) {
                self.pace.warn_of(&error);
            }
        }
    }

    /// Waits until there may be something to do.
    async fn pause(&mut self, started: Result<bool>) {
        let has_work = match started {
            Ok(has_purged) => self.wait_for_attempt().await.map(|has_run| has_run || has_purged),
            Err(error) => Err(error),
        };
        self.pace.pause(has_work).await;
    }

    /// Starts attempts of due deliveries while there is room, and waits until one ends, at most one
    /// second. Returns `false` if no attempt was running and there was nothing to purge.
    ///
    /// # Errors
    /// If the store fails. Deliveries without a recorded attempt are sent again when their
    /// leases have ended.
    pub async fn step(&mut self) -> Result<bool> {
        let has_purged = self.begin_attempts().await?;
        Ok(self.wait_for_attempt().await? || has_purged)
    }

    /// Purges the log if that is due, and starts attempts while there is room. Returns whether
    /// there may be more to purge.
    async fn begin_attempts(&mut self) -> Result<bool> {
        let Dispatcher { store, clock, .. } = &self.dispatcher;
        let purge = store.purge_deliveries(clock.now());
        let has_purged = self.pace.purge_if_due(clock.steady(), PURGE_ROWS_MAX, purge).await;
        while self.lease_some().await? {}
        Ok(has_purged)
    }

    /// Waits until an attempt ends, at most one second. Returns `false` if no attempt was running.
    async fn wait_for_attempt(&mut self) -> Result<bool> {
        if self.attempts.is_empty() {
            return Ok(false);
        }
        // Deliveries that become due during slow attempts must not wait for their end.
        let ended = tokio::time::timeout(POLL_INTERVAL, self.attempts.join_next_with_id()).await;
        let mut result = ended.ok().flatten().map_or(Ok(()), |ended| self.finish(ended));
        while let Some(ended) = self.attempts.try_join_next_with_id() {
            result = result.and(self.finish(ended));
        }
        result.map(|()| true)
    }

    /// Leases due deliveries and starts their attempts. Returns whether there may be more that can
    /// start now.
    async fn lease_some(&mut self) -> Result<bool> {
        let free = ATTEMPTS_MAX.saturating_sub(self.attempts.len());
        if free == 0 {
            return Ok(false);
        }
        let mut failing = 0;
        let mut running: HashMap<&WebhookId, usize> = HashMap::new();
        for webhook in self.webhooks.values() {
            failing += usize::from(webhook.is_failing);
            // One attempt fills a failing webhook.
            let attempts = if webhook.is_failing { WEBHOOK_ATTEMPTS_MAX } else { 1 };
            *running.entry(&webhook.id).or_default() += attempts;
        }
        let (busy, open): (Vec<_>, Vec<_>) =
            running.into_iter().partition(|(_, count)| *count >= WEBHOOK_ATTEMPTS_MAX);
        let running_max = open.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let rows_max = (WEBHOOK_ATTEMPTS_MAX - running_max).min(free);
        let query = LeaseQuery {
            now: self.dispatcher.clock.now(),
            busy: busy.into_iter().map(|(webhook, _)| webhook.clone()).collect(),
            webhooks_max: free / rows_max,
            rows_max,
            failing_max: FAILING_ATTEMPTS_MAX.saturating_sub(failing),
        };
        let batches = self.dispatcher.store.lease_deliveries(query).await?;
        let has_leased = !batches.is_empty();
        for batch in batches {
            self.start(batch);
        }
        Ok(has_leased)
    }

    fn start(&mut self, mut batch: LeasedBatch) {
        let deliveries = std::mem::take(&mut batch.deliveries);
        let batch = Arc::new(batch);
        let webhook = &batch.webhook.webhook;
        for delivery in deliveries {
            let dispatcher = self.dispatcher.clone();
            let shared = Arc::clone(&batch);
            let task =
                self.attempts.spawn(async move { dispatcher.attempt(&shared, delivery).await });
            let is_failing = webhook.failing_since.is_some();
            let attempted = AttemptedWebhook { id: webhook.id.clone(), is_failing };
            self.webhooks.insert(task.id(), attempted);
        }
    }

    fn finish(&mut self, ended: Result<(Id, Result<()>), JoinError>) -> Result<()> {
        let (id, result) = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "webhook attempt panicked");
            (error.id(), Ok(()))
        });
        self.webhooks.remove(&id);
        result
    }
}
