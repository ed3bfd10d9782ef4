//! Pace of background workers: pauses between searches for work, and a purge once an hour.

use contract::Timestamp;
use std::time::Duration;
use store::{Result, StoreError};

/// Interval between searches for due work while there is nothing else to do.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// First and longest pause after consecutive failures of the store; each is twice the previous one.
const BACKOFF_MIN: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// Interval between deletions of old rows.
const PURGE_INTERVAL: Duration = Duration::from_hours(1);

/// Pauses of a worker.
pub(crate) struct Pace {
    /// Name of the work in log lines.
    subject: &'static str,
    backoff: Duration,
    /// Time of the next purge, by the monotonic clock.
    purge_at: Timestamp,
}

impl Pace {
    /// Creates the pace of a worker that starts at `steady` by the monotonic clock.
    pub(crate) fn new(subject: &'static str, steady: Timestamp) -> Self {
        Self { subject, backoff: BACKOFF_MIN, purge_at: steady }
    }

    /// Waits until there may be something to do. `has_work` is the result of the last search.
    pub(crate) async fn pause(&mut self, has_work: Result<bool>) {
        match has_work {
            Ok(has_work) => {
                self.backoff = BACKOFF_MIN;
                if !has_work {
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
            }
            Err(error) => {
                self.warn_of(&error);
                let delay = self.backoff;
                self.backoff = (delay * 2).min(BACKOFF_MAX);
                tokio::time::sleep(delay).await;
            }
        }
    }

    /// Deletes some old rows by `purge` once an hour, and again at once if it deleted `rows_max`.
    /// Returns whether there may be more. An error must not stop the worker, so it is only logged.
    pub(crate) async fn purge_if_due(
        &mut self,
        steady: Timestamp,
        rows_max: i64,
        purge: impl Future<Output = Result<u64>>,
    ) -> bool {
        if steady < self.purge_at {
            return false;
        }
        let has_more = match purge.await {
            Ok(deleted) => i64::try_from(deleted).is_ok_and(|deleted| deleted >= rows_max),
            Err(error) => {
                tracing::warn!(%error, "{}: old rows cannot be deleted", self.subject);
                false
            }
        };
        if !has_more {
            self.purge_at = steady.saturating_add(PURGE_INTERVAL);
        }
        has_more
    }

    /// Logs an error of the store.
    pub(crate) fn warn_of(&self, error: &StoreError) {
        tracing::warn!(%error, "{}: database error, retrying", self.subject);
    }
}
