//! How a submission reads: its title, its first answers in a row, all of them on a card.
//!
//! It decides what is text and what is a link; it draws nothing.

use contract::submission::text_of;
use contract::{Field, FieldType, Submission};
use rows::answer::one_line;
pub use rows::answer::{cell, fields_of};
use serde_json::Value;

use crate::texts;

/// Most characters of a submission's title.
const TITLE_CHARS_MAX: usize = 80;
/// Most characters of an id that are shown, in the middle of which the rest is left out.
const ID_CHARS_MAX: usize = 22;

/// An answer as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// None was given.
    Missing,
    /// Text, with its line breaks.
    Text(String),
    /// Ticked, or not: a value that reads otherwise than it is written.
    Flag(bool),
    /// Several things that were chosen.
    Items(Vec<String>),
    /// A text that leads somewhere.
    Link {
        /// Where: `http:`, `https:` or `mailto:`, and nothing else.
        href: String,
        /// The text.
        text: String,
    },
}

/// One line of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The field's name, or the answer's key where no field has it.
    pub name: String,
    /// The answer.
    pub shown: Shown,
}

/// Returns the lines of a card: the form's fields in their order, answered or not, then answers
/// that belong to no field.
pub fn lines(submission: &Submission, fields: &[Field]) -> Vec<Line> {
    let answers = &submission.answers.0;
    let known = fields.iter().map(|field| Line {
        name: field.name.clone(),
        shown: shown(answers.get(&field.key), field.kind),
    });
    let others = answers
        .iter()
        .filter(|(key, _)| !fields.iter().any(|field| field.key == **key))
        .map(|(key, value)| Line { name: key.clone(), shown: shown(Some(value), FieldType::Text) });
    known.chain(others).collect()
}

fn shown(value: Option<&Value>, kind: FieldType) -> Shown {
    match value {
        None | Some(Value::Null) => Shown::Missing,
        Some(Value::Bool(yes)) => Shown::Flag(*yes),
        Some(Value::Array(items)) if items.len() > 1 => {
            Shown::Items(items.iter().map(|item| text_of(item).into_owned()).collect())
        }
        Some(value) => {
            let text = text_of(value).into_owned();
            match href(&text, kind) {
                _ if text.trim().is_empty() => Shown::Missing,
                Some(href) => Shown::Link { href, text },
                None => Shown::Text(text),
            }
        }
    }
}

/// Returns how a tick reads.
pub fn flag(yes: bool) -> &'static str {
    if yes { texts::common().yes } else { texts::common().no }
}

/// Returns where a text leads, if it is one whole link of a kind that cannot run anything.
fn href(text: &str, kind: FieldType) -> Option<String> {
    let text = text.trim();
    let starts = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            && text.len() > scheme.len()
    };
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    if starts("http://") || starts("https://") {
        return Some(text.to_owned());
    }
    let address = if starts("mailto:") { &text["mailto:".len()..] } else { text };
    let asked = starts("mailto:") || kind == FieldType::Email;
    (asked && is_address(address)).then(|| format!("mailto:{address}"))
}

/// Whether the text is a plain mail address: none that adds a subject or further recipients.
fn is_address(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || ".+-_@".contains(c);
    let halves = text.split_once('@');
    text.chars().all(plain)
        && halves.is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && !host.contains('@')
        })
}

/// Returns what a submission is called: its first answer in the form's order, else its id.
pub fn title(submission: &Submission, fields: &[Field]) -> String {
    let answers = &submission.answers.0;
    let in_order = fields.iter().filter_map(|field| answers.get(&field.key));
    in_order
        .chain(answers.values())
        .map(|value| one_line(&text_of(value), TITLE_CHARS_MAX))
        .find(|text| !text.is_empty())
        .unwrap_or_else(|| submission.id.to_string())
}

/// Leaves the middle of an id out: its ends tell it from others.
pub fn short_id(id: &str) -> String {
    // Ids are letters, digits, `-` and `_`: every byte is a character.
    match (id.get(..12), id.get(id.len().saturating_sub(6)..)) {
        (Some(start), Some(end)) if id.len() > ID_CHARS_MAX => format!("{start}…{end}"),
        _ => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Metadata, Timestamp};

    fn submission(answers: &str) -> Submission {
        Submission {
            id: "sub_1".parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: serde_json::from_str(answers).unwrap(),
            metadata: Metadata::at(Timestamp::parse("2026-03-01").unwrap()),
            ai_insights: None,
        }
    }

    fn field(key: &str, name: &str, kind: FieldType) -> Field {
        Field {
            id: format!("fld_{key}").parse().unwrap(),
            key: key.to_owned(),
            name: name.to_owned(),
            kind,
        }
    }

    #[test]
    fn a_card_has_the_forms_order_then_the_rest() {
        let fields =
            [field("b", "Name", FieldType::Text), field("c", "Notes", FieldType::LongText)];
        let lines = lines(&submission(r#"{"z":["x","y"],"b":"Ann","n":1.50,"t":true}"#), &fields);
        let read: Vec<_> = lines.iter().map(|line| (line.name.as_str(), &line.shown)).collect();
        let text = |text: &str| Shown::Text(text.to_owned());
        assert_eq!(
            read,
            [
                ("Name", &text("Ann")),
                ("Notes", &Shown::Missing),
                ("z", &Shown::Items(vec!["x".to_owned(), "y".to_owned()])),
                ("n", &text("1.50")),
                ("t", &Shown::Flag(true)),
            ]
        );
    }

    #[test]
    fn only_harmless_links_lead_anywhere() {
        let check = |text: &str, kind: FieldType, to: Option<&str>| {
            assert_eq!(href(text, kind).as_deref(), to, "{text}");
        };
        check("https://example.com/a?b=c", FieldType::Text, Some("https://example.com/a?b=c"));
        check(" HTTP://example.com ", FieldType::Url, Some("HTTP://example.com"));
        check("mailto:a@b.co", FieldType::Text, Some("mailto:a@b.co"));
        check("a.b+c@d-e.org", FieldType::Email, Some("mailto:a.b+c@d-e.org"));
        check("a@b.co", FieldType::Text, None);
        for text in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "java\nscript:alert(1)",
            "//example.com",
            "https://",
            "see https://example.com",
            "https://example.com and more",
            "mailto:a@b.co?bcc=all@example.com",
            "a@b@c.co",
            "@b.co",
            "äh€",
        ] {
            check(text, FieldType::Email, None);
        }
    }

    #[test]
    fn a_submission_is_called_by_its_first_answer() {
        let fields = [field("b", "Name", FieldType::Text), field("c", "Mail", FieldType::Text)];
        let check = |answers: &str, title: &str| {
            assert_eq!(super::title(&submission(answers), &fields), title);
        };
        check(r#"{"a":"x","c":"second","b":"first"}"#, "first");
        check(r#"{"a":"x","b":" \n ","c":"two\n  lines"}"#, "two lines");
        check(r#"{"a":"x"}"#, "x");
        check(r#"{"b":null}"#, "sub_1");
        check(&format!(r#"{{"b":"{}"}}"#, "é".repeat(100)), &format!("{}…", "é".repeat(80)));
    }

    #[test]
    fn long_ids_are_shortened_in_the_middle() {
        assert_eq!(short_id("sub_12"), "sub_12");
        assert_eq!(short_id("sub_01JD8XKQ4T6ZB7N2M9P3R5V8WY"), "sub_01JD8XKQ…R5V8WY");
        assert_eq!(short_id(&"s".repeat(22)).len(), 22);
    }
}
