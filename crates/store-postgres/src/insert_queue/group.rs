//! Inserts submissions of one form together, with one lookup and one count for all of them.
//!
//! Submissions are processed in their order, each as if it were alone. The caller has locked the
//! form's row, and rolls back on error.

use super::add_learned_fields;
use super::queue::QUEUED_MAX;
use super::receipts::Receipts;
use crate::errors::database_error;
use crate::query::read_column;
use crate::{insert, insight, mail, outbox, query, unlisted};
use contract::{Field, FormId, Receipt};
use deadpool_postgres::Transaction;
use std::collections::HashMap;
use store::columns::{SubmissionRow, parse_count};
use store::new_submission::{InsertOutcome, PreparedInsert};
use store::{Result, StoreError};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

/// State of a locked form.
#[derive(Debug, Clone, Copy)]
pub(super) struct LockedForm {
    /// Version of the intake settings.
    version: i64,
    is_analysed: bool,
    has_webhooks: bool,
    /// Whether it has a notification or an auto-reply, enabled or not.
    has_notifications: bool,
    /// Number of submissions.
    rows: u64,
}

/// Locks the rows of those forms that no other transaction has locked, and returns their states.
pub(super) async fn lock_free_forms(
    tx: &Transaction<'_>,
    forms: &[&str],
) -> Result<HashMap<String, LockedForm>> {
    let sql = "SELECT form_id, intake_version, analysis, submission_count,
                 EXISTS (SELECT 1 FROM webhooks AS w WHERE w.form_id = f.form_id),
                 EXISTS (SELECT 1 FROM notifications AS n WHERE n.form_id = f.form_id)
               FROM forms AS f WHERE form_id = ANY($1)
               ORDER BY form_id FOR NO KEY UPDATE SKIP LOCKED";
    read_locked_forms(&query::fetch_rows(tx, sql, &[&forms]).await?)
}

/// Waits for a form's row, locks it and returns its state; `None` if the form does not exist,
/// [`StoreError::Busy`] on timeout.
pub(super) async fn lock_form(tx: &Transaction<'_>, form: &FormId) -> Result<Option<LockedForm>> {
    let sql = "SELECT form_id, intake_version, analysis, submission_count,
                 EXISTS (SELECT 1 FROM webhooks AS w WHERE w.form_id = f.form_id),
                 EXISTS (SELECT 1 FROM notifications AS n WHERE n.form_id = f.form_id)
               FROM forms AS f WHERE form_id = $1 FOR NO KEY UPDATE";
    let sql = tx.prepare_cached(sql).await.map_err(database_error)?;
    let found = tx.query(&sql, &[&form.as_str()]).await.map_err(lock_error)?;
    Ok(read_locked_forms(&found)?.into_values().next())
}

fn lock_error(error: tokio_postgres::Error) -> StoreError {
    match error.code() {
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => StoreError::Busy(QUEUED_MAX),
        _ => database_error(error),
    }
}

fn read_locked_forms(rows: &[Row]) -> Result<HashMap<String, LockedForm>> {
    let read_form = |row| {
        let version = read_column(row, 1)?;
        let is_analysed = read_column(row, 2)?;
        Ok((
            read_column(row, 0)?,
            LockedForm {
                version,
                is_analysed,
                has_webhooks: read_column(row, 4)?,
                has_notifications: read_column(row, 5)?,
                rows: parse_count(read_column(row, 3)?)?,
            },
        ))
    };
    rows.iter().map(read_form).collect()
}

/// Inserts the submissions of a group.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    form: &FormId,
    locked_form: LockedForm,
    ready: &[PreparedInsert],
) -> Result<Vec<InsertOutcome>> {
    let mut receipts = Receipts::find_receipts(tx, form, ready).await?;
    let version = Some(locked_form.version);
    let rows_before = locked_form.rows;
    let mut plan = InsertPlan { version, rows_before, ..InsertPlan::default() };
    let outcomes = ready.iter().map(|ready| plan.add(&mut receipts, ready)).collect();
    receipts.write_new(tx, form).await?;
    unlisted::insert_spam(tx, form, &plan.spam).await?;
    add_learned_fields(tx, form, plan.fields).await?;
    insert::insert_counted(tx, form, &plan.rows).await?;
    if locked_form.is_analysed {
        insight::queue_analysed(tx, form, &plan.rows).await?;
    }
    if locked_form.has_webhooks {
        outbox::enqueue_created(tx, form, &plan.rows).await?;
    }
    if locked_form.has_notifications {
        mail::enqueue(tx, form, &plan.rows).await?;
    }
    Ok(outcomes)
}

/// Rows to write for a group.
#[derive(Default)]
struct InsertPlan<'r> {
    /// Version of the settings that the next submission must be based on. `None` after a submission
    /// has added fields.
    version: Option<i64>,
    /// Number of submissions of the form before this group.
    rows_before: u64,
    rows: Vec<&'r SubmissionRow>,
    spam: Vec<unlisted::SpamEntry<'r>>,
    fields: &'r [Field],
}

impl<'r> InsertPlan<'r> {
    fn add(&mut self, receipts: &mut Receipts, ready: &'r PreparedInsert) -> InsertOutcome {
        if self.version != Some(ready.version) {
            return InsertOutcome::Stale;
        }
        if let Some(outcome) = receipts.find_result(ready) {
            return outcome;
        }
        let count = self.rows_before + self.rows.len() as u64;
        if ready.rows_max.is_some_and(|max| count >= max) {
            return InsertOutcome::LimitReached;
        }
        receipts.record(ready);
        if let Some(reason) = ready.spam {
            self.spam.push(unlisted::SpamEntry { reason, row: &ready.row, fields: &ready.fields });
        } else {
            if !ready.fields.is_empty() {
                self.fields = &ready.fields;
                // Later submissions are based on the fields before this one, so they must be built
                // again.
                self.version = None;
            }
            self.rows.push(&ready.row);
        }
        InsertOutcome::Inserted(Receipt { id: ready.id.clone(), submitted_at: ready.submitted_at })
    }
}
