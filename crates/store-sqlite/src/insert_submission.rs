//! Inserts submissions of intake: intake settings, fields created from unknown keys, and idempotent
//! replays.
//!
//! Runs on the writer thread, so all preparation happens in the caller.

mod group;

use super::forms;
use contract::{Field, FormId, Intake, Receipt, SpamReason, SubmissionId, Timestamp};
pub(super) use group::insert_group;
use rusqlite::{Connection, OptionalExtension};
use std::time::Duration;
use store::columns::{SubmissionRow, database_error, parse, parse_instant};
use store::new_submission::{IDEMPOTENCY_AGE_MAX, IdempotencyKey, InsertOutcome, IntakeRecord};
use store::{Result, StoreError};

/// Maximum number of expired receipts that one insertion deletes.
const SWEEP_ROWS_MAX: i64 = 16;

/// A new submission, ready to be inserted.
pub(super) struct PreparedInsert {
    pub(super) form: FormId,
    pub(super) version: i64,
    pub(super) id: SubmissionId,
    pub(super) submitted_at: Timestamp,
    pub(super) row: SubmissionRow,
    pub(super) fields: Vec<Field>,
    pub(super) spam: Option<SpamReason>,
    pub(super) repeat: Option<IdempotencyKey>,
    pub(super) rows_max: Option<u64>,
}

/// Finds the fields and intake settings of a form.
pub(super) fn find_intake(conn: &Connection, id: &FormId) -> Result<Option<IntakeRecord>> {
    let found: Option<(i64, String, String, Option<String>, i64)> = conn
        .prepare_cached(
            "SELECT seq, account, environment, intake, intake_version FROM forms WHERE id = ?",
        )
        .and_then(|mut find| find.query_row([id.as_str()], |row| row.try_into()).optional())
        .map_err(database_error)?;
    let Some((seq, account, environment, intake, version)) = found else { return Ok(None) };
    Ok(Some(IntakeRecord {
        account_id: parse(&account)?,
        environment: parse(&environment)?,
        fields: forms::list_fields(conn, seq)?,
        removed_keys: forms::removed_keys(conn, seq)?,
        intake: read_intake(intake.as_deref())?,
        version,
    }))
}

fn read_intake(json: Option<&str>) -> Result<Intake> {
    json.map_or_else(
        || Ok(Intake::default()),
        |json| serde_json::from_str(json).map_err(database_error),
    )
}

/// Updates the intake settings of a form; returns whether the form exists.
pub(super) fn update_intake(conn: &Connection, id: &FormId, intake: &Intake) -> Result<bool> {
    let json = serde_json::to_string(intake).map_err(database_error)?;
    conn.prepare_cached("UPDATE forms SET intake = ? WHERE id = ?")
        .and_then(|mut update| update.execute((json, id.as_str())))
        .map(|rows| rows > 0)
        .map_err(database_error)
}

/// Returns the intake settings of a form, given its number.
pub(super) fn find_intake_settings(conn: &Connection, form: i64) -> Result<Intake> {
    let json: Option<String> = conn
        .query_row("SELECT intake FROM forms WHERE seq = ?", [form], |row| row.get(0))
        .map_err(database_error)?;
    read_intake(json.as_deref())
}

/// Appends new fields to a form, and sets `learns_fields` if the owner has not set it.
pub(super) fn learn_fields(conn: &Connection, form: i64, fields: &[Field]) -> Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    forms::append_fields(conn, form, fields)?;
    let intake = find_intake_settings(conn, form)?;
    if intake.learns_fields.is_none() {
        let learning = Intake { learns_fields: Some(true), ..intake };
        let json = serde_json::to_string(&learning).map_err(database_error)?;
        conn.execute("UPDATE forms SET intake = ? WHERE seq = ?", (json, form))
            .map_err(database_error)?;
    }
    Ok(())
}

fn find_receipt(
    conn: &Connection,
    form: i64,
    repeat: &IdempotencyKey,
    now: Timestamp,
) -> Result<Option<InsertOutcome>> {
    let found: Option<(Vec<u8>, String, i64)> = conn
        .prepare_cached(
            "SELECT request, id, submitted_at FROM receipts
             WHERE form = ? AND key = ? AND submitted_at > ?",
        )
        .and_then(|mut find| {
            find.query_row((form, &repeat.key, micros_before(now, IDEMPOTENCY_AGE_MAX)), |row| {
                row.try_into()
            })
            .optional()
        })
        .map_err(database_error)?;
    let Some((request, id, submitted_at)) = found else { return Ok(None) };
    if request != repeat.request {
        return Ok(Some(InsertOutcome::IdempotencyConflict));
    }
    let id = SubmissionId::try_from(id).map_err(database_error)?;
    Ok(Some(InsertOutcome::Inserted(Receipt { id, submitted_at: parse_instant(submitted_at)? })))
}

fn insert_receipt(
    conn: &Connection,
    form: i64,
    repeat: &IdempotencyKey,
    ready: &PreparedInsert,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO receipts (form, key, request, id, submitted_at)
         VALUES (?, ?, ?, ?, ?)",
    )
    .and_then(|mut insert| {
        insert.execute((
            form,
            &repeat.key,
            repeat.request.as_slice(),
            ready.id.as_str(),
            ready.submitted_at.micros(),
        ))
    })
    .and_then(|_| {
        conn.prepare_cached(
            "DELETE FROM receipts WHERE (form, key) IN (
               SELECT form, key FROM receipts WHERE submitted_at <= ?
               ORDER BY submitted_at LIMIT ?)",
        )
    })
    .and_then(|mut sweep| {
        sweep.execute((micros_before(ready.submitted_at, IDEMPOTENCY_AGE_MAX), SWEEP_ROWS_MAX))
    })
    .map(drop)
    .map_err(|error| StoreError::Database(error.into()))
}

/// Returns the instant `age` before `now`, in microseconds.
pub(super) fn micros_before(now: Timestamp, age: Duration) -> i64 {
    now.micros() - i64::try_from(age.as_micros()).unwrap_or(i64::MAX)
}
