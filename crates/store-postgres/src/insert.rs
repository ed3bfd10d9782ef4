//! Inserts submissions together with the form's count and the counts by day.
//!
//! An id must be unique over all forms. The primary key can only enforce it per form and instant,
//! because tables are distributed by form. So each insertion looks its ids up first. Two concurrent
//! insertions of the same id would not see each other. Newly generated ids have 74 random bits, so
//! this cannot happen to them. Transactions that insert known ids (an import, sample data, spam and
//! trash) first call [`lock_known_ids`] or [`try_lock_known_ids`]. These take a lock that lasts
//! until the transaction ends.
//!
//! A transaction locks the form's row before any of the form's counts, which prevents deadlocks.

use super::days::{self, Days};
use super::query;
use super::query::{insert_error, read_column};
use super::text_encoding::{encode_indexed, encode_searched};
use crate::errors::database_error;
use contract::FormId;
use deadpool_postgres::Transaction;
use std::borrow::Cow;
use std::collections::HashSet;
use store::columns::{SubmissionRow, parse_count, unknown_form};
use store::{Result, StoreError};
use tokio_postgres::error::SqlState;

/// Advisory lock for insertions of known ids.
const KNOWN_IDS_LOCK: i64 = 0x7368_6561_6601;
/// Lock timeout for bulk insertions: the end of a long import takes minutes.
const BULK_LOCK_TIMEOUT: &str = "1h";
/// Lock timeout for insertions during a request.
const REQUEST_LOCK_TIMEOUT: &str = "2s";

/// Lets the search index be written in larger batches, which takes about a sixth less time.
pub(super) const SET_INDEX_MEMORY: &str =
    "SET LOCAL work_mem = '64MB'; SET LOCAL gin_pending_list_limit = '16MB'";

/// Takes the lock for known ids until the transaction ends. Waits up to an hour. Call it before
/// locking a form.
pub(super) async fn lock_known_ids(tx: &Transaction<'_>) -> Result<()> {
    lock_known_ids_within(tx, BULK_LOCK_TIMEOUT).await
}

/// Like [`lock_known_ids`], but waits only two seconds.
///
/// # Errors
/// [`StoreError::Busy`] on timeout.
pub(super) async fn try_lock_known_ids(tx: &Transaction<'_>) -> Result<()> {
    lock_known_ids_within(tx, REQUEST_LOCK_TIMEOUT).await
}

/// Takes the lock with its own timeout, and restores the timeouts of the transaction.
async fn lock_known_ids_within(tx: &Transaction<'_>, within: &str) -> Result<()> {
    let sql = "SELECT current_setting('lock_timeout'), current_setting('statement_timeout')";
    let was = query::fetch_one(tx, sql, &[]).await?;
    let (lock_within, statement_within): (&str, &str) =
        (read_column(&was, 0)?, read_column(&was, 1)?);
    let set =
        "SELECT set_config('lock_timeout', $1, TRUE), set_config('statement_timeout', $2, TRUE)";
    query::execute(tx, set, &[&within, &"0"]).await?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    query::execute_raw(tx, lock, &[&KNOWN_IDS_LOCK]).await.map_err(|error| match error.code() {
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => StoreError::Busy(1),
        _ => database_error(error),
    })?;
    query::execute(tx, set, &[&lock_within, &statement_within]).await.map(drop)
}

/// Inserts submissions into an existing form and counts them, up to some thousands per call.
///
/// Locks the form's row. A transaction that inserts into several forms must process them in the
/// order of their ids. After an error, the caller must roll back the transaction or savepoint.
///
/// # Errors
/// [`StoreError::Exists`] if an id is taken in any form; [`StoreError::Source`] if the form does
/// not exist.
pub(super) async fn insert_counted(
    tx: &Transaction<'_>,
    form: &FormId,
    rows: &[&SubmissionRow],
) -> Result<()> {
    let mut placed = UncountedRows::default();
    placed.insert_rows(tx, form, rows).await?;
    placed.count_rows(tx, form).await.map(drop)
}

