//! How fast one may guess: slower with each failed sign-in to an account, and so many tries a
//! minute from an address. Never for good. Pure: the time comes in as an argument.
//!
//! Where several gateways count together, [`Tries`] does; this one then counts as long as that does
//! not answer, by its share.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use contract::{PersonId, TryRules};
use sha2::{Digest, Sha256};

/// Tries to an account that are free of waiting.
const FREE_TRIES: u32 = 5;
/// Longest wait between two tries to an account.
const WAIT_MAX: Duration = Duration::from_mins(15);
/// How long after its last try an account's count is forgotten.
const FORGET_AFTER: Duration = Duration::from_mins(30);
/// Tries from one address in one [`MINUTE`].
const TRIES_PER_ADDRESS: u32 = 20;
const MINUTE: Duration = Duration::from_mins(1);
/// Most accounts, and most addresses, that are remembered.
const ENTRIES_MAX: usize = 10_000;

/// The rules, for who counts for several gateways.
const TRY_RULES: TryRules = TryRules {
    address_tries: TRIES_PER_ADDRESS,
    address_for: MINUTE,
    free_tries: FREE_TRIES,
    wait_max: WAIT_MAX,
    forget_after: FORGET_AFTER,
};

/// Returns the share of one gateway out of several.
fn share(rules: TryRules, gateways: u32) -> TryRules {
    let share = |tries: u32| (tries / gateways.max(1)).max(1);
    let (address_tries, free_tries) = (share(rules.address_tries), share(rules.free_tries));
    TryRules { address_tries, free_tries, ..rules }
}

/// What counts tries to sign in for several gateways together.
#[async_trait]
pub trait Tries: Send + Sync + 'static {
    /// Lets a try pass and counts it, or returns how long to wait, as a `Throttle` does; `None`
    /// where nobody answers. The address is that of a network, the mail address in lower case.
    async fn admit(
        &self,
        rules: &TryRules,
        email: Option<&str>,
        network: IpAddr,
    ) -> Option<Duration>;

    /// Forgets the failed tries to an account.
    async fn succeed(&self, email: &str);

    /// Returns how many gateways there are, as far as is known.
    fn gateways(&self) -> u32;
}

/// Counts tries: together with others where it can, else alone.
pub(crate) struct Door {
    shared: Option<Arc<dyn Tries>>,
    here: Mutex<Throttle>,
}

impl Door {
    pub(crate) fn new(shared: Option<Arc<dyn Tries>>) -> Self {
        Self { shared, here: Mutex::default() }
    }

    /// As [`Throttle::admit`].
    pub(crate) async fn admit(
        &self,
        email: Option<&str>,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), u64> {
        let mut rules = TRY_RULES;
        if let Some(shared) = &self.shared {
            let network = IpAddr::V6(network(address).into()).to_canonical();
            match shared.admit(&TRY_RULES, email, network).await {
                Some(Duration::ZERO) => return Ok(()),
                Some(left) => return Err(seconds(left)),
                None => rules = share(TRY_RULES, shared.gateways()),
            }
        }
        self.lock().admit(&rules, email, address, now)
    }

    /// As [`Throttle::succeed`].
    pub(crate) async fn succeed(&self, email: &str) {
        if let Some(shared) = &self.shared {
            shared.succeed(email).await;
        }
        self.lock().succeed(email);
    }

    /// As [`Throttle::admit_person`]. Each gateway counts alone.
    pub(crate) fn admit_person(&self, person: &PersonId, now: Duration) -> Result<(), u64> {
        self.lock().admit_person(person, now)
    }

    /// As [`Throttle::succeed_person`].
    pub(crate) fn succeed_person(&self, person: &PersonId) {
        self.lock().succeed_person(person);
    }

    /// As [`Throttle::admit_email`]. Each gateway counts alone.
    pub(crate) fn admit_email(&self, person: &PersonId, now: Duration) -> Result<(), u64> {
        self.lock().admit_email(person, now)
    }

    /// As [`Throttle::return_email`].
    pub(crate) fn return_email(&self, person: &PersonId) {
        self.lock().return_email(person);
    }

    fn lock(&self) -> MutexGuard<'_, Throttle> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The counts. Mail addresses are kept as hashes, so that long ones cost nothing.
#[derive(Default)]
pub(crate) struct Throttle {
    accounts: HashMap<[u8; 32], Count>,
    addresses: HashMap<[u8; 16], Count>,
    /// Tries of signed-in people to repeat their password.
    people: HashMap<[u8; 32], Count>,
    /// Requests of signed-in people for a mail address, of their own or of a reader.
    emails: HashMap<[u8; 32], Count>,
}

#[derive(Clone, Copy)]
struct Count {
    count: u32,
    /// Of an account: the last try. Of an address: the first one of its minute.
    at: Duration,
}

impl Throttle {
    /// Lets a try to sign in pass and counts it, or returns the seconds to wait. It is counted
    /// before it is judged, so that a hundred at once are not all the first. A try that must wait
    /// does not lengthen the wait.
    ///
    /// `email` is absent for a sign-in link: who has one knows 256 random bits.
    pub(crate) fn admit(
        &mut self,
        rules: &TryRules,
        email: Option<&str>,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), u64> {
        self.admit_address(rules, address, now)?;
        email.map_or(Ok(()), |email| admit_name(&mut self.accounts, rules, email, now))
    }

