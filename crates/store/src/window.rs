//! One rolling window of requests (§8.1). It reads no clock: callers pass the time.
//!
//! The window counts requests per whole second, and the burst counts each one. A second leaves the
//! window when its last instant is 900 s old. So a window admits a request up to one second late,
//! and never one too many. Refused requests are not counted.

use crate::clock::Moment;
use contract::plan::WINDOW_S;
use contract::{Plan, RateLimit, Timestamp};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SECOND_US: i64 = 1_000_000;
/// Seconds from the start of a counted second until it leaves the window.
const SECOND_LEAVES_AFTER_S: i64 = WINDOW_S.cast_signed() + 1;

/// Limits of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowLimits {
    /// Requests in any 900 s.
    pub window: u32,
    /// Requests in any second.
    pub burst: u32,
}

impl From<Plan> for WindowLimits {
    fn from(plan: Plan) -> Self {
        Self { window: plan.window_requests(), burst: plan.burst_requests() }
    }
}

/// The admitted requests of one key: at most 901 seconds and one burst.
#[derive(Debug, Default)]
pub struct Window {
    /// Seconds with admitted requests and their number, oldest first.
    seconds: VecDeque<(i64, u32)>,
    /// The sum over `seconds`.
    count: u32,
    /// Instants of the requests of the last second, in microseconds, oldest first.
    burst: VecDeque<i64>,
    /// Latest instant that a caller passed, in microseconds.
    latest: Option<i64>,
}

/// A refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// State of the rate limit.
    pub rate_limit: RateLimit,
    /// Seconds until the next request is admitted, at least 1.
    pub retry_after_s: u64,
    /// First whole second when the next request is admitted.
    pub retry_at: Timestamp,
}

/// State of a window, of this process or of a shared store, after a request or a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowState {
    /// Whether the request was admitted.
    pub is_admitted: bool,
    /// Number of requests in the window.
    pub count: u32,
    /// First second with the full quota available.
    pub full_s: i64,
    /// When the next request is admitted, in microseconds; unused if this one was.
    pub ready_us: i64,
    /// The present by the counting clock, in microseconds.
    pub now_us: i64,
}

impl WindowState {
    /// Returns the state of the rate limit.
    pub fn rate_limit(&self, limits: WindowLimits) -> RateLimit {
        RateLimit {
            limit: limits.window,
            remaining: limits.window.saturating_sub(self.count),
            reset_s: u64::try_from(self.full_s).unwrap_or(0),
        }
    }

    /// Returns the state of the rate limit, or the refusal.
    pub fn into_result(&self, limits: WindowLimits) -> Result<RateLimit, Refusal> {
        let rate_limit = self.rate_limit(limits);
        if self.is_admitted {
            return Ok(rate_limit);
        }
        let retry_at_s =
            self.ready_us.div_euclid(SECOND_US) + i64::from(self.ready_us % SECOND_US != 0);
        let wait_us = u64::try_from(self.ready_us - self.now_us).unwrap_or(0);
        Err(Refusal {
            rate_limit,
            retry_after_s: wait_us.div_ceil(SECOND_US.unsigned_abs()).max(1),
            retry_at: Timestamp::from_micros(retry_at_s * SECOND_US).unwrap_or(Timestamp::MAX),
        })
    }
}

impl Refusal {
    /// Converts a refusal from the steady clock to the wall clock, which is `ahead_us` ahead.
    fn to_wall_clock(self, ahead_us: i64) -> Self {
        let retry_at_us =
            self.retry_at.micros().saturating_add(round_to_seconds(ahead_us) * SECOND_US);
        Self {
            rate_limit: rate_limit_to_wall_clock(self.rate_limit, ahead_us),
            retry_at: Timestamp::from_micros(retry_at_us).unwrap_or(self.retry_at),
            ..self
        }
    }
}

/// Converts a rate limit from the steady clock to the wall clock, which is `ahead_us` ahead.
pub fn rate_limit_to_wall_clock(rate_limit: RateLimit, ahead_us: i64) -> RateLimit {
    RateLimit {
        reset_s: rate_limit.reset_s.saturating_add_signed(round_to_seconds(ahead_us)),
        ..rate_limit
    }
}

/// Converts the result of a request from the steady clock to the wall clock.
pub fn result_to_wall_clock(
    answer: Result<RateLimit, Refusal>,
    now: Moment,
) -> Result<RateLimit, Refusal> {
    let ahead_us = now.ahead_us();
    match answer {
        Ok(rate_limit) => Ok(rate_limit_to_wall_clock(rate_limit, ahead_us)),
        Err(refusal) => Err(refusal.to_wall_clock(ahead_us)),
    }
}

