//! Converts the upstream's response for the browser: few headers, the body as a stream, and never
//! the API key.
//!
//! Responses that the specification does not define are errors. A login page with status 200, a
//! redirect, or a 404 from an intermediate proxy would mislead the dashboard.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use contract::rate_limit::{LIMIT_HEADER, REMAINING_HEADER, RESET_HEADER, retry_after_s};
use http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::body;
use crate::error::Error;
use crate::secret::Secret;

use super::redact::RedactedBody;

/// Headers that are copied from any response.
const RATE_LIMIT_HEADERS: [HeaderName; 4] = [
    HeaderName::from_static(LIMIT_HEADER),
    HeaderName::from_static(REMAINING_HEADER),
    HeaderName::from_static(RESET_HEADER),
    RETRY_AFTER,
];
/// Headers that are copied with the body. `Content-Length` is not copied; the body that is really
/// sent determines it.
const BODY_HEADERS: [HeaderName; 2] = [CONTENT_TYPE, CONTENT_DISPOSITION];

/// Media types of successful bodies: the two of the specification, and the one that some servers
/// use for downloads.
const MEDIA_TYPES: [&str; 3] = ["application/json", "text/csv", "application/octet-stream"];

/// `Retry-After` in seconds if the upstream is busy and gives no delay.
const RETRY_AFTER_S: u64 = 30;

/// Builds the browser's response from the upstream's. Occurrences of `key` are removed from it.
pub(super) fn relay_response(response: http::Response<Body>, key: Option<Secret>) -> Response {
    let (parts, body) = response.into_parts();
    let mut passed = HeaderMap::new();
    copy_headers(&parts.headers, &RATE_LIMIT_HEADERS, &mut passed, key.as_ref());
    let mut answer = match check_response(parts.status, &parts.headers) {
        Ok(()) => {
            copy_headers(&parts.headers, &BODY_HEADERS, &mut passed, key.as_ref());
            let body = match key {
                Some(key) => Body::new(RedactedBody::new(body, key)),
                None => body,
            };
            let mut answer = Response::new(body);
            *answer.status_mut() = parts.status;
            answer
        }
        Err(error) => {
            tracing::warn!(status = %parts.status, %error, "upstream response rejected");
            error.into_response()
        }
    };
    answer.headers_mut().extend(passed);
    answer
}

fn check_response(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    if status == StatusCode::UNAUTHORIZED {
        // For the dashboard, 401 means that its own session has ended.
        return Err(Error::InvalidUpstreamResponse("it rejected the gateway's API key"));
    }
    // An encoded body could contain the API key without being recognised.
    if headers.contains_key(CONTENT_ENCODING) {
        return Err(Error::InvalidUpstreamResponse("its body has an unrequested content encoding"));
    }
    if status == StatusCode::NO_CONTENT {
        return Ok(());
    }
    if status.is_success() {
        let kind = body::media_type(headers).unwrap_or_default();
        let is_known = MEDIA_TYPES.iter().any(|known| known.eq_ignore_ascii_case(kind));
        return if is_known {
            Ok(())
        } else {
            Err(Error::InvalidUpstreamResponse("its body is neither JSON nor CSV"))
        };
    }
    if !status.is_client_error() && !status.is_server_error() {
        return Err(Error::InvalidUpstreamResponse(
            "it is a redirect; configure the final address",
        ));
    }
    if body::is_json(headers) {
        return Ok(());
    }
    Err(match status {
        StatusCode::TOO_MANY_REQUESTS => {
            let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
            let wait = retry_after_s(header);
            Error::UpstreamBusy { retry_after_s: wait.unwrap_or(RETRY_AFTER_S) }
        }
        StatusCode::GATEWAY_TIMEOUT => Error::UpstreamTimedOut,
        _ => Error::InvalidUpstreamResponse("its error body is not the specified JSON"),
    })
}

fn copy_headers(from: &HeaderMap, names: &[HeaderName], to: &mut HeaderMap, key: Option<&Secret>) {
    for name in names {
        let has_key = |value: &HeaderValue| key.is_some_and(|key| key.occurs_in(value.as_bytes()));
        if let Some(value) = from.get(name).filter(|value| !has_key(value)) {
            to.insert(name, value.clone());
        }
    }
}
