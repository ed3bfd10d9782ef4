//! Conditions for a range of a form's submissions (all criteria but the search), and the number of
//! its rows.
//!
//! Statements consist of constants and parameter numbers, never of values. They are planned for
//! their values each time.

use super::days::{self, DAY_US};
use super::property_conditions::{property_conditions, read_condition};
use super::query_params::QueryParams;
use super::text_encoding::encode_indexed;
use contract::filter::FieldCriteria;
use contract::{Filter, FormId, Timestamp};
use store::Position;

/// The UTM columns.
const UTM: [&str; 3] = ["utm_source", "utm_medium", "utm_campaign"];

/// Rows of a form that match a filter, without its search and its criteria for answers.
pub(super) struct SubmissionRange<'a> {
    form: &'a FormId,
    filter: &'a Filter,
    from: Option<i64>,
    to: Option<i64>,
    /// The required UTM values in their indexed form, if set.
    utm: [Option<String>; 3],
}

impl<'a> SubmissionRange<'a> {
    /// Returns the range of a filter.
    pub(super) fn new(form: &'a FormId, filter: &'a Filter) -> Self {
        let utm = [&filter.utm_source, &filter.utm_medium, &filter.utm_campaign];
        Self {
            form,
            filter,
            from: filter.date_from.map(Timestamp::micros),
            to: filter.date_to.map(Timestamp::micros),
            utm: utm.map(|value| value.as_deref().map(|value| encode_indexed(value).into_owned())),
        }
    }

    /// Returns the criteria for answers. The range has all rows that may match them.
    pub(super) fn fields(&self) -> &FieldCriteria {
        &self.filter.fields
    }

    /// Returns the condition that submission `s` is in the range and after a position.
    pub(super) fn rows_condition(
        &self,
        after: Option<&Position>,
        params: &mut QueryParams,
    ) -> String {
        let sql = self.range_condition(self.from, self.to, params);
        sql + &Self::after_condition(after, params)
    }

    /// Returns the additional condition that `s` is after a position, if there is one.
    pub(super) fn after_condition(after: Option<&Position>, params: &mut QueryParams) -> String {
        let Some(after) = after else { return String::new() };
        let at = params.push_number(after.submitted_at.micros());
        let id = params.push_text(after.id.as_str());
        format!(" AND (s.submitted_at, s.id) < ({at}, {id})")
    }

    fn range_condition(
        &self,
        from: Option<i64>,
        to: Option<i64>,
        params: &mut QueryParams,
    ) -> String {
        let mut conditions = vec![format!("s.form_id = {}", params.push_text(self.form.as_str()))];
        for (column, value) in self.utm_values() {
            conditions.push(format!("s.{column} = {}", params.push_text(value)));
        }
        conditions
            .extend(from.map(|from| format!("s.submitted_at >= {}", params.push_number(from))));
        conditions.extend(to.map(|to| format!("s.submitted_at < {}", params.push_number(to))));
        conditions.extend(property_conditions(self.filter, params));
        if let Some((is_read, reader)) = self.filter.required_read_state() {
            let unread_from = Some(reader.unread_from.micros());
            // Whether all rows of the range are read, or unread, without a mark.
            let default = match (to.is_some() && to <= unread_from, from >= unread_from) {
                (true, _) => Some(true),
                (false, is_late) => is_late.then_some(false),
            };
            conditions.push(read_condition(self.form, (is_read, reader), default, params));
        }
        conditions.join(" AND ")
    }

    /// Returns the time ranges in which rows have the same read state without a mark, newest first.
    /// PostgreSQL can then join the marks. Returns the whole range if the read state is not
    /// filtered.
    fn uniform_ranges(&self) -> Vec<(Option<i64>, Option<i64>)> {
        let Some((_, reader)) = self.filter.required_read_state() else {
            return vec![(self.from, self.to)];
        };
        let unread_from = Some(reader.unread_from.micros());
        let unread = (self.from.max(unread_from), self.to);
        let read = (self.from, self.to.map_or(unread_from, |to| Some(to).min(unread_from)));
        let is_possible = |(from, to): &(Option<i64>, Option<i64>)| {
            from.zip(*to).is_none_or(|(from, to)| from < to)
        };
        [unread, read].into_iter().filter(is_possible).collect()
    }

