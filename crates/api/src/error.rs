//! Errors of the API: one type, with a named constructor for each case (specification, section 7).
//!
//! A message says what is wrong and what to do, and contains no secret. Internal causes go to
//! the log, not to the caller.

use crate::message::Message;
use aide::OperationOutput;
use axum::response::{IntoResponse, Response};
use contract::{Environment, ErrorBody, ErrorCode, QueryError, Timestamp};
use http::{HeaderValue, StatusCode, header};
use std::fmt::Display;
use store::StoreError;
use store::keys::CreateKeyError;
use store::views::ViewError;
use store::window::Refusal;

/// `Retry-After` of a busy server, in seconds.
const BUSY_RETRY_AFTER_S: u64 = 1;
/// `Retry-After` of a server with a full disk, in seconds.
const DISK_FULL_RETRY_AFTER_S: u64 = 30;
/// `Retry-After` if too many streams are open, in seconds.
const STREAM_RETRY_AFTER_S: u64 = 60;

/// Result of a handler.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Error response.
#[derive(Debug)]
pub(crate) struct Error {
    code: ErrorCode,
    /// Differs from the status of the code where the specification has no code for the case.
    status: StatusCode,
    text: ErrorText,
    retry_after_s: Option<u64>,
}

/// Text of an error.
#[derive(Debug)]
pub(crate) enum ErrorText {
    /// In English in JSON, and in the user's language on pages.
    Message(Message),
    /// In English only.
    English(String),
}

impl From<Message> for ErrorText {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<String> for ErrorText {
    fn from(text: String) -> Self {
        Self::English(text)
    }
}

impl From<&str> for ErrorText {
    fn from(text: &str) -> Self {
        Self::English(text.to_owned())
    }
}

impl Error {
    fn new(code: ErrorCode, text: impl Into<ErrorText>) -> Self {
        let status = StatusCode::from_u16(code.status());
        Self {
            code,
            status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            text: text.into(),
            retry_after_s: None,
        }
    }

    /// Returns the error of an invalid parameter or body.
    pub(crate) fn validation(text: impl Into<ErrorText>) -> Self {
        Self::new(ErrorCode::Validation, text)
    }

    /// Returns the error of a cursor that belongs to another list or is malformed.
    pub(crate) fn cursor() -> Self {
        Self::validation(
            "`cursor` is not valid for this list; pass `next_cursor` unchanged with the same form \
             and filters, or omit `cursor` to start over",
        )
    }

    /// Returns the error of a missing or unknown key (section 5.8).
    pub(crate) fn unauthorized(message: &str) -> Self {
        Self::new(ErrorCode::Unauthorized, message)
    }

    /// Returns the error of a revoked key (section 5.8).
    pub(crate) fn revoked() -> Self {
        Self::new(
            ErrorCode::Forbidden,
            "this API key was revoked; create another one in the dashboard under Settings > API \
             keys",
        )
    }

    /// Returns the error of an expired key, which is handled like a revoked one (section 5.8).
    pub(crate) fn expired() -> Self {
        Self::new(
            ErrorCode::Forbidden,
            "this API key has expired; create another one in the dashboard under Settings > API \
             keys",
        )
    }

    /// Returns the error of a request to change data with a read-only key (section 5.8).
    pub(crate) fn read_only_key() -> Self {
        Self::forbidden("this API key is read-only; use a key with full access")
    }

    /// Returns the error of a key that does not name a form (section 5.8).
    pub(crate) fn other_form(noun: &str) -> Self {
        let message = format!(
            "this {noun} is outside the forms of this API key; use a key for its form or for all \
             forms"
        );
        Self::new(ErrorCode::Forbidden, message)
    }

    /// Returns the error of a resource in the account's other environment.
    pub(crate) fn other_environment(noun: &str, its: Environment) -> Self {
        let message = format!("this {noun} belongs to the {its} environment; use a {its} API key");
        Self::new(ErrorCode::Forbidden, message)
    }

