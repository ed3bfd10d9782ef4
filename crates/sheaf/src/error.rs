//! Errors of the commands: one sentence that says what to do.
//!
//! `main` prints them to standard error.

use contract::ErrorBody;
use std::io;
use std::path::Path;
use store::StoreError;

/// Result of a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Failure of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command is invalid or impossible. The sentence says why, and what to do.
    #[error("{0}")]
    Invalid(String),
    /// A file or a socket failed.
    #[error("{operation}: {source}")]
    Io {
        /// Failed operation, with the name in backticks.
        operation: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The store rejected the operation or failed.
    #[error("{}", message_with_advice(.0))]
    Store(#[from] StoreError),
}

/// Returns the message of the JSON parser without its position. It can quote any text of the input,
/// so its quotations are shortened.
pub(crate) fn json_reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    ErrorBody::bound_message(reason)
}

fn message_with_advice(error: &StoreError) -> String {
    match store_sqlite::advice(error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

impl From<server::Error> for Error {
    fn from(error: server::Error) -> Self {
        match error {
            server::Error::Refused(sentence) => Self::Invalid(sentence),
            server::Error::Io { what, source } => Self::Io { operation: what, source },
        }
    }
}

impl Error {
    /// Returns an error with the given sentence.
    pub(crate) fn invalid(sentence: impl Into<String>) -> Self {
        Self::Invalid(sentence.into())
    }

    /// Returns a function that adds the name of a file to an I/O error.
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> Self {
        let with_name = server::Error::file_error(path);
        move |source| with_name(source).into()
    }

    /// Returns a function that adds the failed operation to an I/O error.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { operation: what.into(), source }
    }

    /// Returns an error about a line of an imported file.
    pub(crate) fn at_line(line: u64, sentence: impl std::fmt::Display) -> Self {
        Self::Invalid(format!("line {line}: {sentence}"))
    }
}
