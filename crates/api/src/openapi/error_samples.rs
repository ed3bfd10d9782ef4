//! Descriptions and examples of error responses, with the service's own messages.

use super::auth_scheme::AuthScheme;
use super::samples;
use crate::error::Error;
use crate::message::Message;
use contract::{Environment, ErrorBody, ErrorCode, ListQuery, QueryError, RateLimit};

/// Returns the description and the example of an error under an authentication scheme.
pub(super) fn describe_error(scheme: AuthScheme, code: ErrorCode) -> (&'static str, ErrorBody) {
    let gateway = |message: &str| ErrorBody::new(code, message);
    if scheme == AuthScheme::Sender {
        return sender_error(code);
    }
    match (code, scheme.has_rate_limit_headers()) {
        (ErrorCode::Validation, true) => (
            "A parameter, a date or the body is invalid; the message names it.",
            query_error(ListQuery::parse("limit=250")),
        ),
        (ErrorCode::Validation, false) => (
            "The URL or the body is invalid; the message says why.",
            Error::validation("`name` must be 1 to 100 characters without control characters")
                .into_body(),
        ),
        (ErrorCode::Unauthorized, true) => (
            "The API key is missing or unknown.",
            Error::unauthorized(crate::middleware::auth::MISSING_KEY).into_body(),
        ),
        (ErrorCode::Unauthorized, false) => ("Not signed in.", gateway("sign in first")),
        (ErrorCode::Forbidden, true) => (
            "The key is revoked, or the resource belongs to the other environment.",
            Error::other_environment("form", Environment::Test).into_body(),
        ),
        (ErrorCode::Forbidden, false) => (
            "The request did not come from the dashboard.",
            gateway(
                "the request did not come from the dashboard: the header `x-sheaf-csrf: 1` is \
                 missing",
            ),
        ),
        (ErrorCode::NotFound, _) => {
            ("The account has no such resource.", Error::not_found("submission").into_body())
        }
        (ErrorCode::MethodNotAllowed, _) => (
            "The path supports other methods: see `Allow`.",
            Error::method_not_allowed().into_body(),
        ),
        (ErrorCode::RateLimitExceeded, _) => {
            ("Too many requests: wait `retry_after` seconds.", rate_limit_error())
        }
        (_, true) => ("Server error; the same request may succeed later.", internal_error()),
        (_, false) => (
            "Server error; the same request may succeed later.",
            gateway("something went wrong on our side; you may try again"),
        ),
    }
}

/// Returns the description and the example of an error of the intake.
fn sender_error(code: ErrorCode) -> (&'static str, ErrorBody) {
    match code {
        ErrorCode::Validation => (
            "The submission is invalid; the message says why.",
            Error::validation(
                "a submission must have at least one answer; send one by the key of a field",
            )
            .into_body(),
        ),
        ErrorCode::Forbidden => (
            "The form is closed, or its owner does not allow this origin.",
            Error::forbidden(
                "pages of `https://a.example` may not send to this form; its owner names those \
                 that may",
            )
            .into_body(),
        ),
        ErrorCode::NotFound => ("The form does not exist.", Error::unknown_form().into_body()),
        _ => describe_error(AuthScheme::Anyone, code),
    }
}

/// Turns an error message into a sentence.
pub(super) fn to_sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn internal_error() -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, &Message::Internal.english())
}

fn query_error<T>(read: Result<T, QueryError>) -> ErrorBody {
    let message = read.err().map(|error| error.message).unwrap_or_default();
    Error::validation(message).into_body()
}

fn rate_limit_error() -> ErrorBody {
    let refusal = store::window::Refusal {
        rate_limit: RateLimit { limit: 100, remaining: 0, reset_s: 0 },
        retry_after_s: 42,
        retry_at: samples::sample_time(),
    };
    Error::rate_limited(&refusal).into_body()
}
