//! Reads the triage of submissions, with notes and history.

use crate::submission_range::row_sql;
use crate::{forms, query, unlisted};
use contract::triage::{HistoryEntry, Note, SubmissionTriage, TriageDetail};
use contract::{FormId, SubmissionId};
use rusqlite::Connection;
use store::Result;
use store::columns::{damaged_row, parse, parse_instant, parse_optional_instant};
use store::triage::{HISTORY_MAX, StoredTriage, triage_detail};

/// Key of a submission: form, instant and id.
type SubmissionKey<'a> = (i64, i64, &'a str);

/// Lists the triage of those listed submissions that differ from a new one.
pub(super) fn list(
    conn: &Connection,
    form: &FormId,
    ids: &[SubmissionId],
) -> Result<Vec<SubmissionTriage>> {
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (at, id) in unlisted::find_listed_keys(conn, seq, ids)? {
        let key = (seq, at, id.as_str());
        let triage = stored_triage(conn, key)?.triage;
        let notes_count = count_notes(conn, key)?;
        if notes_count > 0 || !triage.is_default() {
            found.push(SubmissionTriage { id: parse(&id)?, triage, notes_count });
        }
    }
    Ok(found)
}

/// Returns triage, notes and history of a listed submission of a form.
pub(super) fn find(
    conn: &Connection,
    form: &FormId,
    id: &SubmissionId,
) -> Result<Option<TriageDetail>> {
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(None) };
    let keys = unlisted::find_listed_keys(conn, seq, std::slice::from_ref(id))?;
    let Some((at, id)) = keys.first() else { return Ok(None) };
    let key = (seq, *at, id.as_str());
    let detail =
        triage_detail(stored_triage(conn, key)?, list_notes(conn, key)?, list_history(conn, key)?);
    Ok(Some(detail))
}

fn stored_triage(conn: &Connection, key: SubmissionKey<'_>) -> Result<StoredTriage> {
    let json: Option<String> = query::one(conn, row_sql!("triage"), key, |row| row.get(0))?;
    StoredTriage::parse(json.as_deref())
}

/// Returns the number of notes about a submission.
pub(super) fn count_notes(conn: &Connection, key: SubmissionKey<'_>) -> Result<u32> {
    let sql = "SELECT COUNT(*) FROM notes WHERE form = ? AND submitted_at = ? AND submission = ?";
    query::one(conn, sql, key, |row| row.get(0))
}

/// Id, author, text, and the times of creation and of the last edit.
type NoteRow = (String, Option<String>, String, i64, Option<i64>);

/// Lists the notes about a submission, oldest first. A removed member is not named.
fn list_notes(conn: &Connection, key: SubmissionKey<'_>) -> Result<Vec<Note>> {
    let sql = "
        SELECT id, (SELECT p.id FROM people AS p WHERE p.id = author), text, created_at, edited_at
        FROM notes WHERE form = ? AND submitted_at = ? AND submission = ?
        ORDER BY created_at, id";
    let rows: Vec<NoteRow> = query::list(conn, sql, key, |row| row.try_into())?;
    rows.into_iter()
        .map(|(id, author, text, created_at, edited_at)| {
            Ok(Note {
                id: parse(&id)?,
                author: author.as_deref().map(parse).transpose()?,
                text,
                created_at: parse_instant(created_at)?,
                edited_at: parse_optional_instant(edited_at)?,
            })
        })
        .collect()
}

/// Lists the latest changes of a submission's triage, newest first. A removed member is not named.
fn list_history(conn: &Connection, key: SubmissionKey<'_>) -> Result<Vec<HistoryEntry>> {
    let sql = format!(
        "SELECT at, (SELECT p.id FROM people AS p WHERE p.id = person), change
         FROM triage_history WHERE form = ? AND submitted_at = ? AND submission = ?
         ORDER BY place DESC LIMIT {HISTORY_MAX}"
    );
    let rows: Vec<(i64, Option<String>, String)> =
        query::list(conn, &sql, key, |row| row.try_into())?;
    rows.into_iter()
        .map(|(at, person, change)| {
            Ok(HistoryEntry {
                at: parse_instant(at)?,
                person: person.as_deref().map(parse).transpose()?,
                change: serde_json::from_str(&change).map_err(damaged_row)?,
            })
        })
        .collect()
}
