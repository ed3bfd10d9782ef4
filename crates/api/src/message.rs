//! The messages that a person who sends a form can read, as types. Their texts are in the files of
//! `locales`, in each language of the pages.

use crate::locale::{self, Locale};
use contract::ErrorBody;
use serde::Serialize;
use serde_json::Value;

/// A message with its values. In the files, the snake-case name of a variant is the id of its
/// text, and a value stands in braces by its name.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "id", rename_all = "snake_case")]
pub(crate) enum Message {
    /// The form does not exist.
    NoForm,
    /// Something of the caller does not exist.
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
    /// A submission has too many bytes, but it is not known how many.
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
        self.text(locale::english())
    }

    /// Returns the text in a language, bounded as that of an error is.
    pub(crate) fn text(&self, locale: &Locale) -> String {
        let values = serde_json::to_value(self).unwrap_or_default();
        let template = values["id"].as_str().and_then(|id| locale.messages.get(id));
        let text =
            locale::filled(template.map_or("", String::as_str), |name| match &values[name] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
        ErrorBody::bounded(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all() -> Vec<Message> {
        let (most, count, key) = (7, 9, || "Name".to_owned());
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

    /// The id, and values that only some languages say.
    const OPTIONAL: [&str; 4] = ["id", "noun", "whose", "why"];

    #[test]
    fn every_language_has_a_text_for_each_message_and_no_other() {
        let id = |message: &Message| {
            serde_json::to_value(message).unwrap()["id"].as_str().unwrap().to_owned()
        };
        let ids: BTreeSet<String> = all().iter().map(id).collect();
        for locale in locale::all() {
            assert_eq!(locale.messages.keys().cloned().collect::<BTreeSet<_>>(), ids);
            for message in all() {
                let (text, values) =
                    (message.text(locale), serde_json::to_value(&message).unwrap());
                assert!(!text.is_empty() && !text.contains(['{', '}', '"']), "{text}");
                for (name, value) in values.as_object().unwrap() {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let is_said = OPTIONAL.contains(&name.as_str()) || text.contains(&value);
                    assert!(is_said, "{} misses {name}: {text}", locale.language);
                }
            }
        }
    }

    #[test]
    fn a_value_is_bounded_and_never_read_as_a_template() {
        let text = Message::UnknownField { key: "{count}".to_owned() }.english();
        assert!(text.starts_with("`{count}` is no field"), "{text}");
        let long = Message::UnknownField { key: "x".repeat(5000) };
        assert!(locale::all().iter().all(|locale| long.text(locale).len() < 1000));
    }
}
