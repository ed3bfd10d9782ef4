//! Which answers are analysed: those in which people say something in their own words.
//!
//! Names, addresses, numbers, dates and choices are no prose. They are neither analysed nor given
//! to any analyst.

use contract::{Answers, Field, FieldType};
use serde_json::Value;

/// So much of a submission's prose is analysed, in bytes; what is longer is cut.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;
/// A one-line answer of fewer words is taken for a name, a place or a title.
const LINE_WORDS_MIN: usize = 4;
/// As [`LINE_WORDS_MIN`], in letters, for scripts that put no spaces between words.
const LINE_IDEOGRAPHS_MIN: usize = 8;

/// What a submission says: its prose, an answer after another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prose(Vec<String>);

impl Prose {
    /// Returns the prose of answers.
    ///
    /// An answer of a `long_text` field is prose where it has a letter. One of a `text` field, or
    /// of a key that the form does not know, is prose where it has four words or more (eight
    /// letters in scripts without spaces), and is no mail or web address. Nothing else is.
    pub fn of(answers: &Answers, fields: &[Field]) -> Self {
        let mut room = TEXT_BYTES_MAX;
        let mut found = Vec::new();
        for (key, value) in &answers.0 {
            let kind = fields.iter().find(|field| field.key == *key).map(|field| field.kind);
            let Value::String(text) = value else { continue };
            if is_prose(text, kind.unwrap_or_default()) {
                let part = &text[..text.floor_char_boundary(room)];
                room -= part.len();
                found.push(part.trim().to_owned());
            }
        }
        found.retain(|part| !part.is_empty());
        Self(found)
    }

    /// Returns whether there is nothing to analyse.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the answers that are prose.
    pub fn parts(&self) -> &[String] {
        &self.0
    }

    /// Returns all of it as one text, an answer a line.
    pub fn text(&self) -> String {
        self.0.join("\n")
    }
}

fn is_prose(text: &str, kind: FieldType) -> bool {
    match kind {
        FieldType::LongText => text.chars().any(char::is_alphabetic),
        FieldType::Text => is_line_of_prose(text),
        _ => false,
    }
}

fn is_line_of_prose(text: &str) -> bool {
    let is_address =
        |word: &str| word.contains("://") || (word.contains('@') && word.contains('.'));
    let words = text.split_whitespace();
    let said = words.filter(|word| !is_address(word) && word.chars().any(char::is_alphabetic));
    said.count() >= LINE_WORDS_MIN
        || text.chars().filter(|c| is_ideograph(*c)).count() >= LINE_IDEOGRAPHS_MIN
}

/// Whether a letter is of a script that puts no spaces between words: Chinese, Japanese, Thai, Lao,
/// Khmer, Burmese.
pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(kind: FieldType, answer: impl Into<Value>, is_prose: bool) {
        let answer = answer.into();
        let shown = answer.to_string();
        let answers: Answers = serde_json::from_value(json!({ "a": answer })).unwrap();
        let field = Field {
            id: "fld_1".parse().unwrap(),
            key: "a".into(),
            name: "A".into(),
            kind,
            hidden: false,
        };
        assert_eq!(!Prose::of(&answers, &[field]).is_empty(), is_prose, "{shown}");
    }

    #[test]
    fn what_people_say_in_their_own_words_is_prose() {
        check(FieldType::LongText, json!("Great!"), true);
        check(FieldType::LongText, json!("12:30 / 14:00"), false);
        check(FieldType::LongText, json!("  "), false);
        check(FieldType::Text, json!("Please call me back"), true);
        check(FieldType::Text, json!("価格が高すぎると思います"), true);
        check(FieldType::Text, json!("山田太郎"), false);
        check(FieldType::Text, json!("Ada Lovelace"), false);
        check(FieldType::Text, json!("Frankfurt am Main"), false);
        check(FieldType::Text, json!("1 2 3 4 5"), false);
        check(FieldType::Text, json!("me@a.example you@a.example x@a.example y@a.example"), false);
    }

    #[test]
    fn other_kinds_are_never_prose() {
        let sentence = json!("I would like to hear from you");
        for kind in FieldType::ALL {
            let is_text = matches!(kind, FieldType::Text | FieldType::LongText);
            check(kind, sentence.clone(), is_text);
        }
        check(FieldType::LongText, json!(["I would like", "to hear from you"]), false);
        check(FieldType::LongText, json!(5), false);
    }

    #[test]
    fn a_field_that_the_form_does_not_know_is_a_line() {
        let answers: Answers =
            serde_json::from_value(json!({ "x": "one two three four", "y": "one two" })).unwrap();
        assert_eq!(Prose::of(&answers, &[]).text(), "one two three four");
    }

    #[test]
    fn an_endless_text_is_cut_between_two_letters() {
        let endless = format!("a{}", "é".repeat(TEXT_BYTES_MAX));
        let answers: Answers =
            serde_json::from_value(json!({ "x": format!("{endless} b c d e"), "y": "a b c d" }))
                .unwrap();
        let prose = Prose::of(&answers, &[]);
        assert_eq!((prose.parts().len(), prose.text().len()), (2, TEXT_BYTES_MAX + 1));
    }
}
