//! Lists submissions, finds and deletes single ones, and inserts the submissions of a source.

use super::days::{self, DAY_US, Days};
use super::query::read_column;
use super::transaction::Conn;
use super::{forms, insert, insight, live, outbox, query, triage};
use crate::errors::database_error;
use contract::live::ChangeKind;
use contract::webhook::WebhookEvent;
use contract::{Field, FormId, SubmissionId};
use deadpool_postgres::{GenericClient, Transaction};
use store::clock::{Clock as _, SystemClock};
use store::columns::{SubmissionRow, parse, row_from_source, stored_submission, unknown_form};
use store::{ListPage, OwnedSubmission, Result, SubmissionSource};
use tokio::task::spawn_blocking;

mod answer_scan;
mod cached_list;
mod list;
mod sorted;
pub(super) use cached_list::{CachedList, list_cached};
pub(super) use list::PageRequest;
pub(super) mod search;
pub(super) mod submission_keys;

/// Rows of a source that are read and inserted per batch.
const SOURCE_BATCH_ROWS: usize = 1000;
/// Sets the idle timeout of a transaction that waits for a source: the source may take this long
/// for a batch. All other transactions have a shorter timeout.
const SET_SOURCE_TIMEOUT: &str = "SET LOCAL idle_in_transaction_session_timeout = '10min'";

/// Lists a page and counts all matches; `None` if the owner has no such form.
pub(super) async fn list_page(conn: &Conn, request: &PageRequest<'_>) -> Result<Option<ListPage>> {
    if !request.filter.fields.is_empty() {
        return answer_scan::list_matches(conn, request).await;
    }
    match &request.filter.search {
        Some(search) => search::list_matches(conn, request, search).await,
        None => list::list_filtered(conn, request).await,
    }
}

/// Finds one submission and its owner.
pub(super) async fn find_submission(
    client: &impl GenericClient,
    id: &SubmissionId,
) -> Result<Option<OwnedSubmission>> {
    // `MATERIALIZED` reads the submission first. The join then reads a single form, even if the
    // submissions are distributed over machines and the forms are not.
    let sql = "WITH s AS MATERIALIZED (
                 SELECT form_id, submitted_at, id, json FROM submissions WHERE id = $1)
               SELECT f.account, f.environment, s.form_id, s.submitted_at, s.id, s.json
               FROM s JOIN forms AS f USING (form_id)";
    let found = query::fetch_row(client, sql, &[&id.as_str()]).await?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(OwnedSubmission {
        account_id: parse(read_column(&row, 0)?)?,
        environment: parse(read_column(&row, 1)?)?,
        form_id: parse(read_column(&row, 2)?)?,
        submission: stored_submission(
            read_column(&row, 3)?,
            read_column(&row, 4)?,
            read_column(&row, 5)?,
        )?,
    }))
}

/// Finds the form and instant of a submission. Writes and locks must use this full key: if forms
/// are distributed over machines, rows can be locked only within one form.
pub(super) async fn find_key(
    client: &impl GenericClient,
    id: &SubmissionId,
) -> Result<Option<(FormId, i64)>> {
    let sql = "SELECT form_id, submitted_at FROM submissions WHERE id = $1";
    let Some(row) = query::fetch_row(client, sql, &[&id.as_str()]).await? else { return Ok(None) };
    Ok(Some((parse(read_column(&row, 0)?)?, read_column(&row, 1)?)))
}

/// Deletes one submission, and subtracts it from the counts of its form. Returns `false` if there
/// is no such submission. Foreign keys delete its analysis data.
pub(super) async fn delete_submission(tx: &Transaction<'_>, id: &SubmissionId) -> Result<bool> {
    let Some((form, at)) = find_key(tx, id).await? else { return Ok(false) };
    // Every transaction locks a form before its submissions, which prevents deadlocks. The form is
    // known only from the submission, so the submission is looked up first, without a lock.
    forms::lock(tx, &form).await?;
    let sql = "DELETE FROM submissions WHERE form_id = $1 AND submitted_at = $2 AND id = $3
               RETURNING utm_source, utm_medium, utm_campaign";
    let deleted = query::fetch_row(tx, sql, &[&form.as_str(), &at, &id.as_str()]).await?;
    let Some(row) = deleted else { return Ok(false) };
    insert::add_count(tx, &form, -1).await?;
    let mut days = Days::default();
    let utm = [read_column(&row, 0)?, read_column(&row, 1)?, read_column(&row, 2)?];
    days.add_indexed(at.div_euclid(DAY_US), utm);
    days::subtract_counts(tx, &form, &days).await?;
    outbox::delete_deliveries(tx, form.as_str(), &[id.as_str()]).await?;
    triage::delete_notes_of(tx, form.as_str(), &[at], &[id.as_str()]).await?;
    let now = SystemClock.now().micros();
    let event = WebhookEvent::Deleted;
    outbox::enqueue(tx, form.as_str(), event, now, &[at], &[id.as_str()]).await?;
    live::notify(tx, form.as_str(), ChangeKind::Removed, &[id.as_str()]).await?;
    Ok(true)
}

/// Appends fields to a form and inserts the submissions of a source. Returns their number.
///
/// Locks the form only after the last row, so that other writes to the form can continue until
/// then.
///
/// # Errors
/// Fails for an unknown form, an id that is taken, or an error of the source. The caller must roll
/// back.
pub(super) async fn insert_source(
    tx: &Transaction<'_>,
    form: &FormId,
    fields: &[Field],
    mut source: SubmissionSource,
) -> Result<u64> {
    tx.batch_execute(SET_SOURCE_TIMEOUT).await.map_err(database_error)?;
    insert::lock_known_ids(tx).await?;
    let mut uncounted = insert::UncountedRows::default();
    let last = loop {
        let rows;
        (rows, source) = read_batch(form, source).await?;
        uncounted.insert_rows(tx, form, &rows.iter().collect::<Vec<_>>()).await?;
        if rows.len() < SOURCE_BATCH_ROWS {
            break rows;
        }
    };
    if !forms::lock(tx, form).await? {
        return Err(unknown_form(form));
    }
    forms::append_missing_fields(tx, form, fields).await?;
    let inserted = uncounted.count_rows(tx, form).await?;
    let mut ids = Vec::new();
    // The source fitted in one batch, which is still in memory.
    if inserted == last.len() as u64 {
        insight::queue_rows(tx, form, &last.iter().collect::<Vec<_>>()).await?;
        ids = last.iter().map(|row| row.id.as_str()).collect();
    } else {
        // Too many rows for this transaction: a sweep queues them for analysis later.
        insight::request_sweep(tx, form).await?;
    }
    if inserted > 0 {
        live::notify(tx, form.as_str(), ChangeKind::Created, &ids).await?;
    }
    Ok(inserted)
}

/// Reads the next batch of a source on a blocking thread.
async fn read_batch(
    form: &FormId,
    mut source: SubmissionSource,
) -> Result<(Vec<SubmissionRow>, SubmissionSource)> {
    let form = form.clone();
    let read = move || {
        let next = source.by_ref().take(SOURCE_BATCH_ROWS);
        let rows: Result<Vec<_>> = next.map(|item| row_from_source(&form, item)).collect();
        Ok((rows?, source))
    };
    spawn_blocking(read).await.map_err(database_error)?
}
