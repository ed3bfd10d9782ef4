//! Limits of login attempts: delays that grow with each failed attempt for an account, and a number
//! of attempts per minute for an address. No block is permanent. Pure: the time is an argument.
//!
//! Several gateways count together through [`SharedLoginAttempts`]. While that is unavailable, each
//! gateway counts alone and allows its share of the attempts.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use contract::network::client_network;
use contract::{LoginAttemptLimits, PersonId};
use sha2::{Digest, Sha256};

/// Attempts for an account without a delay.
const FREE_ATTEMPTS: u32 = 5;
/// Maximum delay between two attempts for an account.
const WAIT_MAX: Duration = Duration::from_mins(15);
/// Time after the last attempt until an account's count is reset.
const FORGET_AFTER: Duration = Duration::from_mins(30);
/// Attempts from one address per [`MINUTE`].
const ATTEMPTS_PER_ADDRESS: u32 = 20;
const MINUTE: Duration = Duration::from_mins(1);
/// Maximum number of counted accounts, and of counted addresses.
const ENTRIES_MAX: usize = 10_000;

/// The limits, for the counter that several gateways share.
const LIMITS: LoginAttemptLimits = LoginAttemptLimits {
    address_attempts: ATTEMPTS_PER_ADDRESS,
    address_window: MINUTE,
    free_attempts: FREE_ATTEMPTS,
    wait_max: WAIT_MAX,
    forget_after: FORGET_AFTER,
};

/// Returns one gateway's share of the limits.
fn gateway_share(rules: LoginAttemptLimits, gateways: u32) -> LoginAttemptLimits {
    let share = |attempts: u32| (attempts / gateways.max(1)).max(1);
    let address_tries = share(rules.address_attempts);
    let free_tries = share(rules.free_attempts);
    LoginAttemptLimits { address_attempts: address_tries, free_attempts: free_tries, ..rules }
}

/// A login attempt counter shared by several gateways.
#[async_trait]
pub trait SharedLoginAttempts: Send + Sync + 'static {
    /// Counts an attempt and returns the time to wait, as a `LocalThrottle` does; zero allows the
    /// attempt. `None` if the counter is unavailable. `network` is a network address, and `email`
    /// is in lower case.
    async fn admit(
        &self,
        rules: &LoginAttemptLimits,
        email: Option<&str>,
        network: IpAddr,
    ) -> Option<Duration>;

    /// Resets the failed attempts for an account.
    async fn record_success(&self, email: &str);

    /// Returns the number of running gateways, as far as it is known.
    fn gateway_count(&self) -> u32;
}

/// Counts login attempts with the shared counter, or locally while that is missing.
pub(crate) struct LoginThrottle {
    shared: Option<Arc<dyn SharedLoginAttempts>>,
    local: Mutex<LocalThrottle>,
}

impl LoginThrottle {
    pub(crate) fn new(shared: Option<Arc<dyn SharedLoginAttempts>>) -> Self {
        Self { shared, local: Mutex::default() }
    }

    /// See [`LocalThrottle::admit`].
    pub(crate) async fn admit(
        &self,
        email: Option<&str>,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), u64> {
        let mut rules = LIMITS;
        if let Some(shared) = &self.shared {
            match shared.admit(&LIMITS, email, client_network(address)).await {
                Some(Duration::ZERO) => return Ok(()),
                Some(wait) => return Err(ceil_seconds(wait)),
                None => rules = gateway_share(LIMITS, shared.gateway_count()),
            }
        }
        self.local().admit(&rules, email, address, now)
    }

    /// See [`LocalThrottle::record_success`].
    pub(crate) async fn record_success(&self, email: &str) {
        if let Some(shared) = &self.shared {
            shared.record_success(email).await;
        }
        // The local count may have grown while the shared counter was unavailable.
        self.local().record_success(email);
    }

    /// Returns the counts of this gateway. Those of signed-in members are not shared.
    pub(crate) fn local(&self) -> MutexGuard<'_, LocalThrottle> {
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The local counts. Keys are hashes of mail addresses, so that long addresses take no extra
/// memory.
#[derive(Default)]
pub(crate) struct LocalThrottle {
    accounts: HashMap<[u8; 32], AttemptCount>,
    addresses: HashMap<IpAddr, AttemptCount>,
    /// Attempts of signed-in members to confirm their password.
    people: HashMap<[u8; 32], AttemptCount>,
    /// Requests of signed-in members that check a mail address, their own new one or a reader's.
    emails: HashMap<[u8; 32], AttemptCount>,
}

#[derive(Clone, Copy)]
struct AttemptCount {
    count: u32,
    /// For an account: time of the last attempt. For an address: time of the first attempt of its
    /// minute.
    at: Duration,
}

impl LocalThrottle {
    /// Counts a login attempt, or returns the seconds to wait. The attempt is counted before its
    /// password is checked, so that concurrent attempts do not share one free attempt. A rejected
    /// attempt does not extend the delay.
    ///
    /// `email` is `None` for a sign-in link, because its 256 random bits cannot be guessed.
    fn admit(
        &mut self,
        rules: &LoginAttemptLimits,
        email: Option<&str>,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), u64> {
        self.admit_address(rules, address, now)?;
        email.map_or(Ok(()), |email| admit_name(&mut self.accounts, rules, email, now))
    }

