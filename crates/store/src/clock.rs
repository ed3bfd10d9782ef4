//! The clocks of the service. No other module reads the time.

use contract::Timestamp;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A source of the present time.
pub trait Clock: Send + Sync + 'static {
    /// Returns the present time by the wall clock.
    fn now(&self) -> Timestamp;

    /// Returns the present time by a monotonic clock, for limits. It agrees with [`Clock::now`]
    /// until the wall clock is set.
    fn steady(&self) -> Timestamp;
}

/// The present time by both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Time of the wall clock.
    pub now: Timestamp,
    /// Time of the monotonic clock.
    pub steady: Timestamp,
}

impl Moment {
    /// Returns how far the wall clock was set forward since the process began, in microseconds.
    pub fn ahead_us(self) -> i64 {
        self.now.micros() - self.steady.micros()
    }
}

/// Both clocks at their first use in this process.
static START: LazyLock<(Instant, Timestamp)> =
    LazyLock::new(|| (Instant::now(), SystemClock.now()));

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let micros = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        Timestamp::from_micros(micros).unwrap_or(Timestamp::MAX)
    }

    fn steady(&self) -> Timestamp {
        let (at, then) = *START;
        let since = i64::try_from(at.elapsed().as_micros()).unwrap_or(i64::MAX);
        Timestamp::from_micros(then.micros().saturating_add(since)).unwrap_or(Timestamp::MAX)
    }
}

/// Returns the instant `age` before `now`, in microseconds.
pub fn micros_before(now: Timestamp, age: Duration) -> i64 {
    now.micros() - i64::try_from(age.as_micros()).unwrap_or(i64::MAX)
}

/// A clock for tests that changes only when it is set.
#[derive(Debug)]
pub struct FixedClock {
    now: AtomicI64,
    steady: AtomicI64,
}

impl FixedClock {
    /// Returns a clock that shows `now`.
    pub fn at(now: Timestamp) -> Self {
        Self { now: AtomicI64::new(now.micros()), steady: AtomicI64::new(now.micros()) }
    }

    /// Advances both clocks.
    pub fn advance_ms(&self, ms: i64) {
        self.jump_ms(ms);
        self.steady.fetch_add(ms * 1000, Ordering::SeqCst);
    }

    /// Sets the wall clock forward or back; the monotonic clock does not change.
    pub fn jump_ms(&self, ms: i64) {
        self.now.fetch_add(ms * 1000, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        instant(&self.now)
    }

    fn steady(&self) -> Timestamp {
        instant(&self.steady)
    }
}

fn instant(micros: &AtomicI64) -> Timestamp {
    Timestamp::from_micros(micros.load(Ordering::SeqCst)).unwrap_or(Timestamp::MAX)
}
