//! Inserting and deleting submissions: the row, its searched text and the form's count together.

use super::super::row::{SubmissionRow, count, database};
use super::super::{Result, StoreError, SubmissionSource};
use super::{exists, forms, import, insight, tidy};
use contract::{Field, FormId, Submission, SubmissionId};
use rusqlite::{Connection, OptionalExtension};

/// A source of at most so many goes through the writer, together with other writes. A longer one
/// has a connection of its own, and goes in piece by piece.
const SHORT_MAX: usize = 64;

/// What was read of a source.
pub(super) enum Read {
    /// All of it.
    Short(Vec<SubmissionRow>),
    /// Its beginning.
    Long(Vec<SubmissionRow>, SubmissionSource),
}

/// Reads a source, but no further than is known to be short.
pub(super) fn read(form: &FormId, mut source: SubmissionSource) -> Result<Read> {
    let mut rows = Vec::new();
    while rows.len() < SHORT_MAX {
        match source.next() {
            Some(item) => rows.push(row(form, item)?),
            None => return Ok(Read::Short(rows)),
        }
    }
    Ok(Read::Long(rows, source))
}

/// Inserts what was read, within the caller's transaction.
pub(super) fn insert_short(
    conn: &Connection,
    form: &FormId,
    fields: &[Field],
    rows: &[SubmissionRow],
) -> Result<u64> {
    let seq = form_seq(conn, form)?;
    forms::append_fields(conn, seq, fields)?;
    rows.iter().try_for_each(|row| insert_row(conn, seq, row))?;
    add_count(conn, seq, rows.len())
}

/// Deletes one submission.
pub(super) fn delete(conn: &Connection, id: &SubmissionId) -> Result<bool> {
    let seen = import::SEEN;
    let sql =
        format!("DELETE FROM submissions AS s WHERE s.id = ?{seen} RETURNING form, submitted_at");
    let place: Option<(i64, i64)> = conn
        .prepare_cached(&sql)
        .and_then(|mut delete| delete.query_row([id.as_str()], |row| row.try_into()).optional())
        .map_err(database)?;
    let Some((form, submitted_at)) = place else { return Ok(false) };
    conn.prepare_cached(
        "DELETE FROM submission_texts WHERE form = ? AND submitted_at = ? AND id = ?",
    )
    .and_then(|mut delete| delete.execute((form, submitted_at, id.as_str())))
    .and_then(|_| {
        conn.prepare_cached(
            "UPDATE forms SET submission_count = submission_count - 1 WHERE seq = ?",
        )
    })
    .and_then(|mut less| less.execute([form]))
    .and_then(|_| insight::forget(conn, form, submitted_at, id.as_str()))
    .and_then(|()| tidy::ask(conn))
    .map_err(database)?;
    Ok(true)
}

/// Returns the columns of what a source gives for a form.
pub(super) fn row(form: &FormId, item: Result<Submission, String>) -> Result<SubmissionRow> {
    let submission = item.map_err(StoreError::Source)?;
    if submission.form_id != *form {
        let (id, other) = (&submission.id, &submission.form_id);
        let why = format!("submission `{id}` belongs to form `{other}`, not to `{form}`");
        return Err(StoreError::Source(why));
    }
    SubmissionRow::new(submission)
}

/// Returns the number of the form that a source is for.
pub(super) fn form_seq(conn: &Connection, form: &FormId) -> Result<i64> {
    forms::seq(conn, form)?
        .ok_or_else(|| StoreError::Source(format!("form `{form}` does not exist")))
}

/// Inserts one row.
pub(super) fn insert_row(conn: &Connection, form: i64, row: &SubmissionRow) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO submissions
           (form, submitted_at, id, utm_source, utm_medium, utm_campaign, json)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .and_then(|mut insert| {
        insert.execute((
            form,
            row.submitted_at,
            &row.id,
            &row.utm_source,
            &row.utm_medium,
            &row.utm_campaign,
            &row.json,
        ))
    })
    .map_err(|e| exists(e, || format!("submission `{}`", row.id)))?;
    conn.prepare_cached(
        "INSERT INTO submission_texts (form, submitted_at, id, text) VALUES (?, ?, ?, ?)",
    )
    .and_then(|mut insert| insert.execute((form, row.submitted_at, &row.id, &row.text)))
    .map_err(database)?;
    insight::queue(conn, form, row).map_err(database)
}

/// Adds to the count of a form.
pub(super) fn add_count(conn: &Connection, form: i64, inserted: usize) -> Result<u64> {
    let inserted = i64::try_from(inserted).map_err(database)?;
    conn.prepare_cached("UPDATE forms SET submission_count = submission_count + ? WHERE seq = ?")
        .and_then(|mut more| more.execute((inserted, form)))
        .map_err(database)?;
    count(inserted)
}
