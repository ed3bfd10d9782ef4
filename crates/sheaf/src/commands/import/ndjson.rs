//! NDJSON: one submission per line, in the format of the specification (§2).
//!
//! A line is accepted as a whole or rejected with its number. Unknown members are rejected by name,
//! so that a typo does not lose data silently.

use contract::{FormId, Insight, Metadata, SubmissionId, Timestamp};
use serde::de::{self, Deserialize, Deserializer, Error as _, MapAccess};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;
use std::io::{BufRead, Read as _};
use std::ops::Range;

use super::parsed_submission::{ParsedSubmission, check_answers, shorten};
use crate::error::{Error, Result, json_reason};

/// Maximum length of a line, in bytes, without its line end.
pub(crate) const LINE_BYTES_MAX: usize = 1024 * 1024;
/// Maximum length of a text in metadata and insight, in bytes.
pub(super) const LABEL_BYTES_MAX: usize = 1000;
/// Maximum number of categories of an insight.
pub(super) const CATEGORIES_MAX: usize = 100;
/// Maximum completion time in seconds: the largest integer that every JSON parser represents
/// exactly.
pub(super) const COMPLETION_S_MAX: u64 = (1 << 53) - 1;

/// Submissions of a file, line by line.
pub(crate) struct NdjsonLines<R> {
    input: R,
    form: FormId,
    line: u64,
    /// Byte range of the last line in the file.
    bytes: Range<u64>,
    buffer: Vec<u8>,
}

impl<R: BufRead> NdjsonLines<R> {
    /// Returns the submissions to `form`.
    pub(crate) fn new(input: R, form: FormId) -> Self {
        Self { input, form, line: 0, bytes: 0..0, buffer: Vec::new() }
    }

    /// Reads the next line without its line end; `None` at the end of the file.
    fn read_line(&mut self) -> Option<Result<()>> {
        self.buffer.clear();
        self.line += 1;
        // Two more bytes, for CRLF.
        let bytes_max = LINE_BYTES_MAX as u64 + 2;
        let read = (&mut self.input).take(bytes_max).read_until(b'\n', &mut self.buffer);
        match read {
            Ok(0) => return None,
            Ok(count) => self.bytes = self.bytes.end..self.bytes.end + count as u64,
            Err(error) => return Some(Err(Error::io("cannot read the file")(error))),
        }
        // Skips the rest of a line that is too long, which must not be parsed as another line.
        if self.bytes.end - self.bytes.start == bytes_max && self.buffer.last() != Some(&b'\n') {
            match self.input.skip_until(b'\n') {
                Ok(count) => self.bytes.end += count as u64,
                Err(error) => return Some(Err(Error::io("cannot read the file")(error))),
            }
        }
        for end in [b'\n', b'\r'] {
            if self.buffer.last() == Some(&end) {
                self.buffer.pop();
            }
        }
        if self.line == 1 && self.buffer.starts_with("\u{feff}".as_bytes()) {
            self.buffer.drain(..3);
            self.bytes.start += 3;
        }
        Some(if self.buffer.len() > LINE_BYTES_MAX {
            Err(self
                .line_error(format!("a line has at most {LINE_BYTES_MAX} bytes, but is longer")))
        } else {
            Ok(())
        })
    }

    fn line_error(&self, sentence: impl fmt::Display) -> Error {
        Error::at_line(self.line, sentence)
    }
}

impl<R: BufRead> Iterator for NdjsonLines<R> {
    type Item = Result<ParsedSubmission>;

    fn next(&mut self) -> Option<Result<ParsedSubmission>> {
        loop {
            if let Err(error) = self.read_line()? {
                return Some(Err(error));
            }
            if self.buffer.trim_ascii().is_empty() {
                continue;
            }
            let draft = parse_submission(&self.buffer, self.line, &self.form);
            let draft = draft.map(|draft| ParsedSubmission { bytes: self.bytes.clone(), ..draft });
            return Some(draft.map_err(|sentence| self.line_error(sentence)));
        }
    }
}

/// Members of a submission in JSON.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a JSON object, a submission")]
struct WireSubmission {
    id: Option<String>,
    form_id: Option<String>,
    answers: UniqueObject,
    metadata: Option<UniqueObject>,
    ai_insights: Option<UniqueObject>,
}

/// A JSON object without duplicate members.
#[derive(Default)]
struct UniqueObject(Map<String, Value>);

impl<'de> Deserialize<'de> for UniqueObject {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> de::Visitor<'de> for Members {
            type Value = UniqueObject;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<UniqueObject, A::Error> {
                let mut members = Map::new();
                while let Some((key, value)) = input.next_entry::<String, Box<RawValue>>()? {
                    let name = shorten(&key);
                    let value = parse_flat(&value, true).map_err(|error| {
                        A::Error::custom(format!("`{name}` is not JSON: {}", json_reason(&error)))
                    })?;
                    if members.insert(key, value).is_some() {
                        return Err(A::Error::custom(format!("`{name}` occurs twice")));
                    }
                }
                Ok(UniqueObject(members))
            }
        }
        input.deserialize_map(Members)
    }
}

/// Parses a value up to the depth of a list. Deeper values are not parsed, because an object with
/// the private key of the parser (`$serde_json::private::Number`) would pass as a number.
fn parse_flat(raw: &RawValue, may_be_list: bool) -> serde_json::Result<Value> {
    match raw.get().as_bytes().first() {
        Some(b'{') => Ok(Value::Object(Map::new())),
        Some(b'[') if may_be_list => {
            let items: Vec<&RawValue> = serde_json::from_str(raw.get())?;
            items.into_iter().map(|item| parse_flat(item, false)).collect()
        }
        Some(b'[') => Ok(Value::Array(Vec::new())),
        _ => serde_json::from_str(raw.get()),
    }
}

