//! What a submission becomes when it is kept, and how kept columns become values again.
//!
//! Both databases keep the same columns, so that they cannot mean different things. No SQL here.

use super::{Position, Result, StoreError, StoredSubmission};
use crate::index::{self, Utm};
use contract::{Submission, SubmissionId, Timestamp, fold::fold};
use std::fmt::Display;

/// Stands behind each value in the text that is searched. UTF-8 never contains it.
const END_OF_VALUE: u8 = 0xff;

/// The columns of one submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SubmissionRow {
    /// Microseconds of UTC.
    pub(super) submitted_at: i64,
    pub(super) id: String,
    pub(super) utm_source: Option<String>,
    pub(super) utm_medium: Option<String>,
    pub(super) utm_campaign: Option<String>,
    /// As it stands on the wire.
    pub(super) json: String,
    /// The folded answer values.
    pub(super) text: Vec<u8>,
}

impl SubmissionRow {
    /// Returns the columns of a submission.
    pub(super) fn new(submission: Submission) -> Result<Self> {
        let json = serde_json::to_string(&submission).map_err(database)?;
        let mut text = Vec::new();
        submission.answers.each_searched(|value| {
            text.extend_from_slice(fold(&value).as_bytes());
            text.push(END_OF_VALUE);
        });
        let metadata = submission.metadata;
        Ok(Self {
            submitted_at: metadata.submitted_at.micros(),
            id: submission.id.into(),
            utm_source: metadata.utm_source,
            utm_medium: metadata.utm_medium,
            utm_campaign: metadata.utm_campaign,
            json,
            text,
        })
    }
}

impl From<SubmissionRow> for index::Row {
    fn from(row: SubmissionRow) -> Self {
        let utm = [row.utm_source, row.utm_medium, row.utm_campaign];
        let utm = Utm(utm.map(|value| value.map(String::into_boxed_str)));
        Self { at: row.submitted_at, id: row.id, utm, text: row.text }
    }
}

/// Returns a kept submission from its columns.
pub(super) fn stored(submitted_at: i64, id: String, json: String) -> Result<StoredSubmission> {
    Ok(StoredSubmission { position: position(submitted_at, id)?, json })
}

/// Returns a place from its columns.
pub(super) fn position(submitted_at: i64, id: String) -> Result<Position> {
    let id = SubmissionId::try_from(id).map_err(damaged)?;
    Ok(Position { submitted_at: instant(submitted_at)?, id })
}

/// Returns an instant from its column.
pub(super) fn instant(micros: i64) -> Result<Timestamp> {
    Timestamp::from_micros(micros).ok_or_else(|| damaged(format!("`{micros}` is no instant")))
}

/// Returns an instant from a column that may be empty.
pub(super) fn maybe_instant(micros: Option<i64>) -> Result<Option<Timestamp>> {
    micros.map(instant).transpose()
}

/// Returns a count from its column.
pub(super) fn count(rows: i64) -> Result<u64> {
    u64::try_from(rows).map_err(damaged)
}

/// Returns a value from the text that it is kept as.
pub(super) fn parse<T: std::str::FromStr<Err: Display>>(text: &str) -> Result<T> {
    text.parse().map_err(damaged)
}

/// An error of the database itself.
pub(super) fn database(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Database(error.into())
}

/// A column that does not hold what this service wrote there.
pub(super) fn damaged(why: impl Display) -> StoreError {
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
    }
}
