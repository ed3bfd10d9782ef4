//! Counters of the worker, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use store::outbox::AttemptOutcome;

/// Counts of attempts since the start of the process.
#[derive(Debug, Default)]
pub struct Counters {
    delivered: AtomicU64,
    retried: AtomicU64,
    failed: AtomicU64,
    duration_ms: AtomicU64,
}

impl Counters {
    /// Returns the number of attempts that the receiver accepted.
    pub fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Relaxed)
    }

    /// Returns the number of failed attempts that are retried.
    pub fn retried(&self) -> u64 {
        self.retried.load(Ordering::Relaxed)
    }

    /// Returns the number of failed attempts after which no other follows.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Returns the total duration of all attempts, in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        self.duration_ms.load(Ordering::Relaxed)
    }

    /// Counts an attempt.
    pub(crate) fn record(&self, outcome: AttemptOutcome, duration: Duration) {
        let count = match outcome {
            AttemptOutcome::Delivered => &self.delivered,
            AttemptOutcome::Retry(_) => &self.retried,
            AttemptOutcome::Failed => &self.failed,
        };
        count.fetch_add(1, Ordering::Relaxed);
        let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        self.duration_ms.fetch_add(duration_ms, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;

    #[test]
    fn outcomes_are_counted_separately() {
        let counters = Counters::default();
        let retry = AttemptOutcome::Retry(Timestamp::MAX);
        let failed = AttemptOutcome::Failed;
        for outcome in [AttemptOutcome::Delivered, retry, retry, failed, failed, failed] {
            counters.record(outcome, Duration::from_millis(7));
        }
        assert_eq!((counters.delivered(), counters.retried(), counters.failed()), (1, 2, 3));
        assert_eq!(counters.duration_ms(), 42);
    }
}
