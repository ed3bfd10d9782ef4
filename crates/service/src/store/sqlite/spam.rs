//! The spam shelf: what was set aside, bounded in count and age.
//!
//! Nothing here is a submission until it is released: no list, export, search or count sees it.

use super::super::Result;
use super::super::arrival::{SPAM_AGE_MAX, SPAM_ROWS_MAX, SpamPage, SpamRow};
use super::super::found::PAGE_BYTES_MAX;
use super::super::row::{SubmissionRow, count, database, instant, parse, position};
use super::held::Held;
use super::{arrival, forms, insert, tidy};
use crate::store::Position;
use contract::{Field, FormId, SpamReason, Submission, SubmissionId, Timestamp};
use rusqlite::{Connection, OptionalExtension};

/// How many rows that are too old one insertion clears away.
const SWEEP_ROWS_MAX: i64 = 16;

/// Sets a submission aside; the oldest make room for it.
pub(super) fn insert(
    conn: &Connection,
    form: i64,
    reason: SpamReason,
    row: &SubmissionRow,
    fields: &[Field],
) -> Result<()> {
    let fields = serde_json::to_string(fields).map_err(database)?;
    conn.prepare_cached(
        "INSERT INTO spam (form, submitted_at, id, reason, json, fields) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .and_then(|mut insert| {
        let (at, id, json) = (row.submitted_at, &row.id, &row.json);
        insert.execute((form, at, id, reason.as_str(), json, fields))
    })
    .map_err(database)?;
    make_room(conn, form, row.submitted_at)
}

fn make_room(conn: &Connection, form: i64, now: i64) -> Result<()> {
    let kept_max = i64::try_from(SPAM_ROWS_MAX).map_err(database)?;
    let over = conn
        .prepare_cached(
            "DELETE FROM spam WHERE form = ?1 AND (submitted_at, id) <= (
               SELECT submitted_at, id FROM spam WHERE form = ?1
               ORDER BY submitted_at DESC, id DESC LIMIT 1 OFFSET ?2)",
        )
        .and_then(|mut oldest| oldest.execute((form, kept_max)))
        .map_err(database)?;
    let oldest_at = instant(now).map(|now| arrival::before(now, SPAM_AGE_MAX))?;
    let aged = conn
        .prepare_cached(
            "DELETE FROM spam WHERE (form, submitted_at, id) IN (
               SELECT form, submitted_at, id FROM spam WHERE submitted_at <= ?
               ORDER BY submitted_at LIMIT ?)",
        )
        .and_then(|mut aged| aged.execute((oldest_at, SWEEP_ROWS_MAX)))
        .map_err(database)?;
    if over + aged > 0 { tidy::ask(conn).map_err(database) } else { Ok(()) }
}

/// Lists what stands on a form's shelf.
pub(super) fn list(
    conn: &Connection,
    form: &FormId,
    after: Timestamp,
    behind: Option<&Position>,
    rows_max: usize,
) -> Result<SpamPage> {
    let Some(seq) = forms::seq(conn, form)? else {
        return Ok(SpamPage { rows: Vec::new(), total: 0 });
    };
    let total: i64 = conn
        .prepare_cached("SELECT COUNT(*) FROM spam WHERE form = ? AND submitted_at > ?")
        .and_then(|mut all| all.query_row((seq, after.micros()), |row| row.get(0)))
        .map_err(database)?;
    let (at, id) = behind.map_or((i64::MAX, ""), |it| (it.submitted_at.micros(), it.id.as_str()));
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let mut page = conn
        .prepare_cached(
            "SELECT submitted_at, id, reason, json FROM spam
             WHERE form = ? AND submitted_at > ? AND (submitted_at, id) < (?, ?)
             ORDER BY submitted_at DESC, id DESC LIMIT ?",
        )
        .map_err(database)?;
    let rows = page
        .query_map((seq, after.micros(), at, id, rows_max), |row| row.try_into())
        .map_err(database)?;
    let read = |(at, id, reason, json): (i64, String, String, String)| {
        Ok(SpamRow { position: position(at, id)?, reason: parse(&reason)?, json })
    };
    let (mut shown, mut bytes) = (Vec::new(), 0);
    for row in rows {
        // One more than a page has room for tells that there are more.
        if bytes > PAGE_BYTES_MAX && shown.len() > 1 {
            break;
        }
        let row = read(row.map_err(database)?)?;
        bytes += row.json.len();
        shown.push(row);
    }
    Ok(SpamPage { rows: shown, total: count(total)? })
}

/// Moves one among the form's submissions.
pub(super) fn release(
    conn: &Connection,
    held: &Held,
    form: &FormId,
    id: &SubmissionId,
) -> Result<bool> {
    let Some(seq) = forms::seq(conn, form)? else { return Ok(false) };
    let taken: Option<(String, String)> = conn
        .prepare_cached("DELETE FROM spam WHERE form = ? AND id = ? RETURNING json, fields")
        .and_then(|mut take| take.query_row((seq, id.as_str()), |row| row.try_into()).optional())
        .map_err(database)?;
    let Some((json, fields)) = taken else { return Ok(false) };
    let submission: Submission = serde_json::from_str(&json).map_err(database)?;
    let brought: Vec<Field> = serde_json::from_str(&fields).map_err(database)?;
    let (known, removed) = (forms::fields(conn, seq)?, forms::removed_keys(conn, seq)?);
    let is_new = |field: &Field| {
        !known.iter().any(|it| it.key == field.key) && !removed.contains(&field.key)
    };
    let new: Vec<Field> = brought.into_iter().filter(is_new).collect();
    arrival::learn(conn, seq, &new)?;
    insert::insert_one(conn, held, seq, SubmissionRow::new(submission)?)?;
    Ok(true)
}

/// Deletes one, or all.
pub(super) fn delete(conn: &Connection, form: &FormId, id: Option<&SubmissionId>) -> Result<u64> {
    let Some(seq) = forms::seq(conn, form)? else { return Ok(0) };
    let deleted = match id {
        Some(id) => conn.execute("DELETE FROM spam WHERE form = ? AND id = ?", (seq, id.as_str())),
        None => conn.execute("DELETE FROM spam WHERE form = ?", [seq]),
    };
    let deleted = deleted.map_err(database)?;
    if deleted > 0 {
        tidy::ask(conn).map_err(database)?;
    }
    Ok(deleted as u64)
}
