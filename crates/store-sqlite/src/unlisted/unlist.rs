//! Moves listed submissions to trash or spam.

use super::delete;
use crate::index::{Change, IndexedRow};
use crate::insert;
use crate::memory_index::{self, MemoryIndex};
use crate::submission_range::ListKey;
use crate::{hidden, outbox, query, submissions};
use contract::trash::MOVE_MAX;
use contract::{FormId, SpamReason, SubmissionId};
use rusqlite::Connection;
use store::Result;
use store::columns::database_error;
use store::unlisted::{MoveOutcome, Selection, UnlistRequest, UnlistedState};

/// Moves submissions, within a writer job.
pub(super) fn move_submissions(
    conn: &Connection,
    index: &MemoryIndex,
    request: &UnlistRequest,
) -> Result<Option<MoveOutcome>> {
    let Some((seq, keeps_trash)) = find_form(conn, &request.form)? else { return Ok(None) };
    let is_restorable = request.state == UnlistedState::Spam || keeps_trash;
    if !is_restorable && !request.is_permanent {
        return Ok(Some(MoveOutcome::TrashDisabled));
    }
    let (places, total) = match &request.selection {
        Selection::Ids(ids) => {
            let places = find_listed_keys(conn, seq, ids)?;
            let total = places.len() as u64;
            (places, total)
        }
        Selection::Matching { filter, count } => {
            let (places, total) = submissions::find_keys(conn, seq, filter, MOVE_MAX)?;
            if total != *count {
                return Ok(Some(MoveOutcome::Changed(total)));
            }
            (places, total)
        }
    };
    if !places.is_empty() {
        move_rows(conn, index, seq, request, &places)?;
        if !is_restorable {
            delete::delete_move(conn, seq, &request.batch)?;
        }
    }
    let count = places.len() as u64;
    Ok(Some(MoveOutcome::Moved { count, remaining: total - count, is_restorable }))
}

/// Finds a form's number, and whether it has a trash.
fn find_form(conn: &Connection, id: &FormId) -> Result<Option<(i64, bool)>> {
    let sql = "SELECT seq, trash_days > 0 FROM forms WHERE id = ?";
    query::find(conn, sql, [id.as_str()], |row| row.try_into())
}

/// Returns the keys of those ids that the form lists, without duplicates.
pub(crate) fn find_listed_keys(
    conn: &Connection,
    form: i64,
    ids: &[SubmissionId],
) -> Result<Vec<ListKey>> {
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s WHERE s.id = ? AND s.form = ?{}",
        hidden::VISIBLE_SQL
    );
    let mut places = Vec::with_capacity(ids.len());
    for id in ids {
        places.extend(query::find(conn, &sql, (id.as_str(), form), |row| row.try_into())?);
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

fn move_rows(
    conn: &Connection,
    index: &MemoryIndex,
    form: i64,
    request: &UnlistRequest,
    places: &[ListKey],
) -> Result<()> {
    let rows = copy_rows(conn, form, request, places)?;
    outbox::enqueue_moved(conn, form, &request.batch, request.at)?;
    for table in [
        "submissions",
        "submission_texts",
        "insight_queue",
        "insight_retries",
        "insight_corrections",
    ] {
        let sql = format!(
            "DELETE FROM {table} WHERE form = ?1 AND (submitted_at, id) IN (
               SELECT submitted_at, id FROM unlisted WHERE form = ?1 AND batch = ?2)"
        );
        query::execute(conn, &sql, (form, request.batch.as_str()))?;
    }
    let version = insert::remove_count(conn, form, places.len())?;
    index.record_changes(form, version, rows.into_iter().map(Change::Delete).collect());
    Ok(())
}

/// Copies submissions into `unlisted`, and returns the rows to remove from the in-memory indexes.
fn copy_rows(
    conn: &Connection,
    form: i64,
    request: &UnlistRequest,
    places: &[ListKey],
) -> Result<Vec<IndexedRow>> {
    let reason = (request.state == UnlistedState::Spam).then_some(SpamReason::Marked.as_str());
    let mut copy = conn
        .prepare_cached(
            "INSERT OR REPLACE INTO unlisted
             SELECT s.form, ?4, s.submitted_at, s.id, ?5, ?6, ?7, '[]',
               s.utm_source, s.utm_medium, s.utm_campaign, s.json, t.text,
               c.analysis, c.correction, c.corrected_at, s.triage
             FROM submissions AS s NOT INDEXED
               CROSS JOIN submission_texts AS t
                 ON t.form = s.form AND t.submitted_at = s.submitted_at AND t.id = s.id
               LEFT JOIN insight_corrections AS c
                 ON c.form = s.form AND c.submitted_at = s.submitted_at AND c.id = s.id
             WHERE s.form = ?1 AND s.submitted_at = ?2 AND s.id = ?3
             RETURNING utm_source, utm_medium, utm_campaign",
        )
        .map_err(database_error)?;
    let state = request.state.as_str();
    let at = request.at.micros();
    let batch = request.batch.as_str();
    let move_row = |place: &ListKey| {
        let utm = copy.query_row((form, place.0, &place.1, state, at, batch, reason), |row| {
            memory_index::read_utm(row, 0)
        });
        let (at, id) = place.clone();
        utm.map(|utm| IndexedRow { at, id, utm, ..IndexedRow::default() })
    };
    places.iter().map(move_row).collect::<rusqlite::Result<_>>().map_err(database_error)
}
