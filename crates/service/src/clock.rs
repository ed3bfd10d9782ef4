//! The only place of the service that asks what time it is.

use contract::Timestamp;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of the present instant.
pub trait Clock: Send + Sync + 'static {
    /// Returns the present instant.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let micros = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        Timestamp::from_micros(micros).unwrap_or(Timestamp::MAX)
    }
}

/// A clock that stands still until it is set: for tests.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Returns a clock that stands at an instant.
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.micros()))
    }

    /// Moves the clock on.
    pub fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms * 1000, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::MAX)
    }
}
