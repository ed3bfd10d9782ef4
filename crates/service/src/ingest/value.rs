//! What the texts of an HTML form become, by the kind of their field.
//!
//! Gently: a text that does not plainly fit its field's kind stays the text that it is, and nothing
//! is refused. Values with types of their own are left alone.

use super::desk::Known;
use super::judge::is_blank;
use contract::FieldType;
use serde_json::Value;

/// Longest text that is read as a number, in bytes.
const NUMBER_BYTES_MAX: usize = 32;

/// Returns the key of the field that a member answers. `colors[]` is how some pages write a list
/// called `colors`.
pub(super) fn field_key<'s>(known: &Known, sent: &'s str, is_typed: bool) -> &'s str {
    let bare = sent.strip_suffix("[]").filter(|bare| !is_typed && !bare.is_empty());
    bare.filter(|_| known.field(sent).is_none()).unwrap_or(sent)
}

/// Returns what the texts under a key are, or nothing where all of them are empty: a page sends
/// each of its inputs, filled or not.
pub(super) fn of_texts(value: Value, kind: FieldType) -> Option<Value> {
    let Value::Array(mut texts) = value else { return Some(value) };
    texts.retain(|text| !is_blank(text));
    let typed = |text: Value| match text {
        Value::String(text) => of_text(text, kind),
        other => other,
    };
    match texts.len() {
        0 => None,
        1 if kind != FieldType::Choices => texts.pop().map(typed),
        _ => Some(Value::Array(texts.into_iter().map(typed).collect())),
    }
}

fn of_text(text: String, kind: FieldType) -> Value {
    let read = match kind {
        FieldType::Number | FieldType::Rating => number(text.trim()),
        FieldType::Boolean => boolean(text.trim()),
        _ => None,
    };
    read.unwrap_or(Value::String(text))
}

/// A number as people write one in digits: no leading zeros, no exponent.
fn number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain || text.len() > NUMBER_BYTES_MAX {
        return None;
    }
    serde_json::from_str::<serde_json::Number>(text).ok().map(Value::Number)
}

/// What a checkbox sends, and the words that people write into its `value`.
fn boolean(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(Value::Bool(true)),
        "off" | "false" | "no" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Guesses what kind of field an unknown key is, by how it was sent and its first value.
pub(super) fn kind_of(key: &str, value: &Value, is_typed: bool) -> FieldType {
    let text = |text: &str| match text {
        text if text.contains('\n') => FieldType::LongText,
        text if key.to_lowercase().contains("mail") && text.contains('@') => FieldType::Email,
        _ => FieldType::Text,
    };
    match value {
        Value::Array(texts) if !is_typed && texts.len() == 1 && !key.ends_with("[]") => {
            text(texts[0].as_str().unwrap_or_default())
        }
        Value::Array(_) => FieldType::Choices,
        Value::Bool(_) => FieldType::Boolean,
        Value::Number(_) => FieldType::Number,
        Value::String(value) => text(value),
        Value::Null | Value::Object(_) => FieldType::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(kind: FieldType, texts: &[&str], becomes: Option<&str>) {
        let is = of_texts(json!(texts), kind).map(|value| value.to_string());
        assert_eq!(is.as_deref(), becomes, "{kind} {texts:?}");
    }

    #[test]
    fn a_text_becomes_what_its_field_is_where_it_plainly_is_that() {
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
    fn what_was_left_empty_is_no_answer_and_several_texts_are_a_list() {
        check(FieldType::Text, &[""], None);
        check(FieldType::Choices, &["", ""], None);
        check(FieldType::Text, &[" "], Some("\" \""));
        check(FieldType::Choices, &["red"], Some("[\"red\"]"));
        check(FieldType::Text, &["red", "", "blue"], Some("[\"red\",\"blue\"]"));
        check(FieldType::Rating, &["4", "x"], Some("[4,\"x\"]"));
    }
}