/// Inserted submissions of a form that are not counted yet.
#[derive(Default)]
pub(super) struct UncountedRows(Days);

impl UncountedRows {
    /// Inserts submissions, some thousands per call. Does not lock the form.
    pub(super) async fn insert_rows(
        &mut self,
        tx: &Transaction<'_>,
        form: &FormId,
        rows: &[&SubmissionRow],
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        reject_taken_ids(tx, rows).await?;
        insert(tx, form, rows).await?;
        for row in rows {
            self.0.add(row);
        }
        Ok(())
    }

    /// Adds submissions that another statement inserted.
    pub(super) fn add_days(&mut self, days: Days) {
        self.0.add_all(days);
    }

    /// Returns the number of inserted submissions.
    pub(super) fn len(&self) -> Result<u64> {
        parse_count(self.0.total())
    }

    /// Adds the submissions to the form's counts, which locks the form, and returns their number.
    pub(super) async fn count_rows(self, tx: &Transaction<'_>, form: &FormId) -> Result<u64> {
        let rows = self.len()?;
        if rows > 0 {
            add_count(tx, form, self.0.total()).await?;
            days::add_counts(tx, form, &self.0).await?;
        }
        Ok(rows)
    }
}

async fn reject_taken_ids(tx: &Transaction<'_>, rows: &[&SubmissionRow]) -> Result<()> {
    let exists_error = |id: &str| Err(StoreError::Exists(format!("submission `{id}`")));
    let mut ids_seen = HashSet::with_capacity(rows.len());
    if let Some(duplicate) = rows.iter().find(|row| !ids_seen.insert(row.id.as_str())) {
        return exists_error(&duplicate.id);
    }
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let sql = "SELECT id FROM submissions WHERE id = ANY($1) LIMIT 1";
    match query::fetch_row(tx, sql, &[&ids]).await? {
        Some(row) => exists_error(row.try_get(0).map_err(database_error)?),
        None => Ok(()),
    }
}

async fn insert(tx: &Transaction<'_>, form: &FormId, rows: &[&SubmissionRow]) -> Result<()> {
    let sql = "INSERT INTO submissions
                 (form_id, submitted_at, id, utm_source, utm_medium, utm_campaign, json, searched)
               SELECT $1, * FROM unnest(
                 $2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[],
                 $7::TEXT[], $8::TEXT[]
               )";
    let at: Vec<i64> = rows.iter().map(|row| row.submitted_at).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let utm = |of: fn(&SubmissionRow) -> &Option<String>| -> Vec<Option<Cow<'_, str>>> {
        rows.iter().map(|row| of(row).as_deref().map(encode_indexed)).collect()
    };
    let sources = utm(|row| &row.utm_source);
    let mediums = utm(|row| &row.utm_medium);
    let campaigns = utm(|row| &row.utm_campaign);
    let json: Vec<&str> = rows.iter().map(|row| row.json.as_str()).collect();
    let texts: Result<Vec<String>, _> = rows.iter().map(|row| encode_searched(&row.text)).collect();
    let texts = texts.map_err(database_error)?;
    let values: query::Parameters<'_> =
        &[&form.as_str(), &at, &ids, &sources, &mediums, &campaigns, &json, &texts];
    query::execute_raw(tx, sql, values)
        .await
        .map(drop)
        // Happens only if the caller did not take the lock of `lock_known_ids`.
        .map_err(|error| insert_error(error, || "a submission of the same id".to_owned()))
}

/// Adds `by` to the count of a form, which locks the form's row.
pub(super) async fn add_count(tx: &Transaction<'_>, form: &FormId, by: i64) -> Result<()> {
    let sql = "UPDATE forms SET submission_count = submission_count + $2 WHERE form_id = $1";
    match query::execute(tx, sql, &[&form.as_str(), &by]).await? {
        0 => Err(unknown_form(form)),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "insert_tests.rs"]
mod tests;
