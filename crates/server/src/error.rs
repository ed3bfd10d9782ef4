//! Errors that prevent a server from starting. Each is one sentence with a remedy.

use std::io;
use std::path::Path;

/// Result of a startup step.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting is not usable. The sentence gives the reason and a remedy.
    #[error("{0}")]
    Refused(String),
    /// A file or socket operation failed.
    #[error("{what}: {source}")]
    Io {
        /// The attempted operation, with the name in backticks.
        what: String,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl Error {
    /// Creates an error from a sentence.
    pub(crate) fn refused(sentence: impl Into<String>) -> Self {
        Self::Refused(sentence.into())
    }

    /// Returns a closure that adds a file name to an I/O error.
    pub fn file_error(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { what: format!("cannot use the file `{}`", path.display()), source }
    }

    /// Returns a closure that adds the attempted operation to an I/O error.
    pub(crate) fn io_error(description: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what: description.into(), source }
    }
}
