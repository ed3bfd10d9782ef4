//! The binary `sheaf` as a library: the only crate that depends on both the API and the gateway.
//!
//! Passes each command to the module of its name, prints its error, and sets the exit status.

mod args;
mod audit_events;
mod authorities;
mod commands;
mod config;
mod confirm;
mod country;
mod email;
mod error;
mod field_spec;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod gateway_adapter;
mod gateway_mail;
mod identity;
mod insight;
mod instance_limits;
mod key_files;
mod log;
mod mail;
mod new_ids;
mod operator;
mod output;
mod plan_limit;
mod secret_file;
mod sign_in_link;
mod stores;
mod webhooks;
mod worker_task;
mod workers;

use clap::Parser as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

use args::{Arguments, Command};
use error::{Error, Result};

/// Time that blocking threads have to finish at exit.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Runs the command line and returns the exit status.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run_arguments(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // An error can quote any text of a file or of another server. Some have several lines.
            let lines: Vec<_> =
                error.to_string().lines().map(output::replace_control_chars).collect();
            // If standard error is closed too, the error cannot be reported.
            let _ = writeln!(io::stderr().lock(), "error: {}", lines.join("\n"));
            ExitCode::FAILURE
        }
    }
}

fn run_arguments(arguments: Arguments) -> Result<()> {
    let usual = match arguments.command {
        Command::Serve(_) | Command::Service(_) | Command::Gateway(_) => "info",
        _ => "warn",
    };
    log::start(config::log_filter().as_deref(), usual).map_err(Error::invalid)?;
    let runtime = build_runtime()?;
    let done = runtime.block_on(dispatch(arguments));
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    done
}

fn build_runtime() -> Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().map_err(Error::io("cannot start"))
}

async fn dispatch(Arguments { data, command }: Arguments) -> Result<()> {
    match command {
        Command::Serve(args) => commands::serve::run(&data, *args).await,
        Command::Service(args) => commands::serve::run_service(&data, *args).await,
        Command::Gateway(args) => commands::gateway::run(&data, *args).await,
        Command::Account(args) => commands::account::run(&data, args).await,
        Command::Form(args) => commands::form::run(&data, args).await,
        Command::Key(args) => commands::key::run(&data, args).await,
        Command::Spam(args) => commands::spam::run(&data, args).await,
        Command::Webhook(args) => commands::webhook::run(&data, args).await,
        Command::Notification(args) => commands::notification::run(&data, args).await,
        Command::Mail(args) => commands::mail::run(args).await,
        Command::Import(args) => commands::import::run(&data, args).await,
        Command::Sample(args) => commands::sample::run(&data, args).await,
        Command::Audit(args) => commands::audit::run(&data, args).await,
        Command::Openapi => output::print_line(format!("{:#}", api::openapi_document())),
        Command::Backup(args) => commands::backup::run(&data, args).await,
        Command::Dump(args) => commands::archive::dump(&data, args).await,
        Command::Restore(args) => commands::archive::restore(&data, args).await,
        Command::Dashboard(args) => commands::dashboard::run(args),
        Command::Health(args) => commands::health::run(args).await,
        Command::Check { file } => commands::check::run(&data, file).await,
    }
}
