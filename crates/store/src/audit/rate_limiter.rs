//! Rate limits of audit entries for refused requests, so that refusals do not flood the audit log.
//!
//! Repeated refusals are logged once a minute. Each account has a limit, and one entry counts the
//! refusals beyond it. The queue of entries is bounded too. Reads no clock: events have their time.

use contract::audit::{Action, Actor, AuditEvent};
use contract::{AccountId, Timestamp};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum length of the queue of entries.
pub const QUEUE_MAX: usize = 64;
/// Maximum number of logged refusals per minute and account. Refusals without an account share one
/// limit.
const REFUSALS_MAX: usize = 60;

/// The refusals of the present minute, and the length of the queue.
#[derive(Default)]
pub struct AuditRateLimiter {
    queued: AtomicUsize,
    minute: Mutex<MinuteRefusals>,
}

#[derive(Default)]
struct MinuteRefusals {
    number: i64,
    by_account: HashMap<Option<AccountId>, Refusals>,
}

/// Refusals of an account in a minute.
#[derive(Default)]
struct Refusals {
    logged: HashSet<(Action, Option<&'static str>, String)>,
    omitted: Option<OmittedRefusals>,
}

/// Refusals beyond the limit.
struct OmittedRefusals {
    count: u64,
    last_at: Timestamp,
}

/// A slot in the queue of entries. Dropping it releases the slot.
pub struct QueueSlot(Arc<AuditRateLimiter>);

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AuditRateLimiter {
    /// Returns the events to log for a refusal. The refusal is among them if it is the first of its
    /// kind in its minute and its account is below the limit. Before it come events that count the
    /// omitted refusals of the previous minute, one for each account.
    pub fn admit(&self, event: AuditEvent) -> Vec<AuditEvent> {
        let mut minute = self.lock();
        let number = event.at.seconds().div_euclid(60);
        let mut events = Vec::new();
        if number < minute.number - 1 {
            // The clock was set back. Keep the counts, so that this gives no fresh allowance.
            // A refusal of the previous minute is only late.
            minute.number = number;
        } else if number > minute.number {
            let previous = std::mem::replace(
                &mut *minute,
                MinuteRefusals { number, ..MinuteRefusals::default() },
            );
            for (account, refusals) in previous.by_account {
                events.extend(refusals.omitted.map(|left_out| left_out.into_event(account)));
            }
        }
        let actor =
            event.actor.id.clone().or_else(|| event.actor.address.clone()).unwrap_or_default();
        let key = (event.action, event.code, actor);
        let refusals = minute.by_account.entry(event.account.clone()).or_default();
        if refusals.logged.contains(&key) {
            return events;
        }
        if refusals.logged.len() < REFUSALS_MAX {
            refusals.logged.insert(key);
            events.push(event);
        } else {
            refusals.count_omitted(event.at);
        }
        events
    }

    /// Counts a refusal that could not be logged.
    pub fn count_omitted(&self, account: Option<AccountId>, at: Timestamp) {
        self.lock().by_account.entry(account).or_default().count_omitted(at);
    }

    /// Returns an event that counts the omitted refusals of an account, and resets their count;
    /// `None` if no refusal was omitted.
    pub fn take_omitted(&self, account: Option<&AccountId>) -> Option<AuditEvent> {
        let account = account.cloned();
        let left_out = self.lock().by_account.get_mut(&account)?.omitted.take()?;
        Some(left_out.into_event(account))
    }

    fn lock(&self) -> MutexGuard<'_, MinuteRefusals> {
        self.minute.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot in the queue; `None` if the queue is full.
    pub fn acquire_slot(limiter: &Arc<Self>) -> Option<QueueSlot> {
        // Relaxed: the counter orders no other memory.
        let more = |waiting| (waiting < QUEUE_MAX).then_some(waiting + 1);
        limiter.queued.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(QueueSlot(Arc::clone(limiter)))
    }
}

impl Refusals {
    fn count_omitted(&mut self, at: Timestamp) {
        let count = self.omitted.as_ref().map_or(0, |left_out| left_out.count);
        self.omitted = Some(OmittedRefusals { count: count + 1, last_at: at });
    }
}

impl OmittedRefusals {
    fn into_event(self, account: Option<AccountId>) -> AuditEvent {
        let event = AuditEvent::new(self.last_at, &Actor::system(), Action::RefusalsOmitted);
        let event = event.into_denied("too_many").with_value("count", self.count);
        match account {
            Some(account) => event.with_account(&account),
            None => event,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(second: i64, address: &str, code: &'static str) -> AuditEvent {
        let at = Timestamp::from_micros(second * 1_000_000).unwrap();
        let actor = Actor { address: Some(address.to_owned()), ..Actor::default() };
        AuditEvent::new(at, &actor, Action::Refused).into_denied(code)
    }

    fn refused_for(account: &str, second: i64, address: usize) -> AuditEvent {
        refusal(second, &address.to_string(), "x").with_account(&account.parse().unwrap())
    }

    #[test]
    fn repeated_refusal_is_logged_once_a_minute() {
        let limiter = AuditRateLimiter::default();
        let admits =
            |second, address, code| !limiter.admit(refusal(second, address, code)).is_empty();
        assert!(admits(0, "a", "x"));
        assert!(!admits(59, "a", "x"));
        assert!(admits(59, "b", "x") && admits(59, "a", "y"));
        assert!(admits(60, "a", "x"));
    }

    #[test]
    fn earlier_time_gives_no_fresh_allowance() {
        let limiter = AuditRateLimiter::default();
        let admits = |second| !limiter.admit(refusal(second, "a", "x")).is_empty();
        assert!(admits(6000));
        // A late refusal does not start its minute again.
        assert!(!admits(5999) && !admits(6001));
        // The clock was set back. A minute later, refusals are logged again.
        assert!(!admits(600) && !admits(601) && admits(660) && !admits(661));
    }

    #[test]
    fn omitted_refusals_are_counted_per_account() {
        let limiter = AuditRateLimiter::default();
        let count = |account, second| -> usize {
            (0..100).map(|address| limiter.admit(refused_for(account, second, address)).len()).sum()
        };
        assert_eq!(count("acc_1", 0), REFUSALS_MAX);
        assert_eq!(count("acc_2", 0), REFUSALS_MAX, "each account has its own limit");
        limiter.count_omitted(Some("acc_2".parse().unwrap()), Timestamp::from_micros(7).unwrap());
        let mut later = limiter.admit(refused_for("acc_1", 60, 1));
        let refusal = later.pop().unwrap();
        assert_eq!(refusal, refused_for("acc_1", 60, 1));
        later.sort_by_key(|event| event.account.as_ref().map(ToString::to_string));
        let entries: Vec<_> =
            later.iter().map(|event| (event.action.as_str(), event.detail_json())).collect();
        let action = "request.omitted";
        assert_eq!(
            entries,
            [(action, r#"{"count":40}"#.to_owned()), (action, r#"{"count":41}"#.to_owned())]
        );
        assert_eq!(limiter.admit(refused_for("acc_1", 120, 1)).len(), 1, "each is counted once");
    }

    #[test]
    fn take_left_out_returns_count_once() {
        let limiter = AuditRateLimiter::default();
        for address in 0..100 {
            limiter.admit(refused_for("acc_1", 0, address));
        }
        let account: AccountId = "acc_1".parse().unwrap();
        assert_eq!(limiter.take_omitted(None), None);
        assert_eq!(limiter.take_omitted(Some(&account)).unwrap().detail_json(), r#"{"count":40}"#);
        assert_eq!(limiter.take_omitted(Some(&account)), None);
        assert_eq!(limiter.admit(refused_for("acc_1", 60, 0)).len(), 1);
    }

    #[test]
    fn queue_is_bounded_and_releases_slots() {
        let limiter = Arc::new(AuditRateLimiter::default());
        let mut slots: Vec<_> =
            std::iter::from_fn(|| AuditRateLimiter::acquire_slot(&limiter)).collect();
        assert_eq!(slots.len(), QUEUE_MAX);
        slots.pop();
        assert!(AuditRateLimiter::acquire_slot(&limiter).is_some());
    }
}
