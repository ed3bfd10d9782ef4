//! Checks rows of the file against the labels, the numbers and the criteria for answers of a
//! filter, which have no columns of their own.

use super::readers::CancelFlag;
use super::submission_range::{SubmissionRange, row_key, row_sql};
use contract::filter::{FieldCriteria, LabelFilters, Labels};
use contract::{Answers, Filter, FormId, Insight, Metadata, Submission, SubmissionId, Triage};
use rusqlite::{CachedStatement, Connection, Row, params_from_iter};
use serde::Deserialize;
use store::Result;
use store::answers::AnswerCheck;
use store::columns::{damaged_row, database_error};
use store::triage::parse_triage;

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

/// The labels and numbers of a filter. The triage is checked first: most rows have none, and the
/// JSON of a submission is only parsed if its own properties are filtered.
pub(super) struct PropertyCheck<'a> {
    /// The labels of the filter. Only properties of the triage are compared.
    triage_labels: LabelFilters,
    /// Whether the triage of a new submission matches.
    accepts_new: bool,
    /// The filter without labels of the triage; `None` if it has no other labels and numbers.
    filter: Option<Filter>,
    /// The criteria for answers, for which the JSON is parsed once more.
    answers: AnswerCheck<'a>,
    new: Triage,
}

impl<'a> PropertyCheck<'a> {
    /// Returns the check of a filter.
    pub(super) fn new(filter: &'a Filter) -> Self {
        let new = Triage::default();
        // The statements check the read state.
        let fields = FieldCriteria::default();
        let mut rest = Filter { read: None, reader: None, fields, ..filter.clone() };
        let mut triage_labels = LabelFilters::default();
        for (property, labels) in filter.labels.iter().filter(|(it, _)| it.is_triage()) {
            triage_labels.set(property, labels.clone());
            rest.labels.set(property, Labels::default());
        }
        let accepts_new = triage_labels.matches_triage(&new);
        let own_properties = rest.has_properties().then_some(rest);
        let answers = AnswerCheck::new(&filter.fields);
        Self { triage_labels, accepts_new, filter: own_properties, answers, new }
    }

    /// Returns whether a submission matches, by its JSON and that of its triage; `None` is the
    /// triage of a new submission.
    ///
    /// # Errors
    /// If a text that is needed is not a submission or a triage.
    pub(super) fn matches(&self, json: &str, triage: Option<&str>) -> Result<bool> {
        let matches_triage = match triage {
            None => self.accepts_new,
            Some(_) if self.triage_labels.is_empty() => true,
            Some(_) => self.triage_labels.matches_triage(&parse_triage(triage)?),
        };
        if !matches_triage || !self.answers.matches(json)? {
            return Ok(false);
        }
        let Some(filter) = &self.filter else { return Ok(true) };
        let SubmissionHead { id, form_id, metadata, ai_insights } =
            serde_json::from_str(json).map_err(|error| damaged_row(error.to_string()))?;
        let answers = Answers::default();
        let submission = Submission { id, form_id, answers, metadata, ai_insights };
        Ok(filter.matches_properties(&submission, &self.new))
    }

    /// Returns whether the row with JSON and triage in its columns from `first` on matches.
    pub(super) fn matches_columns(&self, row: &Row<'_>, first: usize) -> Result<bool> {
        self.matches(text_column(row, first)?, optional_text_column(row, first + 1)?)
    }
}

/// Checks rows by their keys. Reads nothing if the filter has no labels and numbers.
pub(super) struct RowCheck<'a> {
    form: i64,
    check: PropertyCheck<'a>,
    row: Option<CachedStatement<'a>>,
}

impl<'a> RowCheck<'a> {
    /// Prepares the check for the rows of a form.
    pub(super) fn new(conn: &'a Connection, form: i64, filter: &'a Filter) -> Result<Self> {
        let prepare = || conn.prepare_cached(row_sql!("json, triage")).map_err(database_error);
        let row = filter.has_properties().then(prepare).transpose()?;
        Ok(Self { form, check: PropertyCheck::new(filter), row })
    }

    /// Returns whether the submission with the key in the first two columns of a row matches.
    pub(super) fn matches(&mut self, row: &Row<'_>) -> Result<bool> {
        let Some(stored) = &mut self.row else { return Ok(true) };
        let (at, id) = row_key(row)?;
        let mut found = stored.query((self.form, at, &id)).map_err(database_error)?;
        let found = found.next().map_err(database_error)?;
        let found = found.ok_or_else(|| database_error(format!("`{id}` has a text but no row")))?;
        self.check.matches_columns(found, 0)
    }
}

/// Returns the text in a column.
pub(super) fn text_column<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str> {
    row.get_ref(column).and_then(|value| Ok(value.as_str()?)).map_err(database_error)
}

/// Returns the text in a column, or `None` if it is NULL.
pub(super) fn optional_text_column<'r>(row: &'r Row<'_>, column: usize) -> Result<Option<&'r str>> {
    row.get_ref(column).and_then(|value| Ok(value.as_str_or_null()?)).map_err(database_error)
}

/// Reads the rows of a range as instant, id, JSON and triage, newest first, and calls `on_row` with
/// those that match the labels and numbers of a filter.
pub(super) fn for_each_match(
    conn: &Connection,
    range: &SubmissionRange<'_>,
    filter: &Filter,
    cancel_flag: &CancelFlag,
    mut on_row: impl FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let check = PropertyCheck::new(filter);
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
        if check.matches_columns(row, 2)? {
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
        matches_with(query, json, None)
    }

    fn matches_with(query: &str, json: &str, triage: Option<&str>) -> Result<bool> {
        let filter = ListQuery::parse(query).unwrap().filter;
        PropertyCheck::new(&filter).matches(json, triage)
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

    #[test]
    fn triage_is_checked_before_the_json() {
        let starred = Some(r#"{"status":"open","starred":true}"#);
        assert!(matches("status=open&tag=none", "{").unwrap());
        assert!(!matches("starred=true&device=mobile", "{").unwrap());
        assert!(matches_with("starred=true", "{", starred).unwrap());
        assert!(!matches_with("starred=false&device=mobile", "{", starred).unwrap());
        let json = format!("{HEAD}{REST}");
        assert!(matches_with("starred=true&device=mobile", &json, starred).unwrap());
        assert!(!matches_with("starred=true&device=desktop", &json, starred).unwrap());
        assert!(matches_with("device=mobile", &json, Some("{")).unwrap());
        assert!(matches_with("starred=true", &json, Some("{")).is_err());
    }
}
