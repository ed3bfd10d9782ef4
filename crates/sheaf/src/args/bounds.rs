//! What bounds a server: how many requests it lets in, and how much memory it may take.

use clap::Args;

use crate::plan_limit::PlanLimit;

/// How many requests are let in.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Limits of your own for a plan, in place of the specification's, for example `pro=5000/100`:
    /// requests of a key in any 15 minutes, and in any second; may be given for each plan
    #[arg(long = "plan-limits", value_name = "LIMITS")]
    pub(crate) plan_limits: Vec<PlanLimit>,
}

/// What the store may hold in memory.
#[derive(Debug, Args)]
pub(crate) struct Memory {
    /// How much memory the texts of large forms may take, so that searching them is quick; a form
    /// that has no room is searched in the file
    #[arg(
        long = "search-memory",
        value_name = "MIB",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(0..=1_048_576)
    )]
    pub(crate) search_mib: u32,
}
