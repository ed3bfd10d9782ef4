//! Inserts submissions of intake: intake settings, fields created from unknown keys, and idempotent
//! replays.
//!
//! Runs on the writer thread, so all preparation happens in the caller.

mod group;

use super::{forms, query};
use contract::{Field, FormId, Intake, Receipt, SubmissionId, Timestamp};
pub(super) use group::insert_group;
use rusqlite::Connection;
use store::Result;
use store::clock::micros_before;
use store::columns::{database_error, parse, parse_instant};
use store::new_submission::{
    IDEMPOTENCY_AGE_MAX, IdempotencyKey, InsertOutcome, IntakeRecord, PreparedInsert, parse_intake,
};

/// Maximum number of expired receipts that one insertion deletes.
const SWEEP_ROWS_MAX: i64 = 16;

/// Finds the fields and intake settings of a form.
pub(super) fn find_intake(conn: &Connection, id: &FormId) -> Result<Option<IntakeRecord>> {
    let sql = "SELECT seq, account, environment, intake, intake_version FROM forms WHERE id = ?";
    let found: Option<(i64, String, String, Option<String>, i64)> =
        query::find(conn, sql, [id.as_str()], |row| row.try_into())?;
    let Some((seq, account, environment, intake, version)) = found else { return Ok(None) };
    Ok(Some(IntakeRecord {
        account_id: parse(&account)?,
        environment: parse(&environment)?,
        fields: forms::list_fields(conn, seq)?,
        removed_keys: forms::removed_keys(conn, seq)?,
        intake: parse_intake(intake.as_deref())?,
        version,
    }))
}

/// Updates the intake settings of a form; returns whether the form exists.
pub(super) fn update_intake(conn: &Connection, id: &FormId, intake: &Intake) -> Result<bool> {
    let json = serde_json::to_string(intake).map_err(database_error)?;
    query::execute(conn, "UPDATE forms SET intake = ? WHERE id = ?", (json, id.as_str()))
        .map(|rows| rows > 0)
}

/// Returns the intake settings of a form, given its number.
pub(super) fn find_intake_settings(conn: &Connection, form: i64) -> Result<Intake> {
    let json: Option<String> =
        query::one(conn, "SELECT intake FROM forms WHERE seq = ?", [form], |row| row.get(0))?;
    parse_intake(json.as_deref())
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
        query::execute(conn, "UPDATE forms SET intake = ? WHERE seq = ?", (json, form))?;
    }
    Ok(())
}

fn find_receipt(
    conn: &Connection,
    form: i64,
    repeat: &IdempotencyKey,
    now: Timestamp,
) -> Result<Option<InsertOutcome>> {
    let sql = "SELECT request, id, submitted_at FROM receipts
               WHERE form = ? AND key = ? AND submitted_at > ?";
    let key = (form, &repeat.key, micros_before(now, IDEMPOTENCY_AGE_MAX));
    let found: Option<(Vec<u8>, String, i64)> = query::find(conn, sql, key, |row| row.try_into())?;
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
    let sql = "INSERT OR REPLACE INTO receipts (form, key, request, id, submitted_at)
               VALUES (?, ?, ?, ?, ?)";
    let request = repeat.request.as_slice();
    let (id, at) = (ready.id.as_str(), ready.submitted_at);
    query::execute(conn, sql, (form, &repeat.key, request, id, at.micros()))?;
    let sql = "DELETE FROM receipts WHERE (form, key) IN (
                 SELECT form, key FROM receipts WHERE submitted_at <= ?
                 ORDER BY submitted_at LIMIT ?)";
    let expired = micros_before(at, IDEMPOTENCY_AGE_MAX);
    query::execute(conn, sql, (expired, SWEEP_ROWS_MAX)).map(drop)
}
