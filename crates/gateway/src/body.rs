//! Takes a request's body in: JSON only, of a bounded size, within a bounded time.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::error::Error;

/// Largest body of a sign-in, in bytes.
pub(crate) const SIGN_IN_BYTES_MAX: usize = 4 * 1024;
/// Longest time in which a body must be whole.
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// Reads a JSON body whole.
pub(crate) async fn read_json(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
) -> Result<Bytes, Error> {
    // An encoding could blow few bytes up to many; and a form or a text is what other sites send.
    if headers.contains_key(CONTENT_ENCODING) || !is_json(headers) {
        return Err(Error::NotJson);
    }
    let announced =
        headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > bytes_max) {
        return Err(Error::BodyTooLarge { bytes_max });
    }
    let whole = Limited::new(body, bytes_max).collect();
    match tokio::time::timeout(BODY_TIME_MAX, whole).await {
        Err(_) => Err(Error::BodyTooSlow),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Error::BodyTooLarge { bytes_max }),
        Ok(Err(_)) => Err(Error::Invalid("the body broke off; send it again")),
    }
}

/// Tells whether a message calls its body JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
}

/// Returns the media type without its parameters, where there is exactly one.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let kind = kinds.next()?.to_str().ok()?;
    kinds.next().is_none().then(|| kind.split(';').next().unwrap_or_default().trim())
}
