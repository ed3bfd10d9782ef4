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
const TEST_TIMEOUT: Duration = Duration::from_millis(100);

/// The abandoned connections of all pools. A connection is identified by its statement cache, which
/// no other connection shares. The references are weak, so closed connections drop out.
#[derive(Clone, Default)]
pub(super) struct DirtyConnections(Arc<Mutex<Vec<Weak<StatementCache>>>>);

impl DirtyConnections {
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<StatementCache>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a connection can be reused.
    pub(super) async fn is_usable(&self, client: &ClientWrapper) -> bool {
        if !self.remove(&client.statement_cache) {
            return true;
        }
        matches!(timeout(TEST_TIMEOUT, client.simple_query("")).await, Ok(Ok(_)))
    }

    /// Removes a connection from the list, and returns whether it was listed.
    fn remove(&self, cache: &Arc<StatementCache>) -> bool {
        let mut connections = self.lock();
        let before = connections.len();
        connections.retain(|listed| listed.as_ptr() != Arc::as_ptr(cache));
        connections.len() < before
    }

    /// Returns a guard that marks a connection as abandoned on drop, unless [`DirtyGuard::disarm`]
    /// is called.
    pub(super) fn guard_write(&self, cache: &Arc<StatementCache>) -> DirtyGuard {
        DirtyGuard { dirty: self.clone(), cache: Some(Arc::downgrade(cache)) }
    }
}

/// Guard of a write in progress.
pub(super) struct DirtyGuard {
    dirty: DirtyConnections,
    cache: Option<Weak<StatementCache>>,
}

impl DirtyGuard {
    /// Disarms the guard, because every statement was answered.
    pub(super) fn disarm(mut self) {
        self.cache = None;
    }
}

impl Drop for DirtyGuard {
    fn drop(&mut self) {
        let Some(cache) = self.cache.take() else { return };
        let mut connections = self.dirty.lock();
        connections.retain(|listed| listed.strong_count() > 0);
        connections.push(cache);
    }
}
