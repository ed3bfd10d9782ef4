//! Outcome of a lease: when the notification is leased again, and its state.

use contract::notification::{AddressDisabledReason, REFUSALS_MAX};
use contract::{Notification, Timestamp};
use std::time::Duration;
use store::StoreError;
use store::daily_limits::UtcDay;
use store::mail::{MailBatch, MailDestination, MailRecord};

use super::error::MailError;
use super::schedule::{next_boundary, retry_delay};
use crate::schedule::with_jitter;

/// Shortest delay after a refusal.
const REFUSED_DELAY_MIN: Duration = Duration::from_mins(1);
/// Longest delay of auto-replies: a sender whose mail server is slow must not delay others.
const REPLY_DELAY_MAX: Duration = Duration::from_mins(5);
/// Longest delay after the end of the day, if the daily limit was reached. It is random, so that
/// not all addresses of a server continue at once.
const NEXT_DAY_DELAY_MAX: Duration = Duration::from_mins(10);

/// Why a delivery ends before all due e-mails are sent.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The store failed, so nothing can be recorded. The lease expires.
    Store(StoreError),
    /// An e-mail could not be sent.
    Failed(MailError),
    /// The account has reached its limit of e-mails per day, which is given.
    LimitReached(u64),
    /// The rest needs another lease, which can begin at once.
    Again,
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<MailError> for Stop {
    fn from(error: MailError) -> Self {
        Self::Failed(error)
    }
}

/// State of a notification during a lease.
#[derive(Debug)]
pub(crate) struct LeaseState {
    /// When the delivery began: the due e-mails were selected at this time.
    pub(crate) started_at: Timestamp,
    /// Number of consecutive failed attempts.
    retries: u32,
    /// Number of consecutive refusals.
    refusals: u32,
    /// Why the last attempt failed.
    last_error: Option<String>,
    /// Numbers of the pending e-mails that are done, but not recorded.
    pub(crate) done: Vec<i64>,
}

impl LeaseState {
    /// Returns the state at the begin of a delivery.
    pub(crate) fn new(batch: &MailBatch, started_at: Timestamp) -> Self {
        let last_error = match &batch.destination {
            MailDestination::Notification(notification) => notification.last_error.clone(),
            MailDestination::AutoReply(_) => None,
        };
        let MailBatch { retries, refusals, .. } = *batch;
        Self { started_at, retries, refusals, last_error, done: Vec::new() }
    }

    /// Notes that the mail server accepted an e-mail.
    pub(crate) fn reset_errors(&mut self) {
        (self.retries, self.refusals, self.last_error) = (0, 0, None);
    }

    /// Notes that no pending e-mail is sent: no submission matches the view, or the view has a
    /// `problem`.
    pub(crate) fn skip_mails(&mut self, problem: Option<String>) {
        (self.retries, self.last_error) = (0, problem);
    }

    /// Returns a record of the sent e-mails that continues the lease.
    pub(crate) fn continue_lease(&mut self, batch: &MailBatch, at: Timestamp) -> MailRecord {
        MailRecord {
            id: batch.id.clone(),
            lease_until: batch.lease_until,
            at,
            done: std::mem::take(&mut self.done),
            next_at: batch.lease_until,
            retries: self.retries,
            refusals: self.refusals,
            last_error: self.last_error.clone(),
            disable: None,
        }
    }

    /// Returns the record that ends the lease at `at` because of `stop`, or because all due e-mails
    /// are sent. `jitter` is random, from 0 to `u16::MAX`.
    pub(crate) fn end_lease(
        mut self,
        batch: &MailBatch,
        at: Timestamp,
        stop: Option<&Stop>,
        jitter: u16,
    ) -> MailRecord {
        let mut record = self.continue_lease(batch, at);
        match stop {
            // A digest that became due during the delivery follows at once.
            None => record.next_at = next_digest(batch, self.started_at).unwrap_or(at),
            Some(Stop::Again | Stop::Store(_)) => record.next_at = at,
            Some(Stop::LimitReached(limit)) => {
                let delay = NEXT_DAY_DELAY_MAX * u32::from(jitter) / u32::from(u16::MAX);
                record.next_at = UtcDay::of(at).end().saturating_add(delay);
                record.last_error = Some(format!(
                    "the account has reached its limit of {limit} e-mails per day; the other \
                     submissions follow tomorrow (UTC) in one e-mail"
                ));
            }
            Some(Stop::Failed(error)) => {
                let is_reply = matches!(batch.destination, MailDestination::AutoReply(_));
                let delay_max = if is_reply { REPLY_DELAY_MAX } else { Duration::MAX };
                follow_failure(&mut record, error, delay_max, jitter);
            }
        }
        record
    }
}

/// Sets the state after a failed attempt.
fn follow_failure(record: &mut MailRecord, error: &MailError, delay_max: Duration, jitter: u16) {
    let mut delay = retry_delay(record.retries, jitter).min(delay_max);
    if !error.is_temporary() {
        delay = delay.max(with_jitter(REFUSED_DELAY_MIN, jitter));
        record.refusals = record.refusals.saturating_add(1);
        record.disable =
            (record.refusals >= REFUSALS_MAX).then_some(AddressDisabledReason::Refused);
    }
    record.retries = record.retries.saturating_add(1);
    record.next_at = record.at.saturating_add(delay);
    record.last_error = Some(error.to_string());
}

