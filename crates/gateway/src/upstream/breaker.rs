//! Spares an upstream that is down, and whoever asks for it: after some failures in a row requests
//! fail at once, and one at a time finds out whether it is back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::Clock;

/// So many failures in a row, and the upstream is left alone.
pub(super) const FAILURES_MAX: u32 = 5;
/// How long it is left alone before the next request tries it.
pub(super) const REST: Duration = Duration::from_secs(2);

/// What is known of an upstream.
pub(super) struct Breaker {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Failures since it last answered.
    failures: u32,
    /// When it may be tried again, once there were too many.
    rests_until: Duration,
    /// Whether a request is trying it.
    is_tried: bool,
}

/// A request that may go out. One that is given up says nothing of the upstream.
pub(super) struct Permit {
    breaker: Arc<Breaker>,
    /// Whether it is the one that finds out.
    tries: bool,
}

impl Breaker {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, state: Mutex::default() })
    }

    /// Lets a request out; `None` while the upstream is left alone.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Permit> {
        let mut state = self.lock();
        let tries = state.failures >= FAILURES_MAX;
        if tries && (state.is_tried || self.clock.elapsed() < state.rests_until) {
            return None;
        }
        state.is_tried |= tries;
        Some(Permit { breaker: Arc::clone(self), tries })
    }

    /// Whether requests fail at once at this moment.
    pub(super) fn is_open(&self) -> bool {
        let state = self.lock();
        state.failures >= FAILURES_MAX && self.clock.elapsed() < state.rests_until
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Takes in that the upstream answered, whatever it said.
    pub(super) fn answered(self) {
        *self.breaker.lock() = State::default();
    }

    /// Takes in that it did not.
    pub(super) fn failed(self) {
        let mut state = self.breaker.lock();
        state.failures = state.failures.saturating_add(1);
        state.rests_until = self.breaker.clock.elapsed() + REST;
        if state.failures == FAILURES_MAX {
            tracing::warn!("the upstream is left alone: it failed {FAILURES_MAX} times in a row");
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.tries {
            self.breaker.lock().is_tried = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct Stopped(AtomicU64);

    impl Clock for Stopped {
        fn now(&self) -> Timestamp {
            Timestamp::MAX
        }

        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    struct Scene {
        clock: Arc<Stopped>,
        breaker: Arc<Breaker>,
    }

    impl Scene {
        fn new() -> Self {
            let clock = Arc::new(Stopped::default());
            Self { breaker: Breaker::new(Arc::clone(&clock) as Arc<dyn Clock>), clock }
        }

        fn fail(&self, times: u32) {
            (0..times).for_each(|_| self.breaker.admit().unwrap().failed());
        }

        fn wait(&self, millis: u64) {
            self.clock.0.fetch_add(millis, Ordering::Relaxed);
        }

        fn lets_out(&self) -> bool {
            self.breaker.admit().is_some()
        }
    }

    #[test]
    fn a_few_failures_in_a_row_are_borne() {
        let scene = Scene::new();
        scene.fail(FAILURES_MAX - 1);
        assert!(scene.lets_out());
        scene.breaker.admit().unwrap().answered();
        scene.fail(FAILURES_MAX - 1);
        assert!(scene.lets_out());
    }

    #[test]
    fn more_leave_it_alone_for_a_while() {
        let scene = Scene::new();
        scene.fail(FAILURES_MAX);
        assert!(!scene.lets_out() && scene.breaker.is_open());
        scene.wait(1999);
        assert!(!scene.lets_out() && scene.breaker.is_open());
        scene.wait(1);
        assert!(scene.lets_out() && !scene.breaker.is_open());
    }

    #[test]
    fn one_at_a_time_finds_out() {
        let scene = Scene::new();
        scene.fail(FAILURES_MAX);
        scene.wait(2000);
        let first = scene.breaker.admit().unwrap();
        assert!(!scene.lets_out());
        first.failed();
        assert!(!scene.lets_out(), "it rests anew");
        scene.wait(2000);
        scene.breaker.admit().unwrap().answered();
        scene.fail(FAILURES_MAX - 1);
        assert!(scene.lets_out(), "all is forgotten");
    }

    #[test]
    fn one_that_is_given_up_leaves_room_for_the_next() {
        let scene = Scene::new();
        scene.fail(FAILURES_MAX);
        scene.wait(2000);
        drop(scene.breaker.admit().unwrap());
        assert!(scene.lets_out());
    }

    #[test]
    fn late_failures_prolong_the_rest_and_a_late_answer_ends_it() {
        let scene = Scene::new();
        let (slow, fine) = (scene.breaker.admit().unwrap(), scene.breaker.admit().unwrap());
        scene.fail(FAILURES_MAX);
        scene.wait(1500);
        slow.failed();
        scene.wait(1500);
        assert!(!scene.lets_out());
        fine.answered();
        assert!(scene.lets_out());
    }
}
