//! Values of `--plan-limits`: custom limits of a plan.

use api::PlanLimits;
use contract::Plan;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Limits of one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanLimit {
    plan: Plan,
    /// Requests in any 15 minutes.
    window: u32,
    /// Requests in any second.
    burst: u32,
}

impl FromStr for PlanLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("must be limits such as `pro=5000/100`, but is `{text}`");
        let (plan, values) = text.split_once('=').ok_or_else(invalid)?;
        let (window, burst) = values.split_once('/').ok_or_else(invalid)?;
        let parse_value = |text: &str| text.parse::<u32>().map_err(|_| invalid());
        let limit =
            Self { plan: plan.parse()?, window: parse_value(window)?, burst: parse_value(burst)? };
        PlanLimits::default().set(limit.plan, limit.window, limit.burst).map(|()| limit)
    }
}

/// Returns the limits of all plans: the given ones, and the defaults for the others.
///
/// # Errors
/// A plan that is named twice, or a limit out of range.
pub(crate) fn collect_plan_limits(given: &[PlanLimit]) -> Result<PlanLimits> {
    let mut limits = PlanLimits::default();
    for (n, limit) in given.iter().enumerate() {
        if given[..n].iter().any(|earlier| earlier.plan == limit.plan) {
            let plan = limit.plan;
            let message = format!("`--plan-limits` names the plan `{plan}` twice; name it once");
            return Err(Error::invalid(message));
        }
        limits.set(limit.plan, limit.window, limit.burst).map_err(Error::invalid)?;
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_limit_requires_both_numbers() {
        let read = |text: &str| text.parse::<PlanLimit>();
        let pro = PlanLimit { plan: Plan::Pro, window: 5000, burst: 100 };
        assert_eq!(read("pro=5000/100"), Ok(pro));
        for bad in ["", "pro", "pro=1", "pro=1/", "pro=-1/1", "gold=1/1", "pro=0/1", "pro=1/1/1"] {
            assert!(read(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn plan_named_twice_is_rejected() {
        let parse = |texts: &[&str]| -> Vec<PlanLimit> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        assert!(collect_plan_limits(&parse(&["pro=1/1", "free=1/1"])).is_ok());
        assert!(collect_plan_limits(&parse(&["pro=1/1", "pro=2/1"])).is_err());
    }
}
