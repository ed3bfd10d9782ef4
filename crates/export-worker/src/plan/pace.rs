//! How fast a walk over a whole list may go, so that it neither breaks the rate limit (§8) nor
//! starves the person who goes on using the dashboard meanwhile.
//!
//! It neither waits nor reads a clock: it says how long to wait.

use contract::plan::WINDOW_S;
use contract::{Plan, RateLimit};

/// The share of the window, one in so many requests, that a walk leaves to the person.
const RESERVE_SHARE: u32 = 10;
/// How long to wait after a refusal that does not say how long.
const REFUSED_WAIT_S: u64 = 5;

/// The pace of one walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    burst_spacing_ms: u64,
}

impl Pace {
    /// Returns the pace that a plan's burst allows, one request a second below it.
    pub fn new(plan: Plan) -> Self {
        let per_second = plan.burst_requests().saturating_sub(1).max(1);
        Self { burst_spacing_ms: 1000 / u64::from(per_second) }
    }

    /// Returns the pace of the plan that an answer's headers tell of, where it is one of ours: the
    /// key of a foreign server may have another plan than its owner has here.
    pub fn told(plan: Plan, stand: Option<RateLimit>) -> Self {
        let limit = stand.map(|stand| stand.limit);
        let told = Plan::ALL.into_iter().find(|plan| Some(plan.window_requests()) == limit);
        Self::new(told.unwrap_or(plan))
    }

    /// Returns how long to wait before the next request, when the last was sent so long ago and
    /// its answer told where the key stands. Without that the burst alone counts.
    pub fn wait_ms(self, stand: Option<RateLimit>, since_last_ms: u64) -> u64 {
        self.spacing_ms(stand).saturating_sub(since_last_ms)
    }

    /// The time from one request to the next: as the burst allows while the window has room, then
    /// as slow as the window itself moves on.
    fn spacing_ms(self, stand: Option<RateLimit>) -> u64 {
        match stand {
            Some(stand) if stand.remaining <= reserve(stand) => self.steady_spacing_ms(stand),
            _ => self.burst_spacing_ms,
        }
    }

    fn steady_spacing_ms(self, stand: RateLimit) -> u64 {
        (WINDOW_S * 1000 / u64::from(stand.limit.max(1))).max(self.burst_spacing_ms)
    }

    /// Returns about how long so many more requests take, when each answer takes `took_ms`.
    pub fn left_ms(self, requests: u64, stand: Option<RateLimit>, took_ms: u64) -> u64 {
        let quick_ms = self.burst_spacing_ms.max(took_ms);
        let Some(stand) = stand else { return requests.saturating_mul(quick_ms) };
        let quick = requests.min(u64::from(stand.remaining.saturating_sub(reserve(stand))));
        let slow_ms = self.steady_spacing_ms(stand).max(took_ms);
        quick.saturating_mul(quick_ms).saturating_add((requests - quick).saturating_mul(slow_ms))
    }
}

fn reserve(stand: RateLimit) -> u32 {
    stand.limit / RESERVE_SHARE
}

/// Returns how long to wait after a 429, in seconds.
pub fn refused_wait_s(retry_after_s: Option<u64>) -> u64 {
    retry_after_s.unwrap_or(REFUSED_WAIT_S).clamp(1, WINDOW_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "as it comes with an answer")]
    fn stand(limit: u32, remaining: u32) -> Option<RateLimit> {
        Some(RateLimit { limit, remaining, reset_s: 0 })
    }

    #[track_caller]
    fn check(plan: Plan, stand: Option<RateLimit>, since_last_ms: u64, wait_ms: u64) {
        assert_eq!(Pace::new(plan).wait_ms(stand, since_last_ms), wait_ms);
    }

    #[test]
    fn goes_one_below_the_burst_while_there_is_room() {
        check(Plan::Free, stand(100, 99), 0, 1000);
        check(Plan::Free, stand(100, 99), 300, 700);
        check(Plan::Free, stand(100, 99), 5000, 0);
        check(Plan::Pro, None, 0, 111);
        check(Plan::Enterprise, stand(50_000, 49_000), 0, 2);
    }

    #[test]
    fn goes_as_the_window_does_once_the_room_is_used_up() {
        check(Plan::Free, stand(100, 10), 0, 9000);
        check(Plan::Free, stand(100, 0), 1000, 8000);
        check(Plan::Pro, stand(500, 50), 0, 1800);
        check(Plan::Business, stand(2500, 250), 0, 360);
        // A foreign server may say anything.
        check(Plan::Pro, stand(0, 0), 0, 900_000);
    }

    #[test]
    fn the_headers_tell_the_plan() {
        let told = |limit| Pace::told(Plan::Enterprise, stand(limit, 50));
        assert_eq!(told(100), Pace::new(Plan::Free));
        assert_eq!(told(2500), Pace::new(Plan::Business));
        assert_eq!(told(77), Pace::new(Plan::Enterprise));
        assert_eq!(Pace::told(Plan::Pro, None), Pace::new(Plan::Pro));
    }

    #[test]
    fn no_second_holds_more_requests_than_the_burst() {
        for plan in Plan::ALL {
            let spacing_ms = Pace::new(plan).wait_ms(None, 0);
            assert!(1000 / spacing_ms <= u64::from(plan.burst_requests()), "{plan}");
        }
    }

    #[test]
    fn tells_the_time_that_is_left() {
        let pace = Pace::new(Plan::Free);
        assert_eq!(pace.left_ms(5, stand(100, 100), 50), 5000);
        assert_eq!(pace.left_ms(100, stand(100, 100), 50), 90 * 1000 + 10 * 9000);
        assert_eq!(pace.left_ms(3, None, 4000), 12_000);
        assert_eq!(pace.left_ms(u64::MAX, stand(100, 0), 0), u64::MAX);
    }

    #[test]
    fn a_refusal_is_waited_for_within_reason() {
        assert_eq!(refused_wait_s(Some(7)), 7);
        assert_eq!(refused_wait_s(Some(0)), 1);
        assert_eq!(refused_wait_s(Some(1_000_000)), 900);
        assert_eq!(refused_wait_s(None), 5);
    }
}
