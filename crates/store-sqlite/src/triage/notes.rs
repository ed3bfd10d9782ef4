//! Notes about submissions. A member edits and deletes only their own notes.

use super::read::count_notes;
use super::update;
use crate::memory_index::MemoryIndex;
use crate::submission_range::ListKey;
use crate::{erase_traces, forms, insertion_error, outbox, query, unlisted};
use contract::live::ChangeKind;
use contract::triage::{NOTES_MAX, Note};
use contract::webhook::WebhookEvent;
use contract::{FormId, PersonId, SubmissionId, Timestamp};
use rusqlite::{Connection, ToSql};
use store::Result;
use store::triage::{NoteKey, NoteOutcome};

/// Condition for one note of a submission.
const IS_NOTE: &str = "form = ? AND submitted_at = ? AND submission = ? AND id = ?";

/// Inserts a note about a listed submission.
pub(super) fn insert(
    conn: &Connection,
    index: &MemoryIndex,
    form: &FormId,
    submission: &SubmissionId,
    note: &Note,
) -> Result<NoteOutcome> {
    let Some((seq, (at, id))) = find_listed(conn, form, submission)? else {
        return Ok(NoteOutcome::NotFound);
    };
    if count_notes(conn, (seq, at, &id))? as usize >= NOTES_MAX {
        return Ok(NoteOutcome::TooManyNotes);
    }
    let author = note.author.as_ref().map(PersonId::as_str);
    let edited_at = note.edited_at.map(Timestamp::micros);
    let created_at = note.created_at.micros();
    let columns = (seq, at, &id, note.id.as_str(), author, &note.text, created_at, edited_at);
    conn.prepare_cached(
        "INSERT INTO notes (form, submitted_at, submission, id, author, text, created_at, edited_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .and_then(|mut insert| insert.execute(columns))
    .map_err(|error| insertion_error(error, || format!("note `{}`", note.id)))?;
    outbox::enqueue(conn, seq, WebhookEvent::Updated, (at, &id), created_at)?;
    update::set_updated_at(conn, index, seq, (at, id), note.created_at)?;
    Ok(NoteOutcome::Done)
}

/// Replaces the text of a note, and sets the time of the edit.
pub(super) fn edit(
    conn: &Connection,
    index: &MemoryIndex,
    key: &NoteKey,
    text: &str,
    at: Timestamp,
) -> Result<NoteOutcome> {
    let statement = "UPDATE notes SET text = ?, edited_at = ?";
    change(conn, index, key, statement, &[&text, &at.micros()], Some(at))
}

/// Deletes a note.
pub(super) fn delete(conn: &Connection, index: &MemoryIndex, key: &NoteKey) -> Result<NoteOutcome> {
    change(conn, index, key, "DELETE FROM notes", &[], None)
}

/// Runs a statement for a note of its author, and schedules the secure erasure of the text.
/// With `updated_at`, the change counts as an update of the submission.
fn change(
    conn: &Connection,
    index: &MemoryIndex,
    key: &NoteKey,
    statement: &str,
    values: &[&dyn ToSql],
    updated_at: Option<Timestamp>,
) -> Result<NoteOutcome> {
    let NoteKey { form, submission, note, person } = key;
    let Some((seq, (at, id))) = find_listed(conn, form, submission)? else {
        return Ok(NoteOutcome::NotFound);
    };
    let sql = format!("SELECT author FROM notes WHERE {IS_NOTE}");
    let author: Option<Option<String>> =
        query::find(conn, &sql, (seq, at, &id, note.as_str()), |row| row.get(0))?;
    match author {
        None => return Ok(NoteOutcome::NotFound),
        Some(author) if author.as_deref() != Some(person.as_str()) => {
            return Ok(NoteOutcome::OtherAuthor);
        }
        Some(_) => {}
    }
    let note = note.as_str();
    let place: [&dyn ToSql; 4] = [&seq, &at, &id, &note];
    let sql = format!("{statement} WHERE {IS_NOTE}");
    query::execute(conn, &sql, &*[values, &place].concat())?;
    erase_traces::request_erasure(conn)?;
    if let Some(updated_at) = updated_at {
        outbox::enqueue(conn, seq, WebhookEvent::Updated, (at, &id), updated_at.micros())?;
        update::set_updated_at(conn, index, seq, (at, id), updated_at)?;
    } else {
        index.live().record(seq, ChangeKind::Updated, vec![id]);
    }
    Ok(NoteOutcome::Done)
}

/// Finds the form's number and the key of a listed submission.
fn find_listed(
    conn: &Connection,
    form: &FormId,
    id: &SubmissionId,
) -> Result<Option<(i64, ListKey)>> {
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(None) };
    let keys = unlisted::find_listed_keys(conn, seq, std::slice::from_ref(id))?;
    Ok(keys.into_iter().next().map(|key| (seq, key)))
}
