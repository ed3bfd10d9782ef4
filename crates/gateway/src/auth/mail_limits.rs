//! Limits of e-mails with sign-in links, against floods of a mailbox. Pure: the time is an
//! argument. Each gateway counts separately and in memory.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use contract::AccountId;
use sha2::{Digest, Sha256};

/// Maximum number of links to one address in an hour and in a day.
const ADDRESS_MAX: (usize, usize) = (3, 10);
/// Maximum number of invitations of one account in an hour and in a day. An account has at most 50
/// members.
const ACCOUNT_MAX: (usize, usize) = (50, 100);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
/// Maximum number of counted addresses, and of counted accounts.
const ENTRIES_MAX: usize = 50_000;

/// Times of the e-mails of the last day. Keys are hashes, so that long addresses take no extra
/// memory.
#[derive(Default)]
pub(crate) struct LinkLimits {
    addresses: HashMap<[u8; 32], VecDeque<Duration>>,
    accounts: HashMap<[u8; 32], VecDeque<Duration>>,
}

impl LinkLimits {
    /// Counts a link that is sent to an address; `false` if the limit is reached.
    pub(crate) fn admit_link(&mut self, email: &str, now: Duration) -> bool {
        let times = find_below_limit(&mut self.addresses, email, ADDRESS_MAX, now);
        times.map(|times| times.push_back(now)).is_some()
    }

    /// Counts an invitation of an account to an address; `false` if one of the limits is reached.
    pub(crate) fn admit_invitation(
        &mut self,
        account: &AccountId,
        email: &str,
        now: Duration,
    ) -> bool {
        let of_account = find_below_limit(&mut self.accounts, account.as_str(), ACCOUNT_MAX, now);
        let of_address = find_below_limit(&mut self.addresses, email, ADDRESS_MAX, now);
        // A refused invitation counts for neither.
        let Some((of_account, of_address)) = of_account.zip(of_address) else { return false };
        of_account.push_back(now);
        of_address.push_back(now);
        true
    }
}

/// Returns the times of a name, for the caller to add one; `None` if its limit is reached, or if
/// the table is full.
fn find_below_limit<'e>(
    entries: &'e mut HashMap<[u8; 32], VecDeque<Duration>>,
    name: &str,
    (hour_max, day_max): (usize, usize),
    now: Duration,
) -> Option<&'e mut VecDeque<Duration>> {
    let is_within = |sent: &Duration, span| now.saturating_sub(*sent) < span;
    let key: [u8; 32] = Sha256::digest(name.as_bytes()).into();
    if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
        entries.retain(|_, times| times.back().is_some_and(|sent| is_within(sent, DAY)));
        // A full table refuses. Otherwise many names could evict the count of a flooded address.
        if entries.len() >= ENTRIES_MAX {
            return None;
        }
    }
    let times = entries.entry(key).or_default();
    while times.front().is_some_and(|sent| !is_within(sent, DAY)) {
        times.pop_front();
    }
    let in_hour = times.iter().filter(|sent| is_within(sent, HOUR)).count();
    (in_hour < hour_max && times.len() < day_max).then_some(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64) -> Duration {
        Duration::from_mins(minutes)
    }

    #[test]
    fn address_has_three_links_an_hour_and_ten_a_day() {
        let mut limits = LinkLimits::default();
        let mut count = |minute| (0..5).filter(|_| limits.admit_link("a@b.c", at(minute))).count();
        assert_eq!(count(0), 3);
        assert_eq!(count(59), 0);
        assert_eq!(count(60), 3);
        assert_eq!(count(120), 3);
        assert_eq!(count(180), 1);
        assert_eq!(count(24 * 60 - 1), 0);
        assert_eq!(count(24 * 60), 3);
        assert!(limits.admit_link("other@b.c", at(24 * 60)));
    }

    #[test]
    fn account_has_fifty_invitations_an_hour() {
        let mut limits = LinkLimits::default();
        let account = "acc_1".parse().unwrap();
        let mut invite = |n: u32| limits.admit_invitation(&account, &format!("{n}@b.c"), at(0));
        assert_eq!((0..60).filter(|n| invite(*n)).count(), 50);
        let other = "acc_2".parse().unwrap();
        assert!(limits.admit_invitation(&other, "0@b.c", at(0)));
        assert!(limits.admit_invitation(&other, "0@b.c", at(0)));
        for _ in 0..60 {
            assert!(!limits.admit_invitation(&other, "0@b.c", at(0)), "the address has a limit");
        }
        assert!(limits.admit_invitation(&other, "1@b.c", at(0)), "refused invitations count");
    }

    #[test]
    fn full_table_refuses_until_entries_expire() {
        let mut limits = LinkLimits::default();
        for n in 0..ENTRIES_MAX {
            assert!(limits.admit_link(&format!("{n}@b.c"), at(0)));
        }
        assert!(!limits.admit_link("new@b.c", at(1)));
        assert!(limits.admit_link("0@b.c", at(1)));
        assert!(limits.admit_link("new@b.c", at(24 * 60)));
        assert!(limits.addresses.len() <= 2);
    }
}
