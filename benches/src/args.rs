//! What can be said to the bench. Types only.

use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Measures a running Sheaf against the limits of the machine it runs on.
#[derive(Debug, Parser)]
#[command(name = "bench")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measures the service with so many submissions in one form
    Service(Service),
    /// Measures the dashboard in a browser, against a React page of the same list
    Dashboard(Dashboard),
    /// Makes the data of a size, where they are missing
    Data(Data),
    /// Serves files as they are: the ceiling of any answer of the same bytes
    Hello(Hello),
    /// Writes the page anew from the results that are kept
    Page(Page),
}

#[derive(Debug, Args)]
pub(crate) struct Data {
    /// The binary that is measured
    #[arg(long)]
    pub(crate) sheaf: PathBuf,
    /// Where data are made once and kept
    #[arg(long)]
    pub(crate) folder: PathBuf,
    /// Submissions of the large form
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) rows: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Service {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Scenarios to run, by the beginning of their names; all where none is named
    #[arg(long = "only")]
    pub(crate) only: Vec<String>,
    /// Seconds that each side of a comparison runs at a time
    #[arg(long, default_value_t = 2.0)]
    pub(crate) seconds: f64,
    /// How often the sides of a comparison take turns
    #[arg(long, default_value_t = 3)]
    pub(crate) rounds: usize,
    /// What else the machine does meanwhile, for the page
    #[arg(long, default_value = "nothing else")]
    pub(crate) beside: String,
    #[command(flatten)]
    pub(crate) page: Page,
}

#[derive(Debug, Args)]
pub(crate) struct Dashboard {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The folder of the built React page, its files compressed beside them
    #[arg(long)]
    pub(crate) react: PathBuf,
    /// The driver of Chromium
    #[arg(long)]
    pub(crate) chromedriver: PathBuf,
    /// The program `lighthouse`; without it, its judgement is left out
    #[arg(long)]
    pub(crate) lighthouse: Option<PathBuf>,
    /// Scenarios to run, by the beginning of their names; all where none is named
    #[arg(long = "only")]
    pub(crate) only: Vec<String>,
    /// How often the two pages take turns
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Tells what lies behind the figures: each slow frame, each audit
    #[arg(long)]
    pub(crate) notes: bool,
    /// What else the machine does meanwhile, for the page
    #[arg(long, default_value = "nothing else")]
    pub(crate) beside: String,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// Where results go.
#[derive(Debug, Args)]
pub(crate) struct Page {
    /// The folder that keeps the results, a file for each size
    #[arg(long)]
    pub(crate) results: PathBuf,
    /// The page that shows them
    #[arg(long)]
    pub(crate) page: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Hello {
    /// The folder whose files are served under their names
    #[arg(long)]
    pub(crate) folder: PathBuf,
    /// Address and port
    #[arg(long)]
    pub(crate) listen: SocketAddr,
}
