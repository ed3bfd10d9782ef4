//! Converts the texts of an HTML form to the types of their fields.
//!
//! The conversion is lenient: a text that does not clearly match its field's type stays a text, and
//! nothing is rejected. Values that are typed already do not change.

use super::form_settings::CachedForm;
use contract::FieldType;
use serde_json::Value;

/// Maximum length of a text that is parsed as a number, in bytes.
const NUMBER_BYTES_MAX: usize = 32;

/// Key of answers that were sent with an empty key.
const UNNAMED_KEY: &str = "unnamed";

/// Returns the answer key of a member, and whether the member is written as a list.
///
/// Some pages write `colors[]` for a list called `colors`. Others write `colors[0]` and
/// `colors[1]`, which is a list only if the form has the field `colors`: `q[12]` and `q[15]` may be
/// two questions with different numbers.
pub(super) fn field_key(cached_form: &CachedForm, sent: &str, is_typed: bool) -> (String, bool) {
    let sent = sent.replace('\0', "\u{fffd}");
    if is_typed || cached_form.field(&sent).is_some() {
        return (or_unnamed(sent), false);
    }
    let brackets = sent.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match brackets {
        Some((bare, "")) if !bare.is_empty() => (or_unnamed(bare.to_owned()), true),
        Some((bare, number)) if is_number(number) && cached_form.field(bare).is_some() => {
            (bare.to_owned(), true)
        }
        _ => (or_unnamed(sent), false),
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn or_unnamed(key: String) -> String {
    if key.trim().is_empty() { UNNAMED_KEY.to_owned() } else { key }
}

/// Replaces NUL by U+FFFD: exports and databases cannot contain NUL.
pub(super) fn without_nul(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains('\0') => Value::String(text.replace('\0', "\u{fffd}")),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nul).collect()),
        other => other,
    }
}

/// Converts the texts of one key. Returns `None` if all are empty: a page sends each of its inputs,
/// filled or not.
pub(super) fn convert_texts(value: Value, kind: FieldType) -> Option<Value> {
    let Value::Array(mut texts) = value else { return Some(value) };
    texts.retain(|text| !is_blank(text));
    let typed = |text: Value| match text {
        Value::String(text) => convert_text(text, kind),
        other => other,
    };
    let may_be_pair = match kind {
        FieldType::Boolean => true,
        FieldType::Choices => false,
        _ => is_pair(&texts),
    };
    if may_be_pair {
        reduce_pair(&mut texts);
    }
    match texts.len() {
        0 => None,
        1 if kind != FieldType::Choices => texts.pop().map(typed),
        _ => Some(Value::Array(texts.into_iter().map(typed).collect())),
    }
}

/// Returns whether the texts are a checked checkbox and the hidden input of the same name. Pages
/// put it before the checkbox (Rails: `0`, `1`) or after it (ASP.NET: `true`, `false`).
fn is_pair(texts: &[Value]) -> bool {
    let [Value::String(first), Value::String(second)] = texts else { return false };
    let lower_case = [first.to_ascii_lowercase(), second.to_ascii_lowercase()];
    matches!(
        lower_case.each_ref().map(String::as_str),
        ["0", "1"]
            | ["1", "0"]
            | ["true", "false"]
            | ["false", "true"]
            | ["off", "on"]
            | ["on", "off"]
    )
}

/// Reduces the values of a checkbox to one: true if any of them is. Other texts do not change.
fn reduce_pair(texts: &mut Vec<Value>) {
    let values: Vec<_> =
        texts.iter().map(|text| parse_boolean(text.as_str().unwrap_or_default())).collect();
    if values.contains(&None) || values.len() < 2 {
        return;
    }
    let yes = values.iter().position(|value| *value == Some(Value::Bool(true)));
    let value = texts.swap_remove(yes.unwrap_or(0));
    *texts = vec![value];
}

fn convert_text(text: String, kind: FieldType) -> Value {
    let read = match kind {
        FieldType::Number | FieldType::Rating => parse_number(text.trim()),
        FieldType::Boolean => parse_boolean(text.trim()),
        _ => None,
    };
    read.unwrap_or(Value::String(text))
}

/// Parses a plain decimal number: no leading zeros, no exponent.
fn parse_number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain || text.len() > NUMBER_BYTES_MAX {
        return None;
    }
    serde_json::from_str::<serde_json::Number>(text).ok().map(Value::Number)
}

