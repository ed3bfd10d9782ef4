//! The insight that a submission shows: the result of the analysis, overridden by the owner's
//! correction.
//!
//! Without a correction, the insight is only in the submission's JSON. With one, analysis and
//! correction are in a separate table, and the JSON contains the combination.

use crate::index::Change;
use crate::memory_index::MemoryIndex;
use crate::{forms, hidden, outbox, query};
use contract::insight::{InsightCorrection, InsightDetail};
use contract::webhook::WebhookEvent;
use contract::{Insight, SubmissionId, Timestamp};
use rusqlite::Connection;
use store::Result;
use store::columns::{database_error, parse_insight, replace_insight};
use store::insight_correction::{self, StoredCorrection};

/// Key of a submission: form, instant and id.
type SubmissionKey<'a> = (i64, i64, &'a SubmissionId);

/// Writes the result of the analysis. A correction by the owner stays in effect.
pub(super) fn write_analysis(
    conn: &Connection,
    index: &MemoryIndex,
    place: SubmissionKey<'_>,
    json: &str,
    insight: &Insight,
) -> Result<()> {
    let Some(stored) = find_correction(conn, place)? else {
        return write_insight(conn, index, place, json, Some(insight));
    };
    let analysis = serde_json::to_string(&Some(insight)).map_err(database_error)?;
    let sql = "UPDATE insight_corrections SET analysis = ?
               WHERE form = ? AND submitted_at = ? AND id = ?";
    query::execute(conn, sql, (analysis, place.0, place.1, place.2.as_str()))?;
    write_insight(conn, index, place, json, Some(&stored.correction.apply(Some(insight))))
}

/// Returns the insight of a submission, and its sources.
pub(super) fn find_detail(conn: &Connection, id: &SubmissionId) -> Result<Option<InsightDetail>> {
    let Some((form, submitted_at, json)) = find_submission(conn, id)? else { return Ok(None) };
    insight_correction::insight_detail(
        parse_insight(&json)?,
        find_correction(conn, (form, submitted_at, id))?,
    )
    .map(Some)
}

/// Sets or removes the owner's correction; returns whether the submission exists. Enqueues an event
/// if the submission shows another insight than before.
pub(super) fn set_correction(
    conn: &Connection,
    index: &MemoryIndex,
    id: &SubmissionId,
    correction: Option<&InsightCorrection>,
    now: Timestamp,
) -> Result<bool> {
    let Some((form, submitted_at, json)) = find_submission(conn, id)? else { return Ok(false) };
    let place = (form, submitted_at, id);
    let before = parse_insight(&json)?;
    let analysis = match find_correction(conn, place)? {
        Some(stored) => stored.analysis,
        None if correction.is_none() => return Ok(true),
        None => before.clone(),
    };
    let shown = if let Some(correction) = correction {
        upsert_correction(conn, place, analysis.as_ref(), correction, now)?;
        Some(correction.apply(analysis.as_ref()))
    } else {
        delete_correction(conn, place)?;
        analysis
    };
    if shown != before {
        write_insight(conn, index, place, &json, shown.as_ref())?;
        let key = (submitted_at, id.as_str());
        outbox::enqueue(conn, form, WebhookEvent::Updated, key, now.micros())?;
    }
    Ok(true)
}

fn upsert_correction(
    conn: &Connection,
    place: SubmissionKey<'_>,
    analysis: Option<&Insight>,
    correction: &InsightCorrection,
    now: Timestamp,
) -> Result<()> {
    let analysis = serde_json::to_string(&analysis).map_err(database_error)?;
    let correction = serde_json::to_string(correction).map_err(database_error)?;
    let columns = (place.0, place.1, place.2.as_str(), analysis, correction, now.micros());
    let sql = "INSERT INTO insight_corrections
                 (form, submitted_at, id, analysis, correction, corrected_at)
               VALUES (?, ?, ?, ?, ?, ?)
               ON CONFLICT DO UPDATE SET
                 correction = excluded.correction, corrected_at = excluded.corrected_at";
    query::execute(conn, sql, columns).map(drop)
}

fn delete_correction(conn: &Connection, place: SubmissionKey<'_>) -> Result<()> {
    let sql = "DELETE FROM insight_corrections WHERE form = ? AND submitted_at = ? AND id = ?";
    query::execute(conn, sql, (place.0, place.1, place.2.as_str())).map(drop)
}

/// Writes an insight into the submission's JSON. All changes of stored insights go through this
/// function. It increases the form's version, so that in-memory indexes notice the change.
fn write_insight(
    conn: &Connection,
    index: &MemoryIndex,
    place: SubmissionKey<'_>,
    json: &str,
    insight: Option<&Insight>,
) -> Result<()> {
    let json = replace_insight(json, insight)?;
    let sql = "UPDATE submissions SET json = ? WHERE form = ? AND submitted_at = ? AND id = ?";
    query::execute(conn, sql, (&json, place.0, place.1, place.2.as_str()))?;
    let version = forms::next_version(conn, place.0)?;
    let at = place.1;
    let id = place.2.to_string();
    index.record_changes(place.0, version, vec![Change::Rewrite { at, id, json }]);
    Ok(())
}

fn find_submission(conn: &Connection, id: &SubmissionId) -> Result<Option<(i64, i64, String)>> {
    let sql = format!(
        "SELECT s.form, s.submitted_at, s.json FROM submissions AS s WHERE s.id = ?{}",
        hidden::VISIBLE_SQL
    );
    query::find(conn, &sql, [id.as_str()], |row| row.try_into())
}

fn find_correction(
    conn: &Connection,
    place: SubmissionKey<'_>,
) -> Result<Option<StoredCorrection>> {
    let sql = "SELECT analysis, correction, corrected_at FROM insight_corrections
               WHERE form = ? AND submitted_at = ? AND id = ?";
    let key = (place.0, place.1, place.2.as_str());
    let found: Option<(String, String, i64)> = query::find(conn, sql, key, |row| row.try_into())?;
    let read = |(analysis, correction, at): (String, String, i64)| {
        StoredCorrection::new(&analysis, &correction, at)
    };
    found.map(read).transpose()
}