    /// Resets the failed attempts for an account after a successful sign-in.
    fn record_success(&mut self, email: &str) {
        self.accounts.remove(&hash_name(email));
    }

    /// Counts an attempt of a signed-in member to confirm their password, or returns the seconds to
    /// wait. Only requests with a session of that member are counted here.
    pub(crate) fn admit_member(&mut self, person: &PersonId, now: Duration) -> Result<(), u64> {
        admit_name(&mut self.people, &LIMITS, person.as_str(), now)
    }

    /// Resets the failed attempts of a signed-in member.
    pub(crate) fn record_member_success(&mut self, person: &PersonId) {
        self.people.remove(&hash_name(person.as_str()));
    }

    /// Counts a request that checks a mail address, or returns the seconds to wait. The response
    /// reveals whether a member has that address.
    pub(crate) fn admit_email(&mut self, person: &PersonId, now: Duration) -> Result<(), u64> {
        admit_name(&mut self.emails, &LIMITS, person.as_str(), now)
    }

    /// Reverts the count of one such request.
    pub(crate) fn uncount_email(&mut self, person: &PersonId) {
        if let Some(attempts) = self.emails.get_mut(&hash_name(person.as_str())) {
            attempts.count = attempts.count.saturating_sub(1);
        }
    }

    fn admit_address(
        &mut self,
        rules: &LoginAttemptLimits,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), u64> {
        let is_expired = |attempts: &AttemptCount| now.saturating_sub(attempts.at) >= MINUTE;
        let attempts = fresh_entry(&mut self.addresses, client_network(address), now, is_expired);
        if attempts.count >= rules.address_attempts {
            return Err(ceil_seconds((attempts.at + MINUTE).saturating_sub(now)));
        }
        attempts.count += 1;
        Ok(())
    }
}

/// Counts an attempt under a name, or returns the seconds to wait.
fn admit_name(
    entries: &mut HashMap<[u8; 32], AttemptCount>,
    rules: &LoginAttemptLimits,
    name: &str,
    now: Duration,
) -> Result<(), u64> {
    let is_expired = |attempts: &AttemptCount| now.saturating_sub(attempts.at) >= FORGET_AFTER;
    let attempts = fresh_entry(entries, hash_name(name), now, is_expired);
    let wait = (attempts.at + delay_after(rules, attempts.count)).saturating_sub(now);
    if !wait.is_zero() {
        return Err(ceil_seconds(wait));
    }
    *attempts = AttemptCount { count: attempts.count.saturating_add(1), at: now };
    Ok(())
}

/// Returns the count for a key. Starts a new count if the key is unknown or its count has expired.
fn fresh_entry<K: Eq + Hash + Copy>(
    entries: &mut HashMap<K, AttemptCount>,
    key: K,
    now: Duration,
    is_expired: impl Fn(&AttemptCount) -> bool,
) -> &mut AttemptCount {
    if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
        // The table is full: expired entries are removed first.
        entries.retain(|_, attempts| !is_expired(attempts));
    }
    if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
        // The entry with the fewest attempts is evicted, so that a flood of names cannot evict the
        // count of an attacked account.
        let least =
            entries.iter().min_by_key(|(_, attempts)| (attempts.count, attempts.at)).map(|e| *e.0);
        least.and_then(|key| entries.remove(&key));
    }
    let attempts = entries.entry(key).or_insert(AttemptCount { count: 0, at: now });
    if is_expired(attempts) {
        *attempts = AttemptCount { count: 0, at: now };
    }
    attempts
}

/// Returns the delay after `failed` attempts: zero at first, then 2 s, 4 s, 8 s … up to
/// [`WAIT_MAX`].
fn delay_after(rules: &LoginAttemptLimits, failed: u32) -> Duration {
    match failed.checked_sub(rules.free_attempts) {
        None => Duration::ZERO,
        Some(excess) => {
            Duration::from_secs(2_u64.saturating_pow(excess.saturating_add(1))).min(rules.wait_max)
        }
    }
}

