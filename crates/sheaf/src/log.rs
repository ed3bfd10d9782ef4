//! Logging to standard error: text on a terminal, and JSON lines otherwise.
//!
//! Log lines contain no answers, secrets, cookies or query strings. Each field is named where it is
//! logged, and no request is dumped.

use std::io::{self, IsTerminal as _};
use tracing_subscriber::EnvFilter;

/// Starts logging with `filter`, in the syntax of `RUST_LOG`, or with `usual` without one.
///
/// # Errors
/// A filter that is invalid, or a logger that cannot be started.
pub(crate) fn start(filter: Option<&str>, usual: &str) -> Result<(), String> {
    let filter_text = filter.unwrap_or(usual);
    let filter = EnvFilter::try_new(filter_text).map_err(|_| {
        format!("`RUST_LOG` must be a filter such as `info` or `api=debug`, but is `{filter_text}`")
    })?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = if io::stderr().is_terminal() {
        lines.with_target(false).try_init()
    } else {
        lines.json().flatten_event(true).with_current_span(false).try_init()
    };
    started.map_err(|error| format!("cannot start the log: {error}"))
}
