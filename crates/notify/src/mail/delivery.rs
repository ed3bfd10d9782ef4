//! Delivery of one lease: sends the due e-mails of a notification, and records the outcome.

use contract::Notification;
use contract::fold::fold;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::clock::Clock;
use store::daily_limits::{DailyLimits, UtcDay};
use store::mail::{AccountEvent, AccountMail, MailBatch, MailDestination, PendingMail, UsageKind};
use store::secret::random_bytes;
use store::{Result, Store};

use super::connection::Connection;
use super::due::DueMails;
use super::error::MailError;
use super::links::MailLinks;
use super::message::OutgoingMail;
use super::outcome::{LeaseState, Stop};
use super::schedule::last_boundary;
use super::submission_mail::{digest_mail, submission_mail};
use super::transport::Mailer;
use crate::counters::Counters;

/// No e-mail begins if less of the lease is left, because another worker could repeat it. It is
/// longer than an e-mail usually takes when the mail server is slow.
const LEASE_REST_MIN: Duration = Duration::from_secs(90);

/// Parts that deliveries share. They run concurrently.
#[derive(Clone)]
pub(crate) struct MailDispatcher {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) mailer: Mailer,
    pub(crate) links: MailLinks,
    pub(crate) limits: DailyLimits,
    pub(crate) counters: Arc<Counters>,
    /// Maximum number of pending e-mails per lease of a notification.
    pub(crate) pending_max: usize,
    /// Whether the server stops, so that no other e-mail begins.
    pub(crate) is_stopping: Arc<AtomicBool>,
}

impl MailDispatcher {
    /// Sends the due e-mails of a lease, and records the outcome. Returns whether the mail server
    /// could be reached.
    ///
    /// # Errors
    /// If the store fails. E-mails without a record are sent again when the lease has ended.
    pub(crate) async fn deliver(&self, mut batch: MailBatch) -> Result<bool> {
        let pending = std::mem::take(&mut batch.pending);
        let mut delivery = Delivery {
            dispatcher: self,
            connection: Connection::new(&self.mailer, &self.counters),
            progress: LeaseState::new(&batch, self.clock.now()),
            batch: &batch,
        };
        let result = match &batch.destination {
            MailDestination::Notification(notification) => {
                delivery.notify(notification, pending).await
            }
            MailDestination::AutoReply(reply) => delivery.reply_to_all(reply, pending).await,
        };
        delivery.finish(result.err()).await
    }
}

/// Delivery of a lease.
pub(crate) struct Delivery<'a> {
    pub(crate) dispatcher: &'a MailDispatcher,
    /// The lease, without its pending e-mails.
    pub(crate) batch: &'a MailBatch,
    pub(crate) connection: Connection<'a>,
    pub(crate) progress: LeaseState,
}

