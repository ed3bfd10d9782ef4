//! Limits of a server: request rates and memory.

use clap::Args;

use crate::plan_limit::PlanLimit;

/// Rate limits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Rate limits of a plan, such as `pro=5000/100`: requests per key in 15 minutes and in one
    /// second
    ///
    /// Can be repeated for each plan.
    #[arg(long = "plan-limits", value_name = "LIMITS")]
    pub(crate) plan_limits: Vec<PlanLimit>,
}

/// Memory limits of the store.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Memory {
    /// Memory for searching and filtering large forms, in MiB
    ///
    /// Forms that do not fit are read from disk or from the database.
    #[arg(
        long = "search-memory",
        value_name = "MIB",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(0..=1_048_576)
    )]
    pub(crate) search_mib: u32,
}
