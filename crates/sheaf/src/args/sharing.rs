//! Arguments of what several instances share beside the database.

use clap::Args;

/// Most instances.
const INSTANCES_MAX: i64 = 10_000;

/// By how many instances limits are counted.
#[derive(Debug, Clone, Args)]
pub(crate) struct Sharing {
    /// How many instances there are at least: if the database does not answer, each lets in its
    /// share of every limit. Those that are running are counted by themselves
    #[arg(
        long,
        value_name = "COUNT",
        env = "SHEAF_INSTANCES",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=INSTANCES_MAX)
    )]
    pub(crate) instances: u32,
}
