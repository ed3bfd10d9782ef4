//! Insights that submissions show: the result of the analysis, overridden by the owner's
//! correction.
//!
//! Without a correction, only the submission's JSON has the insight. With a correction, a separate
//! table has both the result and the correction, and the JSON has the combined insight. Both change
//! only while the submission is locked.

use crate::errors::database_error;
use crate::query::read_column;
use crate::{live, outbox, query, submissions};
use contract::insight::{InsightCorrection, InsightDetail};
use contract::live::ChangeKind;
use contract::webhook::WebhookEvent;
use contract::{Insight, SubmissionId, Timestamp};
use deadpool_postgres::{GenericClient, Transaction};
use std::collections::HashMap;
use store::Result;
use store::columns::{parse_insight, replace_insight};
use store::insight_correction::{self, StoredCorrection};
use tokio_postgres::Row;

/// Key of a submission within its form, and its JSON.
pub(super) struct SubmissionKey {
    pub(super) submitted_at: i64,
    pub(super) id: String,
    json: String,
}

impl SubmissionKey {
    /// Reads the first three columns of a row.
    pub(super) fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            submitted_at: read_column(row, 0)?,
            id: read_column(row, 1)?,
            json: read_column(row, 2)?,
        })
    }
}

/// Writes analysis results for submissions of a form, which are locked. Corrections stay in force.
pub(super) async fn write_results(
    tx: &Transaction<'_>,
    form: &str,
    found: &[(SubmissionKey, &Insight)],
) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let at: Vec<i64> = found.iter().map(|(place, _)| place.submitted_at).collect();
    let ids: Vec<&str> = found.iter().map(|(place, _)| place.id.as_str()).collect();
    let insights = found.iter().map(|(_, insight)| serde_json::to_string(&Some(insight)));
    let insights: Vec<String> = insights.collect::<Result<_, _>>().map_err(database_error)?;
    let sql = "UPDATE insight_corrections AS c SET analysis = n.analysis
               FROM unnest($2::BIGINT[], $3::TEXT[], $4::TEXT[])
                 AS n (submitted_at, id, analysis)
               WHERE c.form_id = $1 AND c.submitted_at = n.submitted_at AND c.id = n.id
               RETURNING c.id, c.correction";
    let rows = query::fetch_rows(tx, sql, &[&form, &at, &ids, &insights]).await?;
    let read_correction = |row: &Row| -> Result<(String, InsightCorrection)> {
        let correction = serde_json::from_str(read_column(row, 1)?).map_err(database_error)?;
        Ok((read_column(row, 0)?, correction))
    };
    let corrections: HashMap<_, _> = rows.iter().map(read_correction).collect::<Result<_>>()?;
    let shown = found.iter().map(|(place, insight)| match corrections.get(&place.id) {
        Some(correction) => replace_insight(&place.json, Some(&correction.apply(Some(insight)))),
        None => replace_insight(&place.json, Some(insight)),
    });
    let shown: Vec<String> = shown.collect::<Result<_>>()?;
    let sql = "UPDATE submissions AS s SET json = n.json
               FROM unnest($2::BIGINT[], $3::TEXT[], $4::TEXT[]) AS n (submitted_at, id, json)
               WHERE s.form_id = $1 AND s.submitted_at = n.submitted_at AND s.id = n.id";
    query::execute(tx, sql, &[&form, &at, &ids, &shown]).await.map(drop)
}

/// Returns the insight of a submission, with the analysis result and the correction behind it.
pub(super) async fn find_insight(
    conn: &impl GenericClient,
    id: &SubmissionId,
) -> Result<Option<InsightDetail>> {
    let sql = "SELECT s.json, c.analysis, c.correction, c.corrected_at
               FROM submissions AS s
               LEFT JOIN insight_corrections AS c USING (form_id, submitted_at, id)
               WHERE s.id = $1";
    let Some(found) = query::fetch_row(conn, sql, &[&id.as_str()]).await? else { return Ok(None) };
    insight_correction::insight_detail(
        parse_insight(read_column(&found, 0)?)?,
        read_correction(&found)?,
    )
    .map(Some)
}

/// Reads the stored correction from the last three columns of four.
fn read_correction(row: &Row) -> Result<Option<StoredCorrection>> {
    let Some(analysis) = read_column::<Option<&str>>(row, 1)? else { return Ok(None) };
    StoredCorrection::new(analysis, read_column(row, 2)?, read_column(row, 3)?).map(Some)
}

/// Sets or removes a correction. Returns `false` if the submission does not exist. Enqueues an
/// event if the submission shows another insight than before.
pub(super) async fn set_correction(
    tx: &Transaction<'_>,
    id: &SubmissionId,
    correction: Option<&InsightCorrection>,
    now: Timestamp,
) -> Result<bool> {
    let Some((form, at)) = submissions::find_key(tx, id).await? else { return Ok(false) };
    let form = form.as_str();
    let id = id.as_str();
    let sql = "SELECT json FROM submissions
               WHERE form_id = $1 AND submitted_at = $2 AND id = $3 FOR NO KEY UPDATE";
    let Some(found) = query::fetch_row(tx, sql, &[&form, &at, &id]).await? else {
        return Ok(false);
    };
    let was: &str = read_column(&found, 0)?;
    let before = parse_insight(was)?;
    let sql = "SELECT 1, analysis, correction, corrected_at FROM insight_corrections
               WHERE form_id = $1 AND submitted_at = $2 AND id = $3";
    let row = query::fetch_row(tx, sql, &[&form, &at, &id]).await?;
    let analysis = match row.as_ref().map(read_correction).transpose()?.flatten() {
        Some(stored) => stored.analysis,
        None if correction.is_none() => return Ok(true),
        None => before.clone(),
    };
    if let Some(correction) = correction {
        let correction_json = serde_json::to_string(correction).map_err(database_error)?;
        let found = serde_json::to_string(&analysis).map_err(database_error)?;
        let sql = "INSERT INTO insight_corrections
                     (form_id, submitted_at, id, analysis, correction, corrected_at)
                   VALUES ($1, $2, $3, $4, $5, $6)
                   ON CONFLICT (form_id, submitted_at, id) DO UPDATE SET
                     correction = EXCLUDED.correction, corrected_at = EXCLUDED.corrected_at";
        query::execute(tx, sql, &[&form, &at, &id, &found, &correction_json, &now.micros()])
            .await?;
    } else {
        let sql = "DELETE FROM insight_corrections
                   WHERE form_id = $1 AND submitted_at = $2 AND id = $3";
        query::execute(tx, sql, &[&form, &at, &id]).await?;
    }
    let shown = match correction {
        Some(correction) => Some(correction.apply(analysis.as_ref())),
        None => analysis,
    };
    if shown == before {
        return Ok(true);
    }
    let json = replace_insight(was, shown.as_ref())?;
    let sql = "UPDATE submissions SET json = $4
               WHERE form_id = $1 AND submitted_at = $2 AND id = $3";
    query::execute(tx, sql, &[&form, &at, &id, &json]).await?;
    outbox::enqueue(tx, form, WebhookEvent::Updated, now.micros(), &[at], &[id]).await?;
    live::notify(tx, form, ChangeKind::Analyzed, &[id]).await?;
    Ok(true)
}
