//! Counts of a form's submissions by day and UTM values. Transactions that insert and delete
//! maintain them, so that a total need not scan the submissions of whole days.
//!
//! Only transactions that have locked the form's row change them. So writers wait for each other
//! only once, and without deadlocks.

use super::query;
use super::query::read_column;
use super::text_encoding::encode_indexed;
use contract::FormId;
use deadpool_postgres::Transaction;
use std::collections::BTreeMap;
use store::Result;
use store::columns::{SubmissionRow, damaged_row};
use tokio_postgres::Row;

/// A UTC day, in microseconds.
pub(super) const DAY_US: i64 = 24 * 3600 * 1_000_000;

/// Selects the columns that [`Days::from_rows`] expects from the rows `counted` (instant and UTM
/// columns of submissions).
macro_rules! counted_by_day {
    () => {
        // Division rounds towards zero, but days before 1970 must be rounded down.
        "SELECT (submitted_at - CASE WHEN submitted_at < 0 THEN 86399999999 ELSE 0 END)
             / 86400000000,
           utm_source, utm_medium, utm_campaign, count(*)
         FROM counted GROUP BY 1, 2, 3, 4"
    };
}
pub(super) use counted_by_day;

/// A day and the UTM values of some of its submissions, in their indexed form.
type DaySlot = (i64, [String; 3]);

/// Submissions to add or subtract, by slot.
#[derive(Default)]
pub(super) struct Days(BTreeMap<DaySlot, i64>);

/// The same as columns.
struct SlotColumns<'a> {
    day: Vec<i64>,
    utm: [Vec<&'a str>; 3],
    counts: Vec<i64>,
}

impl Days {
    /// Reads the rows of [`counted_by_day`].
    pub(super) fn from_rows(rows: &[Row]) -> Result<Self> {
        let mut days = Self::default();
        for row in rows {
            let utm = [read_column(row, 1)?, read_column(row, 2)?, read_column(row, 3)?];
            *days.count_mut(read_column(row, 0)?, utm) += read_column::<i64>(row, 4)?;
        }
        Ok(days)
    }

    /// Counts a submission.
    pub(super) fn add(&mut self, row: &SubmissionRow) {
        let utm = [&row.utm_source, &row.utm_medium, &row.utm_campaign];
        let utm = utm.map(|value| value.as_deref().map(encode_indexed));
        let utm = utm.each_ref().map(Option::as_deref);
        self.add_indexed(row.submitted_at.div_euclid(DAY_US), utm);
    }

    /// Counts a submission of a day, by its UTM values in their indexed form.
    pub(super) fn add_indexed(&mut self, day: i64, utm: [Option<&str>; 3]) {
        *self.count_mut(day, utm) += 1;
    }

    /// Adds all counts of `other`.
    pub(super) fn add_all(&mut self, other: Self) {
        for (slot, count) in other.0 {
            *self.0.entry(slot).or_default() += count;
        }
    }

    /// Returns the total number of submissions.
    pub(super) fn total(&self) -> i64 {
        self.0.values().sum()
    }

    fn count_mut(&mut self, day: i64, utm: [Option<&str>; 3]) -> &mut i64 {
        self.0.entry((day, utm.map(encode_slot))).or_default()
    }

    fn to_columns(&self) -> SlotColumns<'_> {
        let utm = |n: usize| self.0.keys().map(|(_, utm)| utm[n].as_str()).collect();
        SlotColumns {
            day: self.0.keys().map(|(day, _)| *day).collect(),
            utm: [utm(0), utm(1), utm(2)],
            counts: self.0.values().copied().collect(),
        }
    }
}

/// Encodes an optional UTM value for a slot.
pub(super) fn encode_slot(value: Option<&str>) -> String {
    value.map_or_else(String::new, |value| format!("={value}"))
}

/// Adds to the counts of a locked form.
pub(super) async fn add_counts(tx: &Transaction<'_>, form: &FormId, days: &Days) -> Result<()> {
    let sql = "INSERT INTO submission_days AS d
                 (form_id, day, utm_source, utm_medium, utm_campaign, submission_count)
               SELECT $1, * FROM unnest(
                 $2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::BIGINT[]
               )
               ON CONFLICT (form_id, day, utm_source, utm_medium, utm_campaign)
               DO UPDATE SET submission_count = d.submission_count + EXCLUDED.submission_count";
    let SlotColumns { day, utm: [source, medium, campaign], counts } = days.to_columns();
    let values: query::Parameters<'_> =
        &[&form.as_str(), &day, &source, &medium, &campaign, &counts];
    query::execute(tx, sql, values).await.map(drop)
}

/// Subtracts from the counts of a locked form.
pub(super) async fn subtract_counts(
    tx: &Transaction<'_>,
    form: &FormId,
    days: &Days,
) -> Result<()> {
    let sql = "UPDATE submission_days AS d SET submission_count = d.submission_count - n.gone
               FROM unnest($2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::BIGINT[])
                 AS n (day, utm_source, utm_medium, utm_campaign, gone)
               WHERE d.form_id = $1 AND d.day = n.day AND d.utm_source = n.utm_source
                 AND d.utm_medium = n.utm_medium AND d.utm_campaign = n.utm_campaign
               RETURNING d.submission_count = 0";
    let SlotColumns { day, utm: [source, medium, campaign], counts } = days.to_columns();
    let values: query::Parameters<'_> =
        &[&form.as_str(), &day, &source, &medium, &campaign, &counts];
    let updated = query::fetch_rows(tx, sql, values).await?;
    if updated.len() != day.len() {
        return Err(damaged_row("submissions are missing from the counts by day"));
    }
    let empty = updated.iter().map(|row| read_column::<bool>(row, 0));
    if !empty.collect::<Result<Vec<_>>>()?.contains(&true) {
        return Ok(());
    }
    let sql = "DELETE FROM submission_days
               WHERE form_id = $1 AND day = ANY($2) AND submission_count = 0";
    query::execute(tx, sql, &[&form.as_str(), &day]).await.map(drop)
}
