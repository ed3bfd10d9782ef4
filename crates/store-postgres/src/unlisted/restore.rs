//! Restores spam and trash to the list of submissions.
//!
//! The submissions are inserted before the form is locked, because the update of the search index
//! takes long. They are invisible until the commit, and [`insert::try_lock_known_ids`] prevents
//! concurrent insertions of the same ids. Intake waits for the form only while its counts are
//! updated.

use super::UnlistedRows;
use crate::days::{self, Days};
use crate::errors::database_error;
use crate::insert::{self, UncountedRows};
use crate::query::{insert_error, read_column};
use crate::query_params::QueryParams;
use crate::{forms, insert_queue, insight, live, outbox, query};
use contract::live::{ChangeKind, IDS_MAX};
use contract::webhook::WebhookEvent;
use contract::{Field, FormId, Submission};
use deadpool_postgres::Transaction;
use store::clock::{Clock as _, SystemClock};
use store::columns::{SubmissionRow, parse_count};
use store::new_fields::fields_of_released;
use store::unlisted::{UnlistedSelection, UnlistedState};
use store::{Result, StoreError};

/// Rows of spam from intake that are read at once.
const PIECE_ROWS_MAX: usize = 100;
/// Maximum submissions that are queued for the analysis one by one. For more, a sweep of the form
/// queues them later.
const QUEUED_MAX: u64 = 1000;

/// Restores submissions. Returns `None` if the form was deleted; then the caller must roll back.
///
/// # Errors
/// [`StoreError::Exists`] if an id is taken; [`StoreError::Busy`] if the lock for known ids is not
/// free in time, or another transaction deleted some of the rows.
pub(super) async fn run(
    tx: &Transaction<'_>,
    form: &FormId,
    state: UnlistedState,
    chosen: &UnlistedSelection,
) -> Result<Option<u64>> {
    let rows = UnlistedRows { form, state, chosen };
    insert::try_lock_known_ids(tx).await?;
    reject_taken_ids(tx, rows).await?;
    let mut placed = UncountedRows::default();
    insert_moved(tx, rows, &mut placed).await?;
    let fields = insert_spam(tx, rows, &mut placed).await?;
    let restored = placed.len()?;
    if restored == 0 {
        return Ok(Some(0));
    }
    if !forms::lock(tx, form).await? {
        return Ok(None);
    }
    add_new_fields(tx, form, fields).await?;
    enqueue_created(tx, rows).await?;
    let ids = delete_restored(tx, rows, restored).await?;
    live::notify(tx, form.as_str(), ChangeKind::Created, &ids).await?;
    placed.count_rows(tx, form).await.map(Some)
}

async fn reject_taken_ids(tx: &Transaction<'_>, rows: UnlistedRows<'_>) -> Result<()> {
    let mut params = QueryParams::default();
    let chosen = rows.condition(&mut params);
    let duplicate_sql = format!(
        "SELECT u.id FROM unlisted AS u WHERE {chosen} GROUP BY u.id HAVING count(*) > 1 LIMIT 1"
    );
    // Materialized for the usual case that no id is taken, as at the end of an import.
    let taken_sql = format!(
        "WITH taken AS MATERIALIZED (\
           SELECT s.id FROM submissions AS s \
           WHERE s.id IN (SELECT u.id FROM unlisted AS u WHERE {chosen})) \
         SELECT id FROM taken LIMIT 1"
    );
    for sql in [duplicate_sql, taken_sql] {
        if let Some(row) =
            tx.query_typed_opt(&sql, &params.as_typed()).await.map_err(database_error)?
        {
            return Err(StoreError::Exists(format!(
                "submission `{}`",
                read_column::<&str>(&row, 0)?
            )));
        }
    }
    Ok(())
}

/// Inserts submissions that were moved from the list. Their rows have all columns.
async fn insert_moved(
    tx: &Transaction<'_>,
    rows: UnlistedRows<'_>,
    placed: &mut UncountedRows,
) -> Result<()> {
    tx.batch_execute(insert::SET_INDEX_MEMORY).await.map_err(database_error)?;
    let mut params = QueryParams::default();
    let chosen = rows.condition(&mut params);
    let sql = format!(
        "WITH counted AS (\
           INSERT INTO submissions \
             (form_id, submitted_at, id, utm_source, utm_medium, utm_campaign, json, searched, \
              triage, status, is_starred, tags, assignee) \
           SELECT u.form_id, u.submitted_at, u.id, u.utm_source, u.utm_medium, u.utm_campaign, \
             u.json, u.searched, u.triage, u.status, u.is_starred, u.tags, u.assignee \
           FROM unlisted AS u WHERE {chosen} AND u.searched IS NOT NULL \
           RETURNING submitted_at, utm_source, utm_medium, utm_campaign) {}",
        days::counted_by_day!()
    );
    let inserted = tx
        .query_typed(&sql, &params.as_typed())
        .await
        .map_err(|error| insert_error(error, || "a submission of the same id".to_owned()))?;
    placed.add_days(Days::from_rows(&inserted)?);
    Ok(())
}