    /// Forgets the failed tries to an account, since its owner came in.
    pub(crate) fn succeed(&mut self, email: &str) {
        self.accounts.remove(&hash(email));
    }

    /// Counts a try of a signed-in person to repeat their password, or returns the seconds to wait.
    /// Only requests with a session of that person are counted here.
    pub(crate) fn admit_person(&mut self, person: &PersonId, now: Duration) -> Result<(), u64> {
        admit_name(&mut self.people, &TRY_RULES, person.as_str(), now)
    }

    /// Forgets the failed tries of a signed-in person.
    pub(crate) fn succeed_person(&mut self, person: &PersonId) {
        self.people.remove(&hash(person.as_str()));
    }

    /// Counts a request of a signed-in person for a mail address, or returns the seconds to wait.
    /// The answer tells whether somebody has that address.
    pub(crate) fn admit_email(&mut self, person: &PersonId, now: Duration) -> Result<(), u64> {
        admit_name(&mut self.emails, &TRY_RULES, person.as_str(), now)
    }

    /// Uncounts one request of a signed-in person for a mail address.
    pub(crate) fn return_email(&mut self, person: &PersonId) {
        if let Some(tries) = self.emails.get_mut(&hash(person.as_str())) {
            tries.count = tries.count.saturating_sub(1);
        }
    }

    fn admit_address(
        &mut self,
        rules: &TryRules,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), u64> {
        let over = |tries: &Count| now.saturating_sub(tries.at) >= MINUTE;
        let tries = entry(&mut self.addresses, network(address), now, over);
        if tries.count >= rules.address_tries {
            return Err(seconds((tries.at + MINUTE).saturating_sub(now)));
        }
        tries.count += 1;
        Ok(())
    }
}

/// Counts a try under a name, or returns the seconds to wait.
fn admit_name(
    entries: &mut HashMap<[u8; 32], Count>,
    rules: &TryRules,
    name: &str,
    now: Duration,
) -> Result<(), u64> {
    let over = |tries: &Count| now.saturating_sub(tries.at) >= FORGET_AFTER;
    let tries = entry(entries, hash(name), now, over);
    let left = (tries.at + wait(rules, tries.count)).saturating_sub(now);
    if !left.is_zero() {
        return Err(seconds(left));
    }
    *tries = Count { count: tries.count.saturating_add(1), at: now };
    Ok(())
}

/// Returns the count for a key, a fresh one if there is none or it is over.
fn entry<K: Eq + Hash + Copy>(
    entries: &mut HashMap<K, Count>,
    key: K,
    now: Duration,
    over: impl Fn(&Count) -> bool,
) -> &mut Count {
    if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
        entries.retain(|_, tries| !over(tries));
    }
    if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
        // The least guessed at goes, so that a flood of names cannot wash a real count away.
        let least = entries.iter().min_by_key(|(_, tries)| (tries.count, tries.at)).map(|e| *e.0);
        least.and_then(|key| entries.remove(&key));
    }
    let tries = entries.entry(key).or_insert(Count { count: 0, at: now });
    if over(tries) {
        *tries = Count { count: 0, at: now };
    }
    tries
}

/// Returns the wait after so many failed tries: none, then 2 s, 4 s, 8 s … up to [`WAIT_MAX`].
fn wait(rules: &TryRules, failed: u32) -> Duration {
    match failed.checked_sub(rules.free_tries) {
        None => Duration::ZERO,
        Some(over) => {
            Duration::from_secs(2_u64.saturating_pow(over.saturating_add(1))).min(rules.wait_max)
        }
    }
}

fn seconds(left: Duration) -> u64 {
    (left.as_secs() + u64::from(left.subsec_nanos() > 0)).max(1)
}

fn hash(name: &str) -> [u8; 32] {
    Sha256::digest(name.as_bytes()).into()
}

