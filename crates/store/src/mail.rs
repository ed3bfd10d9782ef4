//! E-mail: the notifications of forms with their pending e-mails, and e-mails to members.
//!
//! The transaction that inserts a submission also inserts a pending row for each enabled
//! notification of its form, and for an enabled auto-reply. A pending row refers to its submission
//! and has no answers. The worker deletes it when the mail server has accepted the e-mail.

mod account;
mod notifications;
mod pending;

pub use account::{AccountEvent, AccountMail, LeasedAccountMail};
pub use notifications::{
    NotificationColumns, NotificationRecord, NotificationUpdate, new_notification,
};
pub use pending::{
    MailBatch, MailDestination, MailLeaseQuery, MailRecord, MailUsage, PendingMail,
    PendingSubmission, UsageKind,
};

use super::{Hash, Owner, QueueStats, Result};
use crate::daily_limits::UtcDay;
use async_trait::async_trait;
use contract::notification::AutoReply;
use contract::{AccountId, FormId, Notification, NotificationId, Timestamp};
use std::time::Duration;

/// Maximum age of pending e-mails. Older ones are deleted: their address was disabled or the mail
/// server unreachable for that long.
pub const PENDING_AGE_MAX: Duration = Duration::from_hours(24 * 30);
/// Time until another worker may repeat leased e-mails, if this process dies. It is longer than the
/// worker spends on one lease, and than the clocks of several servers may differ.
pub const MAIL_LEASE: Duration = Duration::from_mins(5);
/// Number of rows that one call of [`MailStore::purge_mail`] deletes per table.
pub const MAIL_PURGE_ROWS_MAX: i64 = 500;

/// Notifications and pending e-mails. Each method is one transaction.
#[async_trait]
pub trait MailStore: Send + Sync + 'static {
    /// Inserts a notification; `false` if there is no such form.
    ///
    /// # Errors
    /// [`StoreError::TooManyNotifications`](super::StoreError::TooManyNotifications);
    /// [`StoreError::Exists`](super::StoreError::Exists) if the form already has the address,
    /// ignoring case; [`ViewError::Unusable`](super::views::ViewError::Unusable).
    async fn insert_notification(&self, record: NotificationRecord) -> Result<bool>;
    /// Lists the notifications of a form, oldest first, without the auto-reply.
    async fn list_notifications(&self, form: &FormId) -> Result<Vec<Notification>>;
    /// Finds a notification, but not an auto-reply.
    async fn find_notification(&self, id: &NotificationId) -> Result<Option<NotificationRecord>>;
    /// Changes a notification; `false` if there is no such notification.
    ///
    /// # Errors
    /// [`ViewError::Unusable`](super::views::ViewError::Unusable).
    async fn update_notification(
        &self,
        id: &NotificationId,
        update: NotificationUpdate,
        now: Timestamp,
    ) -> Result<bool>;
    /// Deletes a notification and at most [`CHANGE_MAX`](super::outbox::CHANGE_MAX) of its pending
    /// e-mails; `false` if there is no such notification. [`Self::purge_mail`] deletes the others.
    async fn delete_notification(&self, id: &NotificationId) -> Result<bool>;
    /// Returns the auto-reply of a form, enabled or not; `None` if it was never set.
    async fn find_auto_reply(&self, form: &FormId) -> Result<Option<AutoReply>>;
    /// Sets the auto-reply of a form; `false` if there is no such form. Disabling it deletes its
    /// pending e-mails.
    async fn set_auto_reply(&self, form: &FormId, reply: AutoReply, now: Timestamp)
    -> Result<bool>;

    /// Leases notifications with pending e-mails that may be due, until `now` + [`MAIL_LEASE`]: of
    /// enabled and confirmed notifications and enabled auto-replies whose `next_at` has passed. No
    /// two calls lease the same notification at once, also from several processes.
    async fn lease_mail(&self, query: MailLeaseQuery) -> Result<Vec<MailBatch>>;
    /// Returns those of a notification's pending e-mails with these numbers whose submission is
    /// listed, in order.
    async fn find_pending_submissions(
        &self,
        id: &NotificationId,
        seqs: &[i64],
    ) -> Result<Vec<PendingSubmission>>;
    /// Records the outcome of a lease. Deletes the e-mails that are done in any case; changes
    /// the state of the notification only if the lease still holds. Returns whether this disabled
    /// the notification.
    async fn record_mail(&self, record: MailRecord) -> Result<bool>;
    /// Counts one e-mail of an account on a day, if fewer than `limit` are counted; `false` if the
    /// limit is reached. It writes the audit entry of an e-mail that a user requests.
    async fn claim_mail(
        &self,
        account: &AccountId,
        kind: UsageKind,
        day: UtcDay,
        limit: u64,
    ) -> Result<bool>;
    /// Withdraws a claim of [`Self::claim_mail`]: the mail server did not accept the e-mail.
    async fn release_mail(&self, account: &AccountId, kind: UsageKind, day: UtcDay) -> Result<()>;
    /// Returns the numbers of e-mails of an account for the forms of an environment on a day.
    async fn mail_usage(&self, owner: &Owner, day: UtcDay) -> Result<MailUsage>;
    /// Records that an auto-reply is sent to an address, given by its hash; `false` if one was
    /// already sent to it on this day.
    async fn claim_auto_reply(&self, address: Hash, day: UtcDay) -> Result<bool>;
    /// Withdraws a claim of [`Self::claim_auto_reply`]: the e-mail could not be sent.
    async fn release_auto_reply(&self, address: Hash, day: UtcDay) -> Result<()>;

    /// Inserts an e-mail to a member, due at once.
    async fn insert_account_mail(&self, mail: AccountMail, now: Timestamp) -> Result<()>;
    /// Leases at most `rows_max` due e-mails to members until `now` + [`MAIL_LEASE`].
    async fn lease_account_mail(
        &self,
        now: Timestamp,
        rows_max: usize,
    ) -> Result<Vec<LeasedAccountMail>>;
    /// Deletes an e-mail to a member, or makes it due at `retry_at`.
    async fn record_account_mail(&self, seq: i64, retry_at: Option<Timestamp>) -> Result<()>;

    /// Makes all leased e-mails due at once. Only for a store that one process uses: its earlier
    /// leases are those of a process that died.
    async fn release_mail_leases(&self) -> Result<()>;
    /// Deletes pending e-mails older than [`PENDING_AGE_MAX`], e-mails of deleted notifications,
    /// and the usage of days before yesterday. Returns the number of deleted pending e-mails.
    async fn purge_mail(&self, now: Timestamp) -> Result<u64>;
    /// Returns size and age of the queue of enabled notifications and of e-mails to members.
    /// Submissions that share an e-mail count each, and digests count from their submissions.
    async fn mail_stats(&self) -> Result<QueueStats>;
    /// Returns the secret that signs links in e-mails. It is created once.
    async fn mail_secret(&self) -> Result<Hash>;
}