    /// Returns the error of a resource that is not in the caller's account (section 7).
    pub(crate) fn not_found(noun: &str) -> Self {
        Self::new(ErrorCode::NotFound, Message::NotFound { noun: noun.to_owned() })
    }

    /// Returns the error of an unknown form for its senders.
    pub(crate) fn unknown_form() -> Self {
        Self::new(ErrorCode::NotFound, Message::NoForm)
    }

    /// Returns the error of an unknown path.
    pub(crate) fn unknown_path() -> Self {
        Self::new(ErrorCode::NotFound, Message::NoPath)
    }

    /// Returns the error of an unknown method on a known path.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(ErrorCode::MethodNotAllowed, Message::NoMethod)
    }

    /// Returns the error of too many requests (section 8.3).
    pub(crate) fn rate_limited(refusal: &Refusal) -> Self {
        let message = Message::TooManyRequests { at: refusal.retry_at.to_string() };
        let retry_after_s = Some(refusal.retry_after_s);
        Self { retry_after_s, ..Self::new(ErrorCode::RateLimitExceeded, message) }
    }

    /// Returns the error of a form or account that received too many bytes.
    pub(crate) fn byte_limit_exceeded(
        whose: &'static str,
        retry_after_s: u64,
        now: Timestamp,
    ) -> Self {
        let at = after_seconds(now, retry_after_s);
        let message = Message::TooMuchSent { whose, at: at.to_string() };
        let retry_after_s = Some(retry_after_s);
        Self { retry_after_s, ..Self::new(ErrorCode::RateLimitExceeded, message) }
    }

    /// Returns the error of an account that may send its next e-mail at `at`.
    pub(crate) fn mail_limit_reached(message: &str, at: Timestamp, now: Timestamp) -> Self {
        let wait_us = at.micros().saturating_sub(now.micros()).max(1).unsigned_abs();
        let retry_after_s = Some(wait_us.div_ceil(1_000_000));
        let message = format!("{message}; try again at {at}");
        Self { retry_after_s, ..Self::new(ErrorCode::RateLimitExceeded, message) }
    }

    /// Returns the error of an account with too many large responses in progress.
    pub(crate) fn too_many_responses(now: Timestamp) -> Self {
        let message = "too many large responses of this account are in progress; read them to the \
                       end";
        Self::too_many_in_progress(message, BUSY_RETRY_AFTER_S, now)
    }

    /// Returns the error of an account, or a server, with too many streams of live updates.
    pub(crate) fn too_many_streams(now: Timestamp) -> Self {
        let message = "too many streams of live updates are open; close some tabs of the dashboard";
        Self::too_many_in_progress(message, STREAM_RETRY_AFTER_S, now)
    }

    fn too_many_in_progress(message: &str, wait_s: u64, now: Timestamp) -> Self {
        let at = after_seconds(now, wait_s);
        let message = format!("{message}, or try again at {at}");
        Self { retry_after_s: Some(wait_s), ..Self::new(ErrorCode::RateLimitExceeded, message) }
    }

    /// Returns a 503: all accounts together have too many large responses in progress.
    pub(crate) fn too_many_responses_in_total() -> Self {
        let message = "too many large responses are in progress; try again in a second";
        Self::retry_after(BUSY_RETRY_AFTER_S, message)
    }

