//! Selection of the analysed answers: free text in people's own words.
//!
//! Names, addresses, numbers, dates and choices are not prose. They are neither analysed nor passed
//! to an analyst.

use contract::{Answers, Field, FieldType};
use serde_json::Value;

/// Maximum size of the analysed prose of a submission, in bytes. The rest is cut.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Minimum number of words of a one-line answer. Shorter ones are probably names, places or titles.
const LINE_WORDS_MIN: usize = 4;
/// Minimum number of letters, for scripts without spaces between words.
const LINE_IDEOGRAPHS_MIN: usize = 8;

/// Prose of a submission, one text per answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prose(Vec<String>);

impl Prose {
    /// Selects the prose among answers.
    ///
    /// An answer of a `long_text` field is prose if it contains a letter. An answer of a `text`
    /// field, or of a key without a field, is prose if it has at least four words (eight letters in
    /// scripts without spaces) that are not email or web addresses. Other answers are not prose.
    pub fn from_answers(answers: &Answers, fields: &[Field]) -> Self {
        let mut bytes_left = TEXT_BYTES_MAX;
        let mut parts = Vec::new();
        for (key, value) in &answers.0 {
            let kind = fields.iter().find(|field| field.key == *key).map(|field| field.kind);
            let Value::String(text) = value else { continue };
            if is_prose(text, kind.unwrap_or_default()) {
                let part = &text[..text.floor_char_boundary(bytes_left)];
                bytes_left -= part.len();
                parts.push(part.trim().to_owned());
            }
        }
        parts.retain(|part| !part.is_empty());
        Self(parts)
    }

    /// Returns whether there is no text to analyse.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the answers that are prose.
    pub fn parts(&self) -> &[String] {
        &self.0
    }

    /// Returns all prose as one text, with one answer per line.
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
    let prose_words =
        words.filter(|word| !is_address(word) && word.chars().any(char::is_alphabetic));
    prose_words.count() >= LINE_WORDS_MIN
        || text.chars().filter(|c| is_ideograph(*c)).count() >= LINE_IDEOGRAPHS_MIN
}

/// Returns whether a letter belongs to a script without spaces between words: Chinese, Japanese,
/// Thai, Lao, Khmer or Burmese.
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
        assert_eq!(!Prose::from_answers(&answers, &[field]).is_empty(), is_prose, "{shown}");
    }

    #[test]
    fn free_text_is_prose() {
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
    fn other_field_types_are_never_prose() {
        let sentence = json!("I would like to hear from you");
        for kind in FieldType::ALL {
            let is_text = matches!(kind, FieldType::Text | FieldType::LongText);
            check(kind, sentence.clone(), is_text);
        }
        check(FieldType::LongText, json!(["I would like", "to hear from you"]), false);
        check(FieldType::LongText, json!(5), false);
    }

    #[test]
    fn unknown_key_is_treated_as_text_field() {
        let answers: Answers =
            serde_json::from_value(json!({ "x": "one two three four", "y": "one two" })).unwrap();
        assert_eq!(Prose::from_answers(&answers, &[]).text(), "one two three four");
    }

    #[test]
    fn long_text_is_cut_at_char_boundary() {
        let endless = format!("a{}", "é".repeat(TEXT_BYTES_MAX));
        let answers: Answers =
            serde_json::from_value(json!({ "x": format!("{endless} b c d e"), "y": "a b c d" }))
                .unwrap();
        let prose = Prose::from_answers(&answers, &[]);
        assert_eq!((prose.parts().len(), prose.text().len()), (2, TEXT_BYTES_MAX + 1));
    }
}
