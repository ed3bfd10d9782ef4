//! Reads request bodies: JSON only, with a size limit and a timeout.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Maximum body of a sign-in request, in bytes.
const SIGN_IN_BYTES_MAX: usize = 4 * 1024;
/// Maximum time for receiving a whole body.
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// Reads a whole JSON body of at most `bytes_max` bytes.
pub(crate) async fn read_json(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
) -> Result<Bytes, Error> {
    // A content encoding could expand a small body to a large one. Other sites can send only forms
    // and plain text without a CORS preflight, so other media types are refused.
    if headers.contains_key(CONTENT_ENCODING) || !is_json(headers) {
        return Err(Error::NotJson);
    }
    let announced =
        headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > bytes_max) {
        return Err(Error::BodyTooLarge { bytes_max });
    }
    let body = Limited::new(body, bytes_max).collect();
    match tokio::time::timeout(BODY_TIME_MAX, body).await {
        Err(_) => Err(Error::BodyTimedOut),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Error::BodyTooLarge { bytes_max }),
        Ok(Err(_)) => Err(Error::Invalid("the body ended early; send it again")),
    }
}

/// Reads a JSON body of at most [`SIGN_IN_BYTES_MAX`] bytes. `expected` is the message of the error
/// for a body of another form.
pub(crate) async fn read_small<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    expected: &'static str,
) -> Result<T, Error> {
    let body = read_json(headers, body, SIGN_IN_BYTES_MAX).await?;
    serde_json::from_slice(&body).map_err(|_| Error::Invalid(expected))
}

/// Returns whether a message declares its body as JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
}

/// Returns the media type without its parameters, if there is exactly one.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let kind = kinds.next()?.to_str().ok()?;
    kinds.next().is_none().then(|| kind.split(';').next().unwrap_or_default().trim())
}
