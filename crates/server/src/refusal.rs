//! Responses to requests and connections that are refused before routing: the specified JSON
//! (specification, section 7).

use axum::Json;
use axum::body::Body;
use axum::response::IntoResponse as _;
use contract::{ErrorBody, ErrorCode};
use hyper::header::{ALLOW, CACHE_CONTROL, CONNECTION, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::{Response, StatusCode};
use std::net::Shutdown;

use crate::listeners::AcceptedConnection;

/// Returns the 405 response to `CONNECT`. The connection closes after it.
pub(crate) fn connect_refusal() -> Response<Body> {
    let message = "this server is not a proxy and does not accept `CONNECT`; use another method";
    let mut response =
        error_response(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, message);
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"));
    response
}

/// Returns the 400 response to a malformed request. The connection closes after it.
pub(crate) fn bad_request(problem: &str) -> Response<Body> {
    error_response(StatusCode::BAD_REQUEST, ErrorCode::Validation, problem)
}

fn error_response(status: StatusCode, code: ErrorCode, message: &str) -> Response<Body> {
    let body = ErrorBody::new(code, message);
    let headers =
        [(CACHE_CONTROL, "no-store"), (CONNECTION, "close"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (status, headers, Json(body)).into_response()
}

/// `Retry-After` in seconds for clients with too many connections.
const RETRY_AFTER_S: u64 = 10;

/// Sends 429 to a client with too many connections from its address, without reading its request,
/// and closes. The response is small enough for the new socket's buffer; if the write fails, it is
/// dropped.
pub(crate) fn refuse_connection(accepted: AcceptedConnection) {
    // Connections of the Unix socket are not limited by address.
    let AcceptedConnection::Tcp(stream, _) = accepted else { return };
    let message = "there are too many connections from this address; close some, or wait";
    let retry_after = Some(RETRY_AFTER_S);
    let body = ErrorBody { retry_after, ..ErrorBody::new(ErrorCode::RateLimitExceeded, message) };
    let body = serde_json::to_string(&body).unwrap_or_default();
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nretry-after: {RETRY_AFTER_S}\r\ncache-control: no-store\r\n\
         connection: close\r\n\r\n{body}"
    );
    let sent = stream.try_write(answer.as_bytes()).and_then(|_| stream.into_std());
    if let Err(error) = sent.and_then(|stream| stream.shutdown(Shutdown::Write)) {
        tracing::debug!(%error, "cannot send 429 to a client");
    }
}
