//! One rolling window of requests (§8.1), pure: it is told what time it is.
//!
//! Requests of a window are counted by whole seconds, those of the burst one by one. A second
//! leaves the window when its last instant is 900 s old, so a window admits a request up to one
//! second late and never one too many. What is refused is not counted.

use crate::clock::Moment;
use contract::plan::WINDOW_S;
use contract::{Plan, RateLimit, Timestamp};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SECOND_US: i64 = 1_000_000;
/// How many seconds after its beginning a counted second has left the window.
const SECOND_LEAVES_AFTER_S: i64 = WINDOW_S.cast_signed() + 1;

/// How many requests may be let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// In any 900 s.
    pub window: u32,
    /// In any second.
    pub burst: u32,
}

impl From<Plan> for Limits {
    fn from(plan: Plan) -> Self {
        Self { window: plan.window_requests(), burst: plan.burst_requests() }
    }
}

/// The requests that one key was let in with. Holds at most 901 seconds and one burst.
#[derive(Debug, Default)]
pub struct Window {
    /// Seconds in which requests were let in, with how many, oldest first.
    seconds: VecDeque<(i64, u32)>,
    /// The sum over `seconds`.
    count: u32,
    /// Instants of the requests of the last second, in microseconds, oldest first.
    burst: VecDeque<i64>,
    /// The latest instant that the window was told, in microseconds.
    latest: Option<i64>,
}

/// A request that was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Where the key stands.
    pub stand: RateLimit,
    /// Seconds until the next request is let in, at least 1.
    pub retry_after_s: u64,
    /// The whole second from which the next request is let in.
    pub retry_at: Timestamp,
}

/// What is read off a window that is kept elsewhere, with one more request counted or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// Whether the request was let in.
    pub is_let_in: bool,
    /// Requests in the window.
    pub count: u32,
    /// The second from which there is room for a full quota.
    pub full_s: i64,
    /// When the next request is let in, in microseconds; unused where this one was.
    pub ready_us: i64,
    /// The present as it was counted by, in microseconds.
    pub now_us: i64,
}

impl Reading {
    /// Returns where the window stands.
    pub fn stand(&self, limits: Limits) -> RateLimit {
        RateLimit {
            limit: limits.window,
            remaining: limits.window.saturating_sub(self.count),
            reset_s: u64::try_from(self.full_s).unwrap_or(0),
        }
    }

    /// Returns what is told to whoever asked.
    pub fn answer(&self, limits: Limits) -> Result<RateLimit, Refusal> {
        let stand = self.stand(limits);
        if self.is_let_in {
            return Ok(stand);
        }
        let retry_at_s =
            self.ready_us.div_euclid(SECOND_US) + i64::from(self.ready_us % SECOND_US != 0);
        let wait_us = u64::try_from(self.ready_us - self.now_us).unwrap_or(0);
        Err(Refusal {
            stand,
            retry_after_s: wait_us.div_ceil(SECOND_US.unsigned_abs()).max(1),
            retry_at: Timestamp::from_micros(retry_at_s * SECOND_US).unwrap_or(Timestamp::MAX),
        })
    }
}

impl Refusal {
    /// Tells a refusal by the clock that people see, which is so much ahead of the steady one.
    fn by_the_wall(&self, ahead_us: i64) -> Self {
        let retry_at_us = self.retry_at.micros().saturating_add(whole_s(ahead_us) * SECOND_US);
        Self {
            stand: by_the_wall(self.stand, ahead_us),
            retry_at: Timestamp::from_micros(retry_at_us).unwrap_or(self.retry_at),
            ..*self
        }
    }
}

/// Tells a stand by the clock that people see, which is so much ahead of the steady one.
pub fn by_the_wall(stand: RateLimit, ahead_us: i64) -> RateLimit {
    RateLimit { reset_s: stand.reset_s.saturating_add_signed(whole_s(ahead_us)), ..stand }
}

/// Tells an answer by the clock that people see.
pub fn told(answer: Result<RateLimit, Refusal>, moment: Moment) -> Result<RateLimit, Refusal> {
    let ahead_us = moment.ahead_us();
    match answer {
        Ok(stand) => Ok(by_the_wall(stand, ahead_us)),
        Err(refusal) => Err(refusal.by_the_wall(ahead_us)),
    }
}

/// The two clocks are never read at the very same moment, so only whole seconds between them count.
fn whole_s(us: i64) -> i64 {
    us.saturating_add(SECOND_US / 2).div_euclid(SECOND_US)
}

impl Window {
    /// Lets a request in and counts it, or refuses it and counts nothing.
    pub fn admit(&mut self, limits: Limits, now: Timestamp) -> Result<RateLimit, Refusal> {
        let now_us = self.forget(now);
        let in_burst = u32::try_from(self.burst.len()).unwrap_or(u32::MAX);
        if self.count >= limits.window || in_burst >= limits.burst {
            return self.refusal(limits, now_us).answer(limits);
        }
        let second = now_us.div_euclid(SECOND_US);
        match self.seconds.back_mut() {
            Some((last, count)) if *last == second => *count += 1,
            _ => self.seconds.push_back((second, 1)),
        }
        self.count += 1;
        self.burst.push_back(now_us);
        Ok(self.stand_at(limits, now_us))
    }

    /// Takes the latest request back that was let in, so that it does not count.
    pub fn take_back(&mut self) {
        let Some((_, count)) = self.seconds.back_mut() else { return };
        *count -= 1;
        if *count == 0 {
            self.seconds.pop_back();
        }
        self.count -= 1;
        self.burst.pop_back();
    }

    /// Returns where the key stands, counting nothing.
    pub fn stand(&mut self, limits: Limits, now: Timestamp) -> RateLimit {
        let now_us = self.forget(now);
        self.stand_at(limits, now_us)
    }

    /// Returns whether nothing is counted any more, so that the window may be dropped.
    pub fn is_idle(&mut self, now: Timestamp) -> bool {
        self.forget(now);
        self.seconds.is_empty() && self.burst.is_empty()
    }

    /// Drops what has left the window and the burst; returns the present in microseconds. A clock
    /// that is set back stands still here, so that it lets nobody in twice.
    fn forget(&mut self, now: Timestamp) -> i64 {
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

    fn reading(&self, now_us: i64) -> Reading {
        let full_s = self
            .seconds
            .back()
            .map_or(now_us.div_euclid(SECOND_US), |(second, _)| second + SECOND_LEAVES_AFTER_S);
        Reading { is_let_in: true, count: self.count, full_s, ready_us: now_us, now_us }
    }

    fn stand_at(&self, limits: Limits, now_us: i64) -> RateLimit {
        self.reading(now_us).stand(limits)
    }

    fn refusal(&self, limits: Limits, now_us: i64) -> Reading {
        let ready_us = self.window_ready_us(limits).max(self.burst_ready_us(limits));
        Reading { is_let_in: false, ready_us, ..self.reading(now_us) }
    }

    /// When enough seconds have left for one more request. More than one must leave where the
    /// account went to a smaller plan.
    fn window_ready_us(&self, limits: Limits) -> i64 {
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

    /// When enough of the last second's requests are a second old for one more.
    fn burst_ready_us(&self, limits: Limits) -> i64 {
        let most = limits.burst as usize;
        match self.burst.len().checked_sub(most) {
            Some(over) => self.burst.get(over).map_or(i64::MIN, |at| at + SECOND_US),
            None => i64::MIN,
        }
    }
}

/// Locks windows or counts. A panic elsewhere leaves them as they were.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
