//! Why there is no answer, or not the one that was asked for.

use contract::ErrorBody;
use std::time::Duration;

/// What went wrong. No text of it holds the key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client cannot be set up so.
    #[error("{0}")]
    SetUp(String),
    /// The server answered, and refused (§7).
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The server was not reached, or the connection broke off.
    #[error("the server was not reached, or broke off: {0}")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Nothing came in time.
    #[error("the server did not answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The answer is not what the specification says.
    #[error("the server answered in a way that it should not: {0}")]
    Odd(String),
    /// An export ended before its end.
    #[error("the export was cut after {bytes} bytes: {reason}; ask for it again")]
    Cut {
        /// How many bytes had come.
        bytes: u64,
        /// By what it was seen.
        reason: String,
    },
}

/// An answer that is an error (§7).
#[derive(Debug, Clone, thiserror::Error)]
#[error("the server refused with status {status}{}", shown(.body.as_ref()))]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The specified body; `None` where something else came, as from a proxy in between.
    pub body: Option<ErrorBody>,
    /// How long the server asks to wait, by `retry_after` or the header `Retry-After`.
    pub retry_after: Option<Duration>,
}

fn shown(body: Option<&ErrorBody>) -> String {
    body.map(|body| format!(" ({}): {}", body.error, body.message)).unwrap_or_default()
}

impl Error {
    pub(crate) fn set_up(message: impl Into<String>) -> Self {
        Self::SetUp(message.into())
    }

    pub(crate) fn odd(message: impl std::fmt::Display) -> Self {
        Self::Odd(message.to_string())
    }

    /// Returns the status of a refusal.
    pub fn status(&self) -> Option<u16> {
        self.refusal().map(|refusal| refusal.status)
    }

    /// Returns the machine-readable code of a refusal, such as `not_found` (§7).
    pub fn code(&self) -> Option<&str> {
        self.refusal().and_then(|refusal| refusal.body.as_ref()).map(|body| body.error.as_str())
    }

    /// Returns how long the server asks to wait before the next try.
    pub fn retry_after(&self) -> Option<Duration> {
        self.refusal().and_then(|refusal| refusal.retry_after)
    }

    /// Returns the refusal, where it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}
