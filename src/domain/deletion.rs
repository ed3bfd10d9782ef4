//! State of a permanent deletion of many submissions, one request each, on a server without a
//! trash. It stores the pending and failed submissions, and sends no requests.

use std::collections::VecDeque;

use contract::{Environment, FormId, Plan, RateLimit, SubmissionId, page::LIMIT_MAX};
use export_worker::plan::least_ms;

use super::{list_model::Key, time::span};
use crate::i18n;

/// Number of consecutive failures that stops the deletion, because the next would fail too.
pub const FAILURES_MAX: usize = 5;
/// Minimum duration to display, in seconds.
const TOLD_S: u64 = 10;

/// A submission that could not be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Key of the submission.
    pub key: Key,
    /// Reason, as a sentence.
    pub why: String,
}

/// Phase of the deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Listing the matching submissions.
    Listing,
    /// Deleting.
    Deleting,
    /// Stopped by the user, or for a reason that applies to all remaining submissions.
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
    pub waiting: VecDeque<Key>,
    /// Number of deleted submissions.
    pub done: u64,
    /// Submissions that could not be deleted.
    pub failures: Vec<Failure>,
    /// Number of failures since the last success.
    pub failed_in_a_row: usize,
    /// Current phase.
    pub phase: Phase,
}

impl Deletion {
    /// Creates a deletion of `keys`.
    pub fn new(environment: Environment, form: FormId, keys: Vec<Key>) -> Self {
        Self {
            environment,
            form,
            waiting: keys.into(),
            done: 0,
            failures: Vec::new(),
            failed_in_a_row: 0,
            phase: Phase::Deleting,
        }
    }

    /// Returns the number of submissions: deleted, pending and failed.
    pub fn total(&self) -> u64 {
        self.done + (self.waiting.len() + self.failures.len()) as u64
    }

    /// Returns whether the deletion is running.
    pub fn is_running(&self) -> bool {
        match self.phase {
            Phase::Listing => true,
            Phase::Deleting => !self.waiting.is_empty(),
            Phase::Stopped(_) => false,
        }
    }

    /// Returns the next submission to delete.
    pub fn next(&self) -> Option<Key> {
        self.waiting.front().filter(|_| self.phase == Phase::Deleting).cloned()
    }

    /// Records that a submission was deleted.
    pub fn deleted(&mut self, key: &Key) {
        self.take(key);
        self.done += 1;
        self.failed_in_a_row = 0;
    }

    /// Records that a submission could not be deleted.
    pub fn failed(&mut self, key: Key, why: String) {
        self.take(&key);
        self.failures.push(Failure { key, why });
        self.failed_in_a_row += 1;
        if self.failed_in_a_row >= FAILURES_MAX && !self.waiting.is_empty() {
            self.phase = Phase::Stopped(None);
        }
    }

    fn take(&mut self, key: &Key) {
        self.waiting.retain(|one| one != key);
    }

    /// Resumes the deletion, and queues the failed submissions again.
    pub fn retry(&mut self) {
        let again = self.failures.drain(..).map(|one| one.key);
        self.waiting.extend(again);
        self.failed_in_a_row = 0;
        self.phase = Phase::Deleting;
    }

    /// Retries one failed submission next.
    pub fn retry_one(&mut self, id: &SubmissionId) {
        let Some(at) = self.failures.iter().position(|one| one.key.1 == *id) else { return };
        let key = self.failures.remove(at).key;
        self.waiting.push_front(key);
        self.failed_in_a_row = 0;
        self.phase = Phase::Deleting;
    }
}

/// Returns a text with the duration that the rate limit imposes on deleting `count` submissions;
/// `None` if it is short. With `all`, listing them first is included.
pub fn takes_text(plan: Plan, rate: Option<RateLimit>, count: u64, all: bool) -> Option<String> {
    let pages = if all { count.div_ceil(u64::from(LIMIT_MAX)) } else { 0 };
    let least_s = about_s(least_ms(plan, count + pages, rate));
    (least_s >= TOLD_S).then(|| (i18n::deletion().takes)(&span(least_s)))
}

/// Rounds a duration up to seconds, in steps that fit its length: the estimate is not exact.
fn about_s(ms: u64) -> u64 {
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

    fn key(number: i64) -> Key {
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
        while let Some(key) = deletion.next() {
            if deletion.done == 1 && deletion.failures.is_empty() {
                deletion.failed(key, "no".to_owned());
            } else {
                deletion.deleted(&key);
            }
        }
        assert_eq!((deletion.done, deletion.failures.len(), deletion.total()), (2, 1, 3));
        assert!(!deletion.is_running());
        deletion.retry_one(&key(1).1);
        assert_eq!(deletion.next(), Some(key(1)));
        assert!(deletion.is_running());
    }

    #[test]
    fn consecutive_failures_stop_deletion() {
        let mut deletion = deletion(20);
        while let Some(key) = deletion.next() {
            deletion.failed(key, "no".to_owned());
        }
        assert_eq!(deletion.failures.len(), FAILURES_MAX);
        assert_eq!(deletion.phase, Phase::Stopped(None));
        deletion.retry();
        assert_eq!((deletion.waiting.len(), deletion.failures.len()), (20, 0));
        assert!(deletion.is_running());
    }

    #[test]
    fn duration_is_shown_for_long_deletions() {
        let text = |plan, rate, count, all| takes_text(plan, rate, count, all).unwrap_or_default();
        assert!(text(Plan::Free, None, 1_000, true).contains("2 h 20 min"));
        assert!(text(Plan::Free, None, 90, false).contains("2 min"));
        assert_eq!(text(Plan::Free, None, 5, false), "");
    }
}
