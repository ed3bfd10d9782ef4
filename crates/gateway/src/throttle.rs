//! How fast one may guess: slower with each failed sign-in to an account, and so many tries a
//! minute from an address. Never for good. Pure: the time comes in as an argument.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::Duration;

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

/// The counts. Mail addresses are kept as hashes, so that long ones cost nothing.
#[derive(Default)]
pub(crate) struct Throttle {
    accounts: HashMap<[u8; 32], Tries>,
    addresses: HashMap<[u8; 16], Tries>,
}

#[derive(Clone, Copy)]
struct Tries {
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
        email: Option<&str>,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), u64> {
        self.admit_address(address, now)?;
        email.map_or(Ok(()), |email| self.admit_account(email, now))
    }

    /// Forgets the failed tries to an account, since its owner came in.
    pub(crate) fn succeed(&mut self, email: &str) {
        self.accounts.remove(&hash(email));
    }

    fn admit_address(&mut self, address: IpAddr, now: Duration) -> Result<(), u64> {
        let over = |tries: &Tries| now.saturating_sub(tries.at) >= MINUTE;
        let tries = entry(&mut self.addresses, network(address), now, over);
        if tries.count >= TRIES_PER_ADDRESS {
            return Err(seconds((tries.at + MINUTE).saturating_sub(now)));
        }
        tries.count += 1;
        Ok(())
    }

    fn admit_account(&mut self, email: &str, now: Duration) -> Result<(), u64> {
        let over = |tries: &Tries| now.saturating_sub(tries.at) >= FORGET_AFTER;
        let tries = entry(&mut self.accounts, hash(email), now, over);
        let left = (tries.at + wait(tries.count)).saturating_sub(now);
        if !left.is_zero() {
            return Err(seconds(left));
        }
        *tries = Tries { count: tries.count.saturating_add(1), at: now };
        Ok(())
    }
}

/// Returns the count for a key, a fresh one if there is none or it is over.
fn entry<K: Eq + Hash + Copy>(
    entries: &mut HashMap<K, Tries>,
    key: K,
    now: Duration,
    over: impl Fn(&Tries) -> bool,
) -> &mut Tries {
    if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
        entries.retain(|_, tries| !over(tries));
    }
    if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
        // The least guessed at goes, so that a flood of names cannot wash a real count away.
        let least = entries.iter().min_by_key(|(_, tries)| (tries.count, tries.at)).map(|e| *e.0);
        least.and_then(|key| entries.remove(&key));
    }
    let tries = entries.entry(key).or_insert(Tries { count: 0, at: now });
    if over(tries) {
        *tries = Tries { count: 0, at: now };
    }
    tries
}

/// Returns the wait after so many failed tries: none, then 2 s, 4 s, 8 s … up to [`WAIT_MAX`].
fn wait(failed: u32) -> Duration {
    match failed.checked_sub(FREE_TRIES) {
        None => Duration::ZERO,
        Some(over) => {
            Duration::from_secs(2_u64.saturating_pow(over.saturating_add(1))).min(WAIT_MAX)
        }
    }
}

fn seconds(left: Duration) -> u64 {
    (left.as_secs() + u64::from(left.subsec_nanos() > 0)).max(1)
}

fn hash(email: &str) -> [u8; 32] {
    Sha256::digest(email.as_bytes()).into()
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
            assert_eq!(throttle.admit(Some("a@b.c"), from(n), at(0)), Ok(()));
        }
        assert_eq!(throttle.admit(Some("a@b.c"), from(6), at(0)), Err(2));
        assert_eq!(throttle.admit(Some("a@b.c"), from(7), at(1)), Err(1));
        assert_eq!(throttle.admit(Some("a@b.c"), from(8), at(2)), Ok(()));
        assert_eq!(throttle.admit(Some("a@b.c"), from(9), at(2)), Err(4));
        assert_eq!(throttle.admit(Some("other@b.c"), from(10), at(2)), Ok(()));
        assert_eq!(throttle.admit(None, from(11), at(2)), Ok(()), "a link always works");
    }

    #[test]
    fn ten_thousand_guesses_from_a_hundred_addresses_in_an_hour_are_a_handful() {
        let mut throttle = Throttle::default();
        let guess =
            |n: u32| throttle.admit(Some("a@b.c"), from(n % 100), at(u64::from(n) * 9 / 25));
        let passed = (0..10_000).flat_map(guess).count();
        assert!(passed <= 20, "{passed} were looked at");
    }

    #[test]
    fn the_wait_has_an_end() {
        let mut throttle = Throttle::default();
        let (mut now, mut passed) = (0, 0);
        for n in 0..100 {
            match throttle.admit(Some("a@b.c"), from(n), at(now)) {
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
            assert_eq!(throttle.admit(Some("a@b.c"), from(n), at(now)), Ok(()), "not forgotten");
        }
    }

    #[test]
    fn success_clears_the_count() {
        let mut throttle = Throttle::default();
        for n in 0..50 {
            assert_eq!(throttle.admit(Some("a@b.c"), from(n), at(0)), Ok(()));
            throttle.succeed("a@b.c");
        }
    }

    #[test]
    fn an_address_has_so_many_tries_a_minute() {
        let mut throttle = Throttle::default();
        let address = |low: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, low));
        for n in 0..20 {
            assert_eq!(throttle.admit(None, address(n), at(10)), Ok(()));
        }
        assert_eq!(throttle.admit(Some("a@b.c"), address(99), at(30)), Err(40));
        assert_eq!(throttle.admit(None, from(1), at(30)), Ok(()));
        assert_eq!(throttle.admit(None, address(99), at(70)), Ok(()));
    }

    #[test]
    fn memory_is_bounded_and_keeps_what_is_attacked() {
        let mut throttle = Throttle::default();
        for n in 0..6 {
            let _ = throttle.admit(Some("victim@b.c"), from(n), at(0));
        }
        for n in 0..10_100 {
            let _ = throttle.admit(Some(&format!("{n}@b.c")), from(n), at(1));
        }
        assert!(throttle.accounts.len() <= ENTRIES_MAX);
        assert!(throttle.addresses.len() <= ENTRIES_MAX);
        assert_eq!(throttle.admit(Some("victim@b.c"), from(1 << 20), at(1)), Err(1));
    }
}
