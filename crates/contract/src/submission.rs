//! The submission object of the specification (§2), and how one answer reads as text.
//!
//! Types only: nothing here asks where a submission comes from or goes to.

use crate::{FormId, SubmissionId, Timestamp, untrusted};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// One answer to one form (§2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Submission {
    /// Its identifier.
    pub id: SubmissionId,
    /// The form that it answers.
    pub form_id: FormId,
    /// What the person answered.
    #[serde(default)]
    pub answers: Answers,
    /// When, from where and how it came.
    pub metadata: Metadata,
    /// What analysis found; `None` while pending or where analysis is off.
    #[serde(default)]
    pub ai_insights: Option<Insight>,
}

/// Answers by answer key, in the order in which they were given.
///
/// A value is a string, a number, a boolean or a list of these. Numbers keep the text that they
/// came with, so that a long one is not rounded on its way through; but `1E5` becomes `1e+5`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(#[serde(deserialize_with = "untrusted::object")] pub Map<String, Value>);

/// When, from where and how a submission came (§2). Every field but the instant may be unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Metadata {
    /// When it was submitted.
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
    /// Seconds taken to complete the form.
    #[serde(default)]
    pub completion_time_seconds: Option<u64>,
    /// UTM source at submission.
    #[serde(default)]
    pub utm_source: Option<String>,
    /// UTM medium at submission.
    #[serde(default)]
    pub utm_medium: Option<String>,
    /// UTM campaign at submission.
    #[serde(default)]
    pub utm_campaign: Option<String>,
}

impl Metadata {
    /// Returns metadata of which only the instant is known.
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
}

/// What analysis found in a submission (§2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Insight {
    /// Sentiment label. Ours are `positive`, `neutral`, `negative` and `mixed`; others may come.
    pub sentiment: Option<String>,
    /// Fraction between 0 and 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0.0, max = 1.0)))]
    pub sentiment_score: Option<f64>,
    /// Category tags.
    #[serde(default)]
    pub categories: Vec<String>,
    /// Language code.
    pub language: Option<String>,
}

/// Returns an answer as one text: the cell of an export, the line of a card.
///
/// A number is its JSON text, items of a list are joined with `; `, nothing is empty. A nested
/// object, which the service never stores, is its JSON.
pub fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Owned(number.to_string()),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(items) => {
            let texts: Vec<_> = items.iter().map(text_of).collect();
            Cow::Owned(texts.join("; "))
        }
        Value::Object(_) => Cow::Owned(value.to_string()),
    }
}

impl Answers {
    /// Calls `visit` with each text that a search looks at: strings, the JSON text of numbers and
    /// booleans, and each item of a list on its own. Keys are not looked at.
    pub fn each_searched<'a>(&'a self, mut visit: impl FnMut(Cow<'a, str>)) {
        self.0.values().for_each(|value| each_leaf(value, &mut visit));
    }
}

/// Calls `visit` with each text of one answer that a search looks at.
pub fn each_leaf<'a>(value: &'a Value, visit: &mut impl FnMut(Cow<'a, str>)) {
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| each_leaf(item, visit)),
        Value::Object(members) => members.values().for_each(|member| each_leaf(member, visit)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => visit(text_of(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"id":"sub_1","form_id":"frm_1","answers":{"b":"x","a":1.10,"long":12345678901234567890123},"metadata":{"submitted_at":"2026-03-01T09:30:00Z","ip_country":"DE","device":"mobile","browser":"Firefox","completion_time_seconds":42,"utm_source":null,"utm_medium":null,"utm_campaign":null},"ai_insights":{"sentiment":"mixed","sentiment_score":0.5,"categories":["a"],"language":"en"}}"#;

    #[test]
    fn goes_through_unchanged() {
        let read: Submission = serde_json::from_str(WHOLE).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), WHOLE);
    }

    #[test]
    fn unknown_metadata_is_null_on_the_wire_and_may_be_absent_in_what_is_read() {
        let sparse = r#"{"id":"sub_1","form_id":"frm_1","answers":{},"metadata":{"submitted_at":"2026-03-01T09:30:00Z"}}"#;
        let read: Submission = serde_json::from_str(sparse).unwrap();
        assert_eq!(read.metadata, Metadata::at(read.metadata.submitted_at));
        let written = serde_json::to_value(&read).unwrap();
        assert_eq!(written["metadata"].as_object().unwrap().len(), 8);
        assert_eq!(written["ai_insights"], Value::Null);
    }

    #[test]
    fn an_answer_reads_as_one_text() {
        let check = |json: &str, text: &str| {
            assert_eq!(text_of(&serde_json::from_str(json).unwrap()), text);
        };
        check("\"a\"", "a");
        check("12345678901234567890123.10", "12345678901234567890123.10");
        check("true", "true");
        check("null", "");
        check("[\"a\",2,false]", "a; 2; false");
        check("{\"a\":1}", "{\"a\":1}");
    }

    #[test]
    fn a_search_looks_at_values_item_by_item() {
        let answers: Answers =
            serde_json::from_str(r#"{"key":"v","n":1.50,"l":["x",true,null],"o":{"k":"deep"}}"#)
                .unwrap();
        let mut texts = Vec::new();
        answers.each_searched(|text| texts.push(text.into_owned()));
        assert_eq!(texts, ["v", "1.50", "x", "true", "deep"]);
    }
}
