//! Bodies of the owner's actions: JSON, read strictly.
//!
//! What is refused names the shape that is wanted. Nothing is guessed from what came.

use crate::error::{Error, Result};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;

/// Largest body that is read, in bytes.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// A body whose shape can be told to whoever got it wrong.
pub(super) trait Shaped: DeserializeOwned {
    /// What it looks like.
    const SHAPE: &'static str;
}

/// A body, read.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: Shaped, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        if !is_json(request.headers()) {
            let message = "the body must be JSON; send it with `Content-Type: application/json`";
            return Err(Error::validation(message));
        }
        let body = Limited::new(request.into_body(), BODY_BYTES_MAX);
        let body: Bytes =
            body.collect().await.map(http_body_util::Collected::to_bytes).map_err(|_| {
                Error::validation(format!("the body must have at most {BODY_BYTES_MAX} bytes"))
            })?;
        let wrong = |why: &dyn std::fmt::Display| {
            Error::validation(format!("the body must be `{}`, but {why}", T::SHAPE))
        };
        // A list of the same values would pass as the object that it is not.
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(wrong(&"is a list"));
        }
        serde_json::from_slice(&body).map(Self).map_err(|error| wrong(&error))
    }
}

/// Whether the body is declared to be JSON, and not compressed.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
        && !headers.contains_key(header::CONTENT_ENCODING)
}
