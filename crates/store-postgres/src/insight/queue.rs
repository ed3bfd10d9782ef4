//! Queue of submissions for the analysis. Submissions are queued when they are inserted, or later
//! by a sweep if analysis is switched on.
//!
//! Both require the lock on the form's row.

use crate::query;
use crate::query::read_column;
use contract::FormId;
use contract::insight::{FormAnalysis, SetAnalysis};
use deadpool_postgres::{GenericClient, Transaction};
use store::Result;
use store::columns::{SubmissionRow, parse_count};

/// Queues inserted submissions that have no insight, if their form is analysed. The form's row is
/// locked, so that this setting cannot change.
pub(crate) async fn queue_rows(
    tx: &Transaction<'_>,
    form: &FormId,
    rows: &[&SubmissionRow],
) -> Result<()> {
    let sql = "SELECT 1 FROM forms WHERE form_id = $1 AND analysis";
    match query::fetch_row(tx, sql, &[&form.as_str()]).await? {
        Some(_) => queue_analysed(tx, form, rows).await,
        None => Ok(()),
    }
}

/// Like [`queue_rows`], for a form that is known to be analysed.
pub(crate) async fn queue_analysed(
    tx: &Transaction<'_>,
    form: &FormId,
    rows: &[&SubmissionRow],
) -> Result<()> {
    let without_insight = || rows.iter().filter(|row| !row.has_insight);
    let at: Vec<i64> = without_insight().map(|row| row.submitted_at).collect();
    let ids: Vec<&str> = without_insight().map(|row| row.id.as_str()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO insight_queue (form_id, submitted_at, id)
               SELECT $1, * FROM unnest($2::BIGINT[], $3::TEXT[])";
    query::execute(tx, sql, &[&form.as_str(), &at, &ids]).await.map(drop)
}

/// Requests a sweep of a form's submissions, if it is analysed. For large insertions, because
/// queueing their rows would make the transaction longer. The form's row is locked.
pub(crate) async fn request_sweep(tx: &Transaction<'_>, form: &FormId) -> Result<()> {
    let sql = "INSERT INTO insight_sweeps (form_id, submitted_at, id, again)
               SELECT form_id, $2, '', FALSE FROM forms WHERE form_id = $1 AND analysis
               ON CONFLICT (form_id) DO UPDATE
               SET submitted_at = EXCLUDED.submitted_at, id = EXCLUDED.id";
    query::execute(tx, sql, &[&form.as_str(), &i64::MAX]).await.map(drop)
}

/// Switches the analysis of a form on or off. Returns `false` if the form does not exist.
pub(super) async fn switch_analysis(
    tx: &Transaction<'_>,
    form: &FormId,
    switch: SetAnalysis,
) -> Result<bool> {
    let id = form.as_str();
    let sql = "SELECT analysis FROM forms WHERE form_id = $1 FOR NO KEY UPDATE";
    let Some(found) = query::fetch_row(tx, sql, &[&id]).await? else { return Ok(false) };
    let was_on: bool = read_column(&found, 0)?;
    let SetAnalysis { analysis, again } = switch;
    query::execute(tx, "UPDATE forms SET analysis = $2 WHERE form_id = $1", &[&id, &analysis])
        .await?;
    if !analysis {
        query::execute(tx, "DELETE FROM insight_sweeps WHERE form_id = $1", &[&id]).await?;
    } else if again || !was_on {
        let sql = "INSERT INTO insight_sweeps AS w (form_id, submitted_at, id, again)
                   VALUES ($1, $2, '', $3)
                   ON CONFLICT (form_id) DO UPDATE SET submitted_at = EXCLUDED.submitted_at,
                     id = EXCLUDED.id, again = w.again OR EXCLUDED.again";
        query::execute(tx, sql, &[&id, &i64::MAX, &again]).await?;
    }
    Ok(true)
}

/// Returns the state of a form's analysis.
pub(super) async fn find_analysis_state(
    conn: &impl GenericClient,
    form: &FormId,
) -> Result<Option<FormAnalysis>> {
    let sql = "SELECT analysis,
                 (SELECT COUNT(*) FROM insight_queue WHERE form_id = $1)
                   + (SELECT COUNT(*) FROM insight_retries WHERE form_id = $1),
                 EXISTS (SELECT 1 FROM insight_sweeps WHERE form_id = $1)
               FROM forms WHERE form_id = $1";
    let Some(found) = query::fetch_row(conn, sql, &[&form.as_str()]).await? else {
        return Ok(None);
    };
    let analysis: bool = read_column(&found, 0)?;
    let pending = if analysis { parse_count(read_column(&found, 1)?)? } else { 0 };
    Ok(Some(FormAnalysis { analysis, pending, is_queueing: read_column(&found, 2)? }))
}

/// Whether a sweep of any form is due.
pub(super) async fn has_sweep(conn: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT 1 FROM insight_sweeps JOIN forms USING (form_id) WHERE analysis LIMIT 1";
    Ok(query::fetch_row(conn, sql, &[]).await?.is_some())
}

/// Sweeps up to `rows_max` submissions of one form that no other transaction has locked, newest
/// first. Returns whether there may be more.
pub(super) async fn sweep_next_form(tx: &Transaction<'_>, rows_max: usize) -> Result<bool> {
    let sql = "SELECT f.form_id FROM insight_sweeps AS w JOIN forms AS f USING (form_id)
               WHERE f.analysis ORDER BY w.form_id LIMIT 1 FOR NO KEY UPDATE OF f SKIP LOCKED";
    let Some(locked) = query::fetch_row(tx, sql, &[]).await? else { return Ok(false) };
    let form: &str = read_column(&locked, 0)?;
    // Read after the form is locked, because another process may have advanced the sweep.
    let sql = "SELECT submitted_at, id, again FROM insight_sweeps WHERE form_id = $1";
    let Some(next) = query::fetch_row(tx, sql, &[&form]).await? else { return has_sweep(tx).await };
    let (at, id): (i64, &str) = (read_column(&next, 0)?, read_column(&next, 1)?);
    let again: bool = read_column(&next, 2)?;
    let limit = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let sql = "SELECT submitted_at, id FROM submissions
               WHERE form_id = $1 AND (submitted_at, id) < ($2, $3)
               ORDER BY submitted_at DESC, id DESC LIMIT 1 OFFSET $4::BIGINT - 1";
    let last = query::fetch_row(tx, sql, &[&form, &at, &id, &limit]).await?;
    let (last_at, last_id) = match &last {
        Some(last) => (read_column(last, 0)?, read_column(last, 1)?),
        None => (i64::MIN, ""),
    };
    queue_older(tx, form, (at, id), (last_at, last_id), again).await?;
    if last.is_some() {
        let sql = "UPDATE insight_sweeps SET submitted_at = $2, id = $3 WHERE form_id = $1";
        query::execute(tx, sql, &[&form, &last_at, &last_id]).await?;
    } else {
        query::execute(tx, "DELETE FROM insight_sweeps WHERE form_id = $1", &[&form]).await?;
    }
    has_sweep(tx).await
}

/// Queues the submissions of a range, up to `last`, that have no insight. With `again`, queues all.
async fn queue_older(
    tx: &Transaction<'_>,
    form: &str,
    after: (i64, &str),
    last: (i64, &str),
    again: bool,
) -> Result<()> {
    // Writers of insights lock the submission, so `FOR SHARE` prevents changes meanwhile.
    // `ai_insights` is the last member of the JSON, so its end shows a missing insight.
    let sql = "SELECT s.submitted_at, s.id FROM submissions AS s
               WHERE s.form_id = $1 AND (s.submitted_at, s.id) < ($2, $3)
                 AND (s.submitted_at, s.id) >= ($4, $5)
                 AND ($6 OR right(s.json, 19) = '\"ai_insights\":null}'
                   OR EXISTS (SELECT 1 FROM insight_corrections AS c
                     WHERE c.form_id = $1 AND c.submitted_at = s.submitted_at
                       AND c.id = s.id AND c.analysis = 'null'))
               ORDER BY s.submitted_at, s.id FOR SHARE OF s";
    let found =
        query::fetch_rows(tx, sql, &[&form, &after.0, &after.1, &last.0, &last.1, &again]).await?;
    let at: Vec<i64> = found.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    let ids: Vec<&str> = found.iter().map(|row| read_column(row, 1)).collect::<Result<_>>()?;
    let sql = "INSERT INTO insight_queue (form_id, submitted_at, id)
               SELECT $1, n.* FROM unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
               WHERE NOT EXISTS (SELECT 1 FROM insight_retries AS r
                 WHERE r.form_id = $1 AND r.submitted_at = n.submitted_at AND r.id = n.id)
               ON CONFLICT DO NOTHING";
    query::execute(tx, sql, &[&form, &at, &ids]).await.map(drop)
}
