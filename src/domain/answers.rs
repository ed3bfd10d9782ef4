//! Formats submissions: the title, the first answers in a row, and all answers on a card.
//!
//! It classifies answers as text, link or rating; rendering is done elsewhere.

pub mod links;
pub mod plain;
pub mod rating;

use contract::submission::answer_text;
use contract::{Field, FieldType, Submission};
use row_view::answer::collapse_to_line;
pub use row_view::answer::{add_fields, cell_text, derive_fields};
use serde_json::Value;

use links::{TextSegment, split_links};
use rating::Rating;

use crate::i18n;

/// Maximum characters of a submission's title.
const TITLE_CHARS_MAX: usize = 80;
/// Maximum characters of an id before it is shortened.
const ID_CHARS_MAX: usize = 22;

/// An answer, ready to be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerView {
    /// No answer.
    Missing,
    /// Text with its line breaks and links.
    Text(Vec<TextSegment>),
    /// A checkbox: shown as "Yes" or "No", not as the stored value.
    Flag(bool),
    /// Several selected values.
    Items(Vec<Vec<TextSegment>>),
    /// A number, with its scale if known.
    Rating(Rating),
}

/// One row of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardRow {
    /// Name of the field, or the answer's key if no field has that key.
    pub name: String,
    /// The answer.
    pub answer: AnswerView,
    /// The field, if its answers are choices, so that others may have the same.
    pub choice_field: Option<Field>,
}

/// Returns the rows of a card: the form's visible fields in their order, answered or not, then
/// hidden fields with an answer, then answers without a field.
pub fn card_rows(submission: &Submission, fields: &[Field]) -> Vec<CardRow> {
    let answers = &submission.answers.0;
    let line = |field: &Field| CardRow {
        name: field.name.clone(),
        answer: to_answer_view(answers.get(&field.key), &field.name, field.kind),
        choice_field: has_choices(field.kind).then(|| field.clone()),
    };
    let visible = fields.iter().filter(|field| !field.hidden).map(line);
    let hidden = fields.iter().filter(|field| field.hidden).map(line);
    let hidden = hidden.filter(|line| line.answer != AnswerView::Missing);
    let other_answers = answers
        .iter()
        .filter(|(key, _)| !fields.iter().any(|field| field.key == **key))
        .map(|(key, value)| CardRow {
            name: key.clone(),
            answer: to_answer_view(Some(value), key, FieldType::Text),
            choice_field: None,
        });
    visible.chain(hidden).chain(other_answers).collect()
}

fn has_choices(kind: FieldType) -> bool {
    matches!(kind, FieldType::Boolean | FieldType::Choice | FieldType::Choices | FieldType::Rating)
}

fn to_answer_view(value: Option<&Value>, field_name: &str, kind: FieldType) -> AnswerView {
    match value {
        None | Some(Value::Null) => AnswerView::Missing,
        Some(Value::Bool(yes)) => AnswerView::Flag(*yes),
        Some(Value::Array(items)) if items.len() > 1 => AnswerView::Items(
            items.iter().map(|item| split_links(&answer_text(item), kind)).collect(),
        ),
        Some(value) => {
            let text = answer_text(value);
            let rating =
                || (kind == FieldType::Rating).then(|| rating::parse_rating(&text, field_name));
            if text.trim().is_empty() {
                AnswerView::Missing
            } else if let Some(Some(rating)) = rating() {
                AnswerView::Rating(rating)
            } else {
                AnswerView::Text(split_links(&text, kind))
            }
        }
    }
}

/// Returns "Yes" or "No" in the language of the interface.
pub fn yes_no_text(yes: bool) -> &'static str {
    if yes { i18n::common().yes } else { i18n::common().no }
}

/// Returns the title of a submission: the first non-empty answer in the order of the form, hidden
/// fields last. Without answers, the title is the id.
pub fn submission_title(submission: &Submission, fields: &[Field]) -> String {
    let answers = &submission.answers.0;
    let visible = fields.iter().filter(|field| !field.hidden);
    let in_order = visible.filter_map(|field| answers.get(&field.key));
    in_order
        .chain(answers.values())
        .map(|value| collapse_to_line(&answer_text(value), TITLE_CHARS_MAX))
        .find(|text| !text.is_empty())
        .unwrap_or_else(|| submission.id.to_string())
}

