//! The project's own commands, run as `cargo xtask COMMAND`. This module only tells which command
//! is meant; it never does the work of one.

mod apt;
mod bench;
mod browser;
mod build;
mod cargo;
mod install;
mod npm;
mod place;
mod python;
mod run;
mod serve;
mod servers;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use build::dashboard;
use run::{Error, Result, say};

const HELP: &str = "\
Usage: cargo xtask COMMAND

  serve [--release] [--listen ADDR] [-- ARGS]
                                    Sets everything up, builds, and serves with sample data;
                                    --release serves with the released binary
  build                             Builds the dashboard and the released binary
  dashboard [--dev]                 Builds the dashboard alone, into dist/
  check                             Checks what was changed: format, lints, and the tests of the
                                    changed crates and of those that depend on them
  test [--full] [STEP...] [--list]  Runs the tests, or the named steps; --full with all repetitions
  prepare                           Installs all tools and packages, and builds the dashboard
  bench service [--rows N] [ARGS]   Measures the service; writes docs/performance.md. Of 1,000,000
                                    submissions half an hour and 8 GB of disk, of 10,000,000 21 GB
  bench dashboard [--quick] [ARGS]  Measures the dashboard in Chromium, against a React page, and
                                    writes docs/performance.md; --quick is for a first look, and
                                    --no-lighthouse leaves that out
  fixture                           Keeps a file of each new schema, for the tests of upgrades
  tidy                              Checks the house style
  size                              Prints what a browser downloads; fails above the budget
  help                              Prints this

Tools are installed into ~/.cache/sheaf/tools. What is done already is skipped at once.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match command(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            use std::io::Write as _;
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn command(words: &[String]) -> Result {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["help" | "--help" | "-h", ..] => say(HELP),
        ["serve", rest @ ..] => serve::serve(rest)?,
        ["build"] => serve::build()?,
        ["dashboard"] => dashboard::build(dashboard::Build::Release)?,
        ["dashboard", "--dev"] => dashboard::build(dashboard::Build::Dev)?,
        ["test", rest @ ..] => test::test(rest)?,
        ["check"] => test::check::check()?,
        ["prepare"] => test::prepare::prepare()?,
        ["bench", rest @ ..] => bench::bench(rest)?,
        ["fixture"] => test::steps::fixture()?,
        ["tidy"] => tidy::check()?,
        ["size"] => build::size::check()?,
        _ => {
            let given = words.join(" ");
            let message = format!("`{given}` is no command: see `cargo xtask --help`");
            return Err(Error::new(message));
        }
    }
    Ok(())
}
