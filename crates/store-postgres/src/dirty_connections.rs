//! Connections with an abandoned write: the future of the write was dropped, and its last statement
//! may still wait for a lock.
//!
//! They are tested before reuse. Otherwise the next caller would wait behind that statement.

use deadpool_postgres::{ClientWrapper, StatementCache};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::timeout;

/// Timeout of the test. A connection that does not answer in time is closed, and the server ends
/// its statement.
const ANSWERS_WITHIN: Duration = Duration::from_millis(100);

/// The abandoned connections of all pools. A connection is identified by its statement cache, which
/// no other connection shares. The references are weak, so closed connections drop out.
#[derive(Clone, Default)]
pub(super) struct Left(Arc<Mutex<Vec<Weak<StatementCache>>>>);

impl Left {
    fn all(&self) -> MutexGuard<'_, Vec<Weak<StatementCache>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a connection can be reused.
    pub(super) async fn is_usable(&self, client: &ClientWrapper) -> bool {
        if !self.forget(&client.statement_cache) {
            return true;
        }
        matches!(timeout(ANSWERS_WITHIN, client.simple_query("")).await, Ok(Ok(_)))
    }

    /// Removes a connection from the list, and returns whether it was listed.
    fn forget(&self, cache: &Arc<StatementCache>) -> bool {
        let mut all = self.all();
        let before = all.len();
        all.retain(|kept| kept.as_ptr() != Arc::as_ptr(cache));
        all.len() < before
    }

    /// Returns a guard that marks a connection as abandoned on drop, unless [`Guard::answered`] is
    /// called.
    pub(super) fn guard(&self, cache: &Arc<StatementCache>) -> Guard {
        Guard { left: self.clone(), cache: Some(Arc::downgrade(cache)) }
    }
}

/// Guard of a write in progress.
pub(super) struct Guard {
    left: Left,
    cache: Option<Weak<StatementCache>>,
}

impl Guard {
    /// Disarms the guard, because every statement was answered.
    pub(super) fn answered(mut self) {
        self.cache = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(cache) = self.cache.take() else { return };
        let mut all = self.left.all();
        all.retain(|kept| kept.strong_count() > 0);
        all.push(cache);
    }
}
