//! How many submissions of a form lie in each day, by UTM values: kept by the transactions that
//! insert and delete, so that a count need not look at the submissions of whole days.
//!
//! Nobody changes them who has not locked the form's own row, so that writers neither wait for each
//! other twice nor for each other at once.

use super::super::Result;
use super::super::row::{SubmissionRow, database};
use super::text::indexed;
use super::work::column;
use contract::FormId;
use deadpool_postgres::Transaction;
use std::collections::BTreeMap;

/// A day of UTC, in microseconds.
pub(super) const DAY_US: i64 = 24 * 3600 * 1_000_000;

/// A day and the UTM values of some of its submissions, as they are compared.
type Slot = (i64, [String; 3]);

/// How many submissions are to be added, by slot.
#[derive(Default)]
pub(super) struct Days(BTreeMap<Slot, i64>);

impl Days {
    /// Counts a submission.
    pub(super) fn add(&mut self, row: &SubmissionRow) {
        let utm = [&row.utm_source, &row.utm_medium, &row.utm_campaign];
        let utm = utm.map(|value| value.as_deref().map(indexed));
        let utm = utm.each_ref().map(Option::as_deref);
        self.add_compared(row.submitted_at.div_euclid(DAY_US), utm);
    }

    /// Counts a submission of a day, by its UTM values as they are compared.
    pub(super) fn add_compared(&mut self, day: i64, utm: [Option<&str>; 3]) {
        *self.0.entry((day, utm.map(slot))).or_default() += 1;
    }
}

/// How a value that may be missing stands in a slot.
pub(super) fn slot(value: Option<&str>) -> String {
    value.map_or_else(String::new, |value| format!("={value}"))
}

/// Adds to the counts of a form whose row is locked.
pub(super) async fn add(tx: &Transaction<'_>, form: &FormId, days: &Days) -> Result<()> {
    let sql = "INSERT INTO submission_days AS d
                 (form_id, day, utm_source, utm_medium, utm_campaign, submission_count)
               SELECT $1, * FROM unnest(
                 $2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::BIGINT[]
               )
               ON CONFLICT (form_id, day, utm_source, utm_medium, utm_campaign)
               DO UPDATE SET submission_count = d.submission_count + EXCLUDED.submission_count";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    let slots = || days.0.keys();
    let day: Vec<i64> = slots().map(|(day, _)| *day).collect();
    let utm = |n: usize| -> Vec<&str> { slots().map(|(_, utm)| utm[n].as_str()).collect() };
    let counts: Vec<i64> = days.0.values().copied().collect();
    tx.execute(&sql, &[&form.as_str(), &day, &utm(0), &utm(1), &utm(2), &counts])
        .await
        .map(drop)
        .map_err(database)
}

/// Takes one submission off the counts of a form whose row is locked, by its UTM values as they are
/// compared.
pub(super) async fn remove(
    tx: &Transaction<'_>,
    form: &FormId,
    submitted_at: i64,
    utm: [Option<&str>; 3],
) -> Result<()> {
    let day = submitted_at.div_euclid(DAY_US);
    let [source, medium, campaign] = utm.map(slot);
    let sql = "UPDATE submission_days SET submission_count = submission_count - 1
               WHERE form_id = $1 AND day = $2
                 AND utm_source = $3 AND utm_medium = $4 AND utm_campaign = $5
               RETURNING submission_count";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    let left = tx
        .query_one(&sql, &[&form.as_str(), &day, &source, &medium, &campaign])
        .await
        .map_err(database)?;
    if column::<i64>(&left, 0)? > 0 {
        return Ok(());
    }
    let sql = "DELETE FROM submission_days WHERE form_id = $1 AND day = $2
                 AND utm_source = $3 AND utm_medium = $4 AND utm_campaign = $5";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    tx.execute(&sql, &[&form.as_str(), &day, &source, &medium, &campaign])
        .await
        .map(drop)
        .map_err(database)
}
