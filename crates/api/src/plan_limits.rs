//! How many requests each plan lets in: the specification's table, unless whoever runs the service
//! says otherwise.

use contract::Plan;
use store::window::Limits;

/// Largest figure for a window.
pub const WINDOW_REQUESTS_MAX: u32 = 1_000_000_000;
/// Largest figure for a second, each request of which is remembered one by one.
pub const BURST_REQUESTS_MAX: u32 = 1_000_000;

/// The figures of every plan.
#[derive(Debug, Clone)]
pub struct PlanLimits([Limits; Plan::ALL.len()]);

impl Default for PlanLimits {
    /// The table of the specification (§8.1).
    fn default() -> Self {
        Self(Plan::ALL.map(Limits::from))
    }
}

impl PlanLimits {
    /// Sets a plan's figures: requests in any 900 s, and in any second.
    ///
    /// # Errors
    /// A figure that is 0 or larger than may be, in one sentence.
    pub fn set(&mut self, plan: Plan, window: u32, burst: u32) -> Result<(), String> {
        for (what, figure, most) in [
            ("requests in 15 minutes", window, WINDOW_REQUESTS_MAX),
            ("requests in a second", burst, BURST_REQUESTS_MAX),
        ] {
            if !(1..=most).contains(&figure) {
                return Err(format!("the {what} must be from 1 to {most}, but are `{figure}`"));
            }
        }
        self.0[plan as usize] = Limits { window, burst };
        Ok(())
    }

    /// Returns a plan's figures.
    pub(crate) fn of(&self, plan: Plan) -> Limits {
        self.0[plan as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plan_that_is_named_changes() {
        let mut limits = PlanLimits::default();
        limits.set(Plan::Pro, 7, 3).unwrap();
        for plan in Plan::ALL {
            let expect =
                if plan == Plan::Pro { Limits { window: 7, burst: 3 } } else { plan.into() };
            assert_eq!(limits.of(plan), expect, "{plan}");
        }
    }

    #[test]
    fn figures_are_bounded() {
        let mut limits = PlanLimits::default();
        assert!(limits.set(Plan::Free, WINDOW_REQUESTS_MAX, BURST_REQUESTS_MAX).is_ok());
        for (window, burst) in
            [(0, 1), (1, 0), (WINDOW_REQUESTS_MAX + 1, 1), (1, BURST_REQUESTS_MAX + 1)]
        {
            assert!(limits.set(Plan::Free, window, burst).is_err(), "{window}/{burst}");
        }
    }
}
