//! Parses a body into members by its media type: JSON, URL-encoded or multipart.
//!
//! Only the shape of the body is checked here. [`build_submission`](super::build_submission)
//! selects the answers among the members and checks them.

use super::limits::{MEMBERS_MAX, too_many_members_error, truncate_text};
use super::{Result, form, json};
use crate::error::Error;
use crate::message::{Message, quotable};
use axum::body::Body;
use bytes::Bytes;
use contract::BODY_BYTES_MAX;
use encoding_rs::Encoding;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt, Limited};
use serde_json::{Map, Value};

/// Parsed body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParsedBody {
    /// Members by key, in the order of the body.
    pub(super) members: Map<String, Value>,
    /// Whether values have types. Otherwise each is a list of the texts with its key.
    pub(super) is_typed: bool,
}

/// Media type of a body, and its encoding if the request names one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BodyFormat {
    Json(Option<&'static Encoding>),
    Urlencoded(Option<&'static Encoding>),
    /// With the boundary between its parts.
    Multipart(String, Option<&'static Encoding>),
}

/// Maximum length of a boundary, in bytes. RFC 2046 permits 70.
const BOUNDARY_BYTES_MAX: usize = 200;

const MEDIA_TYPES: &str = "`application/json`, `application/x-www-form-urlencoded` or \
                     `multipart/form-data`";

/// Returns the media type of a body. Fails if it is not supported or the body is compressed.
pub(super) fn body_format(headers: &HeaderMap) -> Result<BodyFormat> {
    if let Some(encoding) = headers.get(header::CONTENT_ENCODING) {
        let encoding = String::from_utf8_lossy(encoding.as_bytes());
        return Err(Error::unsupported(format!(
            "`Content-Encoding` is not supported, but is `{}`; send the body uncompressed",
            quotable(&encoding)
        )));
    }
    let value = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
    let essence = String::from_utf8_lossy(essence).trim().to_ascii_lowercase();
    let parameters = form::parse_parameters(value);
    let parameter =
        |parameter_name: &[u8]| parameters.iter().find(|(name, _)| name == parameter_name);
    let charset = parameter(b"charset").and_then(|(_, label)| Encoding::for_label(label));
    match essence.as_str() {
        "application/json" => Ok(BodyFormat::Json(charset)),
        "application/x-www-form-urlencoded" => Ok(BodyFormat::Urlencoded(charset)),
        "multipart/form-data" => {
            let boundary = parameter(b"boundary").map_or(&b""[..], |(_, boundary)| boundary);
            match str::from_utf8(boundary) {
                Ok(boundary) if (1..=BOUNDARY_BYTES_MAX).contains(&boundary.len()) => {
                    Ok(BodyFormat::Multipart(boundary.to_owned(), charset))
                }
                _ => Err(Error::validation(
                    "`Content-Type` must name the `boundary` of the form's parts",
                )),
            }
        }
        "" => {
            Err(Error::unsupported(format!("`Content-Type` must be {MEDIA_TYPES}, but is missing")))
        }
        other => {
            let other = truncate_text(other);
            Err(Error::unsupported(Message::ContentType { kind: other }))
        }
    }
}

/// Parses a body.
///
/// # Errors
/// Fails if the body is too large, does not match its media type, or exceeds a limit.
pub(super) async fn parse_body(
    kind: &BodyFormat,
    headers: &HeaderMap,
    body: Body,
) -> Result<ParsedBody> {
    let parsed_body = match kind {
        BodyFormat::Json(charset) => {
            let body = read_body(headers, body).await?;
            ParsedBody { members: json::parse_json(&body, *charset)?, is_typed: true }
        }
        BodyFormat::Urlencoded(charset) => {
            let body = read_body(headers, body).await?;
            ParsedBody { members: form::read_urlencoded(&body, *charset)?, is_typed: false }
        }
        BodyFormat::Multipart(boundary, charset) => {
            let members = form::read_multipart(boundary, *charset, body).await?;
            ParsedBody { members, is_typed: false }
        }
    };
    if parsed_body.members.len() > MEMBERS_MAX {
        return Err(too_many_members_error(parsed_body.members.len()));
    }
    Ok(parsed_body)
}

/// Reads a whole body of at most [`BODY_BYTES_MAX`].
async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes> {
    let most = BODY_BYTES_MAX;
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let declared = length.and_then(|text| text.parse::<u64>().ok());
    if let Some(count) = declared.filter(|bytes| *bytes > most as u64) {
        return Err(Error::too_large(Message::TooLargeBy { most, count }));
    }
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            Err(Error::too_large(Message::TooLarge { most }))
        }
        Err(_) => Err(Error::validation(Message::BrokenBody)),
    }
}

#[cfg(test)]
#[path = "form_body_tests.rs"]
mod tests;