fn ceil_seconds(wait: Duration) -> u64 {
    // Rounded up, so that a client that waits as told is not rejected again.
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

fn hash_name(name: &str) -> [u8; 32] {
    Sha256::digest(name.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Returns a different address for each `n`.
    fn address_of(n: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(n))
    }

    #[test]
    fn each_failure_doubles_the_wait() {
        let mut throttle = LocalThrottle::default();
        for n in 0..5 {
            assert_eq!(throttle.admit(&LIMITS, Some("a@b.c"), address_of(n), at(0)), Ok(()));
        }
        assert_eq!(throttle.admit(&LIMITS, Some("a@b.c"), address_of(6), at(0)), Err(2));
        assert_eq!(throttle.admit(&LIMITS, Some("a@b.c"), address_of(7), at(1)), Err(1));
        assert_eq!(throttle.admit(&LIMITS, Some("a@b.c"), address_of(8), at(2)), Ok(()));
        assert_eq!(throttle.admit(&LIMITS, Some("a@b.c"), address_of(9), at(2)), Err(4));
        assert_eq!(throttle.admit(&LIMITS, Some("other@b.c"), address_of(10), at(2)), Ok(()));
        assert_eq!(
            throttle.admit(&LIMITS, None, address_of(11), at(2)),
            Ok(()),
            "a link always works"
        );
    }

    #[test]
    fn distributed_guesses_at_account_are_limited() {
        let mut throttle = LocalThrottle::default();
        let guess = |n: u32| {
            throttle.admit(&LIMITS, Some("a@b.c"), address_of(n % 100), at(u64::from(n) * 9 / 25))
        };
        let passed = (0..10_000).flat_map(guess).count();
        assert!(passed <= 20, "{passed} guesses passed");
    }

    #[test]
    fn wait_is_capped_and_expires() {
        let mut throttle = LocalThrottle::default();
        let mut now = 0;
        let mut passed = 0;
        for n in 0..100 {
            match throttle.admit(&LIMITS, Some("a@b.c"), address_of(n), at(now)) {
                Ok(()) => passed += 1,
                Err(wait) => {
                    assert!(wait <= 900, "{wait}");
                    now += wait;
                }
            }
        }
        assert!(passed > 40);
        now += 1800;
        for n in 200..205 {
            assert_eq!(
                throttle.admit(&LIMITS, Some("a@b.c"), address_of(n), at(now)),
                Ok(()),
                "the count did not expire"
            );
        }
    }

    #[test]
    fn success_clears_the_count() {
        let mut throttle = LocalThrottle::default();
        for n in 0..50 {
            assert_eq!(throttle.admit(&LIMITS, Some("a@b.c"), address_of(n), at(0)), Ok(()));
            throttle.record_success("a@b.c");
        }
    }

    #[test]
    fn attempts_per_address_are_limited() {
        let mut throttle = LocalThrottle::default();
        let address = |low: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, low));
        for n in 0..20 {
            assert_eq!(throttle.admit(&LIMITS, None, address(n), at(10)), Ok(()));
        }
        assert_eq!(throttle.admit(&LIMITS, Some("a@b.c"), address(99), at(30)), Err(40));
        assert_eq!(throttle.admit(&LIMITS, None, address_of(1), at(30)), Ok(()));
        assert_eq!(throttle.admit(&LIMITS, None, address(99), at(70)), Ok(()));
    }

    #[test]
    fn full_table_keeps_attacked_account() {
        let mut throttle = LocalThrottle::default();
        for n in 0..6 {
            let _ = throttle.admit(&LIMITS, Some("victim@b.c"), address_of(n), at(0));
        }
        for n in 0..10_100 {
            let _ = throttle.admit(&LIMITS, Some(&format!("{n}@b.c")), address_of(n), at(1));
        }
        assert!(throttle.accounts.len() <= ENTRIES_MAX);
        assert!(throttle.addresses.len() <= ENTRIES_MAX);
        assert_eq!(throttle.admit(&LIMITS, Some("victim@b.c"), address_of(1 << 20), at(1)), Err(1));
    }

    /// A shared counter of three gateways that always returns `left`, or is unavailable.
    struct SharedStub {
        is_away: bool,
        left: Duration,
    }

    #[async_trait]
    impl SharedLoginAttempts for SharedStub {
        async fn admit(
            &self,
            _: &LoginAttemptLimits,
            _: Option<&str>,
            network: IpAddr,
        ) -> Option<Duration> {
            assert_eq!(network, "2001:db8:0:1::".parse::<IpAddr>().unwrap());
            (!self.is_away).then_some(self.left)
        }

        async fn record_success(&self, _: &str) {}

        fn gateway_count(&self) -> u32 {
            3
        }
    }

    #[tokio::test]
    async fn unavailable_shared_counter_leaves_gateway_share() {
        let address: IpAddr = "2001:db8:0:1::7".parse().unwrap();
        let throttle = |is_away: bool, left_ms: u64| {
            LoginThrottle::new(Some(Arc::new(SharedStub {
                is_away,
                left: Duration::from_millis(left_ms),
            })))
        };
        for n in 0..50 {
            assert_eq!(throttle(false, 0).admit(Some("a@b.c"), address, at(n)).await, Ok(()));
            assert_eq!(throttle(false, 1200).admit(None, address, at(n)).await, Err(2));
        }
        let alone = throttle(true, 0);
        assert_eq!(alone.admit(Some("a@b.c"), address, at(0)).await, Ok(()), "1 of 5");
        assert_eq!(alone.admit(Some("a@b.c"), address, at(0)).await, Err(2));
        alone.record_success("a@b.c").await;
        for _ in 2..6 {
            assert_eq!(alone.admit(None, address, at(0)).await, Ok(()), "6 of 20");
        }
        assert_eq!(alone.admit(None, address, at(0)).await, Err(60));
    }
}
