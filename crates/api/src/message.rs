//! Messages that senders of a form can read, as types. The texts are in `locales`, in every
//! language of the pages.

use crate::locale::{self, Locale};
use contract::ErrorBody;
use serde::Serialize;
use serde_json::Value;

/// Maximum number of characters of a client's text in a message.
const QUOTED_CHARS_MAX: usize = 100;

/// Message with its values. In `locales`, the id of a text is the variant's name in snake case, and
/// its placeholders are the names of the values in braces.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "id", rename_all = "snake_case")]
pub(crate) enum Message {
    /// Unknown form.
    NoForm,
    /// Unknown resource of the caller's account.
    NotFound {
        noun: String,
    },
    NoPath,
    NoMethod,
    AddressTooLong {
        most: usize,
        count: usize,
    },
    OriginNotAllowed {
        origin: String,
    },
    NoAnswer,
    TooManyAnswers {
        most: usize,
        count: usize,
    },
    /// Submission above the byte limit, of unknown size.
    TooLarge {
        most: usize,
    },
    TooLargeBy {
        most: usize,
        count: u64,
    },
    TooManyMembers {
        most: usize,
        count: usize,
    },
    UnknownField {
        key: String,
    },
    KeyTooLong {
        most: usize,
        key: String,
        count: usize,
    },
    ListTooLong {
        key: String,
        most: usize,
        count: usize,
    },
    TextTooLong {
        key: String,
        most: usize,
        count: usize,
    },
    FilesTooLarge {
        most: u64,
    },
    ContentType {
        kind: String,
    },
    BrokenForm {
        why: String,
    },
    BrokenBody,
    NamelessPart,
    TooManyRequests {
        at: String,
    },
    /// `whose` is `form` or `account`.
    TooMuchSent {
        whose: &'static str,
        at: String,
    },
    Busy,
    DiskFull,
    Internal,
}

impl Message {
    /// Returns the text in English.
    pub(crate) fn english(&self) -> String {
        self.text(locale::english_locale())
    }

    /// Returns the text in a language, cut to the maximum length of an error message.
    pub(crate) fn text(&self, locale: &Locale) -> String {
        let values = serde_json::to_value(self).unwrap_or_default();
        let template = values["id"].as_str().and_then(|id| locale.messages.get(id));
        let text =
            locale::render_template(template.map_or("", String::as_str), |name| {
                match &values[name] {
                    Value::String(text) => quotable(text),
                    other => other.to_string(),
                }
            });
        ErrorBody::bound_message(&text)
    }
}

/// Returns a text of a client as a message quotes it: at most [`QUOTED_CHARS_MAX`] characters, and
/// without backquotes, which would end the quotation.
pub(crate) fn quotable(text: &str) -> String {
    let mut quoted: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted.replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn backquote_does_not_end_a_quotation() {
        let key = format!("a`{}", "b".repeat(900));
        let message = Message::UnknownField { key }.english();
        assert!(message.contains(&format!("`a'{}…`", "b".repeat(98))), "{message}");
        assert!(!message.contains(&"b".repeat(99)), "{message}");
    }

    fn all_messages() -> Vec<Message> {
        let most = 7;
        let count = 9;
        let key = || "Name".to_owned();
        vec![
            Message::NoForm,
            Message::NotFound { noun: "form".to_owned() },
            Message::NoPath,
            Message::NoMethod,
            Message::AddressTooLong { most, count },
            Message::OriginNotAllowed { origin: "https://a.example".to_owned() },
            Message::NoAnswer,
            Message::TooManyAnswers { most, count },
            Message::TooLarge { most },
            Message::TooLargeBy { most, count: 9 },
            Message::TooManyMembers { most, count },
            Message::UnknownField { key: key() },
            Message::KeyTooLong { most, key: key(), count },
            Message::ListTooLong { key: key(), most, count },
            Message::TextTooLong { key: key(), most, count },
            Message::FilesTooLarge { most: 7 },
            Message::ContentType { kind: "text/plain".to_owned() },
            Message::BrokenForm { why: "it ends early".to_owned() },
            Message::BrokenBody,
            Message::NamelessPart,
            Message::TooManyRequests { at: "2026-03-01T09:30:00Z".to_owned() },
            Message::TooMuchSent { whose: "form", at: "2026-03-01T09:30:00Z".to_owned() },
            Message::Busy,
            Message::DiskFull,
            Message::Internal,
        ]
    }

    /// The id, and values that some translations omit.
    const OPTIONAL: [&str; 4] = ["id", "noun", "whose", "why"];

    #[test]
    fn every_language_has_exactly_all_messages() {
        let id = |message: &Message| {
            serde_json::to_value(message).unwrap()["id"].as_str().unwrap().to_owned()
        };
        let ids: BTreeSet<String> = all_messages().iter().map(id).collect();
        for locale in locale::all_locales() {
            assert_eq!(locale.messages.keys().cloned().collect::<BTreeSet<_>>(), ids);
            for message in all_messages() {
                let text = message.text(locale);
                let values = serde_json::to_value(&message).unwrap();
                assert!(!text.is_empty() && !text.contains(['{', '}', '"']), "{text}");
                for (name, value) in values.as_object().unwrap() {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let is_said = OPTIONAL.contains(&name.as_str()) || text.contains(&value);
                    assert!(is_said, "{} lacks {name}: {text}", locale.language);
                }
            }
        }
    }

    #[test]
    fn values_are_cut_and_not_expanded() {
        let text = Message::UnknownField { key: "{count}".to_owned() }.english();
        assert!(text.starts_with("`{count}` is not a field"), "{text}");
        let long = Message::UnknownField { key: "x".repeat(5000) };
        assert!(locale::all_locales().iter().all(|locale| long.text(locale).len() < 1000));
    }
}
