//! Counters of a worker, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Result of an attempt, as counted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AttemptResult {
    /// The receiver or the mail server accepted the request.
    Succeeded,
    /// It failed and is retried.
    Retried,
    /// It failed and is not retried, or the mail server refused it.
    Failed,
}

/// Counts of attempts since the start of the process. A digest counts as one.
#[derive(Debug, Default)]
pub struct Counters {
    succeeded: AtomicU64,
    retried: AtomicU64,
    failed: AtomicU64,
    duration_ms: AtomicU64,
}

impl Counters {
    /// Returns the number of attempts that the receiver or the mail server accepted.
    pub fn succeeded(&self) -> u64 {
        self.succeeded.load(Ordering::Relaxed)
    }

    /// Returns the number of failed attempts that are retried. For e-mail, these are the failures
    /// of the mail server or of the way to it.
    pub fn retried(&self) -> u64 {
        self.retried.load(Ordering::Relaxed)
    }

    /// Returns the number of failed attempts after which no other follows. For e-mail, these are
    /// the attempts in which the mail server refused the address or the e-mail.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Returns the total duration of all attempts, in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        self.duration_ms.load(Ordering::Relaxed)
    }

    /// Counts an attempt.
    pub(crate) fn record(&self, result: AttemptResult, duration: Duration) {
        let count = match result {
            AttemptResult::Succeeded => &self.succeeded,
            AttemptResult::Retried => &self.retried,
            AttemptResult::Failed => &self.failed,
        };
        count.fetch_add(1, Ordering::Relaxed);
        let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        self.duration_ms.fetch_add(duration_ms, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_separately() {
        let counters = Counters::default();
        let (retried, failed) = (AttemptResult::Retried, AttemptResult::Failed);
        for result in [AttemptResult::Succeeded, retried, retried, failed, failed, failed] {
            counters.record(result, Duration::from_millis(7));
        }
        assert_eq!((counters.succeeded(), counters.retried(), counters.failed()), (1, 2, 3));
        assert_eq!(counters.duration_ms(), 42);
    }
}
