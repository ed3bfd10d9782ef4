//! The errors of the service: one type, a named constructor for each meaning (§7).
//!
//! What a caller reads says what is wrong and what to do, and never holds a secret. What went
//! wrong inside goes to the log and not to the caller.

use crate::message::Message;
use aide::OperationOutput;
use axum::response::{IntoResponse, Response};
use contract::{Environment, ErrorBody, ErrorCode, QueryError, Timestamp};
use http::{HeaderValue, StatusCode, header};
use std::fmt::Display;
use store::StoreError;
use store::window::Refusal;

/// After how many seconds to try again where too much is under way.
const BUSY_RETRY_AFTER_S: u64 = 1;

/// What a route gives.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// An answer that is an error.
#[derive(Debug)]
pub(crate) struct Error {
    code: ErrorCode,
    /// Differs from the code's own where HTTP has a word that the specification's codes lack.
    status: StatusCode,
    text: Text,
    retry_after_s: Option<u64>,
}

/// What an error says.
#[derive(Debug)]
pub(crate) enum Text {
    /// In each language of the pages; in English in JSON.
    Message(Message),
    /// In English.
    English(String),
}

impl From<Message> for Text {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::English(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::English(text.to_owned())
    }
}

impl Error {
    fn new(code: ErrorCode, text: impl Into<Text>) -> Self {
        let status = StatusCode::from_u16(code.status());
        Self {
            code,
            status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            text: text.into(),
            retry_after_s: None,
        }
    }

    /// A parameter or a body is not as it must be.
    pub(crate) fn validation(text: impl Into<Text>) -> Self {
        Self::new(ErrorCode::Validation, text)
    }

    /// The cursor was not written for this list.
    pub(crate) fn cursor() -> Self {
        Self::validation(
            "`cursor` is not one that this list gave; give `next_cursor` unchanged together with \
             the same form and filters, or leave it out to begin anew",
        )
    }

    /// No key came, or none that is known (§5.8).
    pub(crate) fn unauthorized(message: &str) -> Self {
        Self::new(ErrorCode::Unauthorized, message)
    }

    /// The key was revoked (§5.8).
    pub(crate) fn revoked() -> Self {
        Self::new(
            ErrorCode::Forbidden,
            "this API key was revoked; create another one in the dashboard under Settings > API \
             keys",
        )
    }

    /// The thing is the caller's own, but of the other environment than the key.
    pub(crate) fn other_environment(noun: &str, its: Environment) -> Self {
        let message = format!("this {noun} is of the {its} environment; use a {its} API key");
        Self::new(ErrorCode::Forbidden, message)
    }

    /// There is no such thing in the caller's account (§7).
    pub(crate) fn not_found(noun: &str) -> Self {
        Self::new(ErrorCode::NotFound, Message::NotFound { noun: noun.to_owned() })
    }

    /// There is no such form, for somebody who sends to it.
    pub(crate) fn no_form() -> Self {
        Self::new(ErrorCode::NotFound, Message::NoForm)
    }

    /// There is no such path.
    pub(crate) fn no_such_path() -> Self {
        Self::new(ErrorCode::NotFound, Message::NoPath)
    }