    fn retry_after(seconds: u64, text: impl Into<ErrorText>) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, retry_after_s: Some(seconds), ..Self::new(ErrorCode::Internal, text) }
    }

    /// Returns a 409: the request is valid, but conflicts with the current state.
    pub(crate) fn conflict(text: impl Into<ErrorText>) -> Self {
        Self { status: StatusCode::CONFLICT, ..Self::validation(text) }
    }

    /// Returns a 413: the body is too large.
    pub(crate) fn too_large(text: impl Into<ErrorText>) -> Self {
        Self { status: StatusCode::PAYLOAD_TOO_LARGE, ..Self::validation(text) }
    }

    /// Returns a 415: the media type or encoding is not supported.
    pub(crate) fn unsupported(text: impl Into<ErrorText>) -> Self {
        Self { status: StatusCode::UNSUPPORTED_MEDIA_TYPE, ..Self::validation(text) }
    }

    /// Returns the error of an action that is not allowed, with the reason.
    pub(crate) fn forbidden(text: impl Into<ErrorText>) -> Self {
        Self::new(ErrorCode::Forbidden, text)
    }

    /// Returns the error of an editor or reader who requests something for owners.
    pub(crate) fn owner_only() -> Self {
        Self::forbidden("this is for the account's owner; ask the owner to do it")
    }

    /// Returns the error of a reader who requests something for editors.
    pub(crate) fn editor_only() -> Self {
        Self::forbidden(
            "this is for the account's owner and editors; ask the owner for the role `editor`",
        )
    }

    /// Returns a 503: the server is busy. Clients retry after a second.
    pub(crate) fn busy() -> Self {
        Self::retry_after(BUSY_RETRY_AFTER_S, Message::Busy)
    }

    /// Returns a 503 and logs the cause: the database is unavailable. Clients retry after a second.
    pub(crate) fn unavailable(cause: impl Display) -> Self {
        tracing::error!(%cause, "request failed");
        let message = "the database is unavailable; try again in a second";
        Self::retry_after(BUSY_RETRY_AFTER_S, message)
    }

    /// Returns a 500 and logs the cause.
    pub(crate) fn internal(cause: impl Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::new(ErrorCode::Internal, Message::Internal)
    }

    /// Returns whether the client caused the error, so that the same request would fail again.
    pub(crate) fn is_client_error(&self) -> bool {
        self.status.is_client_error()
    }

    /// Returns the body of the response.
    pub(crate) fn into_body(self) -> ErrorBody {
        let is_limit = self.code == ErrorCode::RateLimitExceeded;
        let retry_after = self.retry_after_s.filter(|_| is_limit);
        let text = match self.text {
            ErrorText::Message(message) => message.english(),
            ErrorText::English(text) => text,
        };
        ErrorBody { retry_after, ..ErrorBody::new(self.code, &text) }
    }

    /// Returns a 503: the disk is full. An operator must free space, so clients retry less often.
    pub(crate) fn disk_full() -> Self {
        Self::retry_after(DISK_FULL_RETRY_AFTER_S, Message::DiskFull)
    }
}

/// Returns the time some seconds later.
fn after_seconds(now: Timestamp, seconds: u64) -> Timestamp {
    let wait_us = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    Timestamp::from_micros(now.micros().saturating_add(wait_us)).unwrap_or(now)
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Self {
        Self::validation(error.message)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::TooManyKeys
            | StoreError::KeysTooFast
            | StoreError::TooManyMembers
            | StoreError::TooManyForms
            | StoreError::TooManyViews
            | StoreError::View(ViewError::InUse(_))
            | StoreError::TooManyWebhooks
            | StoreError::SecretRotated(_)
            | StoreError::TooManyNotifications => Self::conflict(error.to_string()),
            StoreError::TooManyToSort | StoreError::View(ViewError::Unusable(_)) => {
                Self::validation(error.to_string())
            }
            StoreError::DiskFull | StoreError::DiskReserved => Self::disk_full(),
            StoreError::Busy(_) => Self::busy(),
            error @ StoreError::Unavailable(_) => Self::unavailable(error),
            error => Self::internal(error),
        }
    }
}

impl From<CreateKeyError> for Error {
    fn from(error: CreateKeyError) -> Self {
        match error {
            CreateKeyError::Invalid(invalid) => Self::validation(invalid.to_string()),
            CreateKeyError::Store(error) => error.into(),
        }
    }
}

impl OperationOutput for Error {
    type Inner = Self;
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = self.status;
        let retry_after_s = self.retry_after_s;
        let message = match &self.text {
            ErrorText::Message(message) => Some(message.clone()),
            ErrorText::English(_) => None,
        };
        let mut response = axum::Json(self.into_body()).into_response();
        if let Some(message) = message {
            // The intake renders it on a page in the language of the sender.
            response.extensions_mut().insert(message);
        }
        *response.status_mut() = status;
        if let Some(retry_after_s) = retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after_s));
        }
        response
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