/// Rounds a clock difference to whole seconds, because the two clocks are never read at the same
/// moment.
fn round_to_seconds(us: i64) -> i64 {
    us.saturating_add(SECOND_US / 2).div_euclid(SECOND_US)
}

impl Window {
    /// Admits and counts a request, or refuses it without counting.
    pub fn admit(&mut self, limits: WindowLimits, now: Timestamp) -> Result<RateLimit, Refusal> {
        let now_us = self.drop_expired(now);
        let in_burst = u32::try_from(self.burst.len()).unwrap_or(u32::MAX);
        if self.count >= limits.window || in_burst >= limits.burst {
            return self.refused_state(limits, now_us).into_result(limits);
        }
        let second = now_us.div_euclid(SECOND_US);
        match self.seconds.back_mut() {
            Some((last, count)) if *last == second => *count += 1,
            _ => self.seconds.push_back((second, 1)),
        }
        self.count += 1;
        self.burst.push_back(now_us);
        Ok(self.rate_limit_at(limits, now_us))
    }

    /// Removes the latest admitted request from the counts.
    pub fn undo_admit(&mut self) {
        let Some((_, count)) = self.seconds.back_mut() else { return };
        *count -= 1;
        if *count == 0 {
            self.seconds.pop_back();
        }
        self.count -= 1;
        self.burst.pop_back();
    }

    /// Returns the state of the rate limit without counting a request.
    pub fn rate_limit(&mut self, limits: WindowLimits, now: Timestamp) -> RateLimit {
        let now_us = self.drop_expired(now);
        self.rate_limit_at(limits, now_us)
    }

    /// Whether the window is empty and can be dropped.
    pub fn is_idle(&mut self, now: Timestamp) -> bool {
        self.drop_expired(now);
        self.seconds.is_empty() && self.burst.is_empty()
    }

    /// Drops seconds and requests that have left the window and the burst; returns the present in
    /// microseconds. Time never goes back here, so a clock that is set back admits no extra
    /// requests.
    fn drop_expired(&mut self, now: Timestamp) -> i64 {
        let now_us = self.latest.map_or(now.micros(), |latest| latest.max(now.micros()));
        self.latest = Some(now_us);
        let this_second = now_us.div_euclid(SECOND_US);
        while let Some(&(second, count)) = self.seconds.front()
            && second + SECOND_LEAVES_AFTER_S <= this_second
        {
            self.count -= count;
            self.seconds.pop_front();
        }
        while self.burst.front().is_some_and(|&at| at + SECOND_US <= now_us) {
            self.burst.pop_front();
        }
        now_us
    }

    fn current_state(&self, now_us: i64) -> WindowState {
        let full_s = self
            .seconds
            .back()
            .map_or(now_us.div_euclid(SECOND_US), |(second, _)| second + SECOND_LEAVES_AFTER_S);
        WindowState { is_admitted: true, count: self.count, full_s, ready_us: now_us, now_us }
    }

    fn rate_limit_at(&self, limits: WindowLimits, now_us: i64) -> RateLimit {
        self.current_state(now_us).rate_limit(limits)
    }

    fn refused_state(&self, limits: WindowLimits, now_us: i64) -> WindowState {
        let ready_us = self.window_ready_us(limits).max(self.burst_ready_us(limits));
        WindowState { is_admitted: false, ready_us, ..self.current_state(now_us) }
    }

    /// Returns when enough seconds have left the window for one more request. More than one must
    /// leave after a change to a smaller plan.
    fn window_ready_us(&self, limits: WindowLimits) -> i64 {
        let mut left = self.count;
        let mut ready_s = i64::MIN / SECOND_US;
        for (second, count) in &self.seconds {
            if left < limits.window {
                break;
            }
            left -= count;
            ready_s = second + SECOND_LEAVES_AFTER_S;
        }
        ready_s * SECOND_US
    }

    /// Returns when enough requests of the burst are a second old for one more.
    fn burst_ready_us(&self, limits: WindowLimits) -> i64 {
        let len_max = limits.burst as usize;
        match self.burst.len().checked_sub(len_max) {
            // Once the request at index `index` has left, `most - 1` requests remain.
            Some(index) => self.burst.get(index).map_or(i64::MIN, |at| at + SECOND_US),
            None => i64::MIN,
        }
    }
}

/// Locks windows or counts. Ignores poisoning, because a panic elsewhere leaves them valid.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
