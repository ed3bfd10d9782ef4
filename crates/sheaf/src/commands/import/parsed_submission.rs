//! A submission from an imported file, and the limits for its answers.

use contract::{FormId, Insight, Metadata, Submission, SubmissionId, Timestamp};
use serde_json::{Map, Value};
use std::ops::Range;

use crate::field_spec::{FIELDS_MAX, check_name};

/// Maximum number of answers of a submission.
const ANSWERS_MAX: usize = FIELDS_MAX;
/// Maximum size of an answer, in bytes.
pub(crate) const VALUE_BYTES_MAX: usize = 256 * 1024;
/// Maximum number of items in a list.
pub(super) const ITEMS_MAX: usize = 1000;
/// Maximum length of a value in an error, in characters.
const SHOWN_CHARS_MAX: usize = 60;

/// A valid submission that may lack its id and its submission time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsedSubmission {
    /// Line number of its start, from 1.
    pub(crate) line: u64,
    /// Byte range in the file.
    pub(crate) bytes: Range<u64>,
    /// Id, if the file has one.
    pub(crate) id: Option<SubmissionId>,
    /// Submission time, if the file has one.
    pub(crate) submitted_at: Option<Timestamp>,
    /// Answers by key.
    pub(crate) answers: Map<String, Value>,
    /// Other metadata. Its submission time is a placeholder.
    pub(crate) metadata: Metadata,
    /// Result of an analysis.
    pub(crate) insight: Option<Insight>,
}

impl ParsedSubmission {
    /// Removes the id, unless `keeps_ids` is set.
    pub(crate) fn with_id_if(self, keeps_ids: bool) -> Self {
        Self { id: self.id.filter(|_| keeps_ids), ..self }
    }

    /// Returns the complete submission, with defaults for missing values.
    pub(crate) fn complete(
        self,
        form_id: FormId,
        default_at: Timestamp,
        generate_id: impl FnOnce() -> SubmissionId,
    ) -> Submission {
        let submitted_at = self.submitted_at.unwrap_or(default_at);
        Submission {
            id: self.id.unwrap_or_else(generate_id),
            form_id,
            answers: contract::Answers(self.answers),
            metadata: Metadata { submitted_at, ..self.metadata },
            ai_insights: self.insight,
        }
    }
}

/// Checks the answers of one submission.
///
/// # Errors
/// A sentence that names the answer.
pub(crate) fn check_answers(answers: &Map<String, Value>) -> Result<(), String> {
    if answers.len() > ANSWERS_MAX {
        let count = answers.len();
        return Err(format!("a submission has at most {ANSWERS_MAX} answers, but has {count}"));
    }
    for (key, value) in answers {
        check_name(key)?;
        check_value(value).map_err(|wrong| format!("the answer `{}` {wrong}", shorten(key)))?;
    }
    Ok(())
}

fn check_value(value: &Value) -> Result<(), String> {
    let Value::Array(items) = value else { return check_scalar(value) };
    if items.len() > ITEMS_MAX {
        return Err(format!("must list at most {ITEMS_MAX} items, but lists {}", items.len()));
    }
    items.iter().try_for_each(check_scalar)
}

fn check_scalar(value: &Value) -> Result<(), String> {
    let bytes = match value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => text.len(),
        Value::Array(_) | Value::Object(_) => {
            return Err("must be a text, a number, true, false, null or a list of these, but \
                        contains an object or a list within a list"
                .to_owned());
        }
    };
    if bytes > VALUE_BYTES_MAX {
        return Err(format!("must have at most {VALUE_BYTES_MAX} bytes, but has {bytes}"));
    }
    Ok(())
}

/// Returns a value for an error: shortened, and on one line.
pub(crate) fn shorten(text: &str) -> String {
    let mut start: String =
        text.chars().take(SHOWN_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_rejected(json: &str, word: &str) {
        let answers: Map<String, Value> = serde_json::from_str(json).unwrap();
        let error = check_answers(&answers).unwrap_err();
        assert!(error.contains(word), "{error}");
    }

    #[test]
    fn nested_or_large_answers_are_rejected() {
        let good = r#"{"a":"x","b":1.50,"c":true,"d":null,"e":["x",1,false,null]}"#;
        assert_eq!(check_answers(&serde_json::from_str(good).unwrap()), Ok(()));
        assert_rejected(r#"{"a":{"b":1}}"#, "the answer `a` must be");
        assert_rejected(r#"{"a":[["b"]]}"#, "list within a list");
        assert_rejected(r#"{"":1}"#, "needs a name");
        assert_rejected(&format!(r#"{{"{}":1}}"#, "k".repeat(1001)), "1001");
        assert_rejected(&format!(r#"{{"a":"{}"}}"#, "v".repeat(VALUE_BYTES_MAX + 1)), "262145");
        let members: Map<_, _> = (0..=ANSWERS_MAX).map(|n| (n.to_string(), Value::Null)).collect();
        assert!(check_answers(&members).unwrap_err().contains("2001"));
        let long = Map::from_iter([("a".to_owned(), Value::from(vec![1; ITEMS_MAX + 1]))]);
        assert!(check_answers(&long).unwrap_err().contains("1001"));
    }

    #[test]
    fn shown_value_is_short_single_line() {
        assert_eq!(shorten("a\nb\u{1b}"), "a b ");
        assert_eq!(shorten(&"ü".repeat(61)), format!("{}…", "ü".repeat(60)));
    }
}
