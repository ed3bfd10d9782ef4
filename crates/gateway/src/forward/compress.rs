//! Compresses pages of submissions for the browser.
//!
//! The size of a compressed response can reveal secrets next to text chosen by an attacker, and
//! anyone can fill in a form. Each guess requires that the user reloads the page, which another
//! site cannot trigger: see `csrf` and ADR 0029. Requests that the dashboard sends in the
//! background have responses below [`BYTES_MIN`], and no response with an API key is compressed
//! here.

use std::io::Write as _;

use axum::body::Body;
use axum::response::Response;
use flate2::{Compression, write::GzEncoder};
use http::header::{ACCEPT_ENCODING, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body::Body as _;
use http_body_util::BodyExt as _;

use crate::assets::negotiate::Encoding;
use crate::body;
use crate::error::Error;

/// Minimum size for compression, in bytes. It is larger than the single submission that polling
/// returns.
const BYTES_MIN: u64 = 4 * 1024;
/// Maximum size for compression, in bytes, because the body is buffered. Larger bodies and bodies
/// of unknown length are streamed uncompressed.
const BYTES_MAX: u64 = 1024 * 1024;

/// Returns whether a client accepts gzip.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    Encoding::Gzip.is_accepted(headers.get_all(ACCEPT_ENCODING).iter())
}

/// Compresses a response of known size if the client accepts it.
pub(super) async fn compress_response(
    response: Response,
    is_taken: bool,
) -> Result<Response, Error> {
    let size = response.body().size_hint().exact();
    let fits = size.is_some_and(|size| (BYTES_MIN..=BYTES_MAX).contains(&size));
    let headers = response.headers();
    // An export has `Content-Disposition` and is streamed.
    let is_page = response.status() == StatusCode::OK
        && body::is_json(headers)
        && !headers.contains_key(CONTENT_DISPOSITION);
    if !(fits && is_page && is_taken) {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let collected = body.collect().await.map_err(|error| {
        tracing::warn!(%error, "upstream response ended early");
        Error::UpstreamFailed
    })?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing into memory cannot fail.
    let _ = encoder.write_all(&collected.to_bytes());
    let compressed = encoder.finish().unwrap_or_default();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(Encoding::Gzip.name()));
    parts.headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    Ok(Response::from_parts(parts, Body::from(compressed)))
}
