//! The JSON body of an owner's action, read strictly and up to a size.

use crate::error::{Error, Result};
use axum::extract::Request;
use bytes::Bytes;
use contract::BODY_BYTES_MAX;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use std::fmt::Display;

/// Reads a body; `wanted` shows what it must look like.
///
/// # Errors
/// A body that is not JSON, too large, or not of that shape.
pub(crate) async fn read<T: DeserializeOwned>(request: Request, wanted: &str) -> Result<T> {
    if !is_json(request.headers()) {
        let message = "the body must be JSON; send it with `Content-Type: application/json`";
        return Err(Error::validation(message));
    }
    let body = Limited::new(request.into_body(), BODY_BYTES_MAX);
    let body: Bytes = body.collect().await.map(Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            Error::validation(format!("the body must have at most {BODY_BYTES_MAX} bytes"))
        } else {
            Error::validation("the body ended early or came too slowly; send it again")
        }
    })?;
    let wrong =
        |why: &dyn Display| Error::validation(format!("the body must be `{wanted}`, but {why}"));
    // A list of the same values would pass as the object that it is not.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(wrong(&"is a list"));
    }
    serde_json::from_slice(&body).map_err(|error| wrong(&error))
}

/// Whether the body is declared to be JSON, and not compressed.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
        && !headers.contains_key(header::CONTENT_ENCODING)
}
