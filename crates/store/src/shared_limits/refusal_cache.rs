//! Cache of recent refusals: a flood of requests that are refused anyway does not reach the shared
//! store.
//!
//! The cache never admits a request, and holds a refusal for at most a second.

use super::meter::CounterName;
use crate::window::lock;
use crate::window::{WindowLimits, WindowState};
use contract::Timestamp;
use std::collections::HashMap;
use std::sync::Mutex;

/// Maximum age of a refusal in microseconds.
const AGE_US_MAX: i64 = 1_000_000;
/// Maximum number of refusals.
const ENTRIES_MAX: usize = 10_000;

/// Refusals of the last second.
#[derive(Default)]
pub(super) struct RefusalCache(Mutex<HashMap<CounterName, CachedRefusal>>);

#[derive(Clone, Copy)]
struct CachedRefusal {
    limits: WindowLimits,
    reading: WindowState,
    /// Time of the refusal by this instance's steady clock.
    at: Timestamp,
}

impl CachedRefusal {
    /// Returns the refusal at present; `None` if it has expired.
    fn current_state(&self, now: Timestamp) -> Option<WindowState> {
        let since_us = now.micros() - self.at.micros();
        let reading = WindowState { now_us: self.reading.now_us + since_us, ..self.reading };
        let is_current = (0..AGE_US_MAX).contains(&since_us) && reading.now_us < reading.ready_us;
        is_current.then_some(reading)
    }
}

impl RefusalCache {
    /// Finds a refusal that has not expired.
    pub(super) fn find(
        &self,
        name: &CounterName,
        limits: WindowLimits,
        now: Timestamp,
    ) -> Option<WindowState> {
        let cached = lock(&self.0).get(name).copied()?;
        cached.current_state(now).filter(|_| cached.limits == limits)
    }

    /// Caches a refusal unless the cache is full.
    pub(super) fn insert(
        &self,
        name: CounterName,
        limits: WindowLimits,
        reading: WindowState,
        at: Timestamp,
    ) {
        let mut entries = lock(&self.0);
        if entries.len() >= ENTRIES_MAX {
            // Drop expired refusals before giving up.
            entries.retain(|_, refusal| refusal.current_state(at).is_some());
        }
        if entries.len() < ENTRIES_MAX {
            entries.insert(name, CachedRefusal { limits, reading, at });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared_limits::meter::LimitKind;

    fn at_us(micros: i64) -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000 + micros).unwrap()
    }

    fn name(n: usize) -> CounterName {
        CounterName::of(LimitKind::Caller, &[&n.to_be_bytes()])
    }

    const LIMITS: WindowLimits = WindowLimits { window: 5, burst: 5 };

    fn refusal(wait_us: i64) -> WindowState {
        WindowState { is_admitted: false, count: 5, full_s: 9, ready_us: 7 + wait_us, now_us: 7 }
    }

    #[test]
    fn cached_refusal_expires() {
        let check = |wait_us: i64, since_us: i64, is_found: bool| {
            let refused = RefusalCache::default();
            refused.insert(name(1), LIMITS, refusal(wait_us), at_us(0));
            let found = refused.find(&name(1), LIMITS, at_us(since_us));
            assert_eq!(found.is_some(), is_found, "{wait_us} {since_us}");
            assert!(found.is_none_or(|it| it.now_us == 7 + since_us && !it.is_admitted));
            let other = WindowLimits { window: 6, ..LIMITS };
            assert!(refused.find(&name(1), other, at_us(since_us)).is_none());
            assert!(refused.find(&name(2), LIMITS, at_us(since_us)).is_none());
        };
        check(900_000_000, 0, true);
        check(900_000_000, 999_999, true);
        check(900_000_000, 1_000_000, false);
        check(900_000_000, -1, false);
        check(300, 299, true);
        check(300, 300, false);
    }

    #[test]
    fn cache_size_is_bounded() {
        let refused = RefusalCache::default();
        for n in 0..ENTRIES_MAX + 10 {
            refused.insert(name(n), LIMITS, refusal(900_000_000), at_us(0));
        }
        assert_eq!(lock(&refused.0).len(), ENTRIES_MAX);
        refused.insert(name(0), LIMITS, refusal(900_000_000), at_us(1_000_000));
        assert_eq!(lock(&refused.0).len(), 1);
    }
}
