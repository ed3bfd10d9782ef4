//! Inserting submissions: the row, the form's count and the counts by day together.
//!
//! An id belongs to one submission of all forms, while the database knows only that it is the one
//! of its form and instant: the keys of a table that is spread by form all have the form in them.
//! So each insertion looks for its ids first. Two insertions that do so at once and bring one id
//! in would not see each other. That cannot be where an id is minted for the call that brings it
//! in, for it has 74 random bits. Whoever brings in ids that are known from elsewhere (an import,
//! a sample, spam and trash) calls [`given_ids`] or [`given_ids_soon`] first, in the same
//! transaction: of these there is one at a time, until its transaction has ended.
//!
//! What locks anything of a form's counts locks the form's own row before, so that no two writers
//! wait for each other.

use super::days::{self, Days};
use super::query;
use super::query::{column, exists};
use super::text_encoding::{indexed, searched};
use crate::errors::database;
use contract::FormId;
use deadpool_postgres::Transaction;
use std::borrow::Cow;
use std::collections::HashSet;
use store::columns::{SubmissionRow, count, no_form};
use store::{Result, StoreError};
use tokio_postgres::error::SqlState;

/// Under it ids that were not minted for the call are brought in.
const GIVEN_IDS: i64 = 0x7368_6561_6601;
/// How long somebody with many of them waits for others: a long import needs minutes at its end.
const MANY_WITHIN: &str = "1h";
/// How long somebody waits who brings in one, and whom others wait for.
const ONE_WITHIN: &str = "2s";

/// Waits until no other transaction brings in ids that are known from elsewhere, and keeps others
/// from it until this one ends. Comes before any lock on a form.
pub(super) async fn given_ids(tx: &Transaction<'_>) -> Result<()> {
    hold_given_ids(tx, MANY_WITHIN).await
}

/// As [`given_ids`], for one who rather comes again.
///
/// # Errors
/// [`StoreError::Busy`] where others need long.
pub(super) async fn given_ids_soon(tx: &Transaction<'_>) -> Result<()> {
    hold_given_ids(tx, ONE_WITHIN).await
}

/// Waits for longer, or shorter, than is waited for anything else.
async fn hold_given_ids(tx: &Transaction<'_>, within: &str) -> Result<()> {
    let sql = "SELECT current_setting('lock_timeout'), current_setting('statement_timeout')";
    let was = query::row(tx, sql, &[]).await?;
    let was = was.ok_or_else(|| database("the database does not say how it is set"))?;
    let (lock_within, statement_within): (&str, &str) = (column(&was, 0)?, column(&was, 1)?);
    let set =
        "SELECT set_config('lock_timeout', $1, TRUE), set_config('statement_timeout', $2, TRUE)";
    query::run(tx, set, &[&within, &"0"]).await?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    query::change(tx, lock, &[&GIVEN_IDS]).await.map_err(|error| match error.code() {
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => StoreError::Busy(1),
        _ => database(error),
    })?;
    query::run(tx, set, &[&lock_within, &statement_within]).await.map(drop)
}

/// Inserts submissions into a form that exists, and counts them. Some thousands at a time.
///
/// The form's own row is locked from then on: whoever inserts into several forms takes them in the
/// order of their ids. After an error the transaction, or the savepoint that this was called in,
/// must be rolled back.
///
/// # Errors
/// [`StoreError::Exists`] where an id is taken, in any form; [`StoreError::Source`] where there is
/// no such form.
pub(super) async fn rows(
    tx: &Transaction<'_>,
    form: &FormId,
    rows: &[&SubmissionRow],
) -> Result<()> {
    let mut placed = Placed::default();
    placed.place(tx, form, rows).await?;
    placed.count(tx, form).await.map(drop)
}

/// What was inserted into a form, and is not counted yet.
#[derive(Default)]
pub(super) struct Placed(Days);

impl Placed {
    /// Inserts submissions, some thousands at a time. No form is locked.
    pub(super) async fn place(
        &mut self,
        tx: &Transaction<'_>,
        form: &FormId,
        rows: &[&SubmissionRow],
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        refuse_taken(tx, rows).await?;
        insert(tx, form, rows).await?;
        for row in rows {
            self.0.add(row);
        }
        Ok(())
    }

    /// Adds submissions that were inserted by a statement of its own.
    pub(super) fn add(&mut self, days: Days) {
        self.0.add_all(days);
    }

    /// Returns how many submissions were inserted.
    pub(super) fn len(&self) -> Result<u64> {
        count(self.0.total())
    }

    /// Counts what was inserted, which locks the form, and returns how many that were.
    pub(super) async fn count(self, tx: &Transaction<'_>, form: &FormId) -> Result<u64> {
        let rows = self.len()?;
        if rows > 0 {
            add_count(tx, form, self.0.total()).await?;
            days::add(tx, form, &self.0).await?;
        }
        Ok(rows)
    }
}

async fn refuse_taken(tx: &Transaction<'_>, rows: &[&SubmissionRow]) -> Result<()> {
    let taken = |id: &str| Err(StoreError::Exists(format!("submission `{id}`")));
    let mut seen = HashSet::with_capacity(rows.len());
    if let Some(twice) = rows.iter().find(|row| !seen.insert(row.id.as_str())) {
        return taken(&twice.id);
    }
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let sql = "SELECT id FROM submissions WHERE id = ANY($1) LIMIT 1";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    match tx.query_opt(&sql, &[&ids]).await.map_err(database)? {
        Some(row) => taken(row.try_get(0).map_err(database)?),
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
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    let at: Vec<i64> = rows.iter().map(|row| row.submitted_at).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let utm = |of: fn(&SubmissionRow) -> &Option<String>| -> Vec<Option<Cow<'_, str>>> {
        rows.iter().map(|row| of(row).as_deref().map(indexed)).collect()
    };
    let sources = utm(|row| &row.utm_source);
    let mediums = utm(|row| &row.utm_medium);
    let campaigns = utm(|row| &row.utm_campaign);
    let json: Vec<&str> = rows.iter().map(|row| row.json.as_str()).collect();
    let texts: Result<Vec<String>, _> = rows.iter().map(|row| searched(&row.text)).collect();
    let texts = texts.map_err(database)?;
    tx.execute(&sql, &[&form.as_str(), &at, &ids, &sources, &mediums, &campaigns, &json, &texts])
        .await
        .map(drop)
        // Only where somebody did not call `given_ids`.
        .map_err(|error| exists(error, || "a submission of the same id".to_owned()))
}

/// Changes the count of a form, and locks its row.
pub(super) async fn add_count(tx: &Transaction<'_>, form: &FormId, by: i64) -> Result<()> {
    let sql = "UPDATE forms SET submission_count = submission_count + $2 WHERE form_id = $1";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    match tx.execute(&sql, &[&form.as_str(), &by]).await.map_err(database)? {
        0 => Err(no_form(form)),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "insert_tests.rs"]
mod tests;
