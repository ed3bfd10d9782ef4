//! Readiness of the server, and the problems that prevent it.
//!
//! A check of a file costs a read and a write without a change; for a database it is a query
//! whether it accepts writes. Results are cached for a second, for any number of requests.

use gateway::upstream::Remote;
use serde::Serialize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::StoreError;
use store::shared_limits::SharedLimits;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::stores::{Opened, Watched};

/// Lifetime of a cached result.
const KEPT: Duration = Duration::from_secs(1);
/// Timeouts of a check, for a file and for a database.
const PATIENCE: Duration = Duration::from_secs(3);
const DATABASE_PATIENCE: Duration = Duration::from_secs(1);

/// Sources and state of the readiness check.
#[derive(Default)]
pub(super) struct Readiness {
    /// Weak, so that the store is closed when its server stops.
    store: OnceLock<Watched>,
    upstream: OnceLock<Remote>,
    limits: OnceLock<SharedLimits>,
    is_started: AtomicBool,
    is_draining: AtomicBool,
    looked: Mutex<Option<(Instant, Vec<Trouble>)>>,
}

/// A problem that prevents readiness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Trouble {
    /// `start`, `drain`, `read`, `write`, `database` or `upstream`.
    pub(super) what: &'static str,
    pub(super) why: String,
}

impl Trouble {
    fn new(what: &'static str, why: impl Into<String>) -> Self {
        Self { what, why: why.into() }
    }
}

impl Readiness {
    /// Adds the store to the check.
    pub(super) fn watch(&self, store: Watched) {
        let is_first = self.store.set(store).is_ok();
        debug_assert!(is_first, "the store is set once");
    }

    /// Adds shared limits to the metrics. They do not affect readiness, because without them each
    /// instance still admits its share of requests.
    pub(super) fn watch_limits(&self, limits: &SharedLimits) {
        let is_first = self.limits.set(limits.clone()).is_ok();
        debug_assert!(is_first, "the limits are set once");
    }

    pub(super) fn limits(&self) -> Option<&SharedLimits> {
        self.limits.get()
    }

    /// Adds the upstream to the check.
    pub(super) fn watch_upstream(&self, upstream: Remote) {
        let is_first = self.upstream.set(upstream).is_ok();
        debug_assert!(is_first, "the upstream is set once");
    }

    /// Marks the server as started.
    pub(super) fn start(&self) {
        self.is_started.store(true, Ordering::SeqCst);
    }

    /// Marks the server as draining.
    pub(super) fn drain(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
    }

    pub(super) fn store(&self) -> Option<Opened> {
        self.store.get()?.opened()
    }

    /// Whether the circuit breaker of the upstream is open; `None` without an upstream.
    pub(super) fn is_left_alone(&self) -> Option<bool> {
        self.upstream.get().map(Remote::is_left_alone)
    }

    /// Returns the problems. Empty if the server is ready.
    pub(super) async fn troubles(&self) -> Vec<Trouble> {
        let mut troubles = Vec::new();
        if self.is_draining.load(Ordering::SeqCst) {
            troubles.push(Trouble::new("drain", "the server is shutting down"));
        }
        if !self.is_started.load(Ordering::SeqCst) {
            troubles.push(Trouble::new("start", "the server is opening its data"));
        }
        if self.is_left_alone() == Some(true) {
            troubles.push(Trouble::new("upstream", "the upstream failed several times in a row"));
        }
        troubles.extend(self.store_troubles().await);
        troubles
    }

    async fn store_troubles(&self) -> Vec<Trouble> {
        // The lock makes concurrent requests wait for the same result.
        let mut looked = self.looked.lock().await;
        if let Some((at, found)) = &*looked
            && at.elapsed() < KEPT
        {
            return found.clone();
        }
        let Some(store) = self.store() else { return Vec::new() };
        let found = match store {
            Opened::File(store) => {
                let read = look("read", PATIENCE, store.try_to_read()).await;
                read.into_iter()
                    .chain(look("write", PATIENCE, store.try_to_write()).await)
                    .collect()
            }
            Opened::Database(store) => {
                let look = look("database", DATABASE_PATIENCE, store.try_to_write()).await;
                look.into_iter().collect::<Vec<_>>()
            }
        };
        *looked = Some((Instant::now(), found.clone()));
        found
    }
}

/// Runs a check with a timeout, and returns its problem.
async fn look(
    what: &'static str,
    patience: Duration,
    look: impl Future<Output = Result<(), StoreError>>,
) -> Option<Trouble> {
    match timeout(patience, look).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(Trouble::new(what, error.to_string())),
        Err(_) => Some(Trouble::new(what, "the database did not answer in time")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use store_sqlite::SqliteStore;

    async fn whats(readiness: &Readiness) -> Vec<&'static str> {
        readiness.troubles().await.into_iter().map(|trouble| trouble.what).collect()
    }

    #[tokio::test]
    async fn server_is_ready_between_start_and_drain() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&folder.path().join("sheaf.db")).unwrap());
        let readiness = Readiness::default();
        assert_eq!(whats(&readiness).await, ["start"]);
        readiness.watch(Watched::File(Arc::downgrade(&store)));
        assert_eq!(whats(&readiness).await, ["start"]);
        readiness.start();
        assert_eq!(whats(&readiness).await, [""; 0]);
        readiness.drain();
        assert_eq!(whats(&readiness).await, ["drain"]);
        let weak = Arc::downgrade(&store);
        drop(store);
        assert!(weak.upgrade().is_none(), "the store is still open");
    }
}