/// Returns what counts as one address: an IPv4 address, or the /64 that one IPv6 customer has.
fn network(address: IpAddr) -> [u8; 16] {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => (v6.to_bits() & !u128::from(u64::MAX)).to_be_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A different address each time.
    fn from(n: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(n))
    }

    #[test]
    fn each_failure_doubles_the_wait() {
        let mut throttle = Throttle::default();
        for n in 0..5 {
            assert_eq!(throttle.admit(&TRY_RULES, Some("a@b.c"), from(n), at(0)), Ok(()));
        }
        assert_eq!(throttle.admit(&TRY_RULES, Some("a@b.c"), from(6), at(0)), Err(2));
        assert_eq!(throttle.admit(&TRY_RULES, Some("a@b.c"), from(7), at(1)), Err(1));
        assert_eq!(throttle.admit(&TRY_RULES, Some("a@b.c"), from(8), at(2)), Ok(()));
        assert_eq!(throttle.admit(&TRY_RULES, Some("a@b.c"), from(9), at(2)), Err(4));
        assert_eq!(throttle.admit(&TRY_RULES, Some("other@b.c"), from(10), at(2)), Ok(()));
        assert_eq!(
            throttle.admit(&TRY_RULES, None, from(11), at(2)),
            Ok(()),
            "a link always works"
        );
    }

    #[test]
    fn ten_thousand_guesses_from_a_hundred_addresses_in_an_hour_are_a_handful() {
        let mut throttle = Throttle::default();
        let guess = |n: u32| {
            throttle.admit(&TRY_RULES, Some("a@b.c"), from(n % 100), at(u64::from(n) * 9 / 25))
        };
        let passed = (0..10_000).flat_map(guess).count();
        assert!(passed <= 20, "{passed} were looked at");
    }

    #[test]
    fn the_wait_has_an_end() {
        let mut throttle = Throttle::default();
        let (mut now, mut passed) = (0, 0);
        for n in 0..100 {
            match throttle.admit(&TRY_RULES, Some("a@b.c"), from(n), at(now)) {
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
                throttle.admit(&TRY_RULES, Some("a@b.c"), from(n), at(now)),
                Ok(()),
                "not forgotten"
            );
        }
    }

    #[test]
    fn success_clears_the_count() {
        let mut throttle = Throttle::default();
        for n in 0..50 {
            assert_eq!(throttle.admit(&TRY_RULES, Some("a@b.c"), from(n), at(0)), Ok(()));
            throttle.succeed("a@b.c");
        }
    }

    #[test]
    fn an_address_has_so_many_tries_a_minute() {
        let mut throttle = Throttle::default();
        let address = |low: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, low));
        for n in 0..20 {
            assert_eq!(throttle.admit(&TRY_RULES, None, address(n), at(10)), Ok(()));
        }
        assert_eq!(throttle.admit(&TRY_RULES, Some("a@b.c"), address(99), at(30)), Err(40));
        assert_eq!(throttle.admit(&TRY_RULES, None, from(1), at(30)), Ok(()));
        assert_eq!(throttle.admit(&TRY_RULES, None, address(99), at(70)), Ok(()));
    }

    #[test]
    fn memory_is_bounded_and_keeps_what_is_attacked() {
        let mut throttle = Throttle::default();
        for n in 0..6 {
            let _ = throttle.admit(&TRY_RULES, Some("victim@b.c"), from(n), at(0));
        }
        for n in 0..10_100 {
            let _ = throttle.admit(&TRY_RULES, Some(&format!("{n}@b.c")), from(n), at(1));
        }
        assert!(throttle.accounts.len() <= ENTRIES_MAX);
        assert!(throttle.addresses.len() <= ENTRIES_MAX);
        assert_eq!(throttle.admit(&TRY_RULES, Some("victim@b.c"), from(1 << 20), at(1)), Err(1));
    }

    /// Counts nothing, and does not answer as long as `is_away`.
    struct Three {
        is_away: bool,
        left: Duration,
    }

    #[async_trait]
    impl Tries for Three {
        async fn admit(&self, _: &TryRules, _: Option<&str>, network: IpAddr) -> Option<Duration> {
            assert_eq!(network, "2001:db8:0:1::".parse::<IpAddr>().unwrap());
            (!self.is_away).then_some(self.left)
        }

        async fn succeed(&self, _: &str) {}

        fn gateways(&self) -> u32 {
            3
        }
    }

    #[tokio::test]
    async fn a_gateway_of_three_counts_its_share_where_nobody_answers() {
        let address: IpAddr = "2001:db8:0:1::7".parse().unwrap();
        let door = |is_away: bool, left_ms: u64| {
            Door::new(Some(Arc::new(Three { is_away, left: Duration::from_millis(left_ms) })))
        };
        for n in 0..50 {
            assert_eq!(door(false, 0).admit(Some("a@b.c"), address, at(n)).await, Ok(()));
            assert_eq!(door(false, 1200).admit(None, address, at(n)).await, Err(2));
        }
        let alone = door(true, 0);
        assert_eq!(alone.admit(Some("a@b.c"), address, at(0)).await, Ok(()), "1 of 5");
        assert_eq!(alone.admit(Some("a@b.c"), address, at(0)).await, Err(2));
        alone.succeed("a@b.c").await;
        for _ in 2..6 {
            assert_eq!(alone.admit(None, address, at(0)).await, Ok(()), "6 of 20");
        }
        assert_eq!(alone.admit(None, address, at(0)).await, Err(60));
    }
}
