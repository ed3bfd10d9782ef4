//! Counters of sent e-mails, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::error::MailError;

/// Counts of e-mails since the start of the process. A digest counts as one.
#[derive(Debug, Default)]
pub struct MailCounters {
    sent: AtomicU64,
    retried: AtomicU64,
    refused: AtomicU64,
    duration_ms: AtomicU64,
}

impl MailCounters {
    /// Returns the number of e-mails that the mail server accepted.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Returns the number of attempts that failed because of the mail server or the way to it.
    pub fn retried(&self) -> u64 {
        self.retried.load(Ordering::Relaxed)
    }

    /// Returns the number of attempts in which the mail server refused the address or the e-mail.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Returns the total duration of all attempts, in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        self.duration_ms.load(Ordering::Relaxed)
    }

    /// Counts an attempt; `error` is `None` if it succeeded.
    pub(crate) fn record(&self, error: Option<&MailError>, duration: Duration) {
        let count = match error {
            None => &self.sent,
            Some(MailError::Server(_)) => &self.retried,
            Some(MailError::Refused(_) | MailError::Address(_)) => &self.refused,
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
    fn outcomes_are_counted_separately() {
        let counters = MailCounters::default();
        let text = || "x".to_owned();
        let retried = MailError::Server(text());
        let refused = MailError::Refused(text());
        let invalid = MailError::Address(text());
        for error in [None, Some(&retried), Some(&retried), Some(&refused), Some(&invalid)] {
            counters.record(error, Duration::from_millis(7));
        }
        let counts = (counters.sent(), counters.retried(), counters.refused());
        assert_eq!((counts, counters.duration_ms()), ((1, 2, 2), 35));
    }
}
