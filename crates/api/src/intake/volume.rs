//! Byte limits for the submissions of a form and an account: a flood of large submissions must not
//! fill the disk within minutes.
//!
//! Bytes are counted by whole minutes and in this process only, for the last 15 to 16 minutes. The
//! limits are far above normal use: a typical submission has about 1,000 bytes.

use super::Result;
use crate::error::Error;
use crate::middleware::rate_limit::{SlidingCounter, WINDOWS_MAX, WindowTable};
use contract::{AccountId, Environment, FormId, Timestamp};
use std::collections::VecDeque;
use std::sync::Mutex;
use store::clock::Moment;
use store::window::lock;

/// Maximum bytes of a form's submissions within 15 minutes.
pub(super) const FORM_BYTES_MAX: u64 = 256 << 20;
/// Maximum bytes of an account's submissions within 15 minutes.
const ACCOUNT_BYTES_MAX: u64 = 1 << 30;
/// Number of minutes after which the bytes of a minute no longer count.
const MINUTES: i64 = 16;
const MINUTE_S: i64 = 60;

/// Bytes of the last minutes.
#[derive(Debug, Default)]
struct ByteWindow {
    /// Minutes with their bytes, oldest first: at most [`MINUTES`] entries.
    minutes: VecDeque<(i64, u64)>,
    total: u64,
}

impl SlidingCounter for ByteWindow {
    fn is_idle(&mut self, now: Timestamp) -> bool {
        self.remove_expired(minute_of(now));
        self.minutes.is_empty()
    }
}

impl ByteWindow {
    /// Removes expired minutes. Removes nothing if the clock was set back.
    fn remove_expired(&mut self, minute: i64) {
        while let Some((first, bytes)) = self.minutes.front()
            && first + MINUTES <= minute
        {
            self.total -= bytes;
            self.minutes.pop_front();
        }
    }

    /// Returns the minute when so many bytes will fit; `None` if they fit now.
    fn fits_from_minute(&mut self, bytes: u64, max: u64, now: Timestamp) -> Option<i64> {
        self.remove_expired(minute_of(now));
        let mut total = self.total;
        let mut from = None;
        // Subtract the oldest minutes until the bytes fit.
        for (minute, minute_bytes) in &self.minutes {
            if total.saturating_add(bytes) <= max {
                break;
            }
            total -= minute_bytes;
            from = Some(minute + MINUTES);
        }
        from
    }

    fn add(&mut self, bytes: u64, now: Timestamp) {
        let now = minute_of(now);
        match self.minutes.back_mut() {
            // Also after the clock was set back: minutes stay in order.
            Some((last, its)) if *last >= now => *its += bytes,
            _ => self.minutes.push_back((now, bytes)),
        }
        self.total += bytes;
    }
}

fn minute_of(at: Timestamp) -> i64 {
    at.seconds().div_euclid(MINUTE_S)
}

/// Byte counts of all forms and accounts.
pub(super) struct ByteLimiter(Mutex<ByteTables>);

struct ByteTables {
    forms: WindowTable<FormId, ByteWindow>,
    accounts: WindowTable<(AccountId, Environment), ByteWindow>,
}

impl Default for ByteLimiter {
    fn default() -> Self {
        let forms = WindowTable::new(WINDOWS_MAX);
        let accounts = WindowTable::new(WINDOWS_MAX);
        Self(Mutex::new(ByteTables { forms, accounts }))
    }
}

impl ByteLimiter {
    /// Counts bytes for a form and its account, or rejects them and counts nothing. Test
    /// submissions do not count towards the limit of live ones (specification, section 5.4).
    ///
    /// # Errors
    /// Fails with 429 and the time of the next attempt if the form or its account has too many
    /// bytes.
    pub(super) fn admit(
        &self,
        form: &FormId,
        (account, environment): (&AccountId, Environment),
        bytes: u64,
        moment: Moment,
    ) -> Result<()> {
        let now = moment.steady;
        let mut tables = lock(&self.0);
        let ByteTables { forms, accounts } = &mut *tables;
        let of_form = forms.window_or_shared(Some(form.clone()), now);
        let of_account = accounts.window_or_shared(Some((account.clone(), environment)), now);
        let full = of_form.fits_from_minute(bytes, FORM_BYTES_MAX, now).map(|from| ("form", from));
        let full = full.or_else(|| {
            let from = of_account.fits_from_minute(bytes, ACCOUNT_BYTES_MAX, now)?;
            Some(("account", from))
        });
        if let Some((limited, from)) = full {
            let wait_s = u64::try_from(from * MINUTE_S - now.seconds()).unwrap_or(0).max(1);
            return Err(Error::byte_limit_exceeded(limited, wait_s, moment.now));
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
    fn form_bytes_are_limited_per_15_minutes() {
        let volumes = ByteLimiter::default();
        let account = "acc_1".parse().unwrap();
        let live = (&account, Environment::Live);
        let admit = |n, mib, second| volumes.admit(&form(n), live, mib * MIB, at_s(second));
        admit(1, 200, 0).unwrap();
        admit(1, 56, 600).unwrap();
        let refused = admit(1, 1, 601).unwrap_err().into_body();
        assert_eq!(refused.retry_after, Some(16 * 60 - 601));
        assert!(refused.message.contains("this form"), "{}", refused.message);
        admit(2, 256, 601).expect("another form has its own limit");
        assert!(admit(1, 1, 16 * 60 - 1).is_err(), "rejected bytes are not counted");
        admit(1, 200, 16 * 60).expect("the first minute no longer counts");
        assert!(admit(1, 1, 16 * 60).is_err());
    }

    #[test]
    fn account_bytes_are_limited_per_15_minutes() {
        let volumes = ByteLimiter::default();
        let (account, other) = ("acc_1".parse().unwrap(), "acc_2".parse().unwrap());
        let live = (&account, Environment::Live);
        for n in 0..4 {
            volumes.admit(&form(n), live, 256 * MIB, at_s(0)).unwrap();
        }
        let refused = volumes.admit(&form(4), live, 1, at_s(0)).unwrap_err().into_body();
        assert!(refused.message.contains("this account"), "{}", refused.message);
        volumes.admit(&form(5), (&account, Environment::Test), MIB, at_s(0)).unwrap();
        volumes.admit(&form(6), (&other, Environment::Live), MIB, at_s(0)).unwrap();
        volumes.admit(&form(4), live, 256 * MIB, at_s(16 * 60)).unwrap();
    }

    #[test]
    fn minutes_are_bounded_and_survive_clock_setback() {
        let mut volume = ByteWindow::default();
        for second in 0..4000 {
            let now = at_s(second).steady;
            assert_eq!(volume.fits_from_minute(1, 1000, now), None);
            volume.add(1, now);
        }
        assert!(volume.minutes.len() <= 16, "{}", volume.minutes.len());
        volume.add(40, at_s(0).steady);
        assert_eq!(
            volume.fits_from_minute(1, 960, at_s(0).steady),
            Some(volume.minutes[0].0 + MINUTES)
        );
        assert!(volume.is_idle(at_s(5000).steady) && volume.total == 0);
    }
}
