//! The rate limit: a window for each key, and one for each address that comes without (§8).
//!
//! Kept in memory, where each process counts for itself, or in what all instances share. What is
//! let in is counted before its work is done; what is refused is not.

use crate::clock::Moment;
use crate::plan_limits::PlanLimits;
use crate::shared_limits::meter::{Kind, Name};
use crate::shared_limits::{self, SharedLimits};
use crate::store::Hash as SecretHash;
use crate::window::{self, Limits, Refusal, Window};
use contract::{AccountId, Environment, Plan, RateLimit, Timestamp};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most windows of keys, and most of addresses, that are kept at once.
pub(crate) const WINDOWS_MAX: usize = 100_000;
/// What an address may ask without a known key, or the figures of Free where an operator has set
/// larger ones: enough that a client with a wrong key sees 401 and not 429, and too little to guess
/// keys.
const STRANGER: Limits = Limits { window: 300, burst: 10 };
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

impl Payer {
    fn name(&self) -> Name {
        match self {
            Self::Key(hash) => Name::of(Kind::Payer, &[b"key", hash]),
            Self::Dashboard(account, environment) => {
                let environment = environment.as_str().as_bytes();
                Name::of(Kind::Payer, &[b"dashboard", account.as_str().as_bytes(), environment])
            }
        }
    }
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

    /// Lets a request of a known key in by its plan, or refuses it. Figures are by the clock that
    /// people see.
    pub(crate) async fn admit(
        &self,
        shared: Option<&SharedLimits>,
        payer: &Payer,
        plan: Plan,
        moment: Moment,
    ) -> Result<RateLimit, Refusal> {
        let here = |limits| self.admit_here(payer, limits, moment);
        shared_limits::admit(shared, || payer.name(), self.limits.of(plan), moment.steady, here)
            .await
    }

    /// As [`RateLimiter::admit`], at once, where nothing is shared.
    pub(crate) fn admit_at_once(
        &self,
        payer: &Payer,
        plan: Plan,
        moment: Moment,
    ) -> Result<RateLimit, Refusal> {
        self.admit_here(payer, self.limits.of(plan), moment)
    }

    /// Lets a request without a known key in by the figures of [`STRANGER`], or refuses it.
    /// Requests of an unknown address are counted together.
    pub(crate) async fn admit_stranger(
        &self,
        shared: Option<&SharedLimits>,
        address: Option<IpAddr>,
        moment: Moment,
    ) -> Result<RateLimit, Refusal> {
        let here = |limits| {
            let now = moment.steady;
            let admitted = lock(&self.addresses).of(address.map(network), now).admit(limits, now);
            window::told(admitted, moment)
        };
        let limits = self.stranger_limits();
        shared_limits::admit(shared, || stranger(address), limits, moment.steady, here).await
    }

    /// Returns where an address stands, counting nothing.
    pub(crate) async fn stranger_stand(
        &self,
        shared: Option<&SharedLimits>,
        address: Option<IpAddr>,
        moment: Moment,
    ) -> RateLimit {
        let here = |limits| {
            let now = moment.steady;
            let stand = lock(&self.addresses).of(address.map(network), now).stand(limits, now);
            window::by_the_wall(stand, moment.ahead_us())
        };
        let limits = self.stranger_limits();
        shared_limits::stand(shared, || stranger(address), limits, here).await
    }

    fn stranger_limits(&self) -> Limits {
        let free = self.limits.of(Plan::Free);
        Limits { window: STRANGER.window.max(free.window), burst: STRANGER.burst.max(free.burst) }
    }

    fn admit_here(
        &self,
        payer: &Payer,
        limits: Limits,
        moment: Moment,
    ) -> Result<RateLimit, Refusal> {
        let now = moment.steady;
        let admitted = lock(&self.payers).of(Some(payer.clone()), now).admit(limits, now);
        window::told(admitted, moment)
    }
}

fn stranger(address: Option<IpAddr>) -> Name {
    address.map_or_else(
        || Name::shared(Kind::Stranger),
        |address| named(Kind::Stranger, None, address),
    )
}

/// Returns the name of what comes from an address, to a form where it is one's.
pub(crate) fn named(kind: Kind, form: Option<&str>, address: IpAddr) -> Name {
    let address = network(address).to_string();
    Name::of(kind, &[form.unwrap_or_default().as_bytes(), address.as_bytes()])
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

    fn at_s(seconds: i64) -> Timestamp {
        Timestamp::from_micros((1_800_000_000 + seconds) * 1_000_000).unwrap()
    }

    fn key(name: u8) -> Payer {
        Payer::Key([name; 32])
    }

    fn moment(seconds: i64) -> Moment {
        Moment { now: at_s(seconds), steady: at_s(seconds) }
    }

    #[test]
    fn each_key_has_a_window_of_its_own_by_its_plan() {
        let limiter = RateLimiter::new(PlanLimits::default());
        let admit = |payer: &Payer, plan| limiter.admit_at_once(payer, plan, moment(0));
        for _ in 0..2 {
            admit(&key(b'a'), Plan::Free).unwrap();
        }
        assert!(admit(&key(b'a'), Plan::Free).is_err());
        assert_eq!(admit(&key(b'b'), Plan::Pro).unwrap().remaining, 499);
        let account: AccountId = "acc_1".parse().unwrap();
        for environment in Environment::ALL {
            let dashboard = Payer::Dashboard(account.clone(), environment);
            assert_eq!(admit(&dashboard, Plan::Free).unwrap().remaining, 99);
        }
    }

    #[tokio::test]
    async fn strangers_are_told_apart_by_network() {
        let limiter = RateLimiter::new(PlanLimits::default());
        let admit = async |address: &str| {
            let address = Some(address.parse().unwrap());
            limiter.admit_stranger(None, address, moment(0)).await.is_ok()
        };
        for host in 1..=10 {
            assert!(admit(&format!("2001:db8::{host}")).await);
        }
        assert!(!admit("2001:db8::b").await, "one /64 counts together");
        assert!(admit("2001:db8:0:1::1").await);
        for _ in 0..5 {
            assert!(admit("192.0.2.1").await && admit("::ffff:192.0.2.1").await);
        }
        assert!(!admit("192.0.2.1").await);
        assert!(limiter.admit_stranger(None, None, moment(0)).await.is_ok());
        assert_eq!(limiter.stranger_stand(None, None, moment(0)).await.remaining, 299);
        assert_eq!(limiter.stranger_stand(None, None, moment(0)).await.remaining, 299);
    }

    #[test]
    fn what_is_counted_apart_has_names_apart() {
        let account: AccountId = "acc_1".parse().unwrap();
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let names = [
            key(b'a').name(),
            key(b'b').name(),
            Payer::Dashboard(account.clone(), Environment::Live).name(),
            Payer::Dashboard(account, Environment::Test).name(),
            stranger(None),
            stranger(Some(address)),
            named(Kind::Sender, None, address),
            named(Kind::Sender, Some("frm_1"), address),
            named(Kind::Sender, Some("frm_2"), address),
        ];
        let apart: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(apart.len(), names.len());
        assert_eq!(stranger(Some("::ffff:192.0.2.1".parse().unwrap())), stranger(Some(address)));
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
