//! Limit of confirmation e-mails per account and hour. They go to addresses that did not ask for
//! them.

use crate::error::{Error, Result};
use crate::middleware::rate_limit::{SlidingCounter, WINDOWS_MAX, WindowTable};
use contract::{AccountId, Timestamp};
use std::collections::VecDeque;
use std::sync::Mutex;
use store::clock::Moment;
use store::window::lock;

/// Maximum number of confirmation e-mails of an account in any hour.
const PER_HOUR_MAX: usize = 20;
/// One hour, in microseconds.
const HOUR_US: i64 = 3_600_000_000;

/// Counts confirmation e-mails per account, in the memory of this process.
pub(crate) struct ConfirmationLimiter(Mutex<WindowTable<AccountId, LastHour>>);

impl Default for ConfirmationLimiter {
    fn default() -> Self {
        Self(Mutex::new(WindowTable::new(WINDOWS_MAX)))
    }
}

impl ConfirmationLimiter {
    /// Counts a confirmation e-mail.
    ///
    /// # Errors
    /// A 429 if the account sent [`PER_HOUR_MAX`] in the last hour.
    pub(crate) fn admit(&self, account: &AccountId, moment: Moment) -> Result<()> {
        let Moment { now, steady } = moment;
        let mut table = lock(&self.0);
        let result = table.window_or_shared(Some(account.clone()), steady).admit(steady);
        result.map_err(|wait_us| {
            let message = format!("this account has sent {PER_HOUR_MAX} links in an hour");
            let at = Timestamp::from_micros(now.micros().saturating_add(wait_us)).unwrap_or(now);
            Error::mail_limit_reached(&message, at, now)
        })
    }
}

/// Times of the e-mails of the last hour, in microseconds, oldest first.
#[derive(Default)]
struct LastHour(VecDeque<i64>);

impl LastHour {
    /// Counts an e-mail, or returns the microseconds until the next one is admitted.
    fn admit(&mut self, now: Timestamp) -> Result<(), i64> {
        self.drop_expired(now);
        match self.0.front() {
            Some(first) if self.0.len() >= PER_HOUR_MAX => Err(first + HOUR_US - now.micros()),
            _ => {
                self.0.push_back(now.micros());
                Ok(())
            }
        }
    }

    fn drop_expired(&mut self, now: Timestamp) {
        while self.0.front().is_some_and(|first| first + HOUR_US <= now.micros()) {
            self.0.pop_front();
        }
    }
}

impl SlidingCounter for LastHour {
    fn is_idle(&mut self, now: Timestamp) -> bool {
        self.drop_expired(now);
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_s(seconds: i64) -> Timestamp {
        Timestamp::from_micros((1_800_000_000 + seconds) * 1_000_000).unwrap()
    }

    #[test]
    fn hour_admits_twenty_per_account() {
        let limiter = ConfirmationLimiter::default();
        let admit = |account: &str, seconds| {
            let moment = Moment { now: at_s(seconds), steady: at_s(seconds) };
            limiter.admit(&account.parse().unwrap(), moment).is_ok()
        };
        assert!((0..20).all(|n| admit("acc_1", n * 60)));
        assert!(!admit("acc_1", 1200) && admit("acc_2", 1200), "accounts count separately");
        assert!(!admit("acc_1", 3599));
        assert!(admit("acc_1", 3600), "the first e-mail is an hour old");
        assert!(!admit("acc_1", 3601) && admit("acc_1", 3660));
    }

    #[test]
    fn refusal_says_when_next_is_admitted() {
        let mut hour = LastHour::default();
        for _ in 0..PER_HOUR_MAX {
            assert_eq!(hour.admit(at_s(0)), Ok(()));
        }
        assert_eq!(hour.admit(at_s(600)), Err(3_000_000_000));
        assert!(!hour.is_idle(at_s(3599)) && hour.is_idle(at_s(3600)));
    }
}
