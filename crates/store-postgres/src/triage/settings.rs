//! Statuses and tags of an account.

use crate::errors::database_error;
use crate::query;
use crate::query::read_column;
use contract::triage::{Status, TriageSettings};
use deadpool_postgres::{GenericClient, Transaction};
use store::Result;
use store::columns::{damaged_row, parse};
use store::triage::SettingsOutcome;
use tokio_postgres::Row;

/// Returns the settings of an account; the default if it has no settings.
pub(super) async fn find(conn: &impl GenericClient, account: &str) -> Result<TriageSettings> {
    let sql = "SELECT settings FROM account_triage WHERE account = $1";
    parse_found(query::fetch_row(conn, sql, &[&account]).await?)
}

/// As [`find`], and prevents changes of the settings until the end of the transaction.
pub(super) async fn find_and_share(tx: &Transaction<'_>, account: &str) -> Result<TriageSettings> {
    let sql = "SELECT settings FROM account_triage WHERE account = $1 FOR SHARE";
    parse_found(query::fetch_row(tx, sql, &[&account]).await?)
}

/// Locks the settings of an account, and returns them; `None` if there is no such account.
pub(super) async fn lock(tx: &Transaction<'_>, account: &str) -> Result<Option<TriageSettings>> {
    // A deletion locks the account first. Without this lock, it would wait for the inserted row,
    // which refers to the account, and the insertion for the account.
    let sql = "SELECT 1 FROM accounts WHERE id = $1 FOR KEY SHARE";
    if query::fetch_row(tx, sql, &[&account]).await?.is_none() {
        return Ok(None);
    }
    let sql = "INSERT INTO account_triage AS a (account, settings) VALUES ($1, '{}')
               ON CONFLICT (account) DO UPDATE SET settings = a.settings RETURNING settings";
    let locked = query::fetch_row(tx, sql, &[&account]).await?;
    locked.map(|row| parse_settings(read_column(&row, 0)?)).transpose()
}

/// Writes the settings of an account, which are locked.
pub(super) async fn write(
    tx: &Transaction<'_>,
    account: &str,
    settings: &TriageSettings,
) -> Result<()> {
    let json = serde_json::to_string(settings).map_err(database_error)?;
    let sql = "UPDATE account_triage SET settings = $2 WHERE account = $1";
    query::execute(tx, sql, &[&account, &json]).await.map(drop)
}

/// Replaces the settings of an account, unless it has others than `before`, or a submission has a
/// status that would be removed.
pub(super) async fn replace(
    tx: &Transaction<'_>,
    account: &str,
    before: Option<TriageSettings>,
    settings: &TriageSettings,
) -> Result<SettingsOutcome> {
    let Some(current) = lock(tx, account).await? else { return Ok(SettingsOutcome::Set) };
    if before.is_some_and(|before| before != current) {
        return Ok(SettingsOutcome::Changed);
    }
    let removed = current.statuses.iter().map(|status| status.id.as_str());
    let removed: Vec<&str> = removed.filter(|status| !settings.has_status(status)).collect();
    if !removed.is_empty()
        && let Some(used) = find_used(tx, account, &removed).await?
    {
        return Ok(SettingsOutcome::StatusUsed(used));
    }
    write(tx, account, settings).await?;
    Ok(SettingsOutcome::Set)
}

/// Returns one of the statuses that a submission of the account has.
async fn find_used(
    tx: &Transaction<'_>,
    account: &str,
    statuses: &[&str],
) -> Result<Option<Status>> {
    let sql = "SELECT form_id FROM forms WHERE account = $1";
    let rows = query::fetch_rows(tx, sql, &[&account]).await?;
    let forms: Vec<&str> = rows.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    // The forms are a parameter, because submissions can be distributed over machines. A submission
    // that is restored meanwhile is in one of the tables.
    let sql = "SELECT status FROM submissions WHERE form_id = ANY($1) AND status = ANY($2)
               UNION ALL
               SELECT status FROM unlisted WHERE form_id = ANY($1) AND status = ANY($2) LIMIT 1";
    let used = query::fetch_row(tx, sql, &[&forms, &statuses]).await?;
    used.map(|row| parse(read_column(&row, 0)?)).transpose()
}

fn parse_found(row: Option<Row>) -> Result<TriageSettings> {
    row.map_or_else(|| Ok(TriageSettings::default()), |row| parse_settings(read_column(&row, 0)?))
}

fn parse_settings(json: &str) -> Result<TriageSettings> {
    serde_json::from_str(json).map_err(damaged_row)
}
