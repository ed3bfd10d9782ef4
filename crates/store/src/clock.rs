//! The only place of the service that asks what time it is.

use contract::Timestamp;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A source of the present instant.
pub trait Clock: Send + Sync + 'static {
    /// Returns the present instant.
    fn now(&self) -> Timestamp;

    /// Returns an instant that only ever moves as time passes, also where somebody sets the clock.
    /// It agrees with [`Clock::now`] until then. Limits are counted by it.
    fn steady(&self) -> Timestamp;
}

/// One moment, by both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The time that people see.
    pub now: Timestamp,
    /// The time that nobody sets.
    pub steady: Timestamp,
}

impl Moment {
    /// By how much the clock that people see was set on since the process began, in microseconds.
    pub fn ahead_us(self) -> i64 {
        self.now.micros() - self.steady.micros()
    }
}

/// When this process first looked, by both of the machine's clocks.
static START: LazyLock<(Instant, Timestamp)> =
    LazyLock::new(|| (Instant::now(), SystemClock.now()));

/// The machine's clock.
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

/// A clock that stands still until it is set: for tests.
#[derive(Debug)]
pub struct FixedClock {
    now: AtomicI64,
    steady: AtomicI64,
}

impl FixedClock {
    /// Returns a clock that stands at an instant.
    pub fn at(now: Timestamp) -> Self {
        Self { now: AtomicI64::new(now.micros()), steady: AtomicI64::new(now.micros()) }
    }

    /// Moves the clock on, as time does.
    pub fn advance_ms(&self, ms: i64) {
        self.jump_ms(ms);
        self.steady.fetch_add(ms * 1000, Ordering::SeqCst);
    }

    /// Sets the clock on, or back, while no time passes.
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