    /// The path exists, the method does not.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(ErrorCode::MethodNotAllowed, Message::NoMethod)
    }

    /// Too many requests (§8.3).
    pub(crate) fn rate_limited(refusal: &Refusal) -> Self {
        let message = Message::TooManyRequests { at: refusal.retry_at.to_string() };
        let retry_after_s = Some(refusal.retry_after_s);
        Self { retry_after_s, ..Self::new(ErrorCode::RateLimitExceeded, message) }
    }

    /// A form or an account took in too many bytes.
    pub(crate) fn too_much_sent(whose: &'static str, retry_after_s: u64, now: Timestamp) -> Self {
        let wait_us = i64::try_from(retry_after_s).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        let at_us = now.micros().saturating_add(wait_us);
        let at = Timestamp::from_micros(at_us).unwrap_or(now);
        let message = Message::TooMuchSent { whose, at: at.to_string() };
        let retry_after_s = Some(retry_after_s);
        Self { retry_after_s, ..Self::new(ErrorCode::RateLimitExceeded, message) }
    }

    /// An account has too much of its answers under way.
    pub(crate) fn too_many_answers() -> Self {
        let message = "too many large answers of this account are still being sent; read them to \
                       their end, or try again in a second";
        let retry_after_s = Some(BUSY_RETRY_AFTER_S);
        Self { retry_after_s, ..Self::new(ErrorCode::RateLimitExceeded, message) }
    }

    /// All accounts together have too much of their answers under way: 503.
    pub(crate) fn busy_sending() -> Self {
        let message = "too many large answers are being sent at this moment; try again in a second";
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            retry_after_s: Some(BUSY_RETRY_AFTER_S),
            ..Self::new(ErrorCode::Internal, message)
        }
    }

    /// The request is good, but not as things stand: 409.
    pub(crate) fn conflict(text: impl Into<Text>) -> Self {
        Self { status: StatusCode::CONFLICT, ..Self::validation(text) }
    }

    /// A body is larger than is taken: 413.
    pub(crate) fn too_large(text: impl Into<Text>) -> Self {
        Self { status: StatusCode::PAYLOAD_TOO_LARGE, ..Self::validation(text) }
    }

    /// A body is of a kind that is not taken: 415.
    pub(crate) fn unsupported(text: impl Into<Text>) -> Self {
        Self { status: StatusCode::UNSUPPORTED_MEDIA_TYPE, ..Self::validation(text) }
    }

    /// The caller may not, for a reason to tell.
    pub(crate) fn forbidden(text: impl Into<Text>) -> Self {
        Self::new(ErrorCode::Forbidden, text)
    }

    /// The caller looks, and does no more.
    pub(crate) fn readers_may_not() -> Self {
        Self::forbidden("this is for the account's owner; a reader may look, search and export")
    }

    /// Too much is under way: 503, to be tried again soon.
    pub(crate) fn busy() -> Self {
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            retry_after_s: Some(BUSY_RETRY_AFTER_S),
            ..Self::new(ErrorCode::Internal, Message::Busy)
        }
    }

    /// The database is not there for the moment: 503, to be tried again soon. The cause goes to the
    /// log.
    pub(crate) fn away(cause: impl Display) -> Self {
        tracing::error!(%cause, "a request failed");
        let message = "the data cannot be reached at this moment; try again in a second";
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            retry_after_s: Some(BUSY_RETRY_AFTER_S),
            ..Self::new(ErrorCode::Internal, message)
        }
    }

    /// It is our fault. The cause goes to the log.
    pub(crate) fn internal(cause: impl Display) -> Self {
        tracing::error!(%cause, "a request failed");
        Self::new(ErrorCode::Internal, Message::Internal)
    }

    /// Whether it is the client's: the same request would be refused again.
    pub(crate) fn is_of_client(&self) -> bool {
        self.status.is_client_error()
    }

    /// Returns what goes over the wire.
    pub(crate) fn body(self) -> ErrorBody {
        let is_limit = self.code == ErrorCode::RateLimitExceeded;
        let retry_after = self.retry_after_s.filter(|_| is_limit);
        let text = match self.text {
            Text::Message(message) => message.english(),
            Text::English(text) => text,
        };
        ErrorBody { retry_after, ..ErrorBody::new(self.code, &text) }
    }

    /// There is no room for it. Room comes by hand, so there is no point in asking often.
    pub(crate) fn disk_full() -> Self {
        let (status, retry_after_s) = (StatusCode::SERVICE_UNAVAILABLE, Some(30));
        Self { status, retry_after_s, ..Self::new(ErrorCode::Internal, Message::DiskFull) }
    }
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
            | StoreError::TooManyPeople
            | StoreError::TooManyForms => Self::conflict(error.to_string()),
            StoreError::Full | StoreError::Reserved => Self::disk_full(),
            StoreError::Busy(_) => Self::busy(),
            error @ StoreError::Unavailable(_) => Self::away(error),
            error => Self::internal(error),
        }
    }
}

