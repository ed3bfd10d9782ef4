//! What a submission becomes when it is kept, and how kept columns become values again.
//!
//! Both databases keep the same columns, so that they cannot mean different things. No SQL here.

use super::{Position, Result, StoreError, StoredSubmission};
use contract::{FormId, Insight, Submission, SubmissionId, Timestamp, fold::fold};
use std::fmt::Display;

/// As long as the JSON of most submissions, so that it is written in one piece of memory.
const USUAL_BYTES: usize = 1024;
/// Stands behind each searched value of a submission; no UTF-8 text has this byte.
pub const END_OF_VALUE: u8 = 0xff;

/// The columns of one submission.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubmissionRow {
    /// Microseconds of UTC.
    pub submitted_at: i64,
    /// Id of the submission.
    pub id: String,
    /// `utm_source` of the metadata.
    pub utm_source: Option<String>,
    /// `utm_medium` of the metadata.
    pub utm_medium: Option<String>,
    /// `utm_campaign` of the metadata.
    pub utm_campaign: Option<String>,
    /// As it stands on the wire.
    pub json: String,
    /// The folded answer values.
    pub text: Vec<u8>,
    /// Whether it came with an insight, so that none is to be found.
    pub has_insight: bool,
}

impl SubmissionRow {
    /// Returns the columns of a submission.
    pub fn new(submission: Submission) -> Result<Self> {
        let mut json = Vec::with_capacity(USUAL_BYTES);
        serde_json::to_writer(&mut json, &submission).map_err(database)?;
        let json = String::from_utf8(json).map_err(database)?;
        let mut text = Vec::with_capacity(json.len());
        submission.answers.each_searched(|value| {
            text.extend_from_slice(fold(&value).as_bytes());
            text.push(END_OF_VALUE);
        });
        let has_insight = submission.ai_insights.is_some();
        let metadata = submission.metadata;
        Ok(Self {
            submitted_at: metadata.submitted_at.micros(),
            id: submission.id.into(),
            utm_source: metadata.utm_source,
            utm_medium: metadata.utm_medium,
            utm_campaign: metadata.utm_campaign,
            json,
            text,
            has_insight,
        })
    }
}

/// Returns the columns of what a source gives for a form.
pub fn sourced(
    form: &FormId,
    item: std::result::Result<Submission, String>,
) -> Result<SubmissionRow> {
    let submission = item.map_err(StoreError::Source)?;
    if submission.form_id != *form {
        let (id, other) = (&submission.id, &submission.form_id);
        let why = format!("submission `{id}` belongs to form `{other}`, not to `{form}`");
        return Err(StoreError::Source(why));
    }
    SubmissionRow::new(submission)
}

/// The error where a source is for a form that is not there.
pub fn no_form(form: &FormId) -> StoreError {
    StoreError::Source(format!("form `{form}` does not exist"))
}

/// The last member of a submission's JSON, up to its value.
const INSIGHT_MEMBER: &str = "\"ai_insights\":";

/// Returns the insight in a submission's JSON.
///
/// The member is the last one, and its name stands nowhere behind it: within a text its quotes
/// would be escaped, and an insight has no member of that name.
pub fn insight_of(json: &str) -> Result<Option<Insight>> {
    let (_, insight) = split_insight(json)?;
    serde_json::from_str(insight).map_err(damaged)
}

/// Returns a submission's JSON with another insight, and not one byte of the rest changed.
pub fn with_insight(json: &str, insight: Option<&Insight>) -> Result<String> {
    let (before, _) = split_insight(json)?;
    let insight = serde_json::to_string(&insight).map_err(database)?;
    Ok(format!("{before}{insight}}}"))
}

/// Splits a submission's JSON before the value of its last member, its insight, and leaves the
/// object's end out.
pub fn split_insight(json: &str) -> Result<(&str, &str)> {
    let start = json.rfind(INSIGHT_MEMBER).map(|at| at + INSIGHT_MEMBER.len());
    let split = start.and_then(|start| {
        let (before, rest) = json.split_at_checked(start)?;
        Some((before, rest.strip_suffix('}')?))
    });
    split.ok_or_else(|| damaged("a submission without `ai_insights`"))
}

