//! Arguments of what several instances share beside the database.

use clap::Args;
use std::path::PathBuf;

/// Most instances.
const INSTANCES_MAX: i64 = 10_000;

/// Where limits are counted, and by how many.
#[derive(Debug, Clone, Args)]
pub(crate) struct Sharing {
    /// Redis, in which all instances count their limits together, in place of the database:
    /// `redis://host:6379`, or `rediss://` for TLS. Where it holds a password, say it by the
    /// variable or by a file: everybody on this machine can read what stands here
    #[arg(long, value_name = "URL", env = "SHEAF_REDIS_URL", hide_env_values = true)]
    pub(crate) redis_url: Option<String>,
    /// A file of that address, which not everybody may read
    #[arg(long, value_name = "FILE", env = "SHEAF_REDIS_URL_FILE")]
    pub(crate) redis_url_file: Option<PathBuf>,
    /// How many instances there are at least: where neither Redis nor the database answers, each
    /// lets in its share of every limit. Those that are running are counted by themselves
    #[arg(
        long,
        value_name = "COUNT",
        env = "SHEAF_INSTANCES",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=INSTANCES_MAX)
    )]
    pub(crate) instances: u32,
}
