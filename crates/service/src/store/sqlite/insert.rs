//! Inserting and deleting submissions: the row, its searched text and the form's count together.

use super::super::row::{SubmissionRow, count, database};
use super::super::{Result, StoreError, SubmissionSource};
use super::{connect, exists, forms, tidy};
use contract::{Field, FormId, Submission, SubmissionId};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::path::Path;

/// A source of at most so many goes through the writer, together with other writes. A longer one
/// has a connection and a transaction of its own.
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
    let seq = begin(conn, form, fields)?;
    rows.iter().try_for_each(|row| insert_row(conn, seq, row))?;
    add_count(conn, seq, rows.len())
}

/// Inserts a long source in a transaction of its own. Other writers wait until it ends, and give
/// up where that takes longer than a statement waits.
pub(super) fn insert_long(
    path: &Path,
    form: &FormId,
    fields: &[Field],
    rows: &[SubmissionRow],
    source: SubmissionSource,
) -> Result<u64> {
    let mut conn = connect::writer(path)?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)?;
    let seq = begin(&tx, form, fields)?;
    rows.iter().try_for_each(|row| insert_row(&tx, seq, row))?;
    let mut inserted = rows.len();
    for item in source {
        insert_row(&tx, seq, &row(form, item)?)?;
        inserted += 1;
    }
    let inserted = add_count(&tx, seq, inserted)?;
    tx.commit().map_err(database)?;
    Ok(inserted)
}

/// Deletes one submission.
pub(super) fn delete(conn: &Connection, id: &SubmissionId) -> Result<bool> {
    let place: Option<(i64, i64)> = conn
        .prepare_cached("DELETE FROM submissions WHERE id = ? RETURNING form, submitted_at")
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
    .and_then(|_| tidy::ask(conn))
    .map_err(database)?;
    Ok(true)
}

fn row(form: &FormId, item: Result<Submission, String>) -> Result<SubmissionRow> {
    let submission = item.map_err(StoreError::Source)?;
    if submission.form_id != *form {
        let (id, other) = (&submission.id, &submission.form_id);
        let why = format!("submission `{id}` belongs to form `{other}`, not to `{form}`");
        return Err(StoreError::Source(why));
    }
    SubmissionRow::new(submission)
}

fn begin(conn: &Connection, form: &FormId, fields: &[Field]) -> Result<i64> {
    let seq = forms::seq(conn, form)?
        .ok_or_else(|| StoreError::Source(format!("form `{form}` does not exist")))?;
    forms::append_fields(conn, seq, fields)?;
    Ok(seq)
}

fn insert_row(conn: &Connection, form: i64, row: &SubmissionRow) -> Result<()> {
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
    Ok(())
}

fn add_count(conn: &Connection, form: i64, inserted: usize) -> Result<u64> {
    let inserted = i64::try_from(inserted).map_err(database)?;
    conn.prepare_cached("UPDATE forms SET submission_count = submission_count + ? WHERE seq = ?")
        .and_then(|mut more| more.execute((inserted, form)))
        .map_err(database)?;
    count(inserted)
}
