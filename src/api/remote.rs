//! State of data requested from the server.

use super::ApiError;

/// Data requested from the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remote<T> {
    /// The request is in flight.
    Loading,
    /// The data.
    Loaded(T),
    /// The request failed.
    Failed(ApiError),
}

impl<T> From<Result<T, ApiError>> for Remote<T> {
    fn from(answer: Result<T, ApiError>) -> Self {
        match answer {
            Ok(data) => Self::Loaded(data),
            Err(error) => Self::Failed(error),
        }
    }
}