/// Returns a kept submission from its columns.
pub fn stored(submitted_at: i64, id: String, json: String) -> Result<StoredSubmission> {
    Ok(StoredSubmission { position: position(submitted_at, id)?, json })
}

/// Returns a place from its columns.
pub fn position(submitted_at: i64, id: String) -> Result<Position> {
    let id = SubmissionId::try_from(id).map_err(damaged)?;
    Ok(Position { submitted_at: instant(submitted_at)?, id })
}

/// Returns an instant from its column.
pub fn instant(micros: i64) -> Result<Timestamp> {
    Timestamp::from_micros(micros).ok_or_else(|| damaged(format!("`{micros}` is no instant")))
}

/// Returns an instant from a column that may be empty.
pub fn maybe_instant(micros: Option<i64>) -> Result<Option<Timestamp>> {
    micros.map(instant).transpose()
}

/// Returns a count from its column.
pub fn count(rows: i64) -> Result<u64> {
    u64::try_from(rows).map_err(damaged)
}

/// Returns a value from the text that it is kept as.
pub fn parse<T: std::str::FromStr<Err: Display>>(text: &str) -> Result<T> {
    text.parse().map_err(damaged)
}

/// An error of the database itself.
pub fn database(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Database(error.into())
}

/// A column that does not hold what this service wrote there.
pub fn damaged(why: impl Display) -> StoreError {
    database(format!("a row is damaged: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folded_value_ends_with_a_byte_that_no_text_has() {
        let json = r#"{"id":"sub_1","form_id":"frm_1","answers":{"a":"Straße","b":[1.50,true,null]},"metadata":{"submitted_at":"1970-01-01T00:00:01Z","utm_source":"x"}}"#;
        let row = SubmissionRow::new(serde_json::from_str(json).unwrap()).unwrap();
        assert_eq!(row.text, b"strasse\xff1.50\xfftrue\xff");
        assert_eq!((row.submitted_at, row.id.as_str()), (1_000_000, "sub_1"));
        assert_eq!((row.utm_source.as_deref(), row.utm_medium), (Some("x"), None));
        assert!(!row.has_insight);
    }

    fn insight(label: &str) -> Insight {
        Insight {
            sentiment: Some(label.to_owned()),
            sentiment_score: Some(0.25),
            categories: vec![label.to_owned(), "}".to_owned()],
            language: None,
        }
    }

    proptest::proptest! {
        /// Whatever people write, also what looks like an insight: the splice is what reading,
        /// changing and writing the whole would give.
        #[test]
        fn only_the_insight_changes(
            key in r#"(ai_insights|"ai_insights":|[a-z"\\{}:]{0,8})"#,
            answer in r#"("ai_insights":null}|ai_insights|[\\"{}:,a-zé\n]{0,12})"#,
            had in proptest::option::of(r#"("ai_insights":|[a-z"\\]{0,5})"#),
            gets in proptest::option::of(r#"("ai_insights":|[a-z"\\]{0,5})"#),
        ) {
            let json = r#"{"id":"sub_1","form_id":"frm_1","answers":{},"metadata":{"submitted_at":"1970-01-01T00:00:01Z"}}"#;
            let mut submission: Submission = serde_json::from_str(json).unwrap();
            submission.answers.0.insert(key, answer.into());
            submission.ai_insights = had.as_deref().map(insight);
            let before = serde_json::to_string(&submission).unwrap();
            proptest::prop_assert_eq!(insight_of(&before).unwrap(), submission.ai_insights.clone());
            submission.ai_insights = gets.as_deref().map(insight);
            let after = serde_json::to_string(&submission).unwrap();
            let spliced = with_insight(&before, submission.ai_insights.as_ref()).unwrap();
            proptest::prop_assert_eq!(spliced, after);
        }
    }

    #[test]
    fn what_has_no_insight_member_is_damaged() {
        for json in ["", "{}", r#"{"ai_insights":null"#, r#"{"ai_insights":x}"#] {
            assert!(insight_of(json).is_err(), "{json}");
        }
    }
}
