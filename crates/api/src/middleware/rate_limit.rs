//! Rate limits (specification, section 8). There is a window for each API key, for the dashboard of
//! each account, for each client address without a known key, and for each signed-in user's
//! requests below `/account`.
//!
//! Windows are in the memory of this process, or shared by all instances; those of users are always
//! in memory. Admitted requests count before their work is done; rejected requests do not count.

use crate::plan_limits::PlanLimits;
use contract::network::client_network;
use contract::{AccountId, Environment, Plan, RateLimit, Timestamp};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Mutex;
use store::Hash as SecretHash;
use store::clock::Moment;
use store::shared_limits::meter::{CounterName, LimitKind};
use store::shared_limits::{self, SharedLimits};
use store::window::lock;
use store::window::{self, Refusal, Window, WindowLimits};

/// Maximum number of windows in each table.
pub(crate) const WINDOWS_MAX: usize = 100_000;
/// Limits of an address without a known key, unless the operator has set larger ones for the Free
/// plan. They exceed the specified limits of the Free plan, so that a client with a mistyped key
/// gets 401 rather than 429. They are still far too low to guess a key.
const ANONYMOUS_LIMITS: WindowLimits = WindowLimits { window: 300, burst: 10 };
/// Limits of a user's requests below `/account`: 600 a minute on average. A page of the dashboard
/// sends about ten at once.
const USER_LIMITS: WindowLimits = WindowLimits { window: 9000, burst: 100 };
/// Interval between removals of idle windows, in seconds.
const SWEEP_EVERY_S: i64 = 60;

/// Identity that a request is counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RateLimitKey {
    /// An API key, revoked or not, by the hash of its secret.
    Key(SecretHash),
    /// The dashboard of an account, in one environment.
    Dashboard(AccountId, Environment),
}

impl RateLimitKey {
    /// Returns the name of the window in the shared store.
    fn shared_name(&self) -> CounterName {
        match self {
            Self::Key(hash) => CounterName::of(LimitKind::Caller, &[b"key", hash]),
            Self::Dashboard(account, environment) => {
                let environment = environment.as_str().as_bytes();
                CounterName::of(
                    LimitKind::Caller,
                    &[b"dashboard", account.as_str().as_bytes(), environment],
                )
            }
        }
    }
}

/// Rate limiter of one process.
pub(crate) struct RateLimiter {
    limits: PlanLimits,
    keys: Mutex<WindowTable<RateLimitKey>>,
    addresses: Mutex<WindowTable<IpAddr>>,
    users: Mutex<WindowTable<(AccountId, String)>>,
}

impl RateLimiter {
    /// Creates a limiter without counts.
    pub(crate) fn new(limits: PlanLimits) -> Self {
        Self {
            limits,
            keys: Mutex::new(WindowTable::new(WINDOWS_MAX)),
            addresses: Mutex::new(WindowTable::new(WINDOWS_MAX)),
            users: Mutex::new(WindowTable::new(WINDOWS_MAX)),
        }
    }

    /// Admits or rejects a signed-in user's request below `/account`, by [`USER_LIMITS`]. `person`
    /// identifies the user within the account. Counts in this process only.
    pub(crate) fn admit_user(
        &self,
        account: &AccountId,
        person: &str,
        moment: Moment,
    ) -> Result<RateLimit, Refusal> {
        let key = (account.clone(), person.to_owned());
        let result = lock(&self.users)
            .window_or_shared(Some(key), moment.steady)
            .admit(USER_LIMITS, moment.steady);
        window::result_to_wall_clock(result, moment)
    }

    /// Admits or rejects a request of a known key or a dashboard, by the plan of its account. The
    /// returned times are wall-clock times.
    pub(crate) async fn admit(
        &self,
        shared: Option<&SharedLimits>,
        key: &RateLimitKey,
        plan: Plan,
        moment: Moment,
    ) -> Result<RateLimit, Refusal> {
        let admit_locally = |limits| {
            let now = moment.steady;
            let result =
                lock(&self.keys).window_or_shared(Some(key.clone()), now).admit(limits, now);
            window::result_to_wall_clock(result, moment)
        };
        shared_limits::admit(
            shared,
            || key.shared_name(),
            self.limits.limits_of(plan),
            moment.steady,
            admit_locally,
        )
        .await
    }

    /// Admits or rejects a request without a known key, by the limits of [`ANONYMOUS_LIMITS`].
    /// Requests without a known address share a window.
    pub(crate) async fn admit_anonymous(
        &self,
        shared: Option<&SharedLimits>,
        address: Option<IpAddr>,
        moment: Moment,
    ) -> Result<RateLimit, Refusal> {
        let admit_locally = |limits| {
            let now = moment.steady;
            let result = lock(&self.addresses)
                .window_or_shared(address.map(client_network), now)
                .admit(limits, now);
            window::result_to_wall_clock(result, moment)
        };
        let limits = self.anonymous_limits();
        shared_limits::admit(
            shared,
            || anonymous_window_name(address),
            limits,
            moment.steady,
            admit_locally,
        )
        .await
    }

