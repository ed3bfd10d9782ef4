//! Parses the body of an HTML form into members: URL-encoded or multipart.
//!
//! Each member is a list of the texts with its key. A file becomes its name and size; its content
//! is read and dropped.

mod limited_body;
mod part;

use self::limited_body::{BufferedBytes, LimitedBody};
use self::part::PartHeader;
pub(super) use self::part::parse_parameters;
use super::Result;
use super::limits::{MEMBERS_MAX, too_many_members_error};
use crate::error::Error;
use crate::message::Message;
use axum::body::Body;
use bytes::Bytes;
use contract::BODY_BYTES_MAX;
use contract::intake::CHARSET;
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};
use multer::{Field, Multipart};
use percent_encoding::percent_decode;
use serde_json::{Map, Value};

/// Maximum bytes of all files of a form together.
const FILES_BYTES_MAX: u64 = 10 * 1024 * 1024;

/// Prefix that some clients put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Texts in the order of the body, in the encoding of the page.
#[derive(Default)]
pub(super) struct EncodedTexts(Vec<(Vec<u8>, Vec<u8>)>);

impl EncodedTexts {
    fn push(&mut self, key: Vec<u8>, text: Vec<u8>) -> Result<()> {
        self.0.push((key, text));
        // Texts with the same key form one member, so more texts than members are allowed.
        if self.0.len() > MEMBERS_MAX * 4 {
            Err(too_many_members_error(self.0.len()))
        } else {
            Ok(())
        }
    }

    /// Decodes the texts. An encoding that the request or `_charset_` names applies to all of them,
    /// unless all are UTF-8. ISO-2022-JP always applies, since its bytes are ASCII. Without a named
    /// encoding, [`decode_guessed`] decides for each text.
    fn decode(self, charset: Option<&'static Encoding>) -> Map<String, Value> {
        let charset_member = self.0.iter().rfind(|(key, _)| key == CHARSET.as_bytes());
        let named = charset.or_else(|| Encoding::for_label(&charset_member?.1));
        let named = named.filter(|encoding| *encoding != UTF_8);
        let is_utf8 = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
        let are_utf8 = self.0.iter().all(|(key, text)| is_utf8(key) && is_utf8(text));
        let encoding = named.filter(|encoding| *encoding == ISO_2022_JP || !are_utf8);
        let decoded = |bytes: &[u8]| match encoding {
            Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
            None => decode_guessed(bytes),
        };
        let mut members = Map::new();
        for (key, text) in self.0 {
            let texts = members.entry(decoded(&key)).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(texts) = texts {
                texts.push(Value::String(decoded(&text)));
            }
        }
        members
    }
}

/// Decodes a text of unknown encoding. UTF-8 with some invalid bytes gets U+FFFD for each of them.
/// Any other text is decoded as Windows-1252, as browsers do for pages without an encoding.
fn decode_guessed(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_wide = |c: char| !c.is_ascii() && c != char::REPLACEMENT_CHARACTER;
    if std::str::from_utf8(bytes).is_ok() || text.contains(is_wide) {
        return text.into_owned();
    }
    WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// Parses `application/x-www-form-urlencoded`.
///
/// # Errors
/// Fails if there are too many members.
pub(super) fn read_urlencoded(
    body: &[u8],
    charset: Option<&'static Encoding>,
) -> Result<Map<String, Value>> {
    let mut texts = EncodedTexts::default();
    for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        let mut halves = pair.splitn(2, |byte| *byte == b'=').map(decode_urlencoded);
        let mut key = halves.next().unwrap_or_default();
        if texts.0.is_empty() && key.starts_with(BYTE_ORDER_MARK) {
            key.drain(..BYTE_ORDER_MARK.len());
        }
        texts.push(key, halves.next().unwrap_or_default())?;
    }
    Ok(texts.decode(charset))
}

fn decode_urlencoded(encoded: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> =
        encoded.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_decode(&spaced).collect()
}

/// Parses `multipart/form-data`.
///
/// # Errors
/// Fails if the body is incomplete, a part header is too long or has no name, all texts exceed
/// [`BODY_BYTES_MAX`], or all files exceed [`FILES_BYTES_MAX`].
pub(super) async fn read_multipart(
    boundary: &str,
    charset: Option<&'static Encoding>,
    body: Body,
) -> Result<Map<String, Value>> {
    let buffered = BufferedBytes::default();
    let mut parts =
        Multipart::new(LimitedBody::new(body.into_data_stream(), buffered.clone()), boundary);
    let mut texts = EncodedTexts::default();
    let mut text_bytes = 0;
    let mut file_bytes = 0;
    while let Some(mut part) =
        parts.next_field().await.map_err(|error| broken_form_error(&error))?
    {
        buffered.reset();
        let header = PartHeader::parse(part.headers());
        let Some(key) = header.name else {
            return Err(Error::validation(Message::NamelessPart));
        };
        let Some(name) = header.file_name else {
            let text = read_text(&mut part, &buffered, &mut text_bytes).await?;
            let named = header.charset.filter(|charset| *charset != UTF_8);
            let text = match named {
                Some(named) => to_utf8(named, &text),
                None => text,
            };
            texts.push(key, text)?;
            continue;
        };
        let before = file_bytes;
        skip_file(&mut part, &buffered, &mut file_bytes).await?;
        let bytes = file_bytes - before;
        // Browsers send an empty name and no bytes if no file was selected.
        if !(name.is_empty() && bytes == 0) {
            let space = if name.is_empty() { "" } else { " " };
            let size = format!("{space}({bytes} bytes)");
            texts.push(key, [name.as_slice(), size.as_bytes()].concat())?;
        }
    }
    Ok(texts.decode(charset))
}

fn to_utf8(encoding: &'static Encoding, text: &[u8]) -> Vec<u8> {
    encoding.decode_without_bom_handling(text).0.into_owned().into_bytes()
}

fn broken_form_error(error: &multer::Error) -> Error {
    Error::validation(Message::BrokenForm { why: error.to_string() })
}

async fn next_chunk(part: &mut Field<'_>, buffered: &BufferedBytes) -> Result<Option<Bytes>> {
    let chunk = part.chunk().await.map_err(|error| broken_form_error(&error));
    buffered.reset();
    chunk
}

async fn read_text(
    part: &mut Field<'_>,
    buffered: &BufferedBytes,
    total: &mut usize,
) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    while let Some(chunk) = next_chunk(part, buffered).await? {
        *total += chunk.len();
        if *total > BODY_BYTES_MAX {
            return Err(Error::too_large(Message::TooLarge { most: BODY_BYTES_MAX }));
        }
        text.extend_from_slice(&chunk);
    }
    Ok(text)
}

async fn skip_file(part: &mut Field<'_>, buffered: &BufferedBytes, total: &mut u64) -> Result<()> {
    while let Some(chunk) = next_chunk(part, buffered).await? {
        *total += chunk.len() as u64;
        if *total > FILES_BYTES_MAX {
            return Err(Error::too_large(Message::FilesTooLarge { most: FILES_BYTES_MAX }));
        }
    }
    Ok(())
}