    /// Iterates over the UTM columns that are compared, and their values.
    fn utm_values(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let columns = UTM.iter().zip(&self.utm);
        columns.filter_map(|(column, value)| value.as_deref().map(|value| (*column, value)))
    }

    /// Returns the statement that selects the instant, the id, the JSON and the triage of the
    /// newest rows after a position, without an order. `max` is the placeholder of the maximum
    /// number.
    pub(super) fn newest_rows(
        &self,
        after: Option<&Position>,
        max: &str,
        params: &mut QueryParams,
    ) -> String {
        let order = format!("ORDER BY s.submitted_at DESC, s.id DESC LIMIT {max}");
        let newest = |columns: &str, params: &mut QueryParams| {
            let parts = self.uniform_ranges().into_iter().map(|(from, to)| {
                let rows = self.range_condition(from, to, params);
                let after = Self::after_condition(after, params);
                format!("SELECT {columns} FROM submissions AS s WHERE {rows}{after} {order}")
            });
            let parts: Vec<String> = parts.collect();
            match &*parts {
                [one] => one.clone(),
                // There is always a range: an empty one has no rows.
                [] => format!("SELECT {columns} FROM submissions AS s WHERE FALSE"),
                all => format!("SELECT * FROM (({})) AS s {order}", all.join(") UNION ALL (")),
            }
        };
        if !self.filter.has_properties() {
            return newest("s.submitted_at, s.id, s.json, s.triage", params);
        }
        // An index has the labels and the keys, so that only the rows of the result are read.
        let form = params.push_text(self.form.as_str());
        format!(
            "SELECT s.submitted_at, s.id, s.json, s.triage FROM ({}) AS k JOIN submissions AS s \
             ON s.form_id = {form} AND s.submitted_at = k.submitted_at AND s.id = k.id",
            newest("s.submitted_at, s.id", params)
        )
    }

    /// Returns a further column: the number of notes about a submission in table `row`.
    pub(super) fn notes_count(&self, row: &str, params: &mut QueryParams) -> String {
        let form = params.push_text(self.form.as_str());
        format!(
            ", (SELECT count(*) FROM notes AS o WHERE o.form_id = {form} \
             AND o.submitted_at = {row}.submitted_at AND o.submission = {row}.id)"
        )
    }

    /// Returns the expression for the number of rows: stored counts of whole days, plus a count of
    /// the rows before and after them. With labels or numbers, a count of all rows.
    pub(super) fn count_expression(&self, params: &mut QueryParams) -> String {
        if self.filter.has_properties() {
            let ranges = self.uniform_ranges().into_iter();
            let counts: Vec<String> =
                ranges.map(|(from, to)| self.scanned_count(from, to, params)).collect();
            return if counts.is_empty() { "0::BIGINT".to_owned() } else { counts.join(" + ") };
        }
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
        let mut conditions = vec![format!("d.form_id = {}", params.push_text(self.form.as_str()))];
        for (column, value) in self.utm_values() {
            conditions.push(format!(
                "d.{column} = {}",
                params.push_text(&days::encode_slot(Some(value)))
            ));
        }
        conditions.extend(first.map(|first| format!("d.day >= {}", params.push_number(first))));
        conditions.extend(end.map(|end| format!("d.day < {}", params.push_number(end))));
        let conditions = conditions.join(" AND ");
        format!(
            "(SELECT coalesce(sum(d.submission_count), 0)::BIGINT \
             FROM submission_days AS d WHERE {conditions})"
        )
    }
}

#[cfg(test)]
#[path = "submission_range_tests.rs"]
mod tests;
