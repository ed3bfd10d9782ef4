//! Connections on which a write was left in the middle: its client is gone, and nobody knows
//! whether its last statement still waits for somebody's lock.
//!
//! Each is asked before it is given to the next one, who would wait behind that statement
//! otherwise.

use deadpool_postgres::{ClientWrapper, StatementCache};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::timeout;

/// What answers within this has no statement before the question. What does not is closed, and the
/// server ends its statement.
const ANSWERS_WITHIN: Duration = Duration::from_millis(100);

/// Those that were left, of all pools. Each is known by the cache of its statements, which is its
/// own; of one that was closed nothing is kept.
#[derive(Clone, Default)]
pub(super) struct Left(Arc<Mutex<Vec<Weak<StatementCache>>>>);

impl Left {
    fn all(&self) -> MutexGuard<'_, Vec<Weak<StatementCache>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a connection can be given to the next one.
    pub(super) async fn is_usable(&self, client: &ClientWrapper) -> bool {
        if !self.forget(&client.statement_cache) {
            return true;
        }
        matches!(timeout(ANSWERS_WITHIN, client.simple_query("")).await, Ok(Ok(_)))
    }

    /// Forgets a connection, and returns whether it was left.
    fn forget(&self, cache: &Arc<StatementCache>) -> bool {
        let mut all = self.all();
        let before = all.len();
        all.retain(|kept| kept.as_ptr() != Arc::as_ptr(cache));
        all.len() < before
    }

    /// Notes a connection as left, unless [`Guard::answered`] is called.
    pub(super) fn guard(&self, cache: &Arc<StatementCache>) -> Guard {
        Guard { left: self.clone(), cache: Some(Arc::downgrade(cache)) }
    }
}

/// A write under way.
pub(super) struct Guard {
    left: Left,
    cache: Option<Weak<StatementCache>>,
}

impl Guard {
    /// Says that every statement was answered.
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
