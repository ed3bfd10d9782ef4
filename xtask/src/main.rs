//! Commands of the repository, run as `cargo xtask COMMAND`. This module only dispatches them.

mod apt;
mod bench;
mod browser;
mod build;
mod cargo;
mod install;
mod npm;
mod paths;
mod python;
mod run;
mod serve;
mod servers;
mod test;
mod tidy;
mod tools;

use std::{io::Write as _, process::ExitCode};

use anyhow::{Result, bail};
use build::dashboard;
use run::print_line;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  serve [--release] [--listen ADDR] [-- ARGS]
                                    Installs the tools, builds, and serves sample data;
                                    --release serves the release binary
  build                             Builds the dashboard and the release binary
  dashboard [--dev]                 Builds only the dashboard, into dist/
  check                             Checks the changes: format, lints, and the tests of the
                                    changed crates and their dependents
  test [--full] [STEP...] [--list]  Runs all steps, or the named ones; --full runs all repetitions
  prepare                           Installs all tools and packages, and builds the dashboard
  bench service [--rows N] [ARGS]   Measures the service and writes docs/performance.md. 1,000,000
                                    submissions take half an hour and 8 GB, 10,000,000 take 21 GB
  bench dashboard [--quick] [ARGS]  Compares the dashboard in Chromium with a React page and
                                    writes docs/performance.md; --quick is for a first impression,
                                    --no-lighthouse skips Lighthouse
  sccache                           Installs sccache, and prints its path for .ci/run
  fixture                           Stores a database file of each new schema, for upgrade tests
  tidy                              Checks the style rules
  size                              Prints the download sizes; fails above the budget
  help                              Prints this help

Tools are installed into ~/.cache/sheaf/tools. Completed work is skipped.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Err(error) = dispatch(&words) else { return ExitCode::SUCCESS };
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::FAILURE
}

fn dispatch(words: &[String]) -> Result<()> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["help" | "--help" | "-h", ..] => print_line(HELP),
        ["serve", rest @ ..] => serve::serve(rest)?,
        ["build"] => serve::build_release()?,
        ["dashboard"] => dashboard::build_dashboard(dashboard::Profile::Release)?,
        ["dashboard", "--dev"] => dashboard::build_dashboard(dashboard::Profile::Dev)?,
        ["test", rest @ ..] => test::run_tests(rest)?,
        ["check"] => test::check::check_changes()?,
        ["prepare"] => test::prepare::prepare()?,
        ["bench", rest @ ..] => bench::run_bench(rest)?,
        ["sccache"] => print_line(&python::ensure_sccache()?.display().to_string()),
        ["fixture"] => test::steps::write_fixtures()?,
        ["tidy"] => tidy::check_style()?,
        ["size"] => build::size::check_budgets()?,
        _ => bail!("unknown command `{}`: see `cargo xtask --help`", words.join(" ")),
    }
    Ok(())
}
