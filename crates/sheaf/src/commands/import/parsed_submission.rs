//! A submission as an imported file gives it, and the rules that every answer keeps.

use contract::{FormId, Insight, Metadata, Submission, SubmissionId, Timestamp};
use serde_json::{Map, Value};
use std::ops::Range;

use crate::field_spec::{FIELDS_MAX, check_name};

/// How many answers a submission may have.
const ANSWERS_MAX: usize = FIELDS_MAX;
/// Longest answer, in bytes.
pub(crate) const VALUE_BYTES_MAX: usize = 256 * 1024;
/// How many items a list may have.
pub(super) const ITEMS_MAX: usize = 1000;
/// How much of a wrong value is shown, in characters.
const SHOWN_CHARS_MAX: usize = 60;

/// A checked submission that may still lack its id and its instant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsedSubmission {
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// Where it stands in the file, in bytes.
    pub(crate) bytes: Range<u64>,
    /// Its id, if the file gives one.
    pub(crate) id: Option<SubmissionId>,
    /// When it was submitted, if the file says so.
    pub(crate) submitted_at: Option<Timestamp>,
    /// Its answers.
    pub(crate) answers: Map<String, Value>,
    /// The rest of its metadata; the instant in it means nothing.
    pub(crate) metadata: Metadata,
    /// What analysis found.
    pub(crate) insight: Option<Insight>,
}

impl ParsedSubmission {
    /// Returns it with its id, or without where ids do not count.
    pub(crate) fn with_id_if(self, keeps_ids: bool) -> Self {
        Self { id: self.id.filter(|_| keeps_ids), ..self }
    }

    /// Returns the submission, with what it lacks filled in.
    pub(crate) fn complete(
        self,
        form_id: FormId,
        default_at: Timestamp,
        mint_id: impl FnOnce() -> SubmissionId,
    ) -> Submission {
        let submitted_at = self.submitted_at.unwrap_or(default_at);
        Submission {
            id: self.id.unwrap_or_else(mint_id),
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
        check_value(value).map_err(|wrong| format!("the answer `{}` {wrong}", shown(key)))?;
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
            return Err("must be a text, a number, true, false, null or a list of these, \
                        but holds an object or a list within a list"
                .to_owned());
        }
    };
    if bytes > VALUE_BYTES_MAX {
        return Err(format!("must have at most {VALUE_BYTES_MAX} bytes, but has {bytes}"));
    }
    Ok(())
}

/// Returns a value of the file as an error may show it: short, and on one line.
pub(crate) fn shown(text: &str) -> String {
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
    fn refused(json: &str, word: &str) {
        let answers: Map<String, Value> = serde_json::from_str(json).unwrap();
        let error = check_answers(&answers).unwrap_err();
        assert!(error.contains(word), "{error}");
    }

    #[test]
    fn answers_are_flat_and_bounded() {
        let good = r#"{"a":"x","b":1.50,"c":true,"d":null,"e":["x",1,false,null]}"#;
        assert_eq!(check_answers(&serde_json::from_str(good).unwrap()), Ok(()));
        refused(r#"{"a":{"b":1}}"#, "the answer `a` must be");
        refused(r#"{"a":[["b"]]}"#, "list within a list");
        refused(r#"{"":1}"#, "needs a name");
        refused(&format!(r#"{{"{}":1}}"#, "k".repeat(1001)), "1001");
        refused(&format!(r#"{{"a":"{}"}}"#, "v".repeat(VALUE_BYTES_MAX + 1)), "262145");
        let many: Map<_, _> = (0..=ANSWERS_MAX).map(|n| (n.to_string(), Value::Null)).collect();
        assert!(check_answers(&many).unwrap_err().contains("2001"));
        let long = Map::from_iter([("a".to_owned(), Value::from(vec![1; ITEMS_MAX + 1]))]);
        assert!(check_answers(&long).unwrap_err().contains("1001"));
    }

    #[test]
    fn what_is_shown_is_short_and_on_one_line() {
        assert_eq!(shown("a\nb\u{1b}"), "a b ");
        assert_eq!(shown(&"ü".repeat(61)), format!("{}…", "ü".repeat(60)));
    }
}