    /// Returns the state of an address's window without counting a request.
    pub(crate) async fn anonymous_rate_limit(
        &self,
        shared: Option<&SharedLimits>,
        address: Option<IpAddr>,
        moment: Moment,
    ) -> RateLimit {
        let read_locally = |limits| {
            let now = moment.steady;
            let state = lock(&self.addresses)
                .window_or_shared(address.map(client_network), now)
                .rate_limit(limits, now);
            window::rate_limit_to_wall_clock(state, moment.ahead_us())
        };
        let limits = self.anonymous_limits();
        shared_limits::rate_limit_state(
            shared,
            || anonymous_window_name(address),
            limits,
            read_locally,
        )
        .await
    }

    /// Returns the larger of [`ANONYMOUS_LIMITS`] and the limits of the Free plan.
    fn anonymous_limits(&self) -> WindowLimits {
        let free = self.limits.limits_of(Plan::Free);
        WindowLimits {
            window: ANONYMOUS_LIMITS.window.max(free.window),
            burst: ANONYMOUS_LIMITS.burst.max(free.burst),
        }
    }
}

fn anonymous_window_name(address: Option<IpAddr>) -> CounterName {
    address.map_or_else(
        || CounterName::shared(LimitKind::Anonymous),
        |address| {
            CounterName::of(
                LimitKind::Anonymous,
                &[b"", client_network(address).to_string().as_bytes()],
            )
        },
    )
}

/// Returns the name of the window for submissions from a network to a form, in the shared store.
pub(crate) fn sender_window_name(form: &str, address: IpAddr) -> CounterName {
    let address = client_network(address).to_string();
    CounterName::of_sender(form.as_bytes(), &[form.as_bytes(), address.as_bytes()])
}

/// Returns the network by which an address is counted when many windows are in use. For IPv6 it is
/// the /48, since providers assign up to a /48 to one site.
fn site_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).into()
        }
    }
}

/// Counter over a sliding time span.
pub(crate) trait SlidingCounter: Default {
    /// Returns whether the count is zero, so that the counter can be dropped.
    fn is_idle(&mut self, now: Timestamp) -> bool;
}

impl SlidingCounter for Window {
    fn is_idle(&mut self, now: Timestamp) -> bool {
        Self::is_idle(self, now)
    }
}

/// Windows by key, at most `windows_max` of them.
pub(crate) struct WindowTable<K, W = Window> {
    windows_max: usize,
    by_key: HashMap<K, W>,
    /// Window of clients without an address, and of those that do not fit into the table. A shared
    /// window may be too strict, but it never forgets a count.
    shared: W,
    /// Time of the last removal of idle windows, in seconds.
    cleaned_s: i64,
}

impl<K: Hash + Eq, W: SlidingCounter> WindowTable<K, W> {
    /// Creates an empty table.
    pub(crate) fn new(windows_max: usize) -> Self {
        Self { windows_max, by_key: HashMap::new(), shared: W::default(), cleaned_s: 0 }
    }

    /// Returns the window of a key, or the shared one if there is no key or the table is full.
    pub(crate) fn window_or_shared(&mut self, key: Option<K>, now: Timestamp) -> &mut W {
        match key {
            Some(key) if self.has_room_for(&key, now) => self.by_key.entry(key).or_default(),
            _ => &mut self.shared,
        }
    }

    /// Returns the window of an address, or `None` if the table is full. `key` converts a network
    /// to a key of this table.
    ///
    /// Once half of the table is in use, a new IPv6 client is counted with its whole /48. Otherwise
    /// a few sites could fill the table, because a /48 contains 65,536 networks of the size /64.
    pub(crate) fn network_window(
        &mut self,
        address: IpAddr,
        key: impl Fn(IpAddr) -> K,
        now: Timestamp,
    ) -> Option<&mut W> {
        let network_key = key(client_network(address));
        let is_by_site = self.is_half_full(now) && !self.by_key.contains_key(&network_key);
        let key = if is_by_site { key(site_network(address)) } else { network_key };
        self.has_room_for(&key, now).then(|| self.by_key.entry(key).or_default())
    }

    fn has_room_for(&mut self, key: &K, now: Timestamp) -> bool {
        self.remove_idle(now);
        self.by_key.len() < self.windows_max || self.by_key.contains_key(key)
    }

    /// Returns whether at least half of the table is in use, after removing idle windows.
    fn is_half_full(&mut self, now: Timestamp) -> bool {
        self.remove_idle(now);
        self.by_key.len() >= self.windows_max.div_ceil(2)
    }

