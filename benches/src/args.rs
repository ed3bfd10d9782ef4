//! Command-line arguments of the bench.

use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Measures a running Sheaf against the limits of its machine.
#[derive(Debug, Parser)]
#[command(name = "bench")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Measures the service with this many submissions in one form
    Service(ServiceArgs),
    /// Measures the dashboard in a browser, compared with a React page of the same list
    Dashboard(Dashboard),
    /// Creates the data of a size if they are missing
    Data(DataArgs),
    /// Serves files as they are, as the upper bound for responses with the same bytes
    Hello(Hello),
    /// Regenerates the page from the stored results
    Page(PageArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// The measured binary
    #[arg(long)]
    pub(crate) sheaf: PathBuf,
    /// Folder where data are created once and reused
    #[arg(long)]
    pub(crate) folder: PathBuf,
    /// Submissions of the large form
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) rows: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Scenarios to run, by the start of their names; all by default
    #[arg(long = "only")]
    pub(crate) only: Vec<String>,
    /// Seconds that each side of a comparison runs per turn
    #[arg(long, default_value_t = 2.0)]
    pub(crate) seconds: f64,
    /// Number of turns of each side of a comparison
    #[arg(long, default_value_t = 3)]
    pub(crate) rounds: usize,
    /// Other load of the machine, for the page
    #[arg(long = "beside", default_value = "nothing else")]
    pub(crate) other_load: String,
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Dashboard {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Folder of the built React page with its compressed files
    #[arg(long)]
    pub(crate) react: PathBuf,
    /// Path of `chromedriver`
    #[arg(long)]
    pub(crate) chromedriver: PathBuf,
    /// Scenarios to run, by the start of their names; all by default
    #[arg(long = "only")]
    pub(crate) only: Vec<String>,
    /// Number of turns of each page
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Prints details behind the figures: each slow frame
    #[arg(long)]
    pub(crate) notes: bool,
    /// Other load of the machine, for the page
    #[arg(long = "beside", default_value = "nothing else")]
    pub(crate) other_load: String,
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

/// Locations of the results.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// Folder of the results, with one file for each size
    #[arg(long)]
    pub(crate) results: PathBuf,
    /// Page that shows the results
    #[arg(long)]
    pub(crate) page: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Hello {
    /// Folder of the served files; their names are the paths
    #[arg(long)]
    pub(crate) folder: PathBuf,
    /// Listen address and port
    #[arg(long)]
    pub(crate) listen: SocketAddr,
}
