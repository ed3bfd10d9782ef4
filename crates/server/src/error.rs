//! Why a server cannot start: one sentence that says what to do.

use std::io;
use std::path::Path;

/// The result of a step of the start.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A server that cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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
}
