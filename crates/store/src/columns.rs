//! Conversion between values and database columns.
//!
//! Both databases have the same columns, and both stores convert them here.

use super::{Position, Result, StoreError, StoredSubmission};
use contract::{FormId, Insight, Submission, SubmissionId, Timestamp, fold::fold};
use serde_json::Value;
use std::fmt::Display;

/// Initial capacity. The JSON of most submissions fits without reallocation.
const JSON_CAPACITY: usize = 1024;
/// Terminator of each searchable value of a submission. UTF-8 text never contains this byte.
pub const END_OF_VALUE: u8 = 0xff;

/// The columns of one submission.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubmissionRow {
    /// Instant of the submission in microseconds of UTC.
    pub submitted_at: i64,
    /// Id of the submission.
    pub id: String,
    /// `utm_source` of the metadata.
    pub utm_source: Option<String>,
    /// `utm_medium` of the metadata.
    pub utm_medium: Option<String>,
    /// `utm_campaign` of the metadata.
    pub utm_campaign: Option<String>,
    /// The JSON as sent to clients.
    pub json: String,
    /// Case-folded answer values for the search, each with [`END_OF_VALUE`].
    pub text: Vec<u8>,
    /// Whether the submission has an insight already, so that it needs no analysis.
    pub has_insight: bool,
}

impl SubmissionRow {
    /// Returns the columns of a submission.
    pub fn new(submission: Submission) -> Result<Self> {
        let mut json = Vec::with_capacity(JSON_CAPACITY);
        serde_json::to_writer(&mut json, &submission).map_err(database_error)?;
        let json = String::from_utf8(json).map_err(database_error)?;
        let mut text = Vec::with_capacity(json.len());
        submission.answers.for_each_searched(|value| {
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

    /// Returns the length of its JSON and its text, in bytes.
    pub fn size(&self) -> usize {
        self.json.len() + self.text.len()
    }
}

/// Reads rows up to a number of rows and bytes. Returns no rows at the end.
pub fn read_batch(
    rows: &mut impl Iterator<Item = Result<SubmissionRow>>,
    rows_max: usize,
    bytes_max: usize,
) -> Result<Vec<SubmissionRow>> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < rows_max && bytes < bytes_max {
        let Some(row) = rows.next().transpose()? else { break };
        bytes += row.size();
        batch.push(row);
    }
    Ok(batch)
}

/// Returns the columns of an item of a source, if it belongs to the form.
pub fn row_from_source(
    form: &FormId,
    item: std::result::Result<Submission, String>,
) -> Result<SubmissionRow> {
    let submission = item.map_err(StoreError::Source)?;
    if submission.form_id != *form {
        let id = &submission.id;
        let other = &submission.form_id;
        let why = format!("submission `{id}` belongs to form `{other}`, not to `{form}`");
        return Err(StoreError::Source(why));
    }
    SubmissionRow::new(submission)
}

/// Returns the error for a source with an unknown form.
pub fn unknown_form(form: &FormId) -> StoreError {
    StoreError::Source(format!("form `{form}` does not exist"))
}

/// Name of the last member of a submission's JSON, with its colon.
const INSIGHT_MEMBER: &str = "\"ai_insights\":";

/// Returns the insight in a submission's JSON.
///
/// The insight is the last member, and its name does not occur after it: within a text the quotes
/// would be escaped, and an insight has no member of that name.
pub fn parse_insight(json: &str) -> Result<Option<Insight>> {
    let (_, insight) = split_insight(json)?;
    serde_json::from_str(insight).map_err(damaged_row)
}

/// Returns a submission's JSON with another insight. All other bytes stay the same.
pub fn replace_insight(json: &str, insight: Option<&Insight>) -> Result<String> {
    let (before, _) = split_insight(json)?;
    let insight = serde_json::to_string(&insight).map_err(database_error)?;
    Ok(format!("{before}{insight}}}"))
}

/// Splits a submission's JSON before the value of its last member, the insight, and drops the
/// closing brace.
pub fn split_insight(json: &str) -> Result<(&str, &str)> {
    let start = json.rfind(INSIGHT_MEMBER).map(|at| at + INSIGHT_MEMBER.len());
    let split = start.and_then(|start| {
        let (before, rest) = json.split_at_checked(start)?;
        Some((before, rest.strip_suffix('}')?))
    });
    split.ok_or_else(|| damaged_row("a submission without `ai_insights`"))
}

/// Returns a stored submission from its columns.
pub fn stored_submission(submitted_at: i64, id: String, json: String) -> Result<StoredSubmission> {
    Ok(StoredSubmission { position: parse_position(submitted_at, id)?, json })
}

/// Returns a position from its columns.
pub fn parse_position(submitted_at: i64, id: String) -> Result<Position> {
    let id = SubmissionId::try_from(id).map_err(damaged_row)?;
    Ok(Position { submitted_at: parse_instant(submitted_at)?, id })
}

/// Returns an instant from its column.
pub fn parse_instant(micros: i64) -> Result<Timestamp> {
    Timestamp::from_micros(micros)
        .ok_or_else(|| damaged_row(format!("`{micros}` is not an instant")))
}

/// Returns an instant from a nullable column.
pub fn parse_optional_instant(micros: Option<i64>) -> Result<Option<Timestamp>> {
    micros.map(parse_instant).transpose()
}

/// Returns the rows that can be read, and logs the others: a damaged row must not stop the rest of
/// a queue. `entity` names a row in the log.
pub fn skip_damaged<T>(rows: impl Iterator<Item = Result<T>>, entity: &str) -> Vec<T> {
    let log = |error: &StoreError| tracing::error!(%error, "cannot read {entity}");
    rows.filter_map(|row| row.inspect_err(log).ok()).collect()
}

/// Returns a count from its column.
pub fn parse_count(rows: i64) -> Result<u64> {
    u64::try_from(rows).map_err(damaged_row)
}

/// Returns a value from its text column.
pub fn parse<T: std::str::FromStr<Err: Display>>(text: &str) -> Result<T> {
    text.parse().map_err(damaged_row)
}

/// Returns the column of a list of forms, as JSON.
pub fn forms_json(forms: &[FormId]) -> String {
    let ids: Vec<Value> = forms.iter().map(|form| Value::from(form.as_str())).collect();
    Value::from(ids).to_string()
}

/// Returns a list of forms from its column.
pub fn parse_forms(json: &str) -> Result<Vec<FormId>> {
    serde_json::from_str(json).map_err(damaged_row)
}

/// Returns an error of the database itself.
pub fn database_error(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Database(error.into())
}

/// Returns the error for a column with an invalid value.
pub fn damaged_row(why: impl Display) -> StoreError {
    database_error(format!("a row is damaged: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searched_values_are_folded_and_terminated() {
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
        /// For any answer, also one with the text of an insight, the splice gives the same bytes as
        /// a full parse, change and serialisation.
        #[test]
        fn with_insight_preserves_all_other_bytes(
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
            proptest::prop_assert_eq!(parse_insight(&before).unwrap(), submission.ai_insights.clone());
            submission.ai_insights = gets.as_deref().map(insight);
            let after = serde_json::to_string(&submission).unwrap();
            let spliced = replace_insight(&before, submission.ai_insights.as_ref()).unwrap();
            proptest::prop_assert_eq!(spliced, after);
        }
    }

    #[test]
    fn json_without_insight_member_is_rejected() {
        for json in ["", "{}", r#"{"ai_insights":null"#, r#"{"ai_insights":x}"#] {
            assert!(parse_insight(json).is_err(), "{json}");
        }
    }
}
