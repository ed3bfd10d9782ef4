//! Limits of one submission. Every error names its limit and the actual value.

use super::Result;
use crate::error::Error;
use crate::message::{Message, quotable};
use contract::form::{FIELD_NAME_BYTES_MAX, is_reserved_key};
use serde_json::Value;

/// Maximum members of a body: answers and control inputs together.
pub(super) const MEMBERS_MAX: usize = 4000;
/// Maximum answers, unless the form itself has more fields.
pub(super) const ANSWERS_MAX: usize = 500;
/// Maximum length of a text, in bytes.
const TEXT_BYTES_MAX: usize = 32 * 1024;
/// Maximum length of a number, in characters.
const NUMBER_CHARS_MAX: usize = 64;
/// Maximum items of a list.
const ITEMS_MAX: usize = 200;
/// Maximum length of an `Idempotency-Key`, in characters.
pub(super) const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// Validates an answer key.
pub(super) fn check_key(key: &str) -> Result<()> {
    check_key_length(key)?;
    if is_reserved_key(key) {
        let key = truncate_text(key);
        return Err(Error::validation(format!("`{key}` cannot be an answer key; use another key")));
    }
    Ok(())
}

/// Checks the length of an answer key.
pub(super) fn check_key_length(key: &str) -> Result<()> {
    if key.len() > FIELD_NAME_BYTES_MAX {
        let count = key.len();
        let key = format!("{}…", truncate_text(key));
        return Err(Error::validation(Message::KeyTooLong {
            most: FIELD_NAME_BYTES_MAX,
            key,
            count,
        }));
    }
    Ok(())
}

/// Returns the error of a body with too many members.
pub(super) fn too_many_members_error(count: usize) -> Error {
    Error::validation(Message::TooManyMembers { most: MEMBERS_MAX, count })
}

/// Validates a value: a string, a number, a boolean, null, or a list of these.
pub(super) fn check_value(key: &str, value: &Value) -> Result<()> {
    let Value::Array(items) = value else { return check_leaf(key, value) };
    if items.len() > ITEMS_MAX {
        let key = key.to_owned();
        let count = items.len();
        return Err(Error::validation(Message::ListTooLong { key, most: ITEMS_MAX, count }));
    }
    items.iter().try_for_each(|item| check_leaf(key, item))
}

fn check_leaf(key: &str, value: &Value) -> Result<()> {
    let invalid =
        |problem: String| Err(Error::validation(format!("`{}` {problem}", quotable(key))));
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            let key = key.to_owned();
            let count = text.len();
            Err(Error::validation(Message::TextTooLong { key, most: TEXT_BYTES_MAX, count }))
        }
        Value::Number(number) if number.as_str().len() > NUMBER_CHARS_MAX => {
            let chars = number.as_str().len();
            invalid(format!(
                "must be a number of at most {NUMBER_CHARS_MAX} characters, but has {chars}; send \
                 it as a string"
            ))
        }
        Value::Number(number) if !number.as_f64().is_some_and(f64::is_finite) => {
            invalid(format!("must be a number that fits a double, but is `{number}`"))
        }
        // Nested values are members of their own by now.
        Value::Array(_)
        | Value::Object(_)
        | Value::Null
        | Value::Bool(_)
        | Value::String(_)
        | Value::Number(_) => Ok(()),
    }
}

/// Returns the first 40 characters of a text, for error messages.
pub(super) fn truncate_text(text: &str) -> String {
    text.chars().take(40).collect()
}