fn parse_submission(bytes: &[u8], line: u64, form: &FormId) -> Result<ParsedSubmission, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 at byte {}", error.valid_up_to() + 1))?;
    if text.trim_ascii_start().starts_with('[') {
        return Err("must be a JSON object, a submission, but is a list".to_owned());
    }
    let wire: WireSubmission = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    if wire.form_id.is_some_and(|id| id != form.as_str()) {
        return Err(format!("`form_id` must be `{form}` or left out"));
    }
    let id = wire.id.map(|id| id.parse::<SubmissionId>());
    let id = id.transpose().map_err(|wrong| format!("`id` is wrong: {wrong}"))?;
    check_answers(&wire.answers.0)?;
    let (submitted_at, metadata) = parse_metadata(wire.metadata.unwrap_or_default())?;
    let insight = wire.ai_insights.map(parse_insight).transpose()?;
    Ok(ParsedSubmission {
        line,
        bytes: 0..0,
        id,
        submitted_at,
        answers: wire.answers.0,
        metadata,
        insight,
    })
}

/// Returns the parser's message with the column. The line in it is always 1.
fn not_json(error: &serde_json::Error) -> String {
    let reason = json_reason(error);
    if error.is_data() {
        reason
    } else {
        format!("is not JSON: {reason} at byte {}", error.column())
    }
}

fn parse_metadata(object: UniqueObject) -> Result<(Option<Timestamp>, Metadata), String> {
    let mut submitted_at = None;
    let mut metadata = Metadata::at(Timestamp::MIN);
    for (name, value) in object.0 {
        let path = format!("metadata.{name}");
        match name.as_str() {
            "submitted_at" => {
                submitted_at =
                    parse_text(&path, value)?.map(|t| parse_instant(&path, &t)).transpose()?;
            }
            "ip_country" => {
                metadata.ip_country = parse_text(&path, value)?.map(parse_country).transpose()?;
            }
            "device" => metadata.device = parse_text(&path, value)?,
            "browser" => metadata.browser = parse_text(&path, value)?,
            "completion_time_seconds" => {
                metadata.completion_time_seconds = parse_seconds(&path, &value)?;
            }
            "utm_source" => metadata.utm_source = parse_text(&path, value)?,
            "utm_medium" => metadata.utm_medium = parse_text(&path, value)?,
            "utm_campaign" => metadata.utm_campaign = parse_text(&path, value)?,
            _ => return Err(unknown_member(&path)),
        }
    }
    Ok((submitted_at, metadata))
}

fn parse_insight(object: UniqueObject) -> Result<Insight, String> {
    let mut insight = Insight::default();
    for (name, value) in object.0 {
        let path = format!("ai_insights.{name}");
        match name.as_str() {
            "sentiment" => insight.sentiment = parse_text(&path, value)?,
            "sentiment_score" => insight.sentiment_score = parse_score(&path, &value)?,
            "categories" => insight.categories = parse_categories(&path, value)?,
            "language" => insight.language = parse_text(&path, value)?,
            _ => return Err(unknown_member(&path)),
        }
    }
    Ok(insight)
}

fn unknown_member(path: &str) -> String {
    format!("`{}` is not a member of a submission; remove it", shorten(path))
}

fn must_be(path: &str, expected: &str, value: &Value) -> String {
    format!("`{path}` must be {expected}, but is `{}`", shorten(&value.to_string()))
}

fn parse_text(path: &str, value: Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.len() <= LABEL_BYTES_MAX => Ok(Some(text)),
        Value::String(text) => {
            let count = text.len();
            Err(format!("`{path}` has at most {LABEL_BYTES_MAX} bytes, but has {count}"))
        }
        other => Err(must_be(path, "a text or null", &other)),
    }
}

fn parse_instant(path: &str, text: &str) -> Result<Timestamp, String> {
    let wrong = |error| format!("`{path}` {error}, but is `{}`", shorten(text));
    Timestamp::parse(text).map_err(wrong)
}

fn parse_country(text: String) -> Result<String, String> {
    if text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Ok(text);
    }
    let shown = shorten(&text);
    Err(format!("`metadata.ip_country` must be a two-letter code such as `DE`, but is `{shown}`"))
}

fn parse_seconds(path: &str, value: &Value) -> Result<Option<u64>, String> {
    match value.as_u64() {
        _ if value.is_null() => Ok(None),
        Some(seconds) if seconds <= COMPLETION_S_MAX => Ok(Some(seconds)),
        _ => Err(must_be(path, "a whole number of seconds or null", value)),
    }
}

fn parse_score(path: &str, value: &Value) -> Result<Option<f64>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Number(number) if number.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)) => {
            Ok(number.as_f64())
        }
        _ => Err(must_be(path, "a number from 0 to 1 or null", value)),
    }
}

fn parse_categories(path: &str, value: Value) -> Result<Vec<String>, String> {
    let expected = format!("a list of at most {CATEGORIES_MAX} texts");
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) if items.len() <= CATEGORIES_MAX => items
            .into_iter()
            .map(|item| {
                parse_text(path, item)?.ok_or_else(|| format!("`{path}` must be {expected}"))
            })
            .collect(),
        other => Err(must_be(path, &expected, &other)),
    }
}

#[cfg(test)]
#[path = "ndjson_tests.rs"]
mod tests;
