//! Formatting of an answer on the single line of a row.

use contract::form::FIELDS_MAX;
use contract::submission::answer_text;
use contract::{Field, FieldType, Submission};

/// Maximum length of an answer in a row, in characters. No column shows more.
const CELL_CHARS_MAX: usize = 160;

/// Returns an answer on one line; empty if there is no answer.
pub fn cell_text(submission: &Submission, field: &Field) -> String {
    let value = submission.answers.0.get(&field.key);
    value.map(|value| collapse_to_line(&answer_text(value), CELL_CHARS_MAX)).unwrap_or_default()
}

/// Collapses white space and cuts the text after `chars_max` characters.
pub fn collapse_to_line(text: &str, chars_max: usize) -> String {
    if text.len() <= chars_max && is_one_line(text) {
        return text.to_owned();
    }
    // Bound the work: an answer can be a megabyte long, and a row shows little of it.
    let cut = || text.char_indices().nth(chars_max * 4).map(|(end, _)| end);
    let end = (text.len() > chars_max * 4).then(cut).flatten().unwrap_or(text.len());
    let mut line = String::with_capacity(end);
    for word in text[..end].split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns whether a text is ASCII on one line without extra spaces.
///
/// This is the case for most texts. Splitting them into words took longer than the rest of a cell.
fn is_one_line(text: &str) -> bool {
    let mut before = b' ';
    text.bytes().all(|byte| {
        let is_allowed = matches!(byte, b'!'..=b'~') || (byte == b' ' && before != b' ');
        before = byte;
        is_allowed
    }) && before != b' '
}

/// Derives fields from the keys of answers, in order of first occurrence.
///
/// Used for servers that do not publish the fields of a form.
pub fn derive_fields<'a>(rows: impl IntoIterator<Item = &'a Submission>) -> Vec<Field> {
    let mut fields = Vec::new();
    add_fields(&mut fields, rows);
    fields
}

/// Adds the fields derived from further answers.
pub fn add_fields<'a>(fields: &mut Vec<Field>, rows: impl IntoIterator<Item = &'a Submission>) {
    for key in rows.into_iter().flat_map(|row| row.answers.0.keys()) {
        if fields.len() < FIELDS_MAX
            && fields.iter().all(|field| field.key != *key)
            && let Ok(id) = format!("fld_{}", fields.len() + 1).parse()
        {
            fields.push(Field {
                id,
                key: key.clone(),
                name: key.clone(),
                kind: FieldType::Text,
                hidden: false,
            });
        }
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
    fn text_is_collapsed_and_cut() {
        #[track_caller]
        fn check(text: &str, line: &str) {
            assert_eq!(collapse_to_line(text, 8), line, "{text:?}");
        }
        check("", "");
        check("Ann Lee", "Ann Lee");
        check("12345678", "12345678");
        check("123456789", "12345678…");
        check(" Ann", "Ann");
        check("Ann ", "Ann");
        check("An  Lee", "An Lee");
        check("An\tLee\n", "An Lee");
        check("Zoë\u{a0}X", "Zoë X");
        check("äöüäöüäöü", "äöüäöüäö…");
    }

    #[test]
    fn fields_are_derived_from_answers() {
        let rows = [submission(r#"{"b":1,"a":2}"#), submission(r#"{"c":1,"a":2}"#)];
        let keys: Vec<_> = derive_fields(&rows).into_iter().map(|field| field.key).collect();
        assert_eq!(keys, ["b", "a", "c"]);
        let mut fields = derive_fields(&rows[1..]);
        add_fields(&mut fields, &rows);
        let derived: Vec<_> =
            fields.iter().map(|field| (field.id.as_str(), &field.key[..])).collect();
        assert_eq!(derived, [("fld_1", "c"), ("fld_2", "a"), ("fld_3", "b")], "known fields stay");
    }
}
