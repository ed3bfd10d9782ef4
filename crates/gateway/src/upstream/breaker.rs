//! A circuit breaker for the upstream: after several consecutive failures, requests fail
//! immediately, and one request at a time probes whether the upstream has recovered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::Clock;

/// Number of consecutive failures that open the breaker.
pub(super) const FAILURES_MAX: u32 = 5;
/// Time that the breaker stays open before a request may probe the upstream.
pub(super) const OPEN_DURATION: Duration = Duration::from_secs(2);

/// The breaker of one upstream.
pub(super) struct Breaker {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Failures since the last response.
    failures: u32,
    /// Earliest time of the next probe, once there were too many failures.
    open_until: Duration,
    /// Whether a probe is in progress.
    is_probing: bool,
}

/// Permission for one request. Dropping it without a result, as a cancelled request does, changes
/// no counter.
pub(super) struct Permit {
    breaker: Arc<Breaker>,
    /// Whether the request is a probe.
    is_probe: bool,
}

impl Breaker {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, state: Mutex::default() })
    }

    /// Returns a permit for a request; `None` while the breaker is open.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Permit> {
        let mut state = self.lock();
        let is_open = state.failures >= FAILURES_MAX;
        if is_open && (state.is_probing || self.clock.elapsed() < state.open_until) {
            return None;
        }
        state.is_probing |= is_open;
        Some(Permit { breaker: Arc::clone(self), is_probe: is_open })
    }

    /// Returns whether requests currently fail immediately.
    pub(super) fn is_open(&self) -> bool {
        let state = self.lock();
        state.failures >= FAILURES_MAX && self.clock.elapsed() < state.open_until
    }

    /// Returns whether the last [`FAILURES_MAX`] requests or more failed. Only a response changes
    /// that, while the breaker lets a probe pass after [`OPEN_DURATION`].
    pub(super) fn is_failing(&self) -> bool {
        self.lock().failures >= FAILURES_MAX
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Records that the upstream responded, with any status, and closes the breaker.
    pub(super) fn record_success(self) {
        *self.breaker.lock() = State::default();
    }

    /// Records that the upstream did not respond.
    pub(super) fn record_failure(self) {
        let mut state = self.breaker.lock();
        state.failures = state.failures.saturating_add(1);
        state.open_until = self.breaker.clock.elapsed() + OPEN_DURATION;
        if state.failures == FAILURES_MAX {
            tracing::warn!("upstream requests paused: {FAILURES_MAX} failures in a row");
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        // A cancelled probe must release its slot, or no later request could probe.
        if self.is_probe {
            self.breaker.lock().is_probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct ElapsedClock(AtomicU64);

    impl Clock for ElapsedClock {
        fn now(&self) -> Timestamp {
            Timestamp::MAX
        }

        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    struct Fixture {
        clock: Arc<ElapsedClock>,
        breaker: Arc<Breaker>,
    }

    impl Fixture {
        fn new() -> Self {
            let clock = Arc::new(ElapsedClock::default());
            Self { breaker: Breaker::new(Arc::clone(&clock) as Arc<dyn Clock>), clock }
        }

        fn fail(&self, times: u32) {
            (0..times).for_each(|_| self.breaker.admit().unwrap().record_failure());
        }

        fn advance(&self, millis: u64) {
            self.clock.0.fetch_add(millis, Ordering::Relaxed);
        }

        fn admits(&self) -> bool {
            self.breaker.admit().is_some()
        }
    }

    #[test]
    fn few_failures_keep_breaker_closed() {
        let fixture = Fixture::new();
        fixture.fail(FAILURES_MAX - 1);
        assert!(fixture.admits());
        fixture.breaker.admit().unwrap().record_success();
        fixture.fail(FAILURES_MAX - 1);
        assert!(fixture.admits());
    }

    #[test]
    fn many_failures_open_breaker_temporarily() {
        let fixture = Fixture::new();
        fixture.fail(FAILURES_MAX);
        assert!(!fixture.admits() && fixture.breaker.is_open());
        fixture.advance(1999);
        assert!(!fixture.admits() && fixture.breaker.is_open());
        fixture.advance(1);
        assert!(fixture.admits() && !fixture.breaker.is_open());
    }

    #[test]
    fn half_open_breaker_allows_one_probe() {
        let fixture = Fixture::new();
        fixture.fail(FAILURES_MAX);
        fixture.advance(2000);
        let first = fixture.breaker.admit().unwrap();
        assert!(!fixture.admits());
        first.record_failure();
        assert!(!fixture.admits(), "the failed probe reopens the breaker");
        fixture.advance(2000);
        fixture.breaker.admit().unwrap().record_success();
        fixture.fail(FAILURES_MAX - 1);
        assert!(fixture.admits(), "the success resets the failure count");
    }

    #[test]
    fn upstream_is_failing_until_response() {
        let fixture = Fixture::new();
        fixture.fail(FAILURES_MAX - 1);
        assert!(!fixture.breaker.is_failing());
        fixture.fail(1);
        fixture.advance(600_000);
        assert!(fixture.breaker.is_failing() && !fixture.breaker.is_open());
        fixture.fail(1);
        fixture.advance(2000);
        let probe = fixture.breaker.admit().unwrap();
        assert!(fixture.breaker.is_failing());
        probe.record_success();
        assert!(!fixture.breaker.is_failing());
    }

    #[test]
    fn dropped_probe_permits_the_next() {
        let fixture = Fixture::new();
        fixture.fail(FAILURES_MAX);
        fixture.advance(2000);
        drop(fixture.breaker.admit().unwrap());
        assert!(fixture.admits());
    }

    #[test]
    fn late_failure_extends_open_state_until_success() {
        let fixture = Fixture::new();
        let slow = fixture.breaker.admit().unwrap();
        let fine = fixture.breaker.admit().unwrap();
        fixture.fail(FAILURES_MAX);
        fixture.advance(1500);
        slow.record_failure();
        fixture.advance(1500);
        assert!(!fixture.admits());
        fine.record_success();
        assert!(fixture.admits());
    }
}
