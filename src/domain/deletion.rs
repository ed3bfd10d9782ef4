//! State of a permanent deletion of many submissions, one request each, on a server without a
//! trash. It tracks the pending and failed submissions. The caller sends the requests.

use std::collections::{HashSet, VecDeque};

use contract::{Environment, FormId, Plan, RateLimit, SubmissionId, page::LIMIT_MAX};
use export_worker::plan::min_duration_ms;

use super::{list_model::SubmissionKey, time::format_duration};
use crate::i18n;

/// Number of consecutive failures after which the deletion stops, because the next request would
/// probably fail too.
pub const FAILURES_MAX: usize = 5;
/// Minimum estimate that is shown, in seconds.
const SHOWN_MIN_S: u64 = 10;

/// A submission that could not be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionFailure {
    /// Key of the submission.
    pub key: SubmissionKey,
    /// Reason, as a sentence for the user.
    pub reason: String,
}

/// Phase of the deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletionPhase {
    /// Listing the matching submissions.
    Listing,
    /// Deleting, or finished if no submission is pending.
    Deleting,
    /// Stopped. The text is a reason that applies to all remaining submissions, such as a lost
    /// connection. It is `None` if the user stopped, or after [`FAILURES_MAX`] failures in a row.
    Stopped(Option<String>),
}

/// A deletion of many submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// Submissions to delete, next one first.
    pub pending: VecDeque<SubmissionKey>,
    /// Submissions that stay while single failed ones are retried after a stop.
    paused: VecDeque<SubmissionKey>,
    /// Number of deleted submissions.
    pub deleted_count: u64,
    /// Submissions that could not be deleted.
    pub failures: Vec<DeletionFailure>,
    /// Number of failures since the last success.
    pub consecutive_failures: usize,
    /// Current phase.
    pub phase: DeletionPhase,
}

impl Deletion {
    /// Creates a deletion of `keys`.
    pub fn new(environment: Environment, form: FormId, keys: Vec<SubmissionKey>) -> Self {
        Self {
            environment,
            form,
            pending: keys.into(),
            paused: VecDeque::new(),
            deleted_count: 0,
            failures: Vec::new(),
            consecutive_failures: 0,
            phase: DeletionPhase::Deleting,
        }
    }

    /// Returns the number of submissions: deleted, pending and failed.
    pub fn total(&self) -> u64 {
        let remaining = self.pending.len() + self.paused.len() + self.failures.len();
        self.deleted_count + remaining as u64
    }

    /// Adds submissions that are not queued yet. Failed ones are queued again.
    pub fn add(&mut self, keys: Vec<SubmissionKey>) {
        let mut known: HashSet<SubmissionId> =
            self.pending.iter().chain(&self.paused).map(|key| key.1.clone()).collect();
        self.pending.extend(keys.into_iter().filter(|key| known.insert(key.1.clone())));
        self.failures.retain(|failure| !known.contains(&failure.key.1));
    }

    /// Returns whether the deletion is running: neither stopped nor finished.
    pub fn is_running(&self) -> bool {
        match self.phase {
            DeletionPhase::Listing => true,
            DeletionPhase::Deleting => !self.pending.is_empty(),
            DeletionPhase::Stopped(_) => false,
        }
    }

    /// Returns the next submission to delete, which stays pending; `None` in other phases.
    pub fn next_key(&self) -> Option<SubmissionKey> {
        self.pending.front().filter(|_| self.phase == DeletionPhase::Deleting).cloned()
    }

    /// Records that a submission was deleted.
    pub fn mark_deleted(&mut self, key: &SubmissionKey) {
        self.remove_pending(key);
        self.deleted_count += 1;
        self.consecutive_failures = 0;
        self.stop_after_retry();
    }

    /// Records that a submission could not be deleted.
    pub fn mark_failed(&mut self, key: SubmissionKey, reason: String) {
        self.remove_pending(&key);
        self.failures.push(DeletionFailure { key, reason });
        self.consecutive_failures += 1;
        // After the last submission the deletion is finished: there is nothing to stop.
        if self.consecutive_failures >= FAILURES_MAX && !self.pending.is_empty() {
            self.phase = DeletionPhase::Stopped(None);
        }
        self.stop_after_retry();
    }

    /// Stops again when the retried submissions are done, so that a retry does not resume the rest.
    fn stop_after_retry(&mut self) {
        if self.pending.is_empty() && !self.paused.is_empty() {
            self.pending = std::mem::take(&mut self.paused);
            self.phase = DeletionPhase::Stopped(None);
        }
    }

    fn remove_pending(&mut self, key: &SubmissionKey) {
        self.pending.retain(|pending| pending != key);
    }

