//! All of the binary `sheaf`: the only crate that knows both the service and the gateway.
//!
//! From here a command goes to the module of its name. Nothing else prints an error or decides the
//! exit status.

mod account;
mod archive;
mod args;
mod audit;
mod authorities;
mod backup;
mod bridge;
mod check;
mod config;
mod confirm;
mod country;
mod dashboard;
mod email;
mod error;
mod field_spec;
mod form;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod gateway;
mod health;
mod identity;
mod import;
mod insight;
mod intake;
mod key;
mod key_files;
mod link;
mod log;
mod mint;
mod noted;
mod operator;
mod output;
mod people;
mod plan_limit;
mod sample;
mod sample_data;
mod secret_file;
mod serve;
mod service;
mod sharing;
mod spam;
mod stores;

use clap::Parser as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

use args::{Arguments, Command};
use error::{Error, Result};

/// How long threads that still wait for the disk may take at the end.
const LAST_TIME: Duration = Duration::from_secs(2);

/// Does what the command line says, and returns the exit status.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match start(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where standard error is gone too, nobody is left to tell.
            let _ = writeln!(io::stderr().lock(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: Arguments) -> Result<()> {
    let usual = match arguments.command {
        Command::Serve(_) | Command::Service(_) | Command::Gateway(_) => "info",
        _ => "warn",
    };
    log::start(config::log_filter().as_deref(), usual).map_err(Error::refused)?;
    let runtime = runtime()?;
    let done = runtime.block_on(run(arguments));
    runtime.shutdown_timeout(LAST_TIME);
    done
}

fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().map_err(Error::io("cannot start"))
}

async fn run(Arguments { data, command }: Arguments) -> Result<()> {
    match command {
        Command::Serve(args) => serve::run(&data, *args).await,
        Command::Service(args) => service::run(&data, args).await,
        Command::Gateway(args) => gateway::run(&data, args).await,
        Command::Account(args) => account::run(&data, args).await,
        Command::Form(args) => form::run(&data, args).await,
        Command::Key(args) => key::run(&data, args).await,
        Command::Spam(args) => spam::run(&data, args).await,
        Command::Import(args) => import::run(&data, args).await,
        Command::Sample(args) => sample::run(&data, args).await,
        Command::Audit(args) => audit::run(&data, args).await,
        Command::Openapi => output::line(format!("{:#}", api::document())),
        Command::Backup(args) => backup::run(&data, args).await,
        Command::Dump(args) => archive::dump(&data, args).await,
        Command::Restore(args) => archive::restore(&data, args).await,
        Command::Dashboard(args) => dashboard::run(args),
        Command::Health(args) => health::run(args).await,
        Command::Check { file } => check::run(&data, file).await,
    }
}
