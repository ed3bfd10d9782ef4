//! Parsers for cells of metadata and insight. Errors describe the cell; the caller adds its
//! position.

use contract::SubmissionId;

use super::ndjson::{CATEGORIES_MAX, COMPLETION_S_MAX, LABEL_BYTES_MAX};
use super::parsed_submission::shorten;

/// Parses an id, and adds the prefix `sub_` if it is missing.
pub(super) fn parse_id(text: &str) -> Result<SubmissionId, String> {
    let complete = if text.starts_with(SubmissionId::PREFIX) {
        text.to_owned()
    } else {
        format!("{}{text}", SubmissionId::PREFIX)
    };
    SubmissionId::try_from(complete).map_err(|wrong| {
        format!(
            "must be an id ({wrong}), but is `{}`; use `--new-ids` to ignore the ids of the file",
            shorten(text)
        )
    })
}

/// Parses a whole number of seconds.
pub(super) fn parse_seconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= COMPLETION_S_MAX);
    seconds.ok_or_else(|| must_be("a whole number of seconds", text))
}

/// Parses a country code.
pub(super) fn parse_country(text: &str) -> Result<String, String> {
    if text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Ok(text.to_owned());
    }
    Err(must_be("a two-letter code such as `DE`", text))
}

/// Parses a short text.
pub(super) fn parse_label(text: &str) -> Result<String, String> {
    let count = text.len();
    if count <= LABEL_BYTES_MAX {
        return Ok(text.to_owned());
    }
    Err(format!("must have at most {LABEL_BYTES_MAX} bytes, but has {count}"))
}

/// Parses a number from 0 to 1.
pub(super) fn parse_score(text: &str) -> Result<f64, String> {
    // Spreadsheets in many languages write a decimal comma.
    let score = text.replace(',', ".").parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| must_be("a number from 0 to 1", text))
}

/// Splits the categories that an export joined.
pub(super) fn split_categories(text: &str) -> Vec<String> {
    text.splitn(CATEGORIES_MAX, "; ").map(str::to_owned).collect()
}

fn must_be(expected: &str, text: &str) -> String {
    format!("must be {expected}, but is `{}`", shorten(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_metadata_cells_are_parsed() {
        assert_eq!(parse_id("sub_1").unwrap().as_str(), "sub_1");
        assert_eq!(parse_id("4337954960").unwrap().as_str(), "sub_4337954960");
        assert_eq!((parse_seconds("42"), parse_country("DE")), (Ok(42), Ok("DE".to_owned())));
        assert_eq!(
            (parse_score("0.25"), parse_score("1"), parse_score("0,5")),
            (Ok(0.25), Ok(1.0), Ok(0.5))
        );
        assert_eq!(split_categories("a; b"), ["a", "b"]);
        assert_eq!(split_categories(&vec!["x"; 500].join("; ")).len(), CATEGORIES_MAX);
    }

    #[test]
    fn invalid_cell_is_shown_in_error() {
        assert!(parse_id("a b").unwrap_err().contains("`a b`"));
        for error in [
            parse_seconds("-1").unwrap_err(),
            parse_seconds("9007199254740992").unwrap_err(),
            parse_country("DEU").unwrap_err(),
            parse_score("1.5").unwrap_err(),
            parse_score("NaN").unwrap_err(),
            parse_label(&"x".repeat(1001)).unwrap_err(),
        ] {
            assert!(error.starts_with("must ") && error.contains("but "), "{error}");
        }
    }
}
