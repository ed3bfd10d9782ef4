//! Background worker: leases notifications with due e-mails, and e-mails to members, and sends to
//! several addresses at once. So a slow address does not delay others.
//!
//! All state is in the database: the worker can be dropped at any time. Leases then end, and the
//! e-mails that were not recorded are sent again.

use contract::Timestamp;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::clock::Clock;
use store::daily_limits::DailyLimits;
use store::mail::{MAIL_PURGE_ROWS_MAX, MailLeaseQuery};
use store::{Result, Store};
use tokio::task::{JoinError, JoinSet};

use super::delivery::MailDispatcher;
use super::due::{PENDING_MAX, SUBMISSIONS_MAX};
use super::links::MailLinks;
use super::transport::Mailer;
use crate::counters::Counters;
use crate::pace::{POLL_INTERVAL, Pace};

/// Maximum number of leases at once. Each has a connection to the mail server.
const LEASES_MAX: usize = 8;
/// Pause after the mail server could not be reached.
const UNREACHABLE_PAUSE: Duration = Duration::from_secs(5);

/// Sends the pending e-mails.
pub struct MailWorker {
    dispatcher: MailDispatcher,
    /// Running deliveries. They return whether the mail server could be reached.
    deliveries: JoinSet<Result<bool>>,
    pace: Pace,
    /// Until when nothing is leased, by the monotonic clock.
    paused_until: Timestamp,
}

impl MailWorker {
    /// Creates a worker. `limits` are those of e-mails per account and day.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        mailer: Mailer,
        links: MailLinks,
        limits: DailyLimits,
        counters: Arc<Counters>,
    ) -> Self {
        let steady = clock.steady();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let dispatcher = MailDispatcher {
            store,
            clock,
            mailer,
            links,
            limits,
            counters,
            pending_max: PENDING_MAX,
            is_stopping,
        };
        Self {
            dispatcher,
            deliveries: JoinSet::new(),
            pace: Pace::new("e-mail", steady),
            paused_until: steady,
        }
    }

    /// Replaces the maximum number of pending e-mails per lease of a notification: 10,000.
    #[must_use]
    pub fn with_pending_max(mut self, pending_max: usize) -> Self {
        self.dispatcher.pending_max = pending_max;
        self
    }

    /// Works until `stop` resolves, and then until the running e-mails are sent and recorded. The
    /// future can be dropped at any time; running e-mails are then repeated.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        loop {
            // `stop` does not interrupt this: a lease without a delivery would delay its e-mails.
            let started = self.begin_deliveries().await;
            tokio::select! {
                biased;
                () = &mut stop => break,
                () = self.pause(started) => {}
            }
        }
        self.dispatcher.is_stopping.store(true, Ordering::Relaxed);
        while let Some(ended) = self.deliveries.join_next().await {
            if let Err(error) = self.finish(ended) {
                self.pace.warn_of(&error);
            }
        }
    }

    /// Waits until there may be something to do.
    async fn pause(&mut self, started: Result<bool>) {
        let has_work = match started {
            Ok(has_purged) => self.wait_for_delivery().await.map(|has_run| has_run || has_purged),
            Err(error) => Err(error),
        };
        self.pace.pause(has_work).await;
    }

    /// Starts deliveries of due e-mails while there is room, and waits until one ends, at most one
    /// second. Returns `false` if no task was running and there was nothing to purge.
    ///
    /// # Errors
    /// If the store fails. E-mails that are not recorded are sent again when their leases have
    /// ended.
    pub async fn step(&mut self) -> Result<bool> {
        let has_purged = self.begin_deliveries().await?;
        Ok(self.wait_for_delivery().await? || has_purged)
    }

    /// Purges old rows if that is due, and starts deliveries while there is room. Returns whether
    /// there may be more to purge.
    async fn begin_deliveries(&mut self) -> Result<bool> {
        let MailDispatcher { store, clock, .. } = &self.dispatcher;
        let steady = clock.steady();
        let purge = store.purge_mail(clock.now());
        let has_purged = self.pace.purge_if_due(steady, MAIL_PURGE_ROWS_MAX, purge).await;
        // E-mails that are too old are not sent.
        if steady >= self.paused_until && !has_purged {
            self.lease_account_mail().await?;
            self.lease_notifications().await?;
        }
        Ok(has_purged)
    }

    /// Leases e-mails to members. They are first, because they are few and urgent.
    async fn lease_account_mail(&mut self) -> Result<()> {
        let MailDispatcher { store, clock, .. } = &self.dispatcher;
        let rows_max = LEASES_MAX.saturating_sub(self.deliveries.len());
        if rows_max == 0 {
            return Ok(());
        }
        for mail in store.lease_account_mail(clock.now(), rows_max).await? {
            let dispatcher = self.dispatcher.clone();
            self.deliveries.spawn(async move { dispatcher.deliver_to_member(mail).await });
        }
        Ok(())
    }

    async fn lease_notifications(&mut self) -> Result<()> {
        let MailDispatcher { store, clock, pending_max, .. } = &self.dispatcher;
        let notifications_max = LEASES_MAX.saturating_sub(self.deliveries.len());
        if notifications_max == 0 {
            return Ok(());
        }
        let query = MailLeaseQuery {
            now: clock.now(),
            notifications_max,
            pending_max: *pending_max,
            submissions_max: SUBMISSIONS_MAX,
        };
        for batch in store.lease_mail(query).await? {
            let dispatcher = self.dispatcher.clone();
            self.deliveries.spawn(async move { Box::pin(dispatcher.deliver(batch)).await });
        }
        Ok(())
    }

    /// Waits until a delivery ends, at most one second. Returns `false` if no task was running.
    async fn wait_for_delivery(&mut self) -> Result<bool> {
        if self.deliveries.is_empty() {
            return Ok(false);
        }
        // E-mails that become due during slow deliveries must not wait for their end.
        let ended = tokio::time::timeout(POLL_INTERVAL, self.deliveries.join_next()).await;
        let mut result = ended.ok().flatten().map_or(Ok(()), |ended| self.finish(ended));
        while let Some(ended) = self.deliveries.try_join_next() {
            result = result.and(self.finish(ended));
        }
        result.map(|()| true)
    }

    fn finish(&mut self, ended: Result<Result<bool>, JoinError>) -> Result<()> {
        let result = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "e-mail delivery panicked");
            Ok(true)
        });
        if !result? {
            let steady = self.dispatcher.clock.steady();
            self.paused_until = steady.saturating_add(UNREACHABLE_PAUSE);
        }
        Ok(())
    }
}
