//! What keeps refusals from filling the audit log: whoever is refused a thousand times a minute is
//! noted once, and notes that wait have a bound. Reads no clock: acts bring their instant.

use contract::audit::Act;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most notes that wait to be written at once.
pub(in crate::store) const WAITING_MAX: usize = 64;
/// Most refusals that are noted in a minute, whoever was refused.
const REFUSALS_MAX: usize = 600;

/// What was noted in this minute, and what waits.
#[derive(Default)]
pub(in crate::store) struct Calm {
    waiting: AtomicUsize,
    minute: Mutex<Minute>,
}

#[derive(Default)]
struct Minute {
    number: i64,
    noted: HashSet<(&'static str, Option<&'static str>, String, String)>,
    is_full: bool,
}

/// A note's place among those that wait; given back when it is dropped.
pub(in crate::store) struct Place(Arc<Calm>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Calm {
    /// Whether a refusal is the first of its kind, and of whoever was refused, in its minute.
    pub(in crate::store) fn admits(&self, act: &Act) -> bool {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        let number = act.at.seconds().div_euclid(60);
        if minute.number != number {
            *minute = Minute { number, ..Minute::default() };
        }
        let account = act.account.as_ref().map(ToString::to_string).unwrap_or_default();
        let who = act.actor.id.clone().or_else(|| act.actor.address.clone()).unwrap_or_default();
        let key = (act.action.as_str(), act.code, account, who);
        if minute.noted.contains(&key) {
            return false;
        }
        if minute.noted.len() >= REFUSALS_MAX {
            if !minute.is_full {
                minute.is_full = true;
                tracing::error!(
                    "{REFUSALS_MAX} refusals were noted in the audit log within a minute; the \
                     others of this minute are not"
                );
            }
            return false;
        }
        minute.noted.insert(key)
    }

    /// Takes a place among those that wait; `None` where all are taken.
    pub(in crate::store) fn wait(calm: &Arc<Self>) -> Option<Place> {
        let more = |waiting| (waiting < WAITING_MAX).then_some(waiting + 1);
        calm.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Place(Arc::clone(calm)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;
    use contract::audit::{Action, Actor};

    fn refused(second: i64, address: String, code: &'static str) -> Act {
        let at = Timestamp::from_micros(second * 1_000_000).unwrap();
        let actor = Actor { address: Some(address), ..Actor::default() };
        Act::new(at, &actor, Action::Refused).denied(code)
    }

    #[test]
    fn whoever_is_refused_often_is_noted_once_a_minute() {
        let calm = Calm::default();
        let admits =
            |second, address: &str, code| calm.admits(&refused(second, address.to_owned(), code));
        assert!(admits(0, "a", "x"));
        assert!(!admits(59, "a", "x"));
        assert!(admits(59, "b", "x") && admits(59, "a", "y"));
        assert!(admits(60, "a", "x"));
    }

    #[test]
    fn refusals_of_many_have_a_bound() {
        let calm = Calm::default();
        let noted = |minute: i64| {
            (0..2 * REFUSALS_MAX)
                .filter(|n| calm.admits(&refused(minute * 60, n.to_string(), "x")))
                .count()
        };
        assert_eq!((noted(0), noted(1)), (REFUSALS_MAX, REFUSALS_MAX));
    }

    #[test]
    fn so_many_wait_and_a_place_is_given_back() {
        let calm = Arc::new(Calm::default());
        let mut places: Vec<_> = std::iter::from_fn(|| Calm::wait(&calm)).collect();
        assert_eq!(places.len(), WAITING_MAX);
        places.pop();
        assert!(Calm::wait(&calm).is_some());
    }
}
