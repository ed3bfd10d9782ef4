//! Commands of the repository, run as `cargo xtask COMMAND`. This module only dispatches them.

mod apt;
mod bench;
mod browser;
mod build;
mod install;
mod paths;
mod python;
mod run;
mod serve;
mod servers;
mod test;
mod tidy;
mod tools;

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use build::dashboard::build_dashboard;
use clap::Parser;
use run::print_line;

/// Commands of the repository. Tools are installed into ~/.cache/sheaf/tools. Completed work is
/// skipped.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Installs the tools, builds, and serves sample data
    Serve(serve::Options),
    /// Builds the dashboard and the release binary
    Build,
    /// Builds only the dashboard, into dist/
    Dashboard {
        /// Builds faster, with debug output
        #[arg(long)]
        dev: bool,
    },
    /// Checks the changes: format, lints, and the tests of the changed crates and their dependents
    Check,
    /// Runs all steps, or the named ones
    Test(test::Options),
    /// Installs all tools and packages, and builds the dashboard
    Prepare {
        /// Only this part
        part: Option<test::prepare::Preparation>,
    },
    /// `service [--rows N]` measures the service, half an hour and 8 GB for 1,000,000 rows;
    /// `dashboard [--quick]` compares the dashboard in Chromium with a React page; both write
    /// docs/performance.md
    Bench {
        #[arg(value_parser = ["service", "dashboard"])]
        name: String,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Installs sccache, and prints its path for .ci/run
    Sccache,
    /// Stores a database file of the present schema, for upgrade tests
    Fixture,
    /// Checks the style rules
    Tidy,
    /// Prints the download sizes; fails above the budget
    Size,
}

fn main() -> ExitCode {
    let Err(error) = run_command(&Command::parse()) else { return ExitCode::SUCCESS };
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::FAILURE
}

fn run_command(command: &Command) -> Result<()> {
    match command {
        Command::Serve(options) => serve::serve(options),
        Command::Build => serve::build_release(),
        Command::Dashboard { dev } => build_dashboard(!dev),
        Command::Check => test::check::check_changes(),
        Command::Test(options) => test::run_tests(options),
        Command::Prepare { part } => test::prepare::prepare(*part),
        Command::Bench { name, words } => bench::run_bench(name, words),
        Command::Sccache => {
            print_line(&python::cargo_tool("sccache")?.display().to_string());
            Ok(())
        }
        Command::Fixture => test::steps::write_fixtures(),
        Command::Tidy => tidy::check_style(),
        Command::Size => build::dashboard::check_size(),
    }
}
