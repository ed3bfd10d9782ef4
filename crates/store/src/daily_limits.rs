//! Limits per day: of analysed submissions and of e-mails.

use contract::{Plan, Timestamp};

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Maximum number of analysed submissions, or of e-mails, per day (UTC) by plan. The analysis of
/// test forms has a limit of its own of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyLimits([u64; Plan::ALL.len()]);

impl Default for DailyLimits {
    fn default() -> Self {
        Self(Plan::ALL.map(Plan::insight_actions_per_day))
    }
}

impl DailyLimits {
    /// Returns the limit of a plan.
    pub fn for_plan(&self, plan: Plan) -> u64 {
        Plan::ALL
            .iter()
            .zip(self.0)
            .find(|(limit_plan, _)| **limit_plan == plan)
            .map_or(0, |(_, limit)| limit)
    }

    /// Sets the limit of a plan.
    pub fn set(&mut self, plan: Plan, limit: u64) {
        for (limit_plan, current) in Plan::ALL.iter().zip(&mut self.0) {
            if *limit_plan == plan {
                *current = limit;
            }
        }
    }
}

/// A day in UTC, in days since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcDay(pub i64);

impl UtcDay {
    /// Returns the day of an instant.
    pub fn of(now: Timestamp) -> Self {
        Self(now.micros().div_euclid(DAY_MICROS))
    }

    /// Returns the start of the next day.
    pub fn end(self) -> Timestamp {
        Timestamp::from_micros((self.0 + 1).saturating_mul(DAY_MICROS)).unwrap_or(Timestamp::MAX)
    }
}
