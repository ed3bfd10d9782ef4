//! Compresses pages of submissions on their way to the browser.
//!
//! Compressed sizes can betray what stands beside something that a stranger chose, and strangers
//! fill forms in. A guess costs them a page loaded anew, which no other site can bring about: see
//! `csrf` and ADR 0029. What the dashboard asks for by itself is below [`BYTES_MIN`]; nothing with
//! a key in it comes this way.

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

/// What is worth it, in bytes: more than the one submission of a look for news.
const BYTES_MIN: u64 = 4 * 1024;
/// What is taken into memory for it; what is longer or of unknown length goes through as it is.
const BYTES_MAX: u64 = 1024 * 1024;

/// Tells whether a client takes answers compressed.
pub(super) fn is_taken(asked: &HeaderMap) -> bool {
    Encoding::Gzip.is_accepted(asked.get_all(ACCEPT_ENCODING).iter())
}

/// Compresses an answer whose size is known, where it `is_taken` so.
pub(super) async fn squeeze(response: Response, is_taken: bool) -> Result<Response, Error> {
    let size = response.body().size_hint().exact();
    let fits = size.is_some_and(|size| (BYTES_MIN..=BYTES_MAX).contains(&size));
    let headers = response.headers();
    // An export is a file: it goes through as a stream.
    let is_page = response.status() == StatusCode::OK
        && body::is_json(headers)
        && !headers.contains_key(CONTENT_DISPOSITION);
    if !(fits && is_page && is_taken) {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let whole = body.collect().await.map_err(|error| {
        tracing::warn!(%error, "the upstream's answer broke off");
        Error::UpstreamFailed
    })?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing into memory cannot fail.
    let _ = encoder.write_all(&whole.to_bytes());
    let squeezed = encoder.finish().unwrap_or_default();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(Encoding::Gzip.name()));
    parts.headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    Ok(Response::from_parts(parts, Body::from(squeezed)))
}
