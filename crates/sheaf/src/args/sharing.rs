//! Arguments of the limits that several instances share.

use clap::Args;

/// Maximum number of instances.
const INSTANCES_MAX: i64 = 10_000;

/// Number of instances that share limits.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct InstanceArgs {
    /// Minimum number of instances
    ///
    /// If the database does not answer, each instance allows its share of every limit. Running
    /// instances are counted automatically.
    #[arg(
        long,
        value_name = "COUNT",
        env = "SHEAF_INSTANCES",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=INSTANCES_MAX)
    )]
    pub(crate) instances: u32,
}
