//! Parses a JSON body into members: nested objects become dotted keys.
//!
//! Objects and lists are read as [`RawValue`], and only scalars are parsed into [`Value`]. A
//! `Value` is unsafe for nested input: for an object with the key `$serde_json::private::RawValue`,
//! `serde_json` parses the text of this member again. Each time the depth limit starts at zero, so
//! a hostile body could overflow the stack.

use super::Result;
use super::limits::{MEMBERS_MAX, check_key_length, too_many_members_error, truncate_text};
use crate::error::Error;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use serde::de::{self, Deserialize, Deserializer, MapAccess};
use serde_json::map::Entry;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// Maximum nesting of objects and lists. The body is level 1.
const LEVELS_MAX: usize = 8;

/// Parses the members of a JSON object. `charset` is the encoding named by the request.
///
/// `{"a": {"b": 1}}` has the member `a.b`, and `{"a": [{"b": 1}]}` has `a.0.b`. A list of scalars
/// is one value.
///
/// # Errors
/// Fails if the body is not a JSON object in a supported encoding, has a repeated key, is nested
/// deeper than [`LEVELS_MAX`], has too many members, or nests values under a key that is too long.
pub(super) fn parse_json(
    body: &[u8],
    charset: Option<&'static Encoding>,
) -> Result<Map<String, Value>> {
    let text = decode_body(body, charset)?;
    let ObjectPairs(pairs) = serde_json::from_str(&text).map_err(|error| json_error(&error))?;
    let mut members = Map::new();
    for (key, raw) in pairs {
        insert_flattened(&mut members, key, raw, 1)?;
    }
    Ok(members)
}

/// Returns the error of an invalid body. `problem` continues the sentence "the body must be JSON,
/// but".
fn json_error(problem: &dyn fmt::Display) -> Error {
    Error::validation(format!(
        r#"the body must be JSON such as `{{"Name": "Ada", "Score": 4}}`, but {problem}"#
    ))
}

/// Decodes a body. JSON is UTF-8 (RFC 8259, section 8.1), with or without a byte order mark; the
/// request must name other encodings.
///
/// UTF-16 is rejected. Without a byte order mark it is detected by a zero among the first two
/// bytes, because the first character of JSON is ASCII.
fn decode_body<'a>(body: &'a [u8], charset: Option<&'static Encoding>) -> Result<Cow<'a, str>> {
    let encoding = match (Encoding::for_bom(body), body) {
        (Some((encoding, _)), _) => encoding,
        (None, [0, other, ..] | [other, 0, ..]) if *other != 0 => UTF_16LE,
        _ => charset.unwrap_or(UTF_8),
    };
    if [UTF_16LE, UTF_16BE].contains(&encoding) {
        return Err(json_error(&"is UTF-16; send it as UTF-8"));
    }
    let (text, is_malformed) = encoding.decode_with_bom_removal(body);
    if encoding == UTF_8 && is_malformed {
        return Err(json_error(
            &"is not UTF-8; name its encoding as `charset` in `Content-Type`, or send UTF-8",
        ));
    }
    Ok(text)
}

/// Members of an object in their order. Keys may repeat.
struct ObjectPairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for ObjectPairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> de::Visitor<'de> for Object {
            type Value = ObjectPairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of answers")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut access: A,
            ) -> Result<ObjectPairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = access.next_entry()? {
                    pairs.push(pair);
                }
                Ok(ObjectPairs(pairs))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Adds a value under its key, or its nested values under longer keys. `level` is the nesting of
/// the object that contains the key.
fn insert_flattened(
    members: &mut Map<String, Value>,
    key: String,
    raw: &RawValue,
    level: usize,
) -> Result<()> {
    // Ends the work early. `parse_body` rejects a last member that is one too many.
    if members.len() > MEMBERS_MAX {
        return Err(too_many_members_error(members.len()));
    }
    let value_error = |error: serde_json::Error| {
        json_error(&format!(
            "`{}` is not valid JSON: {}",
            truncate_text(&key),
            error_reason(&error)
        ))
    };
    let nested: Vec<(String, &RawValue)> = match nesting_of(raw) {
        Nesting::Object => {
            let ObjectPairs(pairs) = serde_json::from_str(raw.get()).map_err(value_error)?;
            pairs
        }
        Nesting::List => {
            let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(value_error)?;
            if items.iter().all(|item| nesting_of(item) == Nesting::None) {
                let list = items.into_iter().map(parse_scalar).collect::<Result<_, _>>();
                let list = list.map_err(value_error)?;
                return add_member(members, key, list);
            }
            items.into_iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        Nesting::None => {
            let value = parse_scalar(raw).map_err(value_error)?;
            return add_member(members, key, value);
        }
    };
    if level >= LEVELS_MAX {
        let key = truncate_text(&key);
        return Err(Error::validation(format!(
            "objects may be nested {LEVELS_MAX} levels deep, but `{key}` is deeper; flatten it"
        )));
    }
    // The key becomes part of every nested key, so a long one would be copied many times.
    check_key_length(&key)?;
    for (inner, raw) in nested {
        insert_flattened(members, format!("{key}.{inner}"), raw, level + 1)?;
    }
    Ok(())
}

fn add_member(members: &mut Map<String, Value>, key: String, value: Value) -> Result<()> {
    match members.entry(key) {
        Entry::Vacant(member) => {
            member.insert(value);
            Ok(())
        }
        Entry::Occupied(member) => {
            Err(json_error(&format!("`{}` is repeated", truncate_text(member.key()))))
        }
    }
}

#[derive(PartialEq, Eq)]
enum Nesting {
    None,
    List,
    Object,
}

fn nesting_of(raw: &RawValue) -> Nesting {
    match raw.get().as_bytes().first() {
        Some(b'{') => Nesting::Object,
        Some(b'[') => Nesting::List,
        _ => Nesting::None,
    }
}

/// Parses a scalar. U+FFFD replaces an unpaired surrogate: a script may cut a text within a
/// character, and `JSON.stringify` then writes half of the pair as an escape.
fn parse_scalar(raw: &RawValue) -> serde_json::Result<Value> {
    let text = raw.get();
    serde_json::from_str(text).or_else(|error| {
        let Ok(LossyText(text)) = serde_json::from_str(text) else { return Err(error) };
        Ok(Value::String(text))
    })
}

/// Text that may contain unpaired surrogates.
struct LossyText(String);

impl<'de> Deserialize<'de> for LossyText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl de::Visitor<'_> for Bytes {
            type Value = LossyText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<LossyText, E> {
                // The parser encodes an unpaired surrogate as if it were a character, in three
                // bytes that are invalid UTF-8: `ED`, then at least `A0`.
                let mut text = bytes.to_vec();
                for at in 0..text.len().saturating_sub(2) {
                    if text[at] == 0xED && text[at + 1] >= 0xA0 {
                        text[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
                    }
                }
                Ok(LossyText(String::from_utf8_lossy(&text).into_owned()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// Returns the parser's message without the position. It would mislead, because it counts from the
/// start of the value and not of the body.
fn error_reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason).to_owned()
}
