//! The rate limit: a window for each key, and one for each address that comes without (§8).
//!
//! Kept in memory, so each process counts for itself. What is let in is counted before its work is
//! done; what is refused is not.

use crate::plan_limits::PlanLimits;
use crate::store::Hash as SecretHash;
use crate::window::{Refusal, Window};
use contract::{AccountId, Environment, Plan, RateLimit, Timestamp};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most windows of keys, and most of addresses, that are kept at once.
pub(crate) const WINDOWS_MAX: usize = 100_000;
/// How often windows that count nothing any more are dropped, in seconds.
const SWEEP_EVERY_S: i64 = 60;

/// Whose requests are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Payer {
    /// A key of an account, revoked or not, by the hash of its secret.
    Key(SecretHash),
    /// The dashboard of an account, in one environment.
    Dashboard(AccountId, Environment),
}

/// The windows of all.
pub(crate) struct RateLimiter {
    limits: PlanLimits,
    payers: Mutex<Windows<Payer>>,
    addresses: Mutex<Windows<IpAddr>>,
}

impl RateLimiter {
    /// Returns one that has counted nothing yet.
    pub(crate) fn new(limits: PlanLimits) -> Self {
        Self {
            limits,
            payers: Mutex::new(Windows::new(WINDOWS_MAX)),
            addresses: Mutex::new(Windows::new(WINDOWS_MAX)),
        }
    }

    /// Lets a request of a known key in by its plan, or refuses it.
    pub(crate) fn admit(
        &self,
        payer: Payer,
        plan: Plan,
        now: Timestamp,
    ) -> Result<RateLimit, Refusal> {
        lock(&self.payers).of(Some(payer), now).admit(self.limits.of(plan), now)
    }

    /// Lets a request without a known key in by the Free plan's figures, or refuses it. Requests of
    /// an unknown address are counted together.
    pub(crate) fn admit_stranger(
        &self,
        address: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<RateLimit, Refusal> {
        lock(&self.addresses).of(address.map(network), now).admit(self.limits.of(Plan::Free), now)
    }

    /// Returns where an address stands, counting nothing.
    pub(crate) fn stranger_stand(&self, address: Option<IpAddr>, now: Timestamp) -> RateLimit {
        lock(&self.addresses).of(address.map(network), now).stand(self.limits.of(Plan::Free), now)
    }
}

/// A panic elsewhere leaves a window as it was, which is good enough to go on with.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What stands for an address: IPv6 is given out by /64, so one client has as many as it likes.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
    }
}

/// Windows by what they count for, at most `kept_max`.
pub(crate) struct Windows<K> {
    kept_max: usize,
    by_key: HashMap<K, Window>,
    /// Counts those who are unknown, and those for whom there is no room: rather too strict than
    /// forgetting what someone has spent.
    shared: Window,
    swept_s: i64,
}

impl<K: Hash + Eq> Windows<K> {
    /// Returns no windows yet.
    pub(crate) fn new(kept_max: usize) -> Self {
        Self { kept_max, by_key: HashMap::new(), shared: Window::default(), swept_s: 0 }
    }

    /// Returns the window of a key, or the one that all share who have none of their own.
    pub(crate) fn of(&mut self, key: Option<K>, now: Timestamp) -> &mut Window {
        if (now.seconds() - self.swept_s).abs() >= SWEEP_EVERY_S {
            self.by_key.retain(|_, window| !window.is_idle(now));
            self.swept_s = now.seconds();
        }
        let has_room = self.by_key.len() < self.kept_max;
        match key {
            Some(key) if has_room || self.by_key.contains_key(&key) => {
                self.by_key.entry(key).or_default()
            }
            _ => &mut self.shared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Limits;

    fn at_s(seconds: i64) -> Timestamp {
        Timestamp::from_micros((1_800_000_000 + seconds) * 1_000_000).unwrap()
    }

    fn key(name: u8) -> Payer {
        Payer::Key([name; 32])
    }

    #[test]
    fn each_key_has_a_window_of_its_own_by_its_plan() {
        let limiter = RateLimiter::new(PlanLimits::default());
        for _ in 0..2 {
            limiter.admit(key(b'a'), Plan::Free, at_s(0)).unwrap();
        }
        assert!(limiter.admit(key(b'a'), Plan::Free, at_s(0)).is_err());
        assert_eq!(limiter.admit(key(b'b'), Plan::Pro, at_s(0)).unwrap().remaining, 499);
        let account: AccountId = "acc_1".parse().unwrap();
        for environment in Environment::ALL {
            let dashboard = Payer::Dashboard(account.clone(), environment);
            assert_eq!(limiter.admit(dashboard, Plan::Free, at_s(0)).unwrap().remaining, 99);
        }
    }

    #[test]
    fn strangers_are_told_apart_by_network() {
        let limiter = RateLimiter::new(PlanLimits::default());
        let admit =
            |address: &str| limiter.admit_stranger(Some(address.parse().unwrap()), at_s(0)).is_ok();
        assert!(admit("2001:db8::1") && admit("2001:db8::2"));
        assert!(!admit("2001:db8::3"), "one /64 counts together, as the Free plan does");
        assert!(admit("2001:db8:0:1::1"));
        assert!(admit("192.0.2.1") && admit("::ffff:192.0.2.1") && !admit("192.0.2.1"));
        assert!(limiter.admit_stranger(None, at_s(0)).is_ok());
        assert_eq!(limiter.stranger_stand(None, at_s(0)).remaining, 99);
        assert_eq!(limiter.stranger_stand(None, at_s(0)).remaining, 99);
    }

    #[test]
    fn windows_are_bounded_and_dropped_when_idle() {
        let mut windows = Windows::new(3);
        let limits = Limits { window: 1, burst: 1 };
        for name in 0..5 {
            let admitted = windows.of(Some(name), at_s(0)).admit(limits, at_s(0));
            assert_eq!(admitted.is_ok(), name <= 3, "the fifth shares with the fourth");
        }
        assert_eq!(windows.by_key.len(), 3);
        assert!(windows.of(Some(0), at_s(1)).admit(limits, at_s(1)).is_err());
        windows.of(Some(9), at_s(901 + 60)).admit(limits, at_s(901 + 60)).unwrap();
        assert_eq!(windows.by_key.len(), 1);
    }
}
