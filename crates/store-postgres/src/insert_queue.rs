//! Inserts new submissions: intake settings, fields that submissions add, and the insert queue.
//!
//! Work that depends on the state of a form happens under a lock of the form's row, so that
//! processes take turns.

mod attempt;
mod commit;
mod committer;
mod group;
mod queue;
mod receipts;

use super::query::read_column;
use super::{forms, query};
use crate::errors::database_error;
pub(super) use committer::InsertQueue;
use contract::{Field, FormId, Intake};
use deadpool_postgres::Transaction;
use store::Result;
use store::columns::parse;
use store::new_submission::{IntakeRecord, parse_intake};

/// Maximum expired rows that each insertion deletes.
pub(super) const SWEEP_ROWS_MAX: usize = 16;

/// Finds the intake settings of a form, within one snapshot.
pub(super) async fn find_intake(tx: &Transaction<'_>, id: &FormId) -> Result<Option<IntakeRecord>> {
    let sql = "SELECT account, environment, intake, intake_version FROM forms WHERE form_id = $1";
    let Some(found) = query::fetch_row(tx, sql, &[&id.as_str()]).await? else { return Ok(None) };
    Ok(Some(IntakeRecord {
        account_id: parse(read_column(&found, 0)?)?,
        environment: parse(read_column(&found, 1)?)?,
        fields: forms::list_fields(tx, id).await?,
        removed_keys: forms::list_removed_keys(tx, id).await?,
        intake: parse_intake(read_column(&found, 2)?)?,
        version: read_column(&found, 3)?,
    }))
}

/// Sets the intake settings of a form. Returns `false` if it does not exist.
pub(super) async fn update_intake(
    tx: &Transaction<'_>,
    id: &FormId,
    intake: &Intake,
) -> Result<bool> {
    let json = serde_json::to_string(intake).map_err(database_error)?;
    let sql = "UPDATE forms SET intake = $2 WHERE form_id = $1";
    Ok(query::execute(tx, sql, &[&id.as_str(), &json]).await? > 0)
}

/// Returns the intake settings of a form.
pub(super) async fn find_intake_settings(tx: &Transaction<'_>, form: &FormId) -> Result<Intake> {
    let sql = "SELECT intake FROM forms WHERE form_id = $1";
    let found = query::fetch_row(tx, sql, &[&form.as_str()]).await?;
    found.map_or_else(|| Ok(Intake::default()), |row| parse_intake(read_column(&row, 0)?))
}

/// Appends fields that a submission added to a locked form. Sets `learns_fields` of the form to
/// `true` if it is not set.
pub(super) async fn add_learned_fields(
    tx: &Transaction<'_>,
    form: &FormId,
    fields: &[Field],
) -> Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    forms::append_fields(tx, form, fields).await?;
    let intake = find_intake_settings(tx, form).await?;
    if intake.learns_fields.is_none() {
        let learning = Intake { learns_fields: Some(true), ..intake };
        update_intake(tx, form, &learning).await?;
    }
    Ok(())
}
