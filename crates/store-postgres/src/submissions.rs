//! Reads and deletes single submissions, and inserts the submissions of a source.

use super::days::{self, DAY_US, Days};
use super::query::column;
use super::transaction::Conn;
use super::{forms, insert, insight, query};
use crate::errors::database;
use contract::{Field, FormId, SubmissionId};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{SubmissionRow, no_form, parse, sourced, stored};
use store::{ListPage, OwnedSubmission, Result, SubmissionSource};
use tokio::task::spawn_blocking;

mod list;
pub(super) use list::Request;
pub(super) mod places;
pub(super) mod search;

/// Rows of a source that are read and inserted per batch.
const SOURCE_ROWS: usize = 1000;
/// Time that a source may take per batch. All other transactions have a shorter idle timeout.
const SOURCE_WITHIN: &str = "SET LOCAL idle_in_transaction_session_timeout = '10min'";

/// Lists a page and counts all matches; `None` if the owner has no such form.
pub(super) async fn list_page(conn: &Conn, request: &Request<'_>) -> Result<Option<ListPage>> {
    match &request.filter.search {
        Some(search) => search::list(conn, request, search).await,
        None => list::list(conn, request).await,
    }
}

/// Finds one submission and its owner.
pub(super) async fn find(
    client: &impl GenericClient,
    id: &SubmissionId,
) -> Result<Option<OwnedSubmission>> {
    // Read the submission first. It names its form, so only that form is read, on any machine.
    let sql = "WITH s AS MATERIALIZED (
                 SELECT form_id, submitted_at, id, json FROM submissions WHERE id = $1)
               SELECT f.account, f.environment, s.submitted_at, s.id, s.json
               FROM s JOIN forms AS f USING (form_id)";
    let sql = client.prepare_cached(sql).await.map_err(database)?;
    let found = client.query_opt(&sql, &[&id.as_str()]).await.map_err(database)?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(OwnedSubmission {
        account_id: parse(column(&row, 0)?)?,
        environment: parse(column(&row, 1)?)?,
        submission: stored(column(&row, 2)?, column(&row, 3)?, column(&row, 4)?)?,
    }))
}

/// Finds the form and instant of a submission. Writes and locks must use this full key: if forms
/// are distributed over machines, rows can be locked only within one form.
pub(super) async fn place(
    client: &impl GenericClient,
    id: &SubmissionId,
) -> Result<Option<(FormId, i64)>> {
    let sql = "SELECT form_id, submitted_at FROM submissions WHERE id = $1";
    let Some(row) = query::row(client, sql, &[&id.as_str()]).await? else { return Ok(None) };
    Ok(Some((parse(column(&row, 0)?)?, column(&row, 1)?)))
}

/// Deletes one submission. Its analysis data is deleted with the row.
pub(super) async fn delete(tx: &Transaction<'_>, id: &SubmissionId) -> Result<bool> {
    let Some((form, at)) = place(tx, id).await? else { return Ok(false) };
    // Lock order: the form comes before its submissions, although a submission names the form.
    forms::lock(tx, &form).await?;
    let sql = "DELETE FROM submissions WHERE form_id = $1 AND submitted_at = $2 AND id = $3
               RETURNING utm_source, utm_medium, utm_campaign";
    let gone = query::row(tx, sql, &[&form.as_str(), &at, &id.as_str()]).await?;
    let Some(row) = gone else { return Ok(false) };
    insert::add_count(tx, &form, -1).await?;
    let mut days = Days::default();
    let utm = [column(&row, 0)?, column(&row, 1)?, column(&row, 2)?];
    days.add_compared(at.div_euclid(DAY_US), utm);
    days::subtract(tx, &form, &days).await?;
    Ok(true)
}

/// Appends fields to a form and inserts the submissions of a source.
///
/// Locks the form only at the end, so that other writes can continue.
pub(super) async fn insert_all(
    tx: &Transaction<'_>,
    form: &FormId,
    fields: &[Field],
    mut source: SubmissionSource,
) -> Result<u64> {
    tx.batch_execute(SOURCE_WITHIN).await.map_err(database)?;
    insert::given_ids(tx).await?;
    let mut placed = insert::Placed::default();
    let last = loop {
        let rows;
        (rows, source) = read(form, source).await?;
        placed.place(tx, form, &rows.iter().collect::<Vec<_>>()).await?;
        if rows.len() < SOURCE_ROWS {
            break rows;
        }
    };
    if !forms::lock(tx, form).await? {
        return Err(no_form(form));
    }
    forms::append_fields(tx, form, fields).await?;
    let inserted = placed.count(tx, form).await?;
    if inserted == last.len() as u64 {
        insight::queue(tx, form, &last.iter().collect::<Vec<_>>()).await?;
    } else {
        // Too many for this transaction: a sweep queues them later.
        insight::look_through(tx, form).await?;
    }
    Ok(inserted)
}

/// Reads the next batch of a source on a blocking thread.
async fn read(
    form: &FormId,
    mut source: SubmissionSource,
) -> Result<(Vec<SubmissionRow>, SubmissionSource)> {
    let form = form.clone();
    let read = move || {
        let next = source.by_ref().take(SOURCE_ROWS);
        let rows: Result<Vec<_>> = next.map(|item| sourced(&form, item)).collect();
        Ok((rows?, source))
    };
    spawn_blocking(read).await.map_err(database)?
}
