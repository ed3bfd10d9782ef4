//! Pending e-mails: their leases and their outcome.

use crate::Result;
use crate::columns::parse_instant;
use crate::triage::parse_triage;
use contract::notification::{AddressDisabledReason, AutoReply};
use contract::{
    AccountId, Environment, Field, FormId, Intake, Notification, NotificationId, Plan, Timestamp,
    Triage, View,
};

/// Query for due notifications.
#[derive(Debug, Clone)]
pub struct MailLeaseQuery {
    /// The present.
    pub now: Timestamp,
    /// Maximum number of notifications.
    pub notifications_max: usize,
    /// Maximum number of pending e-mails per notification.
    pub pending_max: usize,
    /// Maximum number of pending e-mails per notification that are returned with their submission:
    /// the first ones.
    pub submissions_max: usize,
}

/// Kind of the e-mails of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailDestination {
    /// Notifications to an address.
    Notification(Notification),
    /// Auto-replies to senders.
    AutoReply(AutoReply),
}

/// A leased notification with its pending e-mails.
#[derive(Debug, Clone, PartialEq)]
pub struct MailBatch {
    /// Identifier of the notification or auto-reply.
    pub id: NotificationId,
    /// Kind of the e-mails.
    pub destination: MailDestination,
    /// End of the lease. The outcome is recorded with it.
    pub lease_until: Timestamp,
    /// Number of consecutive failed attempts.
    pub retries: u32,
    /// Number of consecutive refusals of the address by the mail server.
    pub refusals: u32,
    /// Account of the form.
    pub account_id: AccountId,
    /// Address of the account's owner.
    pub account_email: String,
    /// Plan of the account.
    pub plan: Plan,
    /// The form.
    pub form: FormId,
    /// Name of the form.
    pub form_name: String,
    /// Environment of the form.
    pub environment: Environment,
    /// Fields of the form, in order.
    pub fields: Vec<Field>,
    /// Intake settings of the form.
    pub intake: Intake,
    /// The view of the notification; `None` for all submissions, and if the view is not a shared
    /// one of the form any more.
    pub view: Option<View>,
    /// The pending e-mails, oldest first.
    pub pending: Vec<PendingMail>,
}

/// A pending e-mail about one submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingMail {
    /// Number in the database.
    pub seq: i64,
    /// Time of the event.
    pub created_at: Timestamp,
    /// JSON of the submission; `None` if it is not listed any more, or was not requested.
    pub submission: Option<String>,
}

/// A pending e-mail about a listed submission, with what the filter of a view compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSubmission {
    /// The pending e-mail, with its submission.
    pub mail: PendingMail,
    /// Triage of the submission.
    pub triage: Triage,
}

impl PendingSubmission {
    /// Returns a pending e-mail from its columns: number, time of the event, submission and triage.
    ///
    /// # Errors
    /// A value that is not valid.
    pub fn from_columns(columns: (i64, i64, String, Option<String>)) -> Result<Self> {
        let (seq, created_at, submission, triage) = columns;
        let created_at = parse_instant(created_at)?;
        let mail = PendingMail { seq, created_at, submission: Some(submission) };
        Ok(Self { mail, triage: parse_triage(triage.as_deref())? })
    }
}

/// Outcome of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRecord {
    /// The notification.
    pub id: NotificationId,
    /// [`MailBatch::lease_until`].
    pub lease_until: Timestamp,
    /// Time of the outcome.
    pub at: Timestamp,
    /// Numbers of the pending e-mails that are done: sent, or without a listed submission.
    pub done: Vec<i64>,
    /// Earliest time of the next lease. If it is [`MailBatch::lease_until`], the lease continues.
    pub next_at: Timestamp,
    /// Number of consecutive failed attempts.
    pub retries: u32,
    /// Number of consecutive refusals.
    pub refusals: u32,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// Reason to disable the notification.
    pub disable: Option<AddressDisabledReason>,
}

/// Kind of e-mail that is counted, for the forms of an environment: e-mails about test submissions
/// do not count toward the limits of live ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageKind {
    /// To notified addresses, and for the confirmation of addresses.
    Notification(Environment),
    /// To senders.
    AutoReply(Environment),
}

impl UsageKind {
    /// Returns the name used in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notification(Environment::Live) => "notification",
            Self::Notification(Environment::Test) => "test_notification",
            Self::AutoReply(Environment::Live) => "auto_reply",
            Self::AutoReply(Environment::Test) => "test_auto_reply",
        }
    }
}

/// Numbers of e-mails of an account for the forms of an environment on a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailUsage {
    /// To notified addresses.
    pub notifications: u64,
    /// To senders.
    pub auto_replies: u64,
}
