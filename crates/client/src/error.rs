//! Errors of the client.

use contract::ErrorBody;
use std::time::Duration;

/// Error of a call. No message contains the API key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address, the key or TLS cannot be used.
    #[error("{0}")]
    SetUp(String),
    /// The server answered with an error (specification, section 7).
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The server could not be reached, or the connection was lost.
    #[error("the server could not be reached, or the connection was lost: {0}")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The server did not answer in time.
    #[error("the server did not answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The response does not follow the specification.
    #[error("invalid response from the server: {0}")]
    InvalidResponse(String),
    /// The export was truncated.
    #[error("the export was truncated after {bytes} bytes: {reason}; request it again")]
    Truncated {
        /// Number of received bytes.
        bytes: u64,
        /// Sign of the truncation.
        reason: String,
    },
}

/// Error response of the server (specification, section 7).
#[derive(Debug, Clone, thiserror::Error)]
#[error("the server answered with status {status}{}", describe_body(.body.as_ref()))]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// Body of the error; `None` if the response has another body, such as that of a proxy.
    pub body: Option<ErrorBody>,
    /// Wait that the server asks for, from `retry_after` or the header `Retry-After`.
    pub retry_after: Option<Duration>,
}

fn describe_body(body: Option<&ErrorBody>) -> String {
    body.map(|body| format!(" ({}): {}", body.error, body.message)).unwrap_or_default()
}

impl Error {
    pub(crate) fn set_up(message: impl Into<String>) -> Self {
        Self::SetUp(message.into())
    }

    pub(crate) fn invalid_response(message: impl std::fmt::Display) -> Self {
        Self::InvalidResponse(message.to_string())
    }

    /// Returns the status of an error response.
    pub fn status(&self) -> Option<u16> {
        self.refusal().map(|refusal| refusal.status)
    }

    /// Returns the machine-readable code of an error response, such as `not_found` (specification,
    /// section 7).
    pub fn code(&self) -> Option<&str> {
        self.refusal().and_then(|refusal| refusal.body.as_ref()).map(|body| body.error.as_str())
    }

    /// Returns the wait that the server asks for before the next attempt.
    pub fn retry_after(&self) -> Option<Duration> {
        self.refusal().and_then(|refusal| refusal.retry_after)
    }

    /// Returns the error response, if this is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}
