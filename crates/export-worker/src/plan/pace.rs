//! Pacing of the requests for a whole list, so that they stay within the rate limit (Specification,
//! section 8) and leave requests for the user's other work in the dashboard.
//!
//! Pure: it neither waits nor reads a clock, but calculates the wait.

use contract::plan::WINDOW_S;
use contract::{Plan, RateLimit};

/// Share of the window that is reserved for the user, as a divisor.
const RESERVE_DIVISOR: u32 = 10;
/// Wait after a refusal without `Retry-After`, in seconds.
const DEFAULT_REFUSAL_WAIT_S: u64 = 5;

/// Pace of one export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestPace {
    burst_spacing_ms: u64,
}

impl RequestPace {
    /// Returns the pace for the burst limit of a plan, less one request per second.
    pub fn new(plan: Plan) -> Self {
        let per_second = plan.burst_requests().saturating_sub(1).max(1);
        Self { burst_spacing_ms: 1000 / u64::from(per_second) }
    }

    /// Returns the pace of the plan that matches the limit in the response headers, or else of
    /// `plan`. The key of a foreign server may have another plan than its owner has here.
    pub fn from_rate_limit(plan: Plan, rate_limit: Option<RateLimit>) -> Self {
        let limit = rate_limit.map(|rate_limit| rate_limit.limit);
        let matching = Plan::ALL.into_iter().find(|plan| Some(plan.window_requests()) == limit);
        Self::new(matching.unwrap_or(plan))
    }

    /// Returns the wait before the next request in milliseconds, given the last rate limit and the
    /// time since the last request. Without a rate limit only the burst limit counts.
    pub fn wait_ms(self, rate_limit: Option<RateLimit>, since_last_ms: u64) -> u64 {
        self.spacing_ms(rate_limit).saturating_sub(since_last_ms)
    }

    /// Returns the interval between requests: the burst interval while the window has requests
    /// beyond the reserve, then the average interval of the window.
    fn spacing_ms(self, rate_limit: Option<RateLimit>) -> u64 {
        match rate_limit {
            Some(rate_limit) if rate_limit.remaining <= reserved_requests(rate_limit) => {
                self.steady_spacing_ms(rate_limit)
            }
            _ => self.burst_spacing_ms,
        }
    }

    fn steady_spacing_ms(self, rate_limit: RateLimit) -> u64 {
        (WINDOW_S * 1000 / u64::from(rate_limit.limit.max(1))).max(self.burst_spacing_ms)
    }

    /// Returns the estimated duration of further requests in milliseconds, if each response takes
    /// `took_ms`.
    pub fn remaining_ms(self, requests: u64, rate_limit: Option<RateLimit>, took_ms: u64) -> u64 {
        let burst_ms = self.burst_spacing_ms.max(took_ms);
        let Some(rate_limit) = rate_limit else { return requests.saturating_mul(burst_ms) };
        let burst_requests = requests
            .min(u64::from(rate_limit.remaining.saturating_sub(reserved_requests(rate_limit))));
        let steady_ms = self.steady_spacing_ms(rate_limit).max(took_ms);
        burst_requests
            .saturating_mul(burst_ms)
            .saturating_add((requests - burst_requests).saturating_mul(steady_ms))
    }
}

fn reserved_requests(rate_limit: RateLimit) -> u32 {
    rate_limit.limit / RESERVE_DIVISOR
}

/// Returns the wait after a 429 response, in seconds.
pub fn refused_wait_s(retry_after_s: Option<u64>) -> u64 {
    retry_after_s.unwrap_or(DEFAULT_REFUSAL_WAIT_S).clamp(1, WINDOW_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "same type as in a response")]
    fn rate_limit(limit: u32, remaining: u32) -> Option<RateLimit> {
        Some(RateLimit { limit, remaining, reset_s: 0 })
    }

    #[track_caller]
    fn check(plan: Plan, rate_limit: Option<RateLimit>, since_last_ms: u64, wait_ms: u64) {
        assert_eq!(RequestPace::new(plan).wait_ms(rate_limit, since_last_ms), wait_ms);
    }

    #[test]
    fn spacing_stays_below_the_burst_limit() {
        check(Plan::Free, rate_limit(100, 99), 0, 1000);
        check(Plan::Free, rate_limit(100, 99), 300, 700);
        check(Plan::Free, rate_limit(100, 99), 5000, 0);
        check(Plan::Pro, None, 0, 111);
        check(Plan::Enterprise, rate_limit(50_000, 49_000), 0, 2);
    }

    #[test]
    fn spacing_slows_once_window_is_used() {
        check(Plan::Free, rate_limit(100, 10), 0, 9000);
        check(Plan::Free, rate_limit(100, 0), 1000, 8000);
        check(Plan::Pro, rate_limit(500, 50), 0, 1800);
        check(Plan::Business, rate_limit(2500, 250), 0, 360);
        // A foreign server may send any value.
        check(Plan::Pro, rate_limit(0, 0), 0, 900_000);
    }

    #[test]
    fn plan_is_derived_from_headers() {
        let pace = |limit| RequestPace::from_rate_limit(Plan::Enterprise, rate_limit(limit, 50));
        assert_eq!(pace(100), RequestPace::new(Plan::Free));
        assert_eq!(pace(2500), RequestPace::new(Plan::Business));
        assert_eq!(pace(77), RequestPace::new(Plan::Enterprise));
        assert_eq!(RequestPace::from_rate_limit(Plan::Pro, None), RequestPace::new(Plan::Pro));
    }

    #[test]
    fn requests_per_second_stay_within_burst() {
        for plan in Plan::ALL {
            let spacing_ms = RequestPace::new(plan).wait_ms(None, 0);
            assert!(1000 / spacing_ms <= u64::from(plan.burst_requests()), "{plan}");
        }
    }

    #[test]
    fn remaining_time_is_estimated() {
        let pace = RequestPace::new(Plan::Free);
        assert_eq!(pace.remaining_ms(5, rate_limit(100, 100), 50), 5000);
        assert_eq!(pace.remaining_ms(100, rate_limit(100, 100), 50), 90 * 1000 + 10 * 9000);
        assert_eq!(pace.remaining_ms(3, None, 4000), 12_000);
        assert_eq!(pace.remaining_ms(u64::MAX, rate_limit(100, 0), 0), u64::MAX);
    }

    #[test]
    fn wait_after_refusal_is_clamped() {
        assert_eq!(refused_wait_s(Some(7)), 7);
        assert_eq!(refused_wait_s(Some(0)), 1);
        assert_eq!(refused_wait_s(Some(1_000_000)), 900);
        assert_eq!(refused_wait_s(None), 5);
    }
}