    /// Resumes the deletion, and queues the failed submissions again.
    pub fn retry(&mut self) {
        self.pending.append(&mut self.paused);
        let failed = self.failures.drain(..).map(|failure| failure.key);
        self.pending.extend(failed);
        self.consecutive_failures = 0;
        self.phase = DeletionPhase::Deleting;
    }

    /// Queues one failed submission as the next one. After a stop, only this one is deleted. Does
    /// nothing if `id` has not failed.
    pub fn retry_one(&mut self, id: &SubmissionId) {
        let failed = self.failures.iter().position(|failure| failure.key.1 == *id);
        let Some(index) = failed else { return };
        let key = self.failures.remove(index).key;
        if matches!(self.phase, DeletionPhase::Stopped(_)) {
            self.paused.append(&mut self.pending);
        }
        self.pending.push_front(key);
        self.consecutive_failures = 0;
        self.phase = DeletionPhase::Deleting;
    }
}

/// Returns a text with the minimum duration that the rate limit imposes on deleting `count`
/// submissions; `None` if it is short. With `is_all`, the requests that list them count too.
pub fn duration_text(
    plan: Plan,
    rate: Option<RateLimit>,
    count: u64,
    is_all: bool,
) -> Option<String> {
    let pages = if is_all { count.div_ceil(u64::from(LIMIT_MAX)) } else { 0 };
    let duration_s = round_up_s(min_duration_ms(plan, count + pages, rate));
    (duration_s >= SHOWN_MIN_S).then(|| (i18n::deletion().takes)(&format_duration(duration_s)))
}

/// Converts to seconds and rounds up, in larger steps for longer durations: the estimate is not
/// exact.
fn round_up_s(ms: u64) -> u64 {
    let seconds = ms.div_ceil(1000);
    let step = match seconds {
        0..60 => 5,
        60..3_600 => 60,
        _ => 300,
    };
    seconds.div_ceil(step).saturating_mul(step)
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;

    fn key(number: i64) -> SubmissionKey {
        let at = Timestamp::from_micros(number).expect("year in range");
        (at, format!("sub_{number}").parse().expect("valid id"))
    }

    fn deletion(count: i64) -> Deletion {
        let form = "frm_1".parse().expect("valid id");
        Deletion::new(Environment::Live, form, (0..count).map(key).collect())
    }

    #[test]
    fn deletion_ends_after_last_submission() {
        let mut deletion = deletion(3);
        while let Some(key) = deletion.next_key() {
            if deletion.deleted_count == 1 && deletion.failures.is_empty() {
                deletion.mark_failed(key, "no".to_owned());
            } else {
                deletion.mark_deleted(&key);
            }
        }
        assert_eq!((deletion.deleted_count, deletion.failures.len(), deletion.total()), (2, 1, 3));
        assert!(!deletion.is_running());
        deletion.retry_one(&key(1).1);
        assert_eq!(deletion.next_key(), Some(key(1)));
        assert!(deletion.is_running());
    }

    #[test]
    fn consecutive_failures_stop_deletion() {
        let mut deletion = deletion(20);
        while let Some(key) = deletion.next_key() {
            deletion.mark_failed(key, "no".to_owned());
        }
        assert_eq!(deletion.failures.len(), FAILURES_MAX);
        assert_eq!(deletion.phase, DeletionPhase::Stopped(None));
        deletion.retry();
        assert_eq!((deletion.pending.len(), deletion.failures.len()), (20, 0));
        assert!(deletion.is_running());
    }

    #[test]
    fn retry_after_stop_deletes_one_submission() {
        let mut deletion = deletion(4);
        deletion.mark_failed(key(0), "no".to_owned());
        deletion.phase = DeletionPhase::Stopped(None);
        deletion.retry_one(&key(0).1);
        assert_eq!((deletion.next_key(), deletion.total()), (Some(key(0)), 4));
        deletion.mark_deleted(&key(0));
        assert_eq!((deletion.next_key(), deletion.pending.len()), (None, 3));
        assert_eq!(deletion.phase, DeletionPhase::Stopped(None));
        deletion.retry();
        assert_eq!((deletion.next_key(), deletion.total()), (Some(key(1)), 4));
    }

    #[test]
    fn added_failure_is_counted_once() {
        let mut deletion = deletion(3);
        deletion.mark_failed(key(0), "no".to_owned());
        deletion.add(vec![key(0), key(1), key(7)]);
        assert_eq!((deletion.total(), deletion.failures.len()), (4, 0));
    }

    #[test]
    fn duration_is_shown_for_long_deletions() {
        let text =
            |plan, rate, count, all| duration_text(plan, rate, count, all).unwrap_or_default();
        assert!(text(Plan::Free, None, 1_000, true).contains("2 h 20 min"));
        assert!(text(Plan::Free, None, 90, false).contains("2 min"));
        assert_eq!(text(Plan::Free, None, 5, false), "");
    }
}
