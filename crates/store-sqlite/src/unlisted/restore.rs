//! Restores submissions from spam and trash.

use super::selection_sql;
use crate::index::{Change, IndexedRow};
use crate::insert::{self, InsertStatements};
use crate::memory_index::MemoryIndex;
use crate::{forms, insert_submission, insight, outbox, query, read_state};
use contract::live::ChangeKind;
use contract::{Field, FormId, Submission};
use rusqlite::{Connection, Row};
use std::sync::Arc;
use store::Result;
use store::clock::{Clock as _, SystemClock};
use store::columns::{SubmissionRow, database_error, split_insight};
use store::new_fields::fields_of_released;
use store::unlisted::{UnlistedSelection, UnlistedState};

/// Maximum number of restored rows that are passed to the in-memory indexes. After more, the
/// indexes are loaded again, so that not all rows are in memory at once.
const INDEXED_ROWS_MAX: usize = 1000;

/// Restores submissions, within a writer job.
pub(super) fn restore_rows(
    conn: &Connection,
    index: &MemoryIndex,
    form: &FormId,
    state: UnlistedState,
    chosen: &UnlistedSelection,
) -> Result<u64> {
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(0) };
    let (condition, value) = selection_sql(chosen)?;
    let chosen = || (seq, state.as_str(), value.as_deref());
    let sql = format!(
        "SELECT submitted_at, id, utm_source, utm_medium, utm_campaign, json, text, fields,
           analysis, triage
         FROM unlisted WHERE form = ?1 AND state = ?2{condition}"
    );
    let mut stored = conn.prepare_cached(&sql).map_err(database_error)?;
    let mut rows = stored.query(chosen()).map_err(database_error)?;
    let mut inserts = InsertStatements::prepare(conn)?;
    let mut changes = Vec::new();
    let mut fields = Vec::new();
    let mut count = 0;
    while let Some(row) = rows.next().map_err(database_error)? {
        fields.extend(from_json::<Vec<Field>>(&row.get::<_, String>(7).map_err(database_error)?)?);
        let triage: Option<Arc<str>> = row.get(9).map_err(database_error)?;
        let row = submission_row(row)?;
        inserts.insert_with_triage(seq, &row, triage.as_deref())?;
        insight::queue_submission(conn, seq, &row)?;
        count += 1;
        if count <= INDEXED_ROWS_MAX {
            let marks = read_state::marks_of(conn, seq, (row.submitted_at, &row.id))?;
            changes.push(Change::Insert(IndexedRow { triage, ..row.into() }));
            changes.extend(marks);
        }
    }
    if count == 0 {
        return Ok(0);
    }
    add_new_fields(conn, seq, fields)?;
    outbox::enqueue_restored(conn, condition, chosen())?;
    for sql in [
        format!(
            "INSERT INTO insight_corrections
               (form, submitted_at, id, analysis, correction, corrected_at)
             SELECT form, submitted_at, id, analysis, correction, corrected_at FROM unlisted
             WHERE form = ?1 AND state = ?2 AND correction IS NOT NULL{condition}"
        ),
        format!("DELETE FROM unlisted WHERE form = ?1 AND state = ?2{condition}"),
    ] {
        query::execute(conn, &sql, chosen())?;
    }
    let version = insert::add_count(conn, seq, count)?;
    if count <= INDEXED_ROWS_MAX {
        index.record_changes(seq, version, changes);
    } else {
        index.live().record(seq, ChangeKind::Created, Vec::new());
    }
    Ok(count as u64)
}

/// Returns the columns of a submission. Spam of intake has no searched text yet.
fn submission_row(row: &Row<'_>) -> Result<SubmissionRow> {
    let json: String = row.get(5).map_err(database_error)?;
    let Some(text) = row.get(6).map_err(database_error)? else {
        return SubmissionRow::new(from_json::<Submission>(&json)?);
    };
    // With a correction the JSON has an insight, even if the submission was never analysed.
    let analysis: Option<String> = row.get(8).map_err(database_error)?;
    let has_insight = split_insight(&json)?.1 != "null" && analysis.as_deref() != Some("null");
    let read = || -> rusqlite::Result<SubmissionRow> {
        Ok(SubmissionRow {
            submitted_at: row.get(0)?,
            id: row.get(1)?,
            utm_source: row.get(2)?,
            utm_medium: row.get(3)?,
            utm_campaign: row.get(4)?,
            json,
            text,
            has_insight,
        })
    };
    read().map_err(database_error)
}

/// Adds the fields of released spam to a form, within its limits.
fn add_new_fields(conn: &Connection, form: i64, fields: Vec<Field>) -> Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let known = forms::list_fields(conn, form)?;
    let removed = forms::removed_keys(conn, form)?;
    let intake = insert_submission::find_intake_settings(conn, form)?;
    let new = fields_of_released(fields, &known, &removed, &intake, SystemClock.now());
    insert_submission::learn_fields(conn, form, &new)
}

fn from_json<T: serde::de::DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(database_error)
}
