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

impl<T> Remote<T> {
    /// Returns the data, if it is loaded.
    pub const fn loaded(&self) -> Option<&T> {
        match self {
            Self::Loaded(data) => Some(data),
            Self::Loading | Self::Failed(_) => None,
        }
    }

    /// Returns the same state with `read` applied to the data.
    pub fn map<U>(&self, read: impl FnOnce(&T) -> U) -> Remote<U> {
        match self {
            Self::Loading => Remote::Loading,
            Self::Loaded(data) => Remote::Loaded(read(data)),
            Self::Failed(error) => Remote::Failed(error.clone()),
        }
    }
}

impl<T> From<Result<T, ApiError>> for Remote<T> {
    fn from(answer: Result<T, ApiError>) -> Self {
        match answer {
            Ok(data) => Self::Loaded(data),
            Err(error) => Self::Failed(error),
        }
    }
}
