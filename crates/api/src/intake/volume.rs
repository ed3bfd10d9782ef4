//! How many bytes of submissions a form and an account take in: a flood of large submissions must
//! not fill the disk within minutes.
//!
//! Counted by whole minutes and in this process alone, for the last 15 to 16 minutes. The bounds
//! are far above what people write: a usual submission has some 1,000 bytes.

use super::Result;
use crate::error::Error;
use crate::middleware::rate_limit::{Rolling, WINDOWS_MAX, Windows};
use contract::{AccountId, FormId, Timestamp};
use std::collections::VecDeque;
use std::sync::Mutex;
use store::clock::Moment;
use store::window::lock;

/// Most bytes that a form takes in within 15 minutes.
pub(super) const FORM_BYTES_MAX: u64 = 256 << 20;
/// Most bytes that all forms of an account take in within 15 minutes.
const ACCOUNT_BYTES_MAX: u64 = 1 << 30;
/// After so many minutes, a minute is no longer counted.
const MINUTES: i64 = 16;
const MINUTE_S: i64 = 60;

/// Bytes of the last minutes.
#[derive(Debug, Default)]
struct Volume {
    /// Minutes in which anything came, with its bytes, oldest first: [`MINUTES`] at most.
    minutes: VecDeque<(i64, u64)>,
    total: u64,
}

impl Rolling for Volume {
    fn is_idle(&mut self, now: Timestamp) -> bool {
        self.forget(minute(now));
        self.minutes.is_empty()
    }
}

impl Volume {
    /// Drops minutes that are over; a clock that is set back stands still here.
    fn forget(&mut self, minute: i64) {
        while let Some((first, bytes)) = self.minutes.front()
            && first + MINUTES <= minute
        {
            self.total -= bytes;
            self.minutes.pop_front();
        }
    }

    /// Returns the minute from which there is room for so many bytes; `None` where there is now.
    fn room_from(&mut self, bytes: u64, max: u64, now: Timestamp) -> Option<i64> {
        self.forget(minute(now));
        let (mut left, mut from) = (self.total, None);
        for (minute, its) in &self.minutes {
            if left.saturating_add(bytes) <= max {
                break;
            }
            left -= its;
            from = Some(minute + MINUTES);
        }
        from
    }

    fn add(&mut self, bytes: u64, now: Timestamp) {
        let now = minute(now);
        match self.minutes.back_mut() {
            Some((last, its)) if *last >= now => *its += bytes,
            _ => self.minutes.push_back((now, bytes)),
        }
        self.total += bytes;
    }
}

fn minute(at: Timestamp) -> i64 {
    at.seconds().div_euclid(MINUTE_S)
}

/// The bytes of all forms and accounts.
pub(super) struct Volumes(Mutex<Tables>);

struct Tables {
    forms: Windows<FormId, Volume>,
    accounts: Windows<AccountId, Volume>,
}

impl Default for Volumes {
    fn default() -> Self {
        let (forms, accounts) = (Windows::new(WINDOWS_MAX), Windows::new(WINDOWS_MAX));
        Self(Mutex::new(Tables { forms, accounts }))
    }
}

impl Volumes {
    /// Lets so many bytes for a form in, or refuses them and counts nothing.
    ///
    /// # Errors
    /// Too many bytes for the form or its account, with when there is room.
    pub(super) fn admit(
        &self,
        form: &FormId,
        account: &AccountId,
        bytes: u64,
        moment: Moment,
    ) -> Result<()> {
        let now = moment.steady;
        let mut tables = lock(&self.0);
        let Tables { forms, accounts } = &mut *tables;
        let of_form = forms.of(Some(form.clone()), now);
        let of_account = accounts.of(Some(account.clone()), now);
        let full = of_form.room_from(bytes, FORM_BYTES_MAX, now).map(|from| ("form", from));
        let full = full.or_else(|| {
            let from = of_account.room_from(bytes, ACCOUNT_BYTES_MAX, now)?;
            Some(("account", from))
        });
        if let Some((whose, from)) = full {
            let wait_s = u64::try_from(from * MINUTE_S - now.seconds()).unwrap_or(0).max(1);
            return Err(Error::too_much_sent(whose, wait_s, moment.now));
        }
        of_form.add(bytes, now);
        of_account.add(bytes, now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_s(seconds: i64) -> Moment {
        let steady = Timestamp::from_micros((1_800_000_000 + seconds) * 1_000_000).unwrap();
        Moment { now: steady, steady }
    }

    fn form(n: u32) -> FormId {
        format!("frm_{n}").parse().unwrap()
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_form_takes_so_many_bytes_in_15_minutes() {
        let (volumes, account) = (Volumes::default(), "acc_1".parse().unwrap());
        let admit = |n, mib, second| volumes.admit(&form(n), &account, mib * MIB, at_s(second));
        admit(1, 200, 0).unwrap();
        admit(1, 56, 600).unwrap();
        let refused = admit(1, 1, 601).unwrap_err().body();
        assert_eq!(refused.retry_after, Some(16 * 60 - 601));
        assert!(refused.message.contains("this form"), "{}", refused.message);
        admit(2, 256, 601).expect("another form has its own");
        assert!(admit(1, 1, 16 * 60 - 1).is_err(), "what was refused is not counted");
        admit(1, 200, 16 * 60).expect("the first minute is over");
        assert!(admit(1, 1, 16 * 60).is_err());
    }

    #[test]
    fn an_account_takes_so_many_bytes_in_15_minutes() {
        let (volumes, account) = (Volumes::default(), "acc_1".parse().unwrap());
        for n in 0..4 {
            volumes.admit(&form(n), &account, 256 * MIB, at_s(0)).unwrap();
        }
        let refused = volumes.admit(&form(4), &account, 1, at_s(0)).unwrap_err().body();
        assert!(refused.message.contains("this account"), "{}", refused.message);
        volumes.admit(&form(5), &"acc_2".parse().unwrap(), MIB, at_s(0)).unwrap();
        volumes.admit(&form(4), &account, 256 * MIB, at_s(16 * 60)).unwrap();
    }

    #[test]
    fn minutes_are_few_and_a_clock_that_is_set_back_forgets_nothing() {
        let mut volume = Volume::default();
        for second in 0..4000 {
            let now = at_s(second).steady;
            assert_eq!(volume.room_from(1, 1000, now), None);
            volume.add(1, now);
        }
        assert!(volume.minutes.len() <= 16, "{}", volume.minutes.len());
        volume.add(40, at_s(0).steady);
        assert_eq!(volume.room_from(1, 960, at_s(0).steady), Some(volume.minutes[0].0 + MINUTES));
        assert!(volume.is_idle(at_s(5000).steady) && volume.total == 0);
    }
}