/// Returns when the next digest of a notification is due; `None` without digests.
fn next_digest(batch: &MailBatch, now: Timestamp) -> Option<Timestamp> {
    let MailDestination::Notification(Notification { every, time_zone, .. }) = &batch.destination
    else {
        return None;
    };
    next_boundary(*every, time_zone, now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use contract::notification::{AutoReply, Frequency};
    use contract::{Environment, Intake, Plan};
    use store::mail::new_notification;

    fn at() -> Timestamp {
        fixtures::at()
    }

    fn batch(every: Frequency, retries: u32, refusals: u32) -> MailBatch {
        let new = format!(r#"{{"email":"a@b.example","every":"{every}"}}"#);
        let new = serde_json::from_str(&new).unwrap();
        let form: contract::FormId = "frm_1".parse().unwrap();
        let notification = new_notification(form.clone(), new, true, at()).notification;
        MailBatch {
            id: notification.id.clone(),
            destination: MailDestination::Notification(notification),
            lease_until: at().saturating_add(store::mail::MAIL_LEASE),
            retries,
            refusals,
            account_id: "acc_1".parse().unwrap(),
            account_email: "owner@b.example".to_owned(),
            plan: Plan::Pro,
            form,
            form_name: "Contact".to_owned(),
            environment: Environment::Live,
            fields: Vec::new(),
            intake: Intake::default(),
            view: None,
            pending: Vec::new(),
        }
    }

    fn end(batch: &MailBatch, stop: Option<&Stop>) -> MailRecord {
        LeaseState::new(batch, at()).end_lease(batch, at(), stop, 0)
    }

    fn delay_s(record: &MailRecord) -> i64 {
        record.next_at.seconds() - at().seconds()
    }

    fn server_error() -> Stop {
        Stop::Failed(MailError::Server("no answer".to_owned()))
    }

    fn refusal() -> Stop {
        Stop::Failed(MailError::Refused("550 unknown".to_owned()))
    }

    #[test]
    fn next_lease_is_at_next_digest() {
        let check = |every, expected| {
            assert_eq!(delay_s(&end(&batch(every, 0, 0), None)), expected, "{every}");
        };
        check(Frequency::Submission, 0);
        check(Frequency::Hour, 30 * 60);
        check(Frequency::Day, 22 * 3600 + 30 * 60);
    }

    #[test]
    fn sent_mail_resets_errors() {
        let mut batch = batch(Frequency::Submission, 3, 2);
        if let MailDestination::Notification(notification) = &mut batch.destination {
            notification.last_error = Some("550 unknown".to_owned());
        }
        let unsent = end(&batch, None);
        let expected = (3, 2, Some("550 unknown".to_owned()));
        assert_eq!((unsent.retries, unsent.refusals, unsent.last_error), expected);
        let mut progress = LeaseState::new(&batch, at());
        progress.reset_errors();
        let sent = progress.end_lease(&batch, at(), None, 0);
        assert_eq!((sent.retries, sent.refusals, sent.last_error), (0, 0, None));
    }

    #[test]
    fn server_error_is_no_refusal() {
        let record = end(&batch(Frequency::Day, 1, 4), Some(&server_error()));
        assert_eq!((record.retries, record.refusals, record.disable), (2, 4, None));
        assert_eq!(delay_s(&record), 60);
        assert_eq!(record.last_error.as_deref(), Some("no answer"));
    }

    #[test]
    fn fifth_refusal_disables_address() {
        let record = end(&batch(Frequency::Submission, 0, 3), Some(&refusal()));
        assert_eq!((record.retries, record.refusals, record.disable), (1, 4, None));
        assert_eq!(delay_s(&record), 60);
        let record = end(&batch(Frequency::Submission, 2, 4), Some(&refusal()));
        assert_eq!(record.disable, Some(AddressDisabledReason::Refused));
        assert_eq!((record.retries, record.refusals, delay_s(&record)), (3, 5, 300));
        let error = record.last_error.unwrap();
        assert!(error.contains("550 unknown"), "{error}");
    }

    #[test]
    fn failed_auto_reply_waits_five_minutes_at_most() {
        let mut batch = batch(Frequency::Submission, 9, 0);
        assert_eq!(delay_s(&end(&batch, Some(&server_error()))), 3600);
        batch.destination = MailDestination::AutoReply(AutoReply::default());
        assert_eq!(delay_s(&end(&batch, Some(&server_error()))), 300);
    }

    #[test]
    fn reached_limit_postpones_to_next_day() {
        let batch = batch(Frequency::Submission, 0, 0);
        let stop = Stop::LimitReached(1000);
        for (jitter, expected) in [(0, 52_200), (u16::MAX, 52_800)] {
            let record = LeaseState::new(&batch, at()).end_lease(&batch, at(), Some(&stop), jitter);
            assert_eq!((delay_s(&record), record.retries), (expected, 0));
            let error = record.last_error.unwrap();
            assert!(error.contains("limit of 1000 e-mails per day"), "{error}");
        }
    }

    #[test]
    fn postponed_rest_can_be_leased_at_once() {
        let batch = batch(Frequency::Day, 2, 1);
        let record = end(&batch, Some(&Stop::Again));
        assert_eq!((delay_s(&record), record.retries, record.refusals), (0, 2, 1));
    }

    #[test]
    fn progress_continues_lease() {
        let batch = batch(Frequency::Submission, 0, 0);
        let mut progress = LeaseState::new(&batch, at());
        progress.done = vec![7, 8];
        let record = progress.continue_lease(&batch, at());
        assert_eq!((record.done, record.next_at), (vec![7, 8], batch.lease_until));
        progress.done.push(9);
        assert_eq!(progress.end_lease(&batch, at(), None, 0).done, [9]);
    }
}