impl Delivery<'_> {
    /// Sends the due e-mails of a notification. Stops with [`Stop::Again`] if more may be due than
    /// were leased.
    async fn notify(
        &mut self,
        notification: &Notification,
        pending: Vec<PendingMail>,
    ) -> Result<(), Stop> {
        let now = self.progress.started_at;
        let boundary = last_boundary(notification.every, &notification.time_zone, now);
        let is_full = pending.len() >= self.dispatcher.pending_max;
        let mut due = DueMails::select(pending, boundary);
        self.progress.done.append(&mut due.gone);
        let seqs = due.seqs();
        if seqs.is_empty() {
            return Ok(());
        }
        if notification.view.is_some() {
            drop(due);
            self.send_view_digest(notification, &seqs).await?;
        } else {
            if !due.more.is_empty() {
                // Only the first submissions are known to be listed.
                drop(due);
                due = self.select_matching(&seqs, None).await?;
            }
            if due.total() > 0 && due.is_digest(notification.every, now) {
                self.send_digest(due, "").await?;
            } else {
                self.send_each(&due.listed).await?;
            }
        }
        // Includes those of submissions that are not in the digest.
        self.progress.done.extend(seqs);
        if is_full { Err(Stop::Again) } else { Ok(()) }
    }

    async fn send_each(&mut self, due: &[PendingMail]) -> Result<(), Stop> {
        for pending in due {
            if let Some(mail) = submission_mail(self.batch, pending, &self.dispatcher.links) {
                self.send(mail).await?;
            }
            self.progress.done.push(pending.seq);
        }
        Ok(())
    }

    /// Sends one e-mail about all due submissions, with a link to the list with this query.
    pub(crate) async fn send_digest(
        &mut self,
        due: DueMails,
        list_query: &str,
    ) -> Result<(), Stop> {
        let shown = (due.listed.as_slice(), due.total());
        let mail = digest_mail(self.batch, shown, list_query, &self.dispatcher.links);
        // The submissions can be large.
        drop(due);
        match mail {
            Some(mail) => self.send(mail).await,
            None => Ok(()),
        }
    }

    /// Sends an e-mail to the notified address, and counts it.
    async fn send(&mut self, mail: OutgoingMail) -> Result<(), Stop> {
        self.begin_mail().await?;
        let kind = UsageKind::Notification(self.batch.environment);
        let day = UtcDay::of(self.dispatcher.clock.now());
        if !self.claim(kind, day).await? {
            return Err(Stop::LimitReached(self.limit()));
        }
        if let Err(error) = self.connection.send(mail).await {
            self.release(kind, day, &error).await?;
            return Err(error.into());
        }
        self.progress.reset_errors();
        Ok(())
    }

    /// Returns the number of e-mails of a kind that the account can send per day.
    pub(crate) fn limit(&self) -> u64 {
        self.dispatcher.limits.for_plan(self.batch.plan)
    }

    /// Counts one e-mail of the account; `false` if the limit is reached.
    pub(crate) async fn claim(&self, kind: UsageKind, day: UtcDay) -> Result<bool> {
        let store = &self.dispatcher.store;
        store.claim_mail(&self.batch.account_id, kind, day, self.limit()).await
    }

    /// Withdraws a claim if the mail server deferred the e-mail. Others may have been sent, or are
    /// not sent again.
    pub(crate) async fn release(
        &self,
        kind: UsageKind,
        day: UtcDay,
        error: &MailError,
    ) -> Result<()> {
        match error {
            MailError::Server(_) => {
                self.dispatcher.store.release_mail(&self.batch.account_id, kind, day).await
            }
            _ => Ok(()),
        }
    }

    /// Records the sent e-mails, so that they are not repeated if the process dies. Then checks
    /// that an e-mail can begin, and opens the connection: otherwise the e-mail is not counted.
    pub(crate) async fn begin_mail(&mut self) -> Result<(), Stop> {
        let MailDispatcher { store, clock, is_stopping, .. } = self.dispatcher;
        if !self.progress.done.is_empty() {
            let record = self.progress.continue_lease(self.batch, clock.now());
            store.record_mail(record).await?;
        }
        let end = clock.now().saturating_add(LEASE_REST_MIN);
        if is_stopping.load(Ordering::Relaxed) || self.batch.lease_until < end {
            return Err(Stop::Again);
        }
        self.connection.open().await?;
        Ok(())
    }

    /// Records the outcome. Returns whether the mail server could be reached.
    async fn finish(self, stop: Option<Stop>) -> Result<bool> {
        let Self { dispatcher, batch, connection, progress } = self;
        if let Some(Stop::Store(error)) = stop {
            return Err(error);
        }
        let id = &batch.id;
        if let Some(stop) = &stop {
            tracing::debug!(notification = %id, reason = ?stop, "e-mails postponed");
        }
        let now = dispatcher.clock.now();
        let jitter = u16::from_ne_bytes(random_bytes());
        let record = progress.end_lease(batch, now, stop.as_ref(), jitter);
        if dispatcher.store.record_mail(record).await? {
            tracing::warn!(notification = %id, "e-mail address disabled: the server refuses it");
            dispatcher.tell_owner(batch).await?;
        }
        Ok(connection.close().await)
    }
}

impl MailDispatcher {
    /// Inserts an e-mail that tells the owner of the account that an address was disabled, unless
    /// it is the owner's.
    async fn tell_owner(&self, batch: &MailBatch) -> Result<()> {
        let MailDestination::Notification(notification) = &batch.destination else {
            return Ok(());
        };
        if fold(&notification.email) == fold(&batch.account_email) {
            return Ok(());
        }
        let mail = AccountMail {
            recipient: batch.account_email.clone(),
            language: notification.language,
            event: AccountEvent::AddressDisabled {
                form: batch.form_name.clone(),
                address: notification.email.clone(),
            },
        };
        self.store.insert_account_mail(mail, self.clock.now()).await
    }
}
