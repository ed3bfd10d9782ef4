//! Conditions for a range of a form's submissions (dates and UTM values), and the number of its
//! rows.
//!
//! Statements consist of constants and parameter numbers, never of values. They are planned for
//! their values each time.

use super::days::{self, DAY_US};
use super::text_encoding::encode_indexed;
use contract::{Filter, FormId, Timestamp};
use store::Position;
use tokio_postgres::types::{ToSql, Type};

/// The UTM columns.
const UTM: [&str; 3] = ["utm_source", "utm_medium", "utm_campaign"];

/// Parameters of a statement.
#[derive(Default)]
pub(super) struct QueryParams(Vec<(Box<dyn ToSql + Sync + Send>, Type)>);

impl QueryParams {
    /// Adds a number and returns its placeholder.
    pub(super) fn push_number(&mut self, value: i64) -> String {
        self.push(Box::new(value), Type::INT8)
    }

    /// Adds a number of rows, capped at `i64::MAX`, and returns its placeholder.
    pub(super) fn push_rows(&mut self, rows: usize) -> String {
        self.push_number(i64::try_from(rows).unwrap_or(i64::MAX))
    }

    /// Adds a text and returns its placeholder.
    pub(super) fn push_text(&mut self, value: &str) -> String {
        self.push(Box::new(value.to_owned()), Type::TEXT)
    }

    /// Adds a list of texts and returns its placeholder.
    pub(super) fn push_texts<'t>(&mut self, values: impl Iterator<Item = &'t str>) -> String {
        let values: Vec<String> = values.map(str::to_owned).collect();
        self.push(Box::new(values), Type::TEXT_ARRAY)
    }

    fn push(&mut self, value: Box<dyn ToSql + Sync + Send>, of: Type) -> String {
        self.0.push((value, of));
        format!("${}", self.0.len())
    }

    /// Returns the parameters for the driver.
    pub(super) fn as_typed(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.0.iter().map(|(value, of)| (&**value as &(dyn ToSql + Sync), of.clone())).collect()
    }
}

/// Rows of a form that match a filter's dates and UTM values.
pub(super) struct SubmissionRange<'a> {
    form: &'a FormId,
    from: Option<i64>,
    to: Option<i64>,
    /// The required UTM values in their indexed form, if set.
    utm: [Option<String>; 3],
}

impl<'a> SubmissionRange<'a> {
    /// Returns the range of a filter.
    pub(super) fn new(form: &'a FormId, filter: &Filter) -> Self {
        let utm = [&filter.utm_source, &filter.utm_medium, &filter.utm_campaign];
        Self {
            form,
            from: filter.date_from.map(Timestamp::micros),
            to: filter.date_to.map(Timestamp::micros),
            utm: utm.map(|value| value.as_deref().map(|value| encode_indexed(value).into_owned())),
        }
    }

    /// Returns the condition that submission `s` is in the range and after a position.
    pub(super) fn rows_condition(
        &self,
        behind: Option<&Position>,
        params: &mut QueryParams,
    ) -> String {
        let sql = self.range_condition(self.from, self.to, params);
        sql + &Self::after_condition(behind, params)
    }

    /// Returns the additional condition that `s` is after a position, if there is one.
    pub(super) fn after_condition(behind: Option<&Position>, params: &mut QueryParams) -> String {
        let Some(behind) = behind else { return String::new() };
        let at = params.push_number(behind.submitted_at.micros());
        let id = params.push_text(behind.id.as_str());
        format!(" AND (s.submitted_at, s.id) < ({at}, {id})")
    }

    fn range_condition(
        &self,
        from: Option<i64>,
        to: Option<i64>,
        params: &mut QueryParams,
    ) -> String {
        let mut all = vec![format!("s.form_id = {}", params.push_text(self.form.as_str()))];
        for (column, value) in self.utm_values() {
            all.push(format!("s.{column} = {}", params.push_text(value)));
        }
        all.extend(from.map(|from| format!("s.submitted_at >= {}", params.push_number(from))));
        all.extend(to.map(|to| format!("s.submitted_at < {}", params.push_number(to))));
        all.join(" AND ")
    }

    /// Iterates over the UTM columns that are compared, and their values.
    fn utm_values(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = UTM.iter().zip(&self.utm);
        all.filter_map(|(column, value)| value.as_deref().map(|value| (*column, value)))
    }

    /// Returns the expression for the number of rows: stored counts of whole days, plus a count of
    /// the rows before and after them.
    pub(super) fn count_expression(&self, params: &mut QueryParams) -> String {
        if self.from.is_none() && self.to.is_none() && self.utm.iter().all(Option::is_none) {
            return "f.submission_count".to_owned();
        }
        // The first whole day is rounded up, the day after the last is rounded down.
        let first =
            self.from.map(|from| from.div_euclid(DAY_US) + i64::from(from.rem_euclid(DAY_US) > 0));
        let end = self.to.map(|to| to.div_euclid(DAY_US));
        // The range contains no whole day.
        if first.zip(end).is_some_and(|(first, end)| first >= end) {
            return self.scanned_count(self.from, self.to, params);
        }
        let mut parts = vec![self.stored_count(first, end, params)];
        let first = first.map(|day| day * DAY_US);
        let end = end.map(|day| day * DAY_US);
        if self.from < first {
            parts.push(self.scanned_count(self.from, first, params));
        }
        if end < self.to {
            parts.push(self.scanned_count(end, self.to, params));
        }
        parts.join(" + ")
    }

    fn scanned_count(
        &self,
        from: Option<i64>,
        to: Option<i64>,
        params: &mut QueryParams,
    ) -> String {
        let rows = self.range_condition(from, to, params);
        format!("(SELECT count(*) FROM submissions AS s WHERE {rows})")
    }

    fn stored_count(
        &self,
        first: Option<i64>,
        end: Option<i64>,
        params: &mut QueryParams,
    ) -> String {
        let mut all = vec![format!("d.form_id = {}", params.push_text(self.form.as_str()))];
        for (column, value) in self.utm_values() {
            all.push(format!("d.{column} = {}", params.push_text(&days::encode_slot(Some(value)))));
        }
        all.extend(first.map(|first| format!("d.day >= {}", params.push_number(first))));
        all.extend(end.map(|end| format!("d.day < {}", params.push_number(end))));
        let all = all.join(" AND ");
        format!(
            "(SELECT coalesce(sum(d.submission_count), 0)::BIGINT \
             FROM submission_days AS d WHERE {all})"
        )
    }
}