/// Parses the default value of a checkbox, and the words that authors use in its `value`.
fn parse_boolean(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(Value::Bool(true)),
        "off" | "false" | "no" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Guesses the type of a new field from its key and its first value. `is_list` is true if the key
/// is written as a list.
pub(super) fn guess_type(key: &str, value: &Value, is_typed: bool, is_list: bool) -> FieldType {
    let text = |text: &str| match text {
        text if text.contains('\n') => FieldType::LongText,
        text if key.to_lowercase().contains("mail") && text.contains('@') => FieldType::Email,
        _ => FieldType::Text,
    };
    match value {
        Value::Array(texts) if !is_typed && !is_list => {
            // The hidden input of a checkbox may be empty.
            let filled: Vec<_> = texts.iter().filter(|text| !is_blank(text)).cloned().collect();
            match &filled[..] {
                [] => FieldType::Text,
                [single] => text(single.as_str().unwrap_or_default()),
                filled if is_pair(filled) => FieldType::Boolean,
                _ => FieldType::Choices,
            }
        }
        Value::Array(_) => FieldType::Choices,
        Value::Bool(_) => FieldType::Boolean,
        Value::Number(_) => FieldType::Number,
        Value::String(value) => text(value),
        Value::Null | Value::Object(_) => FieldType::Text,
    }
}

/// Returns whether a value is an empty text.
fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(kind: FieldType, texts: &[&str], becomes: Option<&str>) {
        let is = convert_texts(json!(texts), kind).map(|value| value.to_string());
        assert_eq!(is.as_deref(), becomes, "{kind} {texts:?}");
    }

    #[test]
    fn matching_texts_are_converted_to_field_type() {
        for kind in [FieldType::Number, FieldType::Rating] {
            check(kind, &["4"], Some("4"));
            check(kind, &[" -3.50 "], Some("-3.50"));
            check(kind, &["12345678901234567890123"], Some("12345678901234567890123"));
            for text in ["007", "4,5", "1e5", "NaN", "+4", "4 of 5", ".5", "5.", "--4", "0x1"] {
                check(kind, &[text], Some(&format!("\"{text}\"")));
            }
            check(
                kind,
                &["9999999999999999999999999999999999"],
                Some("\"9999999999999999999999999999999999\""),
            );
        }
        check(FieldType::Text, &["4"], Some("\"4\""));
        check(FieldType::Boolean, &["on"], Some("true"));
        check(FieldType::Boolean, &["No"], Some("false"));
        check(FieldType::Boolean, &["maybe"], Some("\"maybe\""));
        check(FieldType::Text, &["on"], Some("\"on\""));
    }

    #[test]
    fn empty_texts_are_dropped_and_several_listed() {
        check(FieldType::Text, &[""], None);
        check(FieldType::Choices, &["", ""], None);
        check(FieldType::Text, &[" "], Some("\" \""));
        check(FieldType::Choices, &["red"], Some("[\"red\"]"));
        check(FieldType::Text, &["red", "", "blue"], Some("[\"red\",\"blue\"]"));
        check(FieldType::Rating, &["4", "x"], Some("[4,\"x\"]"));
        check(FieldType::Text, &["yes", "no"], Some("[\"yes\",\"no\"]"));
    }

    #[test]
    fn checkbox_with_hidden_input_is_one_value() {
        for pair in [["0", "1"], ["1", "0"], ["true", "false"], ["False", "True"]] {
            check(FieldType::Boolean, &pair, Some("true"));
            assert_eq!(guess_type("agree", &json!(pair), false, false), FieldType::Boolean);
        }
        check(FieldType::Boolean, &["no", "yes"], Some("true"));
        check(FieldType::Boolean, &["0", "0"], Some("false"));
        for pair in [["off", "on"], ["on", "off"]] {
            check(FieldType::Boolean, &pair, Some("true"));
            assert_eq!(guess_type("news", &json!(pair), false, false), FieldType::Boolean);
        }
        assert_eq!(guess_type("news", &json!(["", "yes"]), false, false), FieldType::Text);
        assert_eq!(guess_type("news", &json!(["", "a", "b"]), false, false), FieldType::Choices);
        check(FieldType::Boolean, &["0", "maybe"], Some("[false,\"maybe\"]"));
        check(FieldType::Text, &["0", "1"], Some("\"1\""));
        check(FieldType::Choices, &["0", "1"], Some("[\"0\",\"1\"]"));
        assert_eq!(guess_type("agree", &json!(["0", "1"]), false, true), FieldType::Choices);
    }
}
