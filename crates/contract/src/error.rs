//! Error responses (specification, section 7).

use crate::message;
use crate::named_enum::named_enum;
use serde::{Deserialize, Serialize};
use std::fmt;

named_enum! {
    /// Machine-readable code of an error (specification, section 7).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ErrorCode {
        /// 400: a parameter, a date or a body is invalid.
        Validation = "validation_error",
        /// 401: the API key is missing or unknown; in the gateway, there is no session.
        Unauthorized = "unauthorized",
        /// 403: the key is revoked or has no access.
        Forbidden = "forbidden",
        /// 404: the object does not exist in the caller's account.
        NotFound = "not_found",
        /// 405: the path exists, but not with this method.
        MethodNotAllowed = "method_not_allowed",
        /// 429: too many requests.
        RateLimitExceeded = "rate_limit_exceeded",
        /// 500: internal error; a retry may help.
        Internal = "internal_error",
    }
}

impl ErrorCode {
    /// Returns the HTTP status of the code.
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

named_enum! {
    /// Re-authentication that a 403 response asks for (not in the specification).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "openapi", schemars(rename_all = "snake_case"))]
    pub enum ReauthMethod {
        /// With the password: `POST /session/proof`.
        Password = "password",
        /// With a new sign-in, because the user has no password.
        SignIn = "sign_in",
    }
}

/// Body of every error response (specification, section 7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// Machine-readable code. Other servers may send additional codes.
    #[cfg_attr(feature = "openapi", schemars(with = "ErrorCode"))]
    pub error: String,
    /// Human-readable description of the problem and how to fix it.
    pub message: String,
    /// Seconds to wait before a retry; only with status 429.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Missing re-authentication: `password` or `sign_in`. Only in 403 responses of the dashboard's
    /// gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(with = "ReauthMethod"))]
    pub needs: Option<String>,
}

impl ErrorBody {
    /// Creates the body for a code and a message, which is shortened as in
    /// [`ErrorBody::bound_message`].
    pub fn new(code: ErrorCode, message: &str) -> Self {
        let error = code.as_str().to_owned();
        Self { error, message: message::bound_message(message), retry_after: None, needs: None }
    }

    /// Returns a message that is safe to send: API keys are cut to their prefix, quoted texts to
    /// 100 characters, and the message to 900 bytes.
    pub fn bound_message(message: &str) -> String {
        message::bound_message(message)
    }

    /// Returns the re-authentication that the response asks for, if it is a known one.
    pub fn needs(&self) -> Option<ReauthMethod> {
        let needs = self.needs.as_deref()?;
        ReauthMethod::ALL.into_iter().find(|method| method.as_str() == needs)
    }
}

/// Returns whether a response to a request of the dashboard comes from an auth proxy whose session
/// has ended.
///
/// The gateway itself never redirects, never answers these requests with HTML, and explains each
/// error with an [`ErrorBody`]. `status` is 0 for a redirect that the browser did not follow.
/// `is_explained` says whether the body is an [`ErrorBody`].
pub fn is_proxy_session_end(status: u16, content_type: Option<&str>, is_explained: bool) -> bool {
    match status {
        0 | 300..=399 | 511 => true,
        200..=299 => content_type.is_some_and(|kind| kind.to_ascii_lowercase().contains("html")),
        401 | 403 | 407 => !is_explained,
        _ => false,
    }
}

/// Returns whether a text that should be JSON is HTML, such as the sign-in page of an auth proxy
/// that sends no content type.
pub fn is_html(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_members_are_omitted() {
        let body = ErrorBody::new(ErrorCode::NotFound, "no such form");
        assert_eq!(
            serde_json::to_string(&body).unwrap(),
            r#"{"error":"not_found","message":"no such form"}"#
        );
        let with_retry = ErrorBody { retry_after: Some(7), ..body };
        assert!(serde_json::to_string(&with_retry).unwrap().ends_with(r#","retry_after":7}"#));
        let unproven = r#"{"error":"forbidden","message":"prove it","needs":"sign_in"}"#;
        let unproven: ErrorBody = serde_json::from_str(unproven).unwrap();
        assert_eq!(unproven.needs(), Some(ReauthMethod::SignIn));
        assert_eq!(ErrorBody { needs: Some("blood".to_owned()), ..unproven }.needs(), None);
    }

    #[test]
    fn auth_proxy_responses_are_recognised() {
        let html = Some("Text/HTML; charset=utf-8");
        let json = Some("application/json");
        for (status, content_type, is_explained, expected) in [
            (0, None, false, true),
            (302, html, false, true),
            (511, html, false, true),
            (200, html, false, true),
            (401, html, false, true),
            // oauth2-proxy answers `{}`, Authelia plain text.
            (401, json, false, true),
            (403, Some("text/plain"), false, true),
            (200, json, false, false),
            (200, Some("text/csv; charset=utf-8"), false, false),
            (204, None, false, false),
            (401, json, true, false),
            (403, json, true, false),
            (404, html, false, false),
            (429, html, false, false),
            (502, html, false, false),
        ] {
            let is_end = is_proxy_session_end(status, content_type, is_explained);
            assert_eq!(is_end, expected, "{status} {content_type:?} {is_explained}");
        }
    }

    #[test]
    fn html_is_distinguished_from_json() {
        assert!(is_html("\n <!doctype html>") && is_html("<html>"));
        assert!(!is_html("{\"data\":\"<\"}") && !is_html(""));
    }

    #[test]
    fn codes_match_specification() {
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
