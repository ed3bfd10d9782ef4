//! Readiness of the server, and the problems that prevent it.
//!
//! A check of a file costs a read and a write without a change; for a database it is a query
//! whether it accepts writes. Results are cached for a second, for any number of requests.

use gateway::upstream::UpstreamClient;
use notify::Counters;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use store::StoreError;
use store::shared_limits::SharedLimits;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::stores::{OpenStore, WeakStore};

/// Lifetime of a cached result.
const CACHE_LIFETIME: Duration = Duration::from_secs(1);
/// Timeouts of a check, for a file and for a database.
const FILE_CHECK_TIMEOUT: Duration = Duration::from_secs(3);
const DATABASE_CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Sources and state of the readiness check.
#[derive(Default)]
pub(crate) struct Readiness {
    /// Weak, so that the store is closed when its server stops.
    store: OnceLock<WeakStore>,
    upstream: OnceLock<UpstreamClient>,
    limits: OnceLock<SharedLimits>,
    webhooks: OnceLock<Arc<Counters>>,
    mail: OnceLock<Arc<Counters>>,
    is_started: AtomicBool,
    is_draining: AtomicBool,
    cached_result: Mutex<Option<(Instant, Vec<ReadinessProblem>)>>,
}

/// A problem that prevents readiness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ReadinessProblem {
    /// The failed check: `start`, `drain`, `read`, `write`, `database` or `upstream`.
    #[serde(rename = "what")]
    pub(super) check: &'static str,
    /// Description of the problem.
    #[serde(rename = "why")]
    pub(super) message: String,
}

impl ReadinessProblem {
    fn new(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, message: message.into() }
    }
}

impl Readiness {
    /// Adds the store to the check.
    pub(crate) fn watch_store(&self, store: WeakStore) {
        let is_first = self.store.set(store).is_ok();
        debug_assert!(is_first, "the store is set once");
    }

    /// Adds shared limits to the metrics. They do not affect readiness, because without them each
    /// instance still admits its share of requests.
    pub(crate) fn watch_limits(&self, limits: &SharedLimits) {
        let is_first = self.limits.set(limits.clone()).is_ok();
        debug_assert!(is_first, "the limits are set once");
    }

    pub(super) fn limits(&self) -> Option<&SharedLimits> {
        self.limits.get()
    }

    /// Adds the attempts of webhooks to the metrics. They do not affect readiness, because intake
    /// does not wait for them.
    pub(crate) fn watch_webhooks(&self, counters: Arc<Counters>) {
        let is_first = self.webhooks.set(counters).is_ok();
        debug_assert!(is_first, "the counters are set once");
    }

    /// Returns the counters of the worker; `None` without one.
    pub(super) fn webhooks(&self) -> Option<&Counters> {
        self.webhooks.get().map(AsRef::as_ref)
    }

    /// Adds the sent e-mails to the metrics. They do not affect readiness, as webhooks.
    pub(crate) fn watch_mail(&self, counters: Arc<Counters>) {
        let is_first = self.mail.set(counters).is_ok();
        debug_assert!(is_first, "the counters are set once");
    }

    /// Returns the counters of e-mail; `None` if it is off.
    pub(super) fn mail(&self) -> Option<&Counters> {
        self.mail.get().map(AsRef::as_ref)
    }

    /// Adds the upstream to the check.
    pub(crate) fn watch_upstream(&self, upstream: UpstreamClient) {
        let is_first = self.upstream.set(upstream).is_ok();
        debug_assert!(is_first, "the upstream is set once");
    }

    /// Marks the server as started.
    pub(super) fn mark_started(&self) {
        self.is_started.store(true, Ordering::SeqCst);
    }

    /// Marks the server as draining.
    pub(super) fn mark_draining(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
    }

    pub(super) fn store(&self) -> Option<OpenStore> {
        self.store.get()?.upgrade()
    }

    /// Whether requests to the upstream failed repeatedly, without a response since; `false`
    /// without an upstream. The problem `upstream` is reported for a shorter time, because a server
    /// that is not ready gets no request, and only a request can find the upstream answering.
    pub(super) fn is_upstream_failing(&self) -> bool {
        self.upstream.get().is_some_and(UpstreamClient::is_failing)
    }

    /// Returns the problems. Empty if the server is ready.
    pub(super) async fn problems(&self) -> Vec<ReadinessProblem> {
        let mut problems = Vec::new();
        if self.is_draining.load(Ordering::SeqCst) {
            problems.push(ReadinessProblem::new("drain", "the server is shutting down"));
        }
        if !self.is_started.load(Ordering::SeqCst) {
            problems.push(ReadinessProblem::new("start", "the server is opening its data"));
        }
        if self.upstream.get().is_some_and(UpstreamClient::is_circuit_open) {
            problems.push(ReadinessProblem::new(
                "upstream",
                "the upstream failed several times in a row",
            ));
        }
        problems.extend(self.store_problems().await);
        problems
    }

    async fn store_problems(&self) -> Vec<ReadinessProblem> {
        // The lock makes concurrent requests wait for the same result.
        let mut cached = self.cached_result.lock().await;
        if let Some((at, problems)) = &*cached
            && at.elapsed() < CACHE_LIFETIME
        {
            return problems.clone();
        }
        let Some(store) = self.store() else { return Vec::new() };
        let problems = match store {
            OpenStore::File(store) => {
                let read = run_check("read", FILE_CHECK_TIMEOUT, store.check_readable()).await;
                read.into_iter()
                    .chain(run_check("write", FILE_CHECK_TIMEOUT, store.check_writable()).await)
                    .collect()
            }
            OpenStore::Database(store) => {
                let check =
                    run_check("database", DATABASE_CHECK_TIMEOUT, store.check_writable()).await;
                check.into_iter().collect::<Vec<_>>()
            }
        };
        *cached = Some((Instant::now(), problems.clone()));
        problems
    }
}

/// Runs a check with a timeout, and returns its problem.
async fn run_check(
    check: &'static str,
    time_limit: Duration,
    result: impl Future<Output = Result<(), StoreError>>,
) -> Option<ReadinessProblem> {
    match timeout(time_limit, result).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(ReadinessProblem::new(check, error.to_string())),
        Err(_) => Some(ReadinessProblem::new(check, "the database did not answer in time")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store_sqlite::SqliteStore;

    async fn failed_checks(readiness: &Readiness) -> Vec<&'static str> {
        readiness.problems().await.into_iter().map(|problem| problem.check).collect()
    }

    #[tokio::test]
    async fn server_is_ready_between_start_and_drain() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&folder.path().join("sheaf.db")).unwrap());
        let readiness = Readiness::default();
        assert_eq!(failed_checks(&readiness).await, ["start"]);
        readiness.watch_store(WeakStore::File(Arc::downgrade(&store)));
        assert_eq!(failed_checks(&readiness).await, ["start"]);
        readiness.mark_started();
        assert_eq!(failed_checks(&readiness).await, [""; 0]);
        readiness.mark_draining();
        assert_eq!(failed_checks(&readiness).await, ["drain"]);
        let weak = Arc::downgrade(&store);
        drop(store);
        assert!(weak.upgrade().is_none(), "the store is still open");
    }
}
