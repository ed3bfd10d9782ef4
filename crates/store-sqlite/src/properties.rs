//! Checks rows of the file against the labels and numbers of a filter, which have no columns.

use super::readers::CancelFlag;
use super::submission_range::{SubmissionRange, row_key, row_sql};
use contract::{Answers, Filter, FormId, Insight, Metadata, Submission, SubmissionId};
use rusqlite::{CachedStatement, Connection, Row, params_from_iter};
use serde::Deserialize;
use store::Result;
use store::columns::{damaged_row, database_error};

/// Number of rows between two checks for cancellation.
pub(super) const ROWS_BETWEEN_CHECKS: usize = 1024;
/// SQLite's value for no limit.
const NO_LIMIT: i64 = -1;

/// A submission without its answers, which take most of the time to parse.
#[derive(Deserialize)]
struct SubmissionHead {
    id: SubmissionId,
    form_id: FormId,
    metadata: Metadata,
    #[serde(default)]
    ai_insights: Option<Insight>,
}

/// Returns whether the JSON of a submission matches the labels and numbers of a filter.
///
/// # Errors
/// If the filter has any, and the JSON is not a submission.
pub(super) fn matches_json(filter: &Filter, json: &str) -> Result<bool> {
    if !filter.has_properties() {
        return Ok(true);
    }
    let SubmissionHead { id, form_id, metadata, ai_insights } =
        serde_json::from_str(json).map_err(|error| damaged_row(error.to_string()))?;
    let answers = Answers::default();
    Ok(filter.matches_properties(&Submission { id, form_id, answers, metadata, ai_insights }))
}

/// Checks rows by their keys. Reads nothing if the filter has no labels and numbers.
pub(super) struct RowCheck<'a> {
    form: i64,
    filter: &'a Filter,
    json: Option<CachedStatement<'a>>,
}

impl<'a> RowCheck<'a> {
    /// Prepares the check for the rows of a form.
    pub(super) fn new(conn: &'a Connection, form: i64, filter: &'a Filter) -> Result<Self> {
        let prepare = || conn.prepare_cached(row_sql!("json")).map_err(database_error);
        Ok(Self { form, filter, json: filter.has_properties().then(prepare).transpose()? })
    }

    /// Returns whether the submission with the key in the first two columns of a row matches.
    pub(super) fn matches(&mut self, row: &Row<'_>) -> Result<bool> {
        let Some(json) = &mut self.json else { return Ok(true) };
        let (at, id) = row_key(row)?;
        let mut found = json.query((self.form, at, &id)).map_err(database_error)?;
        let found = found.next().map_err(database_error)?;
        let found = found.ok_or_else(|| database_error(format!("`{id}` has a text but no row")))?;
        matches_json(self.filter, text_column(found, 0)?)
    }
}

/// Returns the text in a column.
pub(super) fn text_column<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str> {
    row.get_ref(column).and_then(|value| Ok(value.as_str()?)).map_err(database_error)
}

/// Reads the rows of a range as instant, id and JSON, newest first, and calls `on_row` with those
/// that match the labels and numbers of a filter.
pub(super) fn for_each_match(
    conn: &Connection,
    range: &SubmissionRange<'_>,
    filter: &Filter,
    cancel_flag: &CancelFlag,
    mut on_row: impl FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut page = conn.prepare_cached(&range.page_sql()).map_err(database_error)?;
    let mut params = range.params();
    params.push(&NO_LIMIT);
    let mut rows = page.query(params_from_iter(params)).map_err(database_error)?;
    let mut rows_read = 0_usize;
    while let Some(row) = rows.next().map_err(database_error)? {
        rows_read += 1;
        if rows_read.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            cancel_flag.check()?;
        }
        if matches_json(filter, text_column(row, 2)?)? {
            on_row(row)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::ListQuery;

    const HEAD: &str = r#"{"id":"sub_1","form_id":"frm_1","answers":{"a":["x",{"b":1e999}]},"#;
    const REST: &str = r#""metadata":{"submitted_at":"2026-03-01T09:30:00Z","device":"mobile"}}"#;

    fn matches(query: &str, json: &str) -> Result<bool> {
        matches_json(&ListQuery::parse(query).unwrap().filter, json)
    }

    #[test]
    fn answers_are_not_parsed() {
        let json = format!("{HEAD}{REST}");
        assert!(matches("device=mobile&sentiment=none", &json).unwrap());
        assert!(!matches("device=desktop", &json).unwrap());
        assert!(!matches("score_min=0", &json).unwrap());
    }

    #[test]
    fn damaged_row_is_an_error_with_properties_only() {
        assert!(matches("utm_source=x", "{").unwrap());
        assert!(matches("device=mobile", "{").is_err());
    }
}
