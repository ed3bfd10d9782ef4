//! Cache of recent refusals: a flood of requests that are refused anyway does not reach the shared
//! store.
//!
//! The cache never admits a request, and holds a refusal for at most a second.

use super::meter::Name;
use crate::window::lock;
use crate::window::{Limits, Reading};
use contract::Timestamp;
use std::collections::HashMap;
use std::sync::Mutex;

/// Maximum age of a refusal in microseconds.
const KEPT_US_MAX: i64 = 1_000_000;
/// Maximum number of refusals.
const KEPT_MAX: usize = 10_000;

/// Refusals of the last second.
#[derive(Default)]
pub(super) struct Refused(Mutex<HashMap<Name, Kept>>);

#[derive(Clone, Copy)]
struct Kept {
    limits: Limits,
    reading: Reading,
    /// Time of the refusal by this instance's steady clock.
    at: Timestamp,
}

impl Kept {
    /// Returns the refusal at present; `None` if it has expired.
    fn reading(&self, now: Timestamp) -> Option<Reading> {
        let since_us = now.micros() - self.at.micros();
        let reading = Reading { now_us: self.reading.now_us + since_us, ..self.reading };
        let holds = (0..KEPT_US_MAX).contains(&since_us) && reading.now_us < reading.ready_us;
        holds.then_some(reading)
    }
}

impl Refused {
    /// Finds a refusal that has not expired.
    pub(super) fn find(&self, name: &Name, limits: Limits, now: Timestamp) -> Option<Reading> {
        let kept = lock(&self.0).get(name).copied()?;
        kept.reading(now).filter(|_| kept.limits == limits)
    }

    /// Caches a refusal unless the cache is full.
    pub(super) fn note(&self, name: Name, limits: Limits, reading: Reading, at: Timestamp) {
        let mut all = lock(&self.0);
        if all.len() >= KEPT_MAX {
            // Drop expired refusals before giving up.
            all.retain(|_, kept| kept.reading(at).is_some());
        }
        if all.len() < KEPT_MAX {
            all.insert(name, Kept { limits, reading, at });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared_limits::meter::Kind;

    fn at_us(micros: i64) -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000 + micros).unwrap()
    }

    fn name(n: usize) -> Name {
        Name::of(Kind::Payer, &[&n.to_be_bytes()])
    }

    const LIMITS: Limits = Limits { window: 5, burst: 5 };

    fn refusal(wait_us: i64) -> Reading {
        Reading { is_let_in: false, count: 5, full_s: 9, ready_us: 7 + wait_us, now_us: 7 }
    }

    #[test]
    fn cached_refusal_expires() {
        let check = |wait_us: i64, since_us: i64, holds: bool| {
            let refused = Refused::default();
            refused.note(name(1), LIMITS, refusal(wait_us), at_us(0));
            let found = refused.find(&name(1), LIMITS, at_us(since_us));
            assert_eq!(found.is_some(), holds, "{wait_us} {since_us}");
            assert!(found.is_none_or(|it| it.now_us == 7 + since_us && !it.is_let_in));
            let other = Limits { window: 6, ..LIMITS };
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
        let refused = Refused::default();
        for n in 0..KEPT_MAX + 10 {
            refused.note(name(n), LIMITS, refusal(900_000_000), at_us(0));
        }
        assert_eq!(lock(&refused.0).len(), KEPT_MAX);
        refused.note(name(0), LIMITS, refusal(900_000_000), at_us(1_000_000));
        assert_eq!(lock(&refused.0).len(), 1);
    }
}
