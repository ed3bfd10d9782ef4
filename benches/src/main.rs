//! Measures a running Sheaf against the limits of its machine, and its dashboard against a page of
//! another library.
//!
//! `cargo xtask bench` builds the release binary and starts this program. It controls programs only
//! from outside, like their users, and asserts nothing.

#![expect(
    clippy::cast_precision_loss,
    reason = "figures are for display and need no full precision"
)]

mod ab_runner;
mod args;
mod baseline_server;
mod bench;
mod client;
mod contention;
mod dashboard;
mod data;
mod database_comparison;
mod export;
mod fields;
mod filters;
mod http_response;
mod idle_cost;
mod import;
mod ingest;
mod list;
mod list_filter;
mod load;
mod page;
mod postgres;
mod process;
mod random;
mod results;
mod samples;
mod search;
mod service;
mod sorts;
mod sqlite_file;
mod submissions;
mod tools;
mod triage;
mod webhooks;

use clap::Parser as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Result of the functions of the bench. An error is a sentence for the user.
type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = runtime.map_err(Into::into).and_then(|runtime| {
        runtime.block_on(async {
            match args::Arguments::parse().command {
                args::BenchCommand::Dashboard(args) => dashboard::run(&args).await,
                args::BenchCommand::Data(args) => data::BenchData::ensure(&args).await.map(drop),
                args::BenchCommand::Hello(args) => baseline_server::serve(&args).await,
                args::BenchCommand::Service(args) => service::run(&args).await,
                args::BenchCommand::Page(args) => page::write_page(&args.results, &args.page),
            }
        })
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line. A closed pipe is not an error.
fn print_line(line: impl std::fmt::Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
