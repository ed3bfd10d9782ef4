//! Errors as they stand on the wire (§7).

use serde::{Deserialize, Serialize};
use std::fmt;

/// The machine-readable code of an error (§7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// 400: a parameter, a date or a body is not as it must be.
    Validation,
    /// 401: no key, or one that is not known; in the gateway, no session.
    Unauthorized,
    /// 403: the key is revoked, or has no access to this.
    Forbidden,
    /// 404: no such thing in the caller's account.
    NotFound,
    /// 405: the path exists, the method does not.
    MethodNotAllowed,
    /// 429: too many requests.
    RateLimitExceeded,
    /// 500: our fault; a retry may help.
    Internal,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 7] = [
        Self::Validation,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RateLimitExceeded,
        Self::Internal,
    ];

    /// Returns the code on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "validation_error",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::RateLimitExceeded => "rate_limit_exceeded",
            Self::Internal => "internal_error",
        }
    }

    /// Returns the HTTP status that goes with the code.
    pub fn status(self) -> u16 {
        match self {
            Self::Validation => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::RateLimitExceeded => 429,
            Self::Internal => 500,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The body of every error (§7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// Machine-readable code; a foreign server may send ones of its own.
    #[cfg_attr(feature = "openapi", schemars(with = "ErrorCode"))]
    pub error: String,
    /// What is wrong and what to do, for people.
    pub message: String,
    /// Seconds to wait; on 429 only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl ErrorBody {
    /// Returns the body for a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { error: code.as_str().to_owned(), message: message.into(), retry_after: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_429_has_a_third_member() {
        let body = ErrorBody::new(ErrorCode::NotFound, "no such form");
        assert_eq!(
            serde_json::to_string(&body).unwrap(),
            r#"{"error":"not_found","message":"no such form"}"#
        );
        let waits = ErrorBody { retry_after: Some(7), ..body };
        assert!(serde_json::to_string(&waits).unwrap().ends_with(r#","retry_after":7}"#));
    }

    #[test]
    fn codes_are_those_of_the_specification() {
        let table = ErrorCode::ALL.map(|code| (code.status(), code.as_str()));
        assert_eq!(
            table,
            [
                (400, "validation_error"),
                (401, "unauthorized"),
                (403, "forbidden"),
                (404, "not_found"),
                (405, "method_not_allowed"),
                (429, "rate_limit_exceeded"),
                (500, "internal_error"),
            ]
        );
    }
}
