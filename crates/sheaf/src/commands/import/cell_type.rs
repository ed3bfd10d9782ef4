//! Tests for the type of a cell, and the answer that a cell becomes.

use contract::FieldType;
use serde_json::{Number, Value};

/// Words for yes and no in many languages, in lower case.
const BOOLEANS: [&str; 16] = [
    "yes", "no", "true", "false", "y", "n", "ja", "nein", "oui", "non", "sí", "si", "nee", "sim",
    "não", "nej",
];

/// Whether JSON writes the number in the same way: without `+` and without leading zeros.
pub(super) fn is_number(text: &str) -> bool {
    parse_number(text).is_some()
}

/// Parses a number, if JSON writes it in the same way.
fn parse_number(text: &str) -> Option<Number> {
    let starts = text.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'-');
    let number: Number = if starts { text.parse().ok()? } else { return None };
    (number.as_str() == text).then_some(number)
}

/// Whether the text means yes or no.
pub(super) fn is_boolean(text: &str) -> bool {
    text.len() <= 8 && BOOLEANS.contains(&text.trim().to_lowercase().as_str())
}

/// Whether the text is an email address.
pub(super) fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.trim().rsplit_once('@') else { return false };
    let plain = !name.is_empty() && !text.trim().contains(char::is_whitespace);
    plain
        && text.len() <= contract::account::EMAIL_BYTES_MAX
        && domain.contains('.')
        && !domain.starts_with('.')
}

/// Whether the text is an HTTP URL.
pub(super) fn is_url(text: &str) -> bool {
    let text = text.trim();
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty()) && !text.contains(char::is_whitespace)
}

/// Whether the text is a telephone number: 7 to 15 digits with common separators.
pub(super) fn is_phone(text: &str) -> bool {
    let text = text.trim();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_phone_char =
        |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '/' | '(' | ')');
    let rest = text.strip_prefix('+').unwrap_or(text);
    (7..=15).contains(&digits) && rest.len() <= 25 && rest.chars().all(is_phone_char)
}

/// Converts a cell to an answer of the given field type. An export always reproduces the text of
/// the cell.
pub(super) fn to_answer(text: &str, kind: FieldType) -> Value {
    let other = match kind {
        FieldType::Number | FieldType::Rating => parse_number(text).map(Value::Number),
        FieldType::Boolean => match text {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        FieldType::Choices if text.contains("; ") => {
            let items: Vec<Value> = text.split("; ").map(Value::from).collect();
            (items.len() <= super::parsed_submission::ITEMS_MAX).then_some(Value::Array(items))
        }
        _ => None,
    };
    other.unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::submission::answer_text;
    use proptest::prelude::*;

    #[test]
    fn number_keeps_its_notation() {
        for good in ["0", "-1", "1.50", "12345678901234567890.10", "-0"] {
            assert!(is_number(good), "{good}");
        }
        for bad in ["", "007", "+1", "1.", ".5", "1,5", "1E5", " 1", "1 ", "-", "NaN", "0x1"] {
            assert!(!is_number(bad), "{bad}");
        }
    }

    #[test]
    fn other_cell_types_are_detected() {
        assert!(is_boolean("YES") && is_boolean("não") && !is_boolean("maybe"));
        assert!(is_email("a.b+c@example.co.uk"));
        for bad in ["a@b", "@example.com", "a b@example.com", "a@.com", "x"] {
            assert!(!is_email(bad), "{bad}");
        }
        assert!(is_url("http://x") && !is_url("https://") && !is_url("ftp://x"));
        assert!(is_phone("+1 (555) 123-4567") && !is_phone("12") && !is_phone("1234567a"));
    }

    proptest! {
        #[test]
        fn answer_is_exported_as_original_cell(
            text in "[-+]?[0-9]{0,25}(\\.[0-9]{0,5})?([eE][+-]?[0-9]{1,3})?|true|false|TRUE|[ab; ,]{0,12}|\\PC{0,20}",
            kind in proptest::sample::select(FieldType::ALL.to_vec()),
        ) {
            let answer = to_answer(&text, kind);
            prop_assert_eq!(answer_text(&answer), text);
        }
    }
}
