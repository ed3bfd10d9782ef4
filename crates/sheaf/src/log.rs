//! The log: to standard error, for people on a terminal and as JSON lines everywhere else.
//!
//! No line holds an answer, a secret, a cookie or a URL's query: what is logged is named field by
//! field where it happens, and nothing is dumped.

use std::io::{self, IsTerminal as _};
use tracing_subscriber::EnvFilter;

/// Starts the log. `filter` is as `RUST_LOG` has it; without one, `usual` holds.
///
/// # Errors
/// A filter that cannot be read, in one sentence.
pub(crate) fn start(filter: Option<&str>, usual: &str) -> Result<(), String> {
    let wanted = filter.unwrap_or(usual);
    let filter = EnvFilter::try_new(wanted).map_err(|_| {
        format!("`RUST_LOG` must be a filter such as `info` or `api=debug`, but is `{wanted}`")
    })?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = if io::stderr().is_terminal() {
        lines.with_target(false).try_init()
    } else {
        lines.json().flatten_event(true).with_current_span(false).try_init()
    };
    started.map_err(|error| format!("the log could not be started: {error}"))
}
