//! Permanently deletes spam and trash.

use super::UnlistedRows;
use crate::days::DAY_US;
use crate::errors::database_error;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::transaction::Conn;
use crate::{forms, outbox, query, triage};
use contract::{FormId, Timestamp};
use deadpool_postgres::Transaction;
use store::Result;
use store::clock::micros_before;
use store::unlisted::{PURGE_ROWS_MAX, SPAM_AGE_MAX, UnlistedSelection, UnlistedState};
use tokio_postgres::Row;

/// Deletes the chosen rows of a form.
pub(super) async fn run(
    tx: &Transaction<'_>,
    form: &FormId,
    state: UnlistedState,
    chosen: &UnlistedSelection,
) -> Result<u64> {
    if !forms::lock(tx, form).await? {
        return Ok(0);
    }
    let mut params = QueryParams::default();
    let rows = UnlistedRows { form, state, chosen }.condition(&mut params);
    let sql = format!("DELETE FROM unlisted AS u WHERE {rows} RETURNING u.submitted_at, u.id");
    let deleted = tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
    delete_data_of(tx, form.as_str(), &deleted).await
}

/// Deletes the deliveries, notes and history of deleted rows, and returns the number of rows.
async fn delete_data_of(tx: &Transaction<'_>, form: &str, deleted: &[Row]) -> Result<u64> {
    let at: Vec<i64> = deleted.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    let ids: Vec<&str> = deleted.iter().map(|row| read_column(row, 1)).collect::<Result<_>>()?;
    outbox::delete_deliveries(tx, form, &ids).await?;
    triage::delete_notes_of(tx, form, &at, &ids).await?;
    Ok(ids.len() as u64)
}

/// Lists the forms that have expired rows.
pub(super) async fn list_due_forms(conn: &Conn, now: Timestamp) -> Result<Vec<String>> {
    let sql = "SELECT f.form_id FROM forms AS f
               WHERE EXISTS (SELECT 1 FROM unlisted AS u WHERE u.form_id = f.form_id
                   AND u.state = 'spam' AND u.moved_at <= $1)
                 OR EXISTS (SELECT 1 FROM unlisted AS u WHERE u.form_id = f.form_id
                   AND u.state = 'trash' AND u.moved_at <= $2 - f.trash_days * $3::BIGINT)
               ORDER BY f.form_id";
    let oldest = micros_before(now, SPAM_AGE_MAX);
    let rows = query::fetch_rows(conn, sql, &[&oldest, &now.micros(), &DAY_US]).await?;
    rows.iter().map(|row| read_column(row, 0)).collect()
}

/// Deletes some expired rows of a form, and returns how many. Skips rows that another transaction
/// has locked, so this never waits. The next call deletes those.
pub(super) async fn delete_expired(
    tx: &Transaction<'_>,
    form: &str,
    now: Timestamp,
) -> Result<u64> {
    // Read `trash_days` here, because the owner may have changed it after the form was listed.
    let sql = "WITH expired AS MATERIALIZED (
                 SELECT u.state, u.submitted_at, u.id FROM unlisted AS u
                 WHERE u.form_id = $1 AND (
                   (u.state = 'spam' AND u.moved_at <= $2)
                   OR (u.state = 'trash' AND u.moved_at <= $3
                     - (SELECT f.trash_days FROM forms AS f WHERE f.form_id = $1) * $4::BIGINT))
                 LIMIT $5 FOR UPDATE SKIP LOCKED)
               DELETE FROM unlisted AS u USING expired AS e
               WHERE u.form_id = $1 AND u.state = e.state
                 AND u.submitted_at = e.submitted_at AND u.id = e.id
               RETURNING u.submitted_at, u.id";
    let oldest = micros_before(now, SPAM_AGE_MAX);
    let values: query::Parameters<'_> = &[&form, &oldest, &now.micros(), &DAY_US, &PURGE_ROWS_MAX];
    let deleted = query::fetch_rows(tx, sql, values).await?;
    delete_data_of(tx, form, &deleted).await
}
