//! The gateway's clock. No other module of this crate reads the time.

use contract::Timestamp;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A source of time that tests can replace.
pub trait Clock: Send + Sync + 'static {
    /// Returns the wall clock time, which decides the age of sessions.
    fn now(&self) -> Timestamp;

    /// Returns the time since a fixed instant. It is monotonic, so timeouts use it.
    fn elapsed(&self) -> Duration;
}

/// The operating system's clocks.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock set before 1970 reads as 1970.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_micros())
            .ok()
            .and_then(Timestamp::from_micros)
            .unwrap_or(Timestamp::MAX)
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_clock_returns_current_time() {
        let clock = SystemClock::default();
        assert!(clock.now() > Timestamp::parse("2025-01-01").unwrap());
        assert!(clock.elapsed() <= clock.elapsed());
    }
}
