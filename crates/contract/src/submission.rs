//! Submission object (specification, section 2), and the text form of one answer.

use crate::{FormId, SubmissionId, Timestamp, untrusted};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Submission of a form (specification, section 2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Submission {
    /// Identifier of the submission.
    pub id: SubmissionId,
    /// Identifier of the form.
    pub form_id: FormId,
    /// Answers by answer key.
    #[serde(default)]
    pub answers: Answers,
    /// Time, origin and client of the submission.
    pub metadata: Metadata,
    /// Result of the analysis; `null` while it is pending or if analysis is off.
    #[serde(default)]
    pub ai_insights: Option<Insight>,
}

/// Answers by answer key, in the order of submission.
///
/// A value is a string, a number, a boolean or a list of these. Numbers keep their text, so that
/// long ones are not rounded; but `1E5` becomes `1e+5`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(
    #[serde(deserialize_with = "untrusted::deserialize_object")] pub Map<String, Value>,
);

/// Metadata of a submission (specification, section 2). Everything but the instant may be unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Metadata {
    /// Time of the submission.
    pub submitted_at: Timestamp,
    /// Two-letter country code.
    #[serde(default)]
    pub ip_country: Option<String>,
    /// Device class, for example `desktop` or `mobile`.
    #[serde(default)]
    pub device: Option<String>,
    /// Browser name.
    #[serde(default)]
    pub browser: Option<String>,
    /// Completion time in seconds.
    #[serde(default)]
    pub completion_time_seconds: Option<u64>,
    /// UTM source.
    #[serde(default)]
    pub utm_source: Option<String>,
    /// UTM medium.
    #[serde(default)]
    pub utm_medium: Option<String>,
    /// UTM campaign.
    #[serde(default)]
    pub utm_campaign: Option<String>,
}

impl Metadata {
    /// Creates metadata with only the time of the submission.
    pub fn at(submitted_at: Timestamp) -> Self {
        Self {
            submitted_at,
            ip_country: None,
            device: None,
            browser: None,
            completion_time_seconds: None,
            utm_source: None,
            utm_medium: None,
            utm_campaign: None,
        }
    }

    /// Returns the completion time as a number of seconds, for comparisons with other numbers.
    #[expect(clippy::cast_precision_loss, reason = "seconds of 2^53 and more may be rounded")]
    pub fn completion_seconds(&self) -> Option<f64> {
        self.completion_time_seconds.map(|seconds| seconds as f64)
    }
}

/// Result of the analysis of a submission (specification, section 2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Insight {
    /// Sentiment label: `positive`, `neutral`, `negative` or `mixed`. Other servers may use others.
    pub sentiment: Option<String>,
    /// Score from 0 (negative) to 1 (positive).
    #[cfg_attr(feature = "openapi", schemars(range(min = 0.0, max = 1.0)))]
    pub sentiment_score: Option<f64>,
    /// Category tags.
    #[serde(default)]
    pub categories: Vec<String>,
    /// Language code.
    pub language: Option<String>,
}

/// Returns an answer as one text, for a cell of an export or a line in the dashboard.
///
/// Numbers keep their JSON text, list items are joined with `; `, and `null` is empty. A nested
/// object, which the server never stores, becomes its JSON.
pub fn answer_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Owned(number.to_string()),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(items) => {
            let texts: Vec<_> = items.iter().map(answer_text).collect();
            Cow::Owned(texts.join("; "))
        }
        Value::Object(_) => Cow::Owned(value.to_string()),
    }
}

impl Answers {
    /// Calls `visit` with each searchable text: strings, the JSON text of numbers and booleans, and
    /// each item of a list. Keys are not searched.
    pub fn for_each_searched<'a>(&'a self, mut visit: impl FnMut(Cow<'a, str>)) {
        self.0.values().for_each(|value| for_each_leaf(value, &mut visit));
    }
}

/// Calls `visit` with each searchable text of one answer.
pub fn for_each_leaf<'a>(value: &'a Value, visit: &mut impl FnMut(Cow<'a, str>)) {
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| for_each_leaf(item, visit)),
        Value::Object(members) => members.values().for_each(|member| for_each_leaf(member, visit)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => visit(answer_text(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"id":"sub_1","form_id":"frm_1","answers":{"b":"x","a":1.10,"long":12345678901234567890123},"metadata":{"submitted_at":"2026-03-01T09:30:00Z","ip_country":"DE","device":"mobile","browser":"Firefox","completion_time_seconds":42,"utm_source":null,"utm_medium":null,"utm_campaign":null},"ai_insights":{"sentiment":"mixed","sentiment_score":0.5,"categories":["a"],"language":"en"}}"#;

    #[test]
    fn submission_json_round_trips() {
        let read: Submission = serde_json::from_str(WHOLE).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), WHOLE);
    }

    #[test]
    fn missing_metadata_is_read_and_written_null() {
        let sparse = r#"{"id":"sub_1","form_id":"frm_1","answers":{},"metadata":{"submitted_at":"2026-03-01T09:30:00Z"}}"#;
        let read: Submission = serde_json::from_str(sparse).unwrap();
        assert_eq!(read.metadata, Metadata::at(read.metadata.submitted_at));
        let written = serde_json::to_value(&read).unwrap();
        assert_eq!(written["metadata"].as_object().unwrap().len(), 8);
        assert_eq!(written["ai_insights"], Value::Null);
    }

    #[test]
    fn answers_have_text_form() {
        let check = |json: &str, text: &str| {
            assert_eq!(answer_text(&serde_json::from_str(json).unwrap()), text);
        };
        check("\"a\"", "a");
        check("12345678901234567890123.10", "12345678901234567890123.10");
        check("true", "true");
        check("null", "");
        check("[\"a\",2,false]", "a; 2; false");
        check("{\"a\":1}", "{\"a\":1}");
    }

    #[test]
    fn search_visits_values_item_by_item() {
        let answers: Answers =
            serde_json::from_str(r#"{"key":"v","n":1.50,"l":["x",true,null],"o":{"k":"deep"}}"#)
                .unwrap();
        let mut texts = Vec::new();
        answers.for_each_searched(|text| texts.push(text.into_owned()));
        assert_eq!(texts, ["v", "1.50", "x", "true", "deep"]);
    }
}
