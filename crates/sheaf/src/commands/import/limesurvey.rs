//! Headers that `LimeSurvey` writes with "question code & question text", such as `submitdate. Date
//! submitted`.

use super::column::ColumnHeader;

/// Codes in every such file, in any language.
const CODES: [&str; 2] = ["submitdate", "lastpage"];

/// Whether the headers consist of a code and a text.
pub(super) fn has_codes_and_texts(headers: &[String]) -> bool {
    let has = |code: &str| {
        headers.iter().any(|header| {
            split_code_and_text(header).is_some_and(|(header_code, _)| header_code == code)
        })
    };
    CODES.into_iter().all(has)
}

/// Uses the text as the name of each column. Without a text, the name is the code.
pub(super) fn name_by_text(columns: &mut [ColumnHeader]) {
    for column in columns {
        let Some((code, text)) = split_code_and_text(&column.code) else { continue };
        column.name = if text.is_empty() { code } else { text }.to_owned();
        column.code = code.to_owned();
    }
}

/// Splits `Q2[SQ001]. Which? [Laptop]` into its code and its text.
fn split_code_and_text(head: &str) -> Option<(&str, &str)> {
    let (code, text) = head.trim().split_once('.')?;
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']');
    let is_code = code.starts_with(|c: char| c.is_ascii_alphabetic()) && code.chars().all(is_sign);
    (is_code && (text.is_empty() || text.starts_with(' '))).then(|| (code, text.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_split_into_code_and_text() {
        assert_eq!(
            split_code_and_text("submitdate. Date submitted"),
            Some(("submitdate", "Date submitted"))
        );
        assert_eq!(
            split_code_and_text("Q2[SQ001]. Which? [Mr. X]"),
            Some(("Q2[SQ001]", "Which? [Mr. X]"))
        );
        assert_eq!(split_code_and_text("G7Q1.  We"), Some(("G7Q1", "We")));
        assert_eq!(split_code_and_text("G8Q1."), Some(("G8Q1", "")));
        for other in ["Date submitted", "1. How?", "How was it. Really?", "a.b", ""] {
            assert_eq!(split_code_and_text(other), None, "{other}");
        }
    }
}
