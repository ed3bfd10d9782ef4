//! Request limits per plan: the table of the specification, unless the operator sets other values.

use contract::Plan;
use store::window::WindowLimits;

/// Maximum value of a 15-minute limit.
pub const WINDOW_REQUESTS_MAX: u32 = 1_000_000_000;
/// Maximum value of a limit per second. The limiter stores the time of each of these requests.
pub const BURST_REQUESTS_MAX: u32 = 1_000_000;

/// Request limits of every plan.
#[derive(Debug, Clone)]
pub struct PlanLimits([WindowLimits; Plan::ALL.len()]);

impl Default for PlanLimits {
    /// Returns the table of the specification (section 8.1).
    fn default() -> Self {
        Self(Plan::ALL.map(WindowLimits::from))
    }
}

impl PlanLimits {
    /// Sets the limits of a plan: requests in any 900 s, and in any second.
    ///
    /// # Errors
    /// Returns a message if a value is 0 or above its maximum.
    pub fn set(&mut self, plan: Plan, window: u32, burst: u32) -> Result<(), String> {
        for (quantity, value, max) in [
            ("requests in 15 minutes", window, WINDOW_REQUESTS_MAX),
            ("requests in a second", burst, BURST_REQUESTS_MAX),
        ] {
            if !(1..=max).contains(&value) {
                return Err(format!("the {quantity} must be from 1 to {max}, but are `{value}`"));
            }
        }
        self.0[plan as usize] = WindowLimits { window, burst };
        Ok(())
    }

    /// Returns the limits of a plan.
    pub(crate) fn limits_of(&self, plan: Plan) -> WindowLimits {
        self.0[plan as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_changes_only_the_named_plan() {
        let mut limits = PlanLimits::default();
        limits.set(Plan::Pro, 7, 3).unwrap();
        for plan in Plan::ALL {
            let expect =
                if plan == Plan::Pro { WindowLimits { window: 7, burst: 3 } } else { plan.into() };
            assert_eq!(limits.limits_of(plan), expect, "{plan}");
        }
    }

    #[test]
    fn set_rejects_values_out_of_range() {
        let mut limits = PlanLimits::default();
        assert!(limits.set(Plan::Free, WINDOW_REQUESTS_MAX, BURST_REQUESTS_MAX).is_ok());
        for (window, burst) in
            [(0, 1), (1, 0), (WINDOW_REQUESTS_MAX + 1, 1), (1, BURST_REQUESTS_MAX + 1)]
        {
            assert!(limits.set(Plan::Free, window, burst).is_err(), "{window}/{burst}");
        }
    }
}