impl OperationOutput for Error {
    type Inner = Self;
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, retry_after_s) = (self.status, self.retry_after_s);
        let message = match &self.text {
            Text::Message(message) => Some(message.clone()),
            Text::English(_) => None,
        };
        let mut response = axum::Json(self.body()).into_response();
        if let Some(message) = message {
            // For a page in another language.
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
mod tests {
    use super::*;
    use contract::RateLimit;
    use insta::assert_snapshot;
    use std::fmt::Write;

    async fn shown(error: Error) -> String {
        let response = error.into_response();
        let mut shown = format!("{}\n", response.status());
        for (name, value) in response.headers() {
            writeln!(shown, "{name}: {}", value.to_str().unwrap()).unwrap();
        }
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        shown + std::str::from_utf8(&body).unwrap()
    }

    #[tokio::test]
    async fn each_has_its_status_and_the_two_fields() {
        let refused = contract::ListQuery::parse("limit=0").unwrap_err();
        assert_snapshot!(shown(refused.into()).await, @r#"
        400 Bad Request
        content-type: application/json
        {"error":"validation_error","message":"`limit` must be a whole number from 1 to 100, but is `0`"}
        "#);
        assert_snapshot!(shown(Error::cursor()).await, @r#"
        400 Bad Request
        content-type: application/json
        {"error":"validation_error","message":"`cursor` is not one that this list gave; give `next_cursor` unchanged together with the same form and filters, or leave it out to begin anew"}
        "#);
        assert_snapshot!(shown(Error::unauthorized("no key")).await, @r#"
        401 Unauthorized
        content-type: application/json
        {"error":"unauthorized","message":"no key"}
        "#);
        assert_snapshot!(shown(Error::revoked()).await, @r#"
        403 Forbidden
        content-type: application/json
        {"error":"forbidden","message":"this API key was revoked; create another one in the dashboard under Settings > API keys"}
        "#);
        assert_snapshot!(shown(Error::other_environment("form", Environment::Test)).await, @r#"
        403 Forbidden
        content-type: application/json
        {"error":"forbidden","message":"this form is of the test environment; use a test API key"}
        "#);
        assert_snapshot!(shown(Error::not_found("form")).await, @r#"
        404 Not Found
        content-type: application/json
        {"error":"not_found","message":"there is no such form in this account; check its id"}
        "#);
        assert_snapshot!(shown(Error::no_such_path()).await, @r#"
        404 Not Found
        content-type: application/json
        {"error":"not_found","message":"there is nothing at this path; check its spelling"}
        "#);
        assert_snapshot!(shown(Error::method_not_allowed()).await, @r#"
        405 Method Not Allowed
        content-type: application/json
        {"error":"method_not_allowed","message":"this path does not take this method; the `Allow` header names those that it takes"}
        "#);
        assert_snapshot!(shown(Error::internal("disk on fire")).await, @r#"
        500 Internal Server Error
        content-type: application/json
        {"error":"internal_error","message":"something failed on our side; try again"}
        "#);
    }

    #[tokio::test]
    async fn a_429_says_when_in_three_ways() {
        let refusal = Refusal {
            stand: RateLimit { limit: 100, remaining: 0, reset_s: 1 },
            retry_after_s: 42,
            retry_at: Timestamp::parse("2026-03-01T09:30:00Z").unwrap(),
        };
        assert_snapshot!(shown(Error::rate_limited(&refusal)).await, @r#"
        429 Too Many Requests
        content-type: application/json
        retry-after: 42
        {"error":"rate_limit_exceeded","message":"too many requests; try again at 2026-03-01T09:30:00Z","retry_after":42}
        "#);
    }

    #[tokio::test]
    async fn a_full_disk_is_a_503_that_says_what_to_do() {
        assert_snapshot!(shown(StoreError::Full.into()).await, @r#"
        503 Service Unavailable
        content-type: application/json
        retry-after: 30
        {"error":"internal_error","message":"the disk of this server is full, so nothing new can be taken in; reading and deleting go on; make room on it or delete submissions, then try again"}
        "#);
    }

    #[test]
    fn a_key_in_the_wrong_place_is_not_repeated() {
        let live = store::secret::mint(Environment::Live);
        let test = store::secret::mint(Environment::Test);
        let (live, test) = (live.expose(), test.expose());
        let error = Error::validation(format!("`limit` is `{live}`, {test}{live}."));
        assert_eq!(error.body().message, "`limit` is `svc_sk_live_…`, svc_sk_test_….");
    }
}
