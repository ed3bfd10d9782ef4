//! Measures a running Sheaf against the limits of its machine, and its dashboard against a page of
//! another library.
//!
//! `cargo xtask bench` builds the release binary and starts this program. It controls programs only
//! from outside, like their users, and asserts nothing.

#![expect(
    clippy::cast_precision_loss,
    reason = "figures are for display and need no full precision"
)]

mod answer;
mod args;
mod bench;
mod beside;
mod ceiling;
mod client;
mod crowd;
mod dashboard;
mod data;
mod dice;
mod duel;
mod export;
mod feed;
mod filters;
mod hello;
mod import;
mod ingest;
mod load;
mod narrowed;
mod own;
mod page;
mod picks;
mod postgres;
mod process;
mod rest;
mod results;
mod search;
mod sent;
mod service;
mod tools;

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
                args::Command::Dashboard(args) => dashboard::run(&args).await,
                args::Command::Data(args) => data::Data::of(&args).await.map(drop),
                args::Command::Hello(args) => hello::serve(&args).await,
                args::Command::Service(args) => service::run(&args).await,
                args::Command::Page(args) => page::write(&args.results, &args.page),
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
fn say(line: impl std::fmt::Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
