//! Inserts submissions of one form together, with one lookup and one count for all of them.
//!
//! Submissions are processed in their order, each as if it were alone. The caller has locked the
//! form's row, and rolls back on error.

use super::queue::ARRIVALS_MAX;
use super::receipts::Receipts;
use super::{Ready, learn};
use crate::errors::database;
use crate::query::column;
use crate::{insert, insight, query, unlisted};
use contract::{Field, FormId, Receipt};
use deadpool_postgres::Transaction;
use std::collections::HashMap;
use store::columns::{SubmissionRow, count};
use store::new_submission::Arrived;
use store::{Result, StoreError};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

/// State of a locked form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// Version of the intake settings.
    version: i64,
    is_analysed: bool,
    /// Number of submissions.
    rows: u64,
}

/// Locks the rows of those forms that no other transaction has locked, and returns their states.
pub(super) async fn stand_free(
    tx: &Transaction<'_>,
    forms: &[&str],
) -> Result<HashMap<String, Standing>> {
    let sql = "SELECT form_id, intake_version, analysis, submission_count FROM forms
               WHERE form_id = ANY($1) ORDER BY form_id FOR NO KEY UPDATE SKIP LOCKED";
    standings(&query::rows(tx, sql, &[&forms]).await?)
}

/// Waits for a form's row, locks it and returns its state; `None` if the form does not exist,
/// [`StoreError::Busy`] on timeout.
pub(super) async fn stand(tx: &Transaction<'_>, form: &FormId) -> Result<Option<Standing>> {
    let sql = "SELECT form_id, intake_version, analysis, submission_count FROM forms
               WHERE form_id = $1 FOR NO KEY UPDATE";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    let found = tx.query(&sql, &[&form.as_str()]).await.map_err(busy)?;
    Ok(standings(&found)?.into_values().next())
}

fn busy(error: tokio_postgres::Error) -> StoreError {
    match error.code() {
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => StoreError::Busy(ARRIVALS_MAX),
        _ => database(error),
    }
}

fn standings(rows: &[Row]) -> Result<HashMap<String, Standing>> {
    let standing = |row| {
        let (version, is_analysed) = (column(row, 1)?, column(row, 2)?);
        Ok((column(row, 0)?, Standing { version, is_analysed, rows: count(column(row, 3)?)? }))
    };
    rows.iter().map(standing).collect()
}

/// Inserts the submissions of a group.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    form: &FormId,
    standing: Standing,
    ready: &[Ready],
) -> Result<Vec<Arrived>> {
    let mut receipts = Receipts::find(tx, form, ready).await?;
    let (version, rows_before) = (Some(standing.version), standing.rows);
    let mut plan = Plan { version, rows_before, ..Plan::default() };
    let arrived = ready.iter().map(|ready| plan.take(&mut receipts, ready)).collect();
    receipts.write(tx, form).await?;
    unlisted::insert_spam(tx, form, &plan.spam).await?;
    learn(tx, form, plan.fields).await?;
    insert::rows(tx, form, &plan.rows).await?;
    if standing.is_analysed {
        insight::queue_analysed(tx, form, &plan.rows).await?;
    }
    Ok(arrived)
}

/// Rows to write for a group.
#[derive(Default)]
struct Plan<'r> {
    /// Version of the settings that the next submission must be based on. `None` after a submission
    /// has added fields.
    version: Option<i64>,
    /// Number of submissions of the form before this group.
    rows_before: u64,
    rows: Vec<&'r SubmissionRow>,
    spam: Vec<unlisted::Aside<'r>>,
    fields: &'r [Field],
}

impl<'r> Plan<'r> {
    fn take(&mut self, receipts: &mut Receipts, ready: &'r Ready) -> Arrived {
        if self.version != Some(ready.version) {
            return Arrived::Stale;
        }
        if let Some(arrived) = receipts.find_answer(ready) {
            return arrived;
        }
        let count = self.rows_before + self.rows.len() as u64;
        if ready.rows_max.is_some_and(|most| count >= most) {
            return Arrived::Closed;
        }
        receipts.note(ready);
        if let Some(reason) = ready.spam {
            self.spam.push(unlisted::Aside { reason, row: &ready.row, fields: &ready.fields });
        } else {
            if !ready.fields.is_empty() {
                self.fields = &ready.fields;
                // Later submissions are based on the fields before this one, so they must be built
                // again.
                self.version = None;
            }
            self.rows.push(&ready.row);
        }
        Arrived::Taken(Receipt { id: ready.id.clone(), submitted_at: ready.submitted_at })
    }
}
