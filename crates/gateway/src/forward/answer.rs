//! What becomes of the upstream's answer: of its headers the few that the browser needs, its body
//! as a stream, and never the key.
//!
//! What the specification does not know as an answer does not pass as one: a login page with
//! status 200, a redirect, or a 404 from some proxy would mislead the dashboard.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use contract::rate_limit::{LIMIT_HEADER, REMAINING_HEADER, RESET_HEADER, retry_after_s};
use http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::body;
use crate::error::Error;
use crate::secret::Secret;

use super::redact::Veiled;

/// The headers that pass with any answer.
const TERMS: [HeaderName; 4] = [
    HeaderName::from_static(LIMIT_HEADER),
    HeaderName::from_static(REMAINING_HEADER),
    HeaderName::from_static(RESET_HEADER),
    RETRY_AFTER,
];
/// The headers that pass with the body that they describe. Its length is not among them: what is
/// really sent decides.
const DESCRIPTION: [HeaderName; 2] = [CONTENT_TYPE, CONTENT_DISPOSITION];

/// What a body of success may be: the specification's two kinds, and what some call a download.
const MEDIA_TYPES: [&str; 3] = ["application/json", "text/csv", "application/octet-stream"];

/// Returned where the upstream is busy and does not say for how long, in seconds.
const RETRY_AFTER_S: u64 = 30;

/// Makes the browser's answer of the upstream's. Where there was a key, it is removed from it.
pub(super) fn relay(response: http::Response<Body>, key: Option<Secret>) -> Response {
    let (parts, body) = response.into_parts();
    let mut passed = HeaderMap::new();
    copy(&parts.headers, &TERMS, &mut passed, key.as_ref());
    let mut answer = match check(parts.status, &parts.headers) {
        Ok(()) => {
            copy(&parts.headers, &DESCRIPTION, &mut passed, key.as_ref());
            let body = match key {
                Some(key) => Body::new(Veiled::new(body, key)),
                None => body,
            };
            let mut answer = Response::new(body);
            *answer.status_mut() = parts.status;
            answer
        }
        Err(error) => {
            tracing::warn!(status = %parts.status, %error, "kept the upstream's answer back");
            error.into_response()
        }
    };
    answer.headers_mut().extend(passed);
    answer
}

fn check(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    if status == StatusCode::UNAUTHORIZED {
        // To the dashboard, 401 means that its own session is over.
        return Err(Error::UpstreamOdd("it does not know this gateway's key"));
    }
    if headers.contains_key(CONTENT_ENCODING) {
        return Err(Error::UpstreamOdd("its body has an encoding that was not asked for"));
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
            Err(Error::UpstreamOdd("it is neither JSON nor CSV"))
        };
    }
    if !status.is_client_error() && !status.is_server_error() {
        return Err(Error::UpstreamOdd("it points elsewhere; give the gateway the final address"));
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
        StatusCode::GATEWAY_TIMEOUT => Error::UpstreamSlow,
        _ => Error::UpstreamOdd("its error is not the specified JSON"),
    })
}

fn copy(from: &HeaderMap, names: &[HeaderName], to: &mut HeaderMap, key: Option<&Secret>) {
    for name in names {
        let has_key = |value: &HeaderValue| key.is_some_and(|key| key.is_within(value.as_bytes()));
        if let Some(value) = from.get(name).filter(|value| !has_key(value)) {
            to.insert(name, value.clone());
        }
    }
}
