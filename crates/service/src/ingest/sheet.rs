//! Reads a body into members, by its media type: JSON, urlencoded or multipart.
//!
//! It checks shape and sizes only. [`judge`](super::judge) decides which members are answers.

use super::limits::{BODY_BYTES_MAX, MEMBERS_MAX, begin_of, check_key, check_value, too_many};
use super::{Result, form, json};
use crate::error::Error;
use axum::body::Body;
use bytes::Bytes;
use encoding_rs::Encoding;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Limited};
use serde_json::{Map, Value};

/// What was sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sheet {
    /// By key, in the order in which they came.
    pub(super) members: Map<String, Value>,
    /// Whether values have types. Otherwise each is a list of the texts that came under its key.
    pub(super) is_typed: bool,
}

/// How a body is written, and in which encoding if the request names one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Json(Option<&'static Encoding>),
    Urlencoded(Option<&'static Encoding>),
    /// With the boundary between its parts.
    Multipart(String, Option<&'static Encoding>),
}

const KINDS: &str = "`application/json`, `application/x-www-form-urlencoded` or \
                     `multipart/form-data`";

/// Returns how a body is written, by its headers.
pub(super) fn kind_of(headers: &HeaderMap) -> Result<Kind> {
    if let Some(encoding) = headers.get(header::CONTENT_ENCODING) {
        let encoding = String::from_utf8_lossy(encoding.as_bytes());
        return Err(Error::unsupported(format!(
            "`Content-Encoding` is not taken, but is `{encoding}`; send the body as it is"
        )));
    }
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let value = value.unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" => Ok(Kind::Json(charset_of(value))),
        "application/x-www-form-urlencoded" => Ok(Kind::Urlencoded(charset_of(value))),
        "multipart/form-data" => {
            let boundary = multer::parse_boundary(value).map_err(|_| {
                Error::validation("`Content-Type` must name the `boundary` of the form's parts")
            })?;
            Ok(Kind::Multipart(boundary, charset_of(value)))
        }
        "" => Err(Error::unsupported(format!("`Content-Type` must be {KINDS}; name it"))),
        other => {
            let other = begin_of(other);
            Err(Error::unsupported(format!("`Content-Type` must be {KINDS}, but is `{other}`")))
        }
    }
}

/// Returns the encoding in the parameter `charset` of a media type, if it is a known one.
fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, label) = parameter.split_once('=')?;
        let label = label.trim().trim_matches('"');
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        Encoding::for_label(label.as_bytes()).filter(|_| is_charset)
    })
}

/// Reads what was sent.
///
/// # Errors
/// A body that is too large, not of its kind, or holds what no submission may hold.
pub(super) async fn read(kind: &Kind, headers: &HeaderMap, body: Body) -> Result<Sheet> {
    let sheet = match kind {
        Kind::Json(charset) => {
            let body = read_body(headers, body).await?;
            Sheet { members: json::read(&body, *charset)?, is_typed: true }
        }
        Kind::Urlencoded(charset) => {
            let body = read_body(headers, body).await?;
            Sheet { members: form::read_urlencoded(&body, *charset)?, is_typed: false }
        }
        Kind::Multipart(boundary, charset) => {
            let members = form::read_multipart(boundary, *charset, body).await?;
            Sheet { members, is_typed: false }
        }
    };
    if sheet.members.len() > MEMBERS_MAX {
        return Err(too_many(sheet.members.len()));
    }
    for (key, value) in &sheet.members {
        check_key(key)?;
        check_value(key, value)?;
    }
    Ok(sheet)
}

/// Reads a body whole, up to its largest size.
async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes> {
    let too_large = |bytes: &str| {
        Error::too_large(format!(
            "a submission must have at most {BODY_BYTES_MAX} bytes, but has {bytes}; shorten it"
        ))
    };
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let declared = length.and_then(|text| text.parse::<u64>().ok());
    if let Some(bytes) = declared.filter(|bytes| *bytes > BODY_BYTES_MAX as u64) {
        return Err(too_large(&bytes.to_string()));
    }
    match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(too_large("more")),
        Err(_) => Err(Error::validation("the body ended early; send it again")),
    }
}

#[cfg(test)]
#[path = "sheet_tests.rs"]
mod tests;