/// Inserts submissions that intake marked as spam, and returns the fields that they add.
async fn insert_spam(
    tx: &Transaction<'_>,
    rows: UnlistedRows<'_>,
    placed: &mut UncountedRows,
) -> Result<Vec<Field>> {
    let mut fields = Vec::new();
    let mut after = (i64::MIN, String::new());
    loop {
        let mut params = QueryParams::default();
        let chosen = rows.condition(&mut params);
        let at = params.push_number(after.0);
        let id = params.push_text(&after.1);
        let rows_max = params.push_rows(PIECE_ROWS_MAX);
        let sql = format!(
            "SELECT u.submitted_at, u.id, u.json, u.fields FROM unlisted AS u \
             WHERE {chosen} AND u.searched IS NULL AND (u.submitted_at, u.id) > ({at}, {id}) \
             ORDER BY u.submitted_at, u.id LIMIT {rows_max}"
        );
        let piece = tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
        let Some(last) = piece.last() else { return Ok(fields) };
        after = (read_column(last, 0)?, read_column(last, 1)?);
        let mut submissions = Vec::with_capacity(piece.len());
        for row in &piece {
            let submission: Submission =
                serde_json::from_str(read_column(row, 2)?).map_err(database_error)?;
            submissions.push(SubmissionRow::new(submission)?);
            let new_fields: Vec<Field> =
                serde_json::from_str(read_column(row, 3)?).map_err(database_error)?;
            fields.extend(new_fields);
        }
        placed.insert_rows(tx, rows.form, &submissions.iter().collect::<Vec<_>>()).await?;
    }
}

/// Adds the fields of released spam to a form, within its limits. The form's row is locked.
async fn add_new_fields(tx: &Transaction<'_>, form: &FormId, fields: Vec<Field>) -> Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let known = forms::list_fields(tx, form).await?;
    let removed = forms::list_removed_keys(tx, form).await?;
    let intake = insert_queue::find_intake_settings(tx, form).await?;
    let new = fields_of_released(fields, &known, &removed, &intake, SystemClock.now());
    insert_queue::add_learned_fields(tx, form, &new).await
}

/// Enqueues the creation of the restored submissions.
async fn enqueue_created(tx: &Transaction<'_>, rows: UnlistedRows<'_>) -> Result<()> {
    if !outbox::has_webhooks(tx, rows.form).await? {
        return Ok(());
    }
    let mut params = QueryParams::default();
    let chosen = rows.condition(&mut params);
    let sql = format!("SELECT u.submitted_at, u.id FROM unlisted AS u WHERE {chosen}");
    let found = tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
    let at: Vec<i64> = found.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    let ids: Vec<&str> = found.iter().map(|row| read_column(row, 1)).collect::<Result<_>>()?;
    let now = SystemClock.now().micros();
    outbox::enqueue(tx, rows.form.as_str(), WebhookEvent::Created, now, &at, &ids).await
}

/// Deletes the rows of restored submissions, restores their corrections, and queues those that were
/// not analysed. Returns their ids, or no ids if there are more than [`IDS_MAX`]. The form's row is
/// locked.
async fn delete_restored(
    tx: &Transaction<'_>,
    rows: UnlistedRows<'_>,
    restored: u64,
) -> Result<Vec<String>> {
    let form = rows.form;
    let sql = "SELECT analysis FROM forms WHERE form_id = $1";
    let found = query::fetch_row(tx, sql, &[&form.as_str()]).await?;
    let is_analysed = found.map_or(Ok(false), |row| read_column(&row, 0))?;
    let is_queued = if is_analysed && restored <= QUEUED_MAX { "TRUE" } else { "FALSE" };
    let mut params = QueryParams::default();
    let chosen = rows.condition(&mut params);
    let id = params.push_text(form.as_str());
    // `ai_insights` is the last member of the JSON, so its end shows a missing insight.
    let sql = format!(
        "WITH gone AS (\
           DELETE FROM unlisted AS u WHERE {chosen} AND EXISTS (\
             SELECT 1 FROM submissions AS s WHERE s.form_id = {id} \
               AND s.submitted_at = u.submitted_at AND s.id = u.id) \
           RETURNING u.submitted_at, u.id, u.analysis, u.correction, u.corrected_at, \
             right(u.json, 19) = '\"ai_insights\":null}}' OR u.analysis = 'null' AS is_new), \
         corrected AS (\
           INSERT INTO insight_corrections \
             (form_id, submitted_at, id, analysis, correction, corrected_at) \
           SELECT {id}, submitted_at, id, analysis, correction, corrected_at \
           FROM gone WHERE correction IS NOT NULL), \
         queued AS (\
           INSERT INTO insight_queue (form_id, submitted_at, id) \
           SELECT {id}, submitted_at, id FROM gone WHERE is_new AND {is_queued}) \
         SELECT count(*), CASE WHEN count(*) <= {IDS_MAX} THEN array_agg(id) END FROM gone"
    );
    let row = tx.query_typed_one(&sql, &params.as_typed()).await.map_err(database_error)?;
    if parse_count(read_column(&row, 0)?)? != restored {
        // Another transaction deleted some rows before the form was locked.
        return Err(StoreError::Busy(1));
    }
    if is_analysed && restored > QUEUED_MAX {
        insight::request_sweep(tx, form).await?;
    }
    Ok(read_column::<Option<_>>(&row, 1)?.unwrap_or_default())
}
