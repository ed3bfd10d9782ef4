//! What one cell looks like. A few bytes are looked at, and nothing is kept.

use contract::FieldType;
use serde_json::{Number, Value};

/// Words for yes and no, lower-case, in the languages of many forms.
const BOOLEANS: [&str; 16] = [
    "yes", "no", "true", "false", "y", "n", "ja", "nein", "oui", "non", "sí", "si", "nee", "sim",
    "não", "nej",
];

/// Whether it is a number that JSON writes the same: no sign `+`, no zeros in front.
pub(super) fn is_number(text: &str) -> bool {
    number(text).is_some()
}

/// The number that a text is, where JSON writes it the same.
fn number(text: &str) -> Option<Number> {
    let starts = text.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'-');
    let number: Number = if starts { text.parse().ok()? } else { return None };
    (number.as_str() == text).then_some(number)
}

/// Whether it says yes or no.
pub(super) fn is_boolean(text: &str) -> bool {
    text.len() <= 8 && BOOLEANS.contains(&text.trim().to_lowercase().as_str())
}

/// Whether it is a mail address.
pub(super) fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.trim().rsplit_once('@') else { return false };
    let plain = !name.is_empty() && !text.trim().contains(char::is_whitespace);
    plain
        && text.len() <= contract::account::EMAIL_BYTES_MAX
        && domain.contains('.')
        && !domain.starts_with('.')
}

/// Whether it is a web address.
pub(super) fn is_url(text: &str) -> bool {
    let text = text.trim();
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty()) && !text.contains(char::is_whitespace)
}

/// Whether it is a telephone number: 7 to 15 digits, and what people put between them.
pub(super) fn is_phone(text: &str) -> bool {
    let text = text.trim();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let marks = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '/' | '(' | ')');
    let rest = text.strip_prefix('+').unwrap_or(text);
    (7..=15).contains(&digits) && rest.len() <= 25 && rest.chars().all(marks)
}

/// Returns the answer that a cell becomes in a field of a type. Whatever it is, an export writes
/// the cell's own text again.
pub(super) fn answer(text: &str, kind: FieldType) -> Value {
    let other = match kind {
        FieldType::Number | FieldType::Rating => number(text).map(Value::Number),
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
    use contract::submission::text_of;
    use proptest::prelude::*;

    #[test]
    fn a_number_is_one_that_stays_itself() {
        for good in ["0", "-1", "1.50", "12345678901234567890.10", "-0"] {
            assert!(is_number(good), "{good}");
        }
        for bad in ["", "007", "+1", "1.", ".5", "1,5", "1E5", " 1", "1 ", "-", "NaN", "0x1"] {
            assert!(!is_number(bad), "{bad}");
        }
    }

    #[test]
    fn other_kinds_are_told() {
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
        fn an_answer_is_exported_as_the_cell_that_it_was(
            text in "[-+]?[0-9]{0,25}(\\.[0-9]{0,5})?([eE][+-]?[0-9]{1,3})?|true|false|TRUE|[ab; ,]{0,12}|\\PC{0,20}",
            kind in proptest::sample::select(FieldType::ALL.to_vec()),
        ) {
            let answer = answer(&text, kind);
            prop_assert_eq!(text_of(&answer), text);
        }
    }
}
