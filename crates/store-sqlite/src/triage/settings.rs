//! Statuses and tags of accounts.

use crate::query;
use contract::AccountId;
use contract::triage::{InvalidTriageSettings, Status, Tag, TriageSettings};
use rusqlite::Connection;
use store::Result;
use store::columns::{damaged_row, database_error};
use store::triage::SettingsOutcome;

/// Returns the settings of an account, or the default.
pub(super) fn find(conn: &Connection, account: &str) -> Result<TriageSettings> {
    let sql = "SELECT settings FROM account_triage WHERE account = ?";
    let json: Option<String> = query::find(conn, sql, [account], |row| row.get(0))?;
    json.map_or_else(|| Ok(TriageSettings::default()), |json| serde_json::from_str(&json))
        .map_err(damaged_row)
}

/// Replaces the settings of an account, unless it has others than `before`, or a submission has a
/// status that would be removed.
pub(super) fn set(
    conn: &Connection,
    account: &AccountId,
    before: Option<TriageSettings>,
    settings: &TriageSettings,
) -> Result<SettingsOutcome> {
    let account = account.as_str();
    let current = find(conn, account)?;
    if before.is_some_and(|before| before != current) {
        return Ok(SettingsOutcome::Changed);
    }
    for status in current.statuses {
        if !settings.has_status(status.id.as_str()) && is_used(conn, account, &status.id)? {
            return Ok(SettingsOutcome::StatusUsed(status.id));
        }
    }
    upsert(conn, account, settings)?;
    Ok(SettingsOutcome::Set)
}

/// Adds missing tags to the settings of an account. Nothing is written if there would be too many.
pub(super) fn add_tags(
    conn: &Connection,
    account: &str,
    tags: &[Tag],
) -> Result<std::result::Result<(), InvalidTriageSettings>> {
    let mut settings = find(conn, account)?;
    let before = settings.tags.len();
    if let Err(problem) = settings.add_tags(tags) {
        return Ok(Err(problem));
    }
    if settings.tags.len() > before {
        upsert(conn, account, &settings)?;
    }
    Ok(Ok(()))
}

/// Writes the settings of an account. Does nothing if there is no such account.
fn upsert(conn: &Connection, account: &str, settings: &TriageSettings) -> Result<()> {
    let json = serde_json::to_string(settings).map_err(database_error)?;
    let sql = "INSERT INTO account_triage (account, settings)
               SELECT id, ?2 FROM accounts WHERE id = ?1
               ON CONFLICT DO UPDATE SET settings = excluded.settings";
    query::execute(conn, sql, (account, json)).map(drop)
}

/// Returns whether a listed, spam or trashed submission of an account has a status that only this
/// account defines.
fn is_used(conn: &Connection, account: &str, status: &Status) -> Result<bool> {
    let sql = "
        SELECT EXISTS (SELECT 1 FROM forms AS f
          CROSS JOIN submissions AS s INDEXED BY submissions_by_status ON s.form = f.seq
          WHERE f.account = ?1 AND s.triage IS NOT NULL AND s.triage ->> 'status' = ?2)
        OR EXISTS (SELECT 1 FROM forms AS f
          CROSS JOIN unlisted AS u INDEXED BY unlisted_by_status ON u.form = f.seq
          WHERE f.account = ?1 AND u.triage IS NOT NULL AND u.triage ->> 'status' = ?2)";
    query::one(conn, sql, (account, status.as_str()), |row| row.get(0))
}