/// Isolates a text for use in a sentence: text with right-to-left characters is wrapped in bidi
/// isolates, so that it cannot change the direction of the rest. Bidi controls are removed.
pub fn isolate_bidi(text: String) -> String {
    if !text.chars().any(|c| is_bidi_control(c) || is_right_to_left(c)) {
        return text;
    }
    // U+2068 is FIRST STRONG ISOLATE, U+2069 is POP DIRECTIONAL ISOLATE.
    let plain = text.chars().filter(|c| !is_bidi_control(*c));
    ['\u{2068}'].into_iter().chain(plain).chain(['\u{2069}']).collect()
}

/// Whether a character is a bidi control: an embedding, override, isolate or its end.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character belongs to a right-to-left script.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Shortens a long id in the middle. Both ends stay, because they distinguish ids.
pub fn short_id(id: &str) -> String {
    // Ids are letters, digits, `-` and `_`, so byte offsets are character boundaries.
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

    #[test]
    fn right_to_left_text_is_isolated() {
        let check =
            |text: &str, expected: &str| assert_eq!(isolate_bidi(text.to_owned()), expected);
        check("Zoë Müller, 5 (!)", "Zoë Müller, 5 (!)");
        check("שרה לוי", "\u{2068}שרה לוי\u{2069}");
        check("Ada علي", "\u{2068}Ada علي\u{2069}");
        check("\u{202e}evil\u{202c} name", "\u{2068}evil name\u{2069}");
        check("\u{2069}ends early", "\u{2068}ends early\u{2069}");
    }

    fn field(key: &str, name: &str, kind: FieldType) -> Field {
        Field {
            id: format!("fld_{key}").parse().unwrap(),
            key: key.to_owned(),
            name: name.to_owned(),
            kind,
            hidden: false,
        }
    }

    #[test]
    fn card_lists_fields_then_other_answers() {
        let fields =
            [field("b", "Name", FieldType::Text), field("c", "Notes", FieldType::LongText)];
        let lines =
            card_rows(&submission(r#"{"z":["x","y"],"b":"Ann","n":1.50,"t":true}"#), &fields);
        let read: Vec<_> = lines.iter().map(|line| (line.name.as_str(), &line.answer)).collect();
        let part = |text: &str| vec![TextSegment { text: text.to_owned(), href: None }];
        let text = |text: &str| AnswerView::Text(part(text));
        assert_eq!(
            read,
            [
                ("Name", &text("Ann")),
                ("Notes", &AnswerView::Missing),
                ("z", &AnswerView::Items(vec![part("x"), part("y")])),
                ("n", &text("1.50")),
                ("t", &AnswerView::Flag(true)),
            ]
        );
    }

    #[test]
    fn answered_hidden_fields_come_last() {
        let hidden = |key, name| Field { hidden: true, ..field(key, name, FieldType::Text) };
        let fields = [hidden("a", "A"), hidden("b", "B"), field("c", "C", FieldType::Text)];
        let names = |answers: &str| {
            let lines = card_rows(&submission(answers), &fields);
            lines.into_iter().map(|line| line.name).collect::<Vec<_>>()
        };
        assert_eq!(names(r#"{"z":"1","a":"x"}"#), ["C", "A", "z"]);
        assert_eq!(submission_title(&submission(r#"{"a":"x","c":"y"}"#), &fields), "y");
        assert_eq!(submission_title(&submission(r#"{"a":"x"}"#), &fields), "x");
    }

    #[test]
    fn numeric_answer_is_shown_as_rating() {
        let fields = [field("b", "Score (1-5)", FieldType::Rating)];
        let of = |answers: &str| card_rows(&submission(answers), &fields).remove(0).answer;
        assert!(matches!(of(r#"{"b":4}"#), AnswerView::Rating(Rating { scale: Some(_), .. })));
        assert!(matches!(of(r#"{"b":"good"}"#), AnswerView::Text(_)));
        assert_eq!(of(r#"{"b":" "}"#), AnswerView::Missing);
    }

    #[test]
    fn title_is_first_nonempty_answer() {
        let fields = [field("b", "Name", FieldType::Text), field("c", "Mail", FieldType::Text)];
        let check = |answers: &str, title: &str| {
            assert_eq!(super::submission_title(&submission(answers), &fields), title);
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