    /// Removes idle windows: every minute, or every second if at least half of the table is in use.
    fn remove_idle(&mut self, now: Timestamp) {
        let is_half_full = self.by_key.len() >= self.windows_max.div_ceil(2);
        let every_s = if is_half_full { 1 } else { SWEEP_EVERY_S };
        if (now.seconds() - self.cleaned_s).abs() >= every_s {
            self.by_key.retain(|_, window| !window.is_idle(now));
            self.cleaned_s = now.seconds();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_s(seconds: i64) -> Timestamp {
        Timestamp::from_micros((1_800_000_000 + seconds) * 1_000_000).unwrap()
    }

    fn key(name: u8) -> RateLimitKey {
        RateLimitKey::Key([name; 32])
    }

    fn moment(seconds: i64) -> Moment {
        Moment { now: at_s(seconds), steady: at_s(seconds) }
    }

    #[tokio::test]
    async fn each_key_has_its_own_window() {
        let limiter = RateLimiter::new(PlanLimits::default());
        let admit = async |by: &RateLimitKey, plan| limiter.admit(None, by, plan, moment(0)).await;
        for _ in 0..2 {
            admit(&key(b'a'), Plan::Free).await.unwrap();
        }
        assert!(admit(&key(b'a'), Plan::Free).await.is_err());
        assert_eq!(admit(&key(b'b'), Plan::Pro).await.unwrap().remaining, 499);
        let account: AccountId = "acc_1".parse().unwrap();
        for environment in Environment::ALL {
            let dashboard = RateLimitKey::Dashboard(account.clone(), environment);
            assert_eq!(admit(&dashboard, Plan::Free).await.unwrap().remaining, 99);
        }
    }

    #[tokio::test]
    async fn requests_without_key_count_by_network() {
        let limiter = RateLimiter::new(PlanLimits::default());
        let admit = async |address: &str| {
            let address = Some(address.parse().unwrap());
            limiter.admit_anonymous(None, address, moment(0)).await.is_ok()
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
        assert!(limiter.admit_anonymous(None, None, moment(0)).await.is_ok());
        assert_eq!(limiter.anonymous_rate_limit(None, None, moment(0)).await.remaining, 299);
        assert_eq!(limiter.anonymous_rate_limit(None, None, moment(0)).await.remaining, 299);
    }

    #[test]
    fn shared_window_names_are_unique() {
        let account: AccountId = "acc_1".parse().unwrap();
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let names = [
            key(b'a').shared_name(),
            key(b'b').shared_name(),
            RateLimitKey::Dashboard(account.clone(), Environment::Live).shared_name(),
            RateLimitKey::Dashboard(account, Environment::Test).shared_name(),
            anonymous_window_name(None),
            anonymous_window_name(Some(address)),
            sender_window_name("frm_1", address),
            sender_window_name("frm_2", address),
        ];
        let unique: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        assert_eq!(
            anonymous_window_name(Some("::ffff:192.0.2.1".parse().unwrap())),
            anonymous_window_name(Some(address))
        );
    }

    #[test]
    fn windows_are_limited_and_dropped_when_idle() {
        let mut windows: WindowTable<_> = WindowTable::new(3);
        let limits = WindowLimits { window: 1, burst: 1 };
        for name in 0..5 {
            let result = windows.window_or_shared(Some(name), at_s(0)).admit(limits, at_s(0));
            assert_eq!(result.is_ok(), name <= 3, "the fifth shares a window with the fourth");
        }
        assert_eq!(windows.by_key.len(), 3);
        assert!(windows.window_or_shared(Some(0), at_s(1)).admit(limits, at_s(1)).is_err());
        windows.window_or_shared(Some(9), at_s(901 + 60)).admit(limits, at_s(901 + 60)).unwrap();
        assert_eq!(windows.by_key.len(), 1);
    }

    #[test]
    fn full_table_drops_idle_windows_first() {
        let mut windows: WindowTable<_> = WindowTable::new(3);
        let limits = WindowLimits { window: 1, burst: 1 };
        let mut admit = |name, second| {
            windows.window_or_shared(Some(name), at_s(second)).admit(limits, at_s(second)).is_ok()
        };
        assert!((0..3).all(|name| admit(name, name * 2)));
        assert!(admit(3, 900), "counted by the shared window");
        assert!(!admit(4, 900), "the shared window is used up");
        assert!(admit(5, 901), "the first window is idle now");
        assert!(!admit(5, 902) && !admit(1, 902), "the other windows are unchanged");
    }

    #[test]
    fn half_full_table_counts_ipv6_by_48() {
        let mut windows: WindowTable<_> = WindowTable::new(4);
        let limits = WindowLimits { window: 1, burst: 1 };
        let mut admit = |address: &str| {
            let window = windows.network_window(address.parse().unwrap(), |key| key, at_s(0));
            window.map(|window| window.admit(limits, at_s(0)).is_ok())
        };
        assert_eq!(admit("2001:db8:0:1::1"), Some(true));
        assert_eq!(admit("2001:db8:0:2::1"), Some(true), "half of the table is in use now");
        assert_eq!(admit("2001:db8:0:1::2"), Some(false), "an existing window is still used");
        assert_eq!(admit("2001:db8:9:1::1"), Some(true));
        assert_eq!(admit("2001:db8:9:2::1"), Some(false), "the same /48");
        assert_eq!(admit("192.0.2.1"), Some(true));
        assert_eq!(admit("192.0.2.2"), None, "the table is full");
        assert_eq!(admit("2001:db8:9:3::1"), Some(false));
    }
}
