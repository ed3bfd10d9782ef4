//! Why a command could not do its work: one sentence that says what to do.
//!
//! Nothing here prints; `main` does, to standard error.

use std::io;
use std::path::Path;
use store::StoreError;

/// What a command of the binary gives.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// A command that could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// What was asked cannot be done; the sentence says why and what to do.
    #[error("{0}")]
    Refused(String),
    /// A file or a socket failed.
    #[error("{what}: {source}")]
    Io {
        /// What was tried, with the name in backticks.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// The store refused or failed.
    #[error("{}", advised(.0))]
    Store(#[from] StoreError),
}

fn advised(error: &StoreError) -> String {
    match store_sqlite::advice(error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

impl From<server::Error> for Error {
    fn from(error: server::Error) -> Self {
        match error {
            server::Error::Refused(sentence) => Self::Refused(sentence),
            server::Error::Io { what, source } => Self::Io { what, source },
        }
    }
}

impl Error {
    /// Returns an error with a sentence of its own.
    pub(crate) fn refused(sentence: impl Into<String>) -> Self {
        Self::Refused(sentence.into())
    }

    /// Returns a function that says which file failed.
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { what: format!("cannot use the file `{}`", path.display()), source }
    }

    /// Returns a function that says what was tried when the system failed.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what: what.into(), source }
    }

    /// Returns an error of one line of an imported file.
    pub(crate) fn at_line(line: u64, sentence: impl std::fmt::Display) -> Self {
        Self::Refused(format!("line {line}: {sentence}"))
    }
}
