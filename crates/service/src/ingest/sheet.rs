//! Reads a body into members, by its media type: JSON, urlencoded or multipart.
//!
//! Shape and sizes alone: which members are answers is asked later. Nothing is altered and nothing
//! is left out, but for a file input in which nothing was chosen.

use super::Result;
use super::limits::{BODY_BYTES_MAX, MEMBERS_MAX, begin_of, check_key, check_value};
use crate::error::Error;
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Limited};
use percent_encoding::percent_decode;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::map::Entry;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

/// What was sent.
#[derive(Debug, PartialEq)]
pub(super) struct Sheet {
    /// By key, in the order in which they came.
    pub(super) members: Map<String, Value>,
    /// Whether values have types. Otherwise each is a list of the texts that came under its key.
    pub(super) is_typed: bool,
}

/// How a body is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Urlencoded,
    /// With the boundary between its parts.
    Multipart(String),
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
        "application/json" => Ok(Kind::Json),
        "application/x-www-form-urlencoded" => Ok(Kind::Urlencoded),
        "multipart/form-data" => multer::parse_boundary(value).map(Kind::Multipart).map_err(|_| {
            Error::validation("`Content-Type` must name the `boundary` of `multipart/form-data`")
        }),
        "" => Err(Error::unsupported(format!("`Content-Type` must be {KINDS}; name it"))),
        other => {
            let other = begin_of(other);
            Err(Error::unsupported(format!("`Content-Type` must be {KINDS}, but is `{other}`")))
        }
    }
}

/// Reads a body whole, up to its largest size.
pub(super) async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes> {
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

/// Reads what was sent.
pub(super) async fn read(kind: &Kind, body: &Bytes) -> Result<Sheet> {
    let sheet = match kind {
        Kind::Json => Sheet { members: read_json(body)?, is_typed: true },
        Kind::Urlencoded => read_urlencoded(body)?,
        Kind::Multipart(boundary) => read_multipart(boundary, body.clone()).await?,
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

fn too_many(count: usize) -> Error {
    Error::validation(format!("a body must have at most {MEMBERS_MAX} members, but has {count}"))
}

/// The members of a JSON object, of which none stands twice. Each is a value, or a list of values;
/// of what is deeper there is an empty list or object, to be refused.
struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of answers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members, A::Error> {
                let mut members = Map::new();
                while let Some(key) = access.next_key::<String>()? {
                    match members.entry(key) {
                        Entry::Vacant(member) => {
                            let value = flat(access.next_value()?, true).map_err(|error| {
                                let (key, why) = (member.key(), reason(&error));
                                A::Error::custom(format!("`{key}` is no JSON: {why}"))
                            })?;
                            member.insert(value);
                        }
                        Entry::Occupied(member) => {
                            let wrong = format!("`{}` stands twice", member.key());
                            return Err(A::Error::custom(wrong));
                        }
                    }
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Reads a value of which nothing deeper than a list is taken. What is deeper is not read at all:
/// the parser takes an object with a key of its own (`$serde_json::private::RawValue`) for the text
/// in it and reads that anew, as deep as there is, until the stack is used up.
fn flat(raw: &RawValue, may_be_list: bool) -> serde_json::Result<Value> {
    match raw.get().as_bytes().first() {
        Some(b'{') => Ok(Value::Object(Map::new())),
        Some(b'[') if may_be_list => {
            let items: Vec<&RawValue> = serde_json::from_str(raw.get())?;
            items.into_iter().map(|item| flat(item, false)).collect()
        }
        Some(b'[') => Ok(Value::Array(Vec::new())),
        _ => serde_json::from_str(raw.get()),
    }
}

/// The parser's words without the place, which is that in the value alone.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.rsplit_once(" at line ").map_or(words.as_str(), |(reason, _)| reason).to_owned()
}

fn read_json(body: &[u8]) -> Result<Map<String, Value>> {
    let wanted = r#"{"Name": "Ada", "Score": 4}"#;
    let wrong = |why: &dyn fmt::Display| {
        Error::validation(format!("the body must be JSON such as `{wanted}`, but {why}"))
    };
    let text = std::str::from_utf8(body).map_err(|_| wrong(&"is not UTF-8"))?;
    let Members(members) = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    Ok(members)
}

fn read_urlencoded(body: &[u8]) -> Result<Sheet> {
    let mut sheet = Sheet { members: Map::new(), is_typed: false };
    for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        let mut halves = pair.splitn(2, |byte| *byte == b'=');
        let key = decode(halves.next().unwrap_or_default())?;
        let text = decode(halves.next().unwrap_or_default())?;
        sheet.push(key, text)?;
    }
    Ok(sheet)
}

fn decode(encoded: &[u8]) -> Result<String> {
    let spaced: Vec<u8> =
        encoded.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    let text = percent_decode(&spaced).decode_utf8().map_err(|_| {
        Error::validation("the form must be sent as UTF-8; say `accept-charset=\"utf-8\"`")
    })?;
    Ok(text.into_owned())
}

async fn read_multipart(boundary: &str, body: Bytes) -> Result<Sheet> {
    let wrong =
        |error: multer::Error| Error::validation(format!("the body is no whole form: {error}"));
    let whole = futures_util::stream::once(async { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(whole, boundary);
    let mut sheet = Sheet { members: Map::new(), is_typed: false };
    while let Some(part) = parts.next_field().await.map_err(wrong)? {
        let Some(key) = part.name().map(str::to_owned) else {
            return Err(Error::validation("each part of the form must have a name"));
        };
        let file = part.file_name().map(str::to_owned);
        let bytes = part.bytes().await.map_err(wrong)?;
        match file {
            // A file input in which nothing was chosen.
            Some(name) if name.is_empty() && bytes.is_empty() => continue,
            Some(name) => {
                return Err(Error::validation(format!(
                    "files are not taken, but `{key}` is the file `{name}`; leave it out"
                )));
            }
            None => {}
        }
        let text = String::from_utf8(bytes.into()).map_err(|_| {
            Error::validation(format!("`{key}` must be UTF-8; say `accept-charset=\"utf-8\"`"))
        })?;
        sheet.push(key, text)?;
    }
    Ok(sheet)
}

impl Sheet {
    /// Adds a text to those under its key.
    fn push(&mut self, key: String, text: String) -> Result<()> {
        if self.members.len() > MEMBERS_MAX {
            return Err(too_many(self.members.len()));
        }
        let texts = self.members.entry(key).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(texts) = texts {
            texts.push(Value::String(text));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "sheet_tests.rs"]
mod tests;
