//! What is said to a request that is refused before anything looks at it: the specified JSON (§7).

use axum::Json;
use axum::body::Body;
use axum::response::IntoResponse as _;
use contract::{ErrorBody, ErrorCode};
use hyper::header::{CACHE_CONTROL, CONNECTION, X_CONTENT_TYPE_OPTIONS};
use hyper::{Response, StatusCode};

/// Returns the refusal. The connection closes behind it.
pub(super) fn refusal(status: u16, message: &str) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let body = ErrorBody::new(ErrorCode::Validation, message);
    let headers =
        [(CACHE_CONTROL, "no-store"), (CONNECTION, "close"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (status, headers, Json(body)).into_response()
}
