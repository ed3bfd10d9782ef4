//! Publishes an import: all its rows become visible at once, with the form's new fields and counts,
//! and the audit entry.

use super::ListedImport;
use super::import_lock::ImportLock;
use crate::errors::database_error;
use crate::query::{insert_error, read_column};
use crate::{audit, forms, insert, insight, live, query};
use contract::audit::AuditEvent;
use contract::live::ChangeKind;
use contract::{Field, FormId};
use deadpool_postgres::Transaction;
use store::audit::AffectedRows;
use store::columns::{parse_count, unknown_form};
use store::{Result, StoreError};

/// Publishes an import, and returns the number of its rows.
pub(super) async fn publish_rows(
    turn: &mut ImportLock,
    listed_import: &ListedImport,
    form: &FormId,
    fields: &[Field],
    event: Option<AuditEvent>,
) -> Result<u64> {
    let tx = turn.begin_long_transaction().await?;
    insert::lock_known_ids(&tx).await?;
    reject_taken_ids(&tx, listed_import).await?;
    let inserted = move_rows(&tx, listed_import).await?;
    // From here on no other transaction writes into the form. The slow statements are done.
    if !forms::lock(&tx, form).await? {
        return Err(unknown_form(form));
    }
    forms::append_missing_fields(&tx, form, fields).await?;
    insert::add_count(&tx, form, inserted).await?;
    add_days(&tx, listed_import).await?;
    insight::request_sweep(&tx, form).await?;
    live::notify::<&str>(&tx, form.as_str(), ChangeKind::Created, &[]).await?;
    let sql = "UPDATE imports SET is_done = TRUE, touched_at = now()
               WHERE form_id = $1 AND import = $2";
    query::execute(&tx, sql, &[&listed_import.form, &listed_import.number]).await?;
    let inserted = parse_count(inserted)?;
    if let Some(event) = event {
        audit::append_event(&tx, event, &AffectedRows::of_import(inserted, fields)).await?;
    }
    tx.commit().await.map_err(database_error)?;
    Ok(inserted)
}

async fn reject_taken_ids(tx: &Transaction<'_>, listed_import: &ListedImport) -> Result<()> {
    let duplicate_sql = "SELECT id FROM import_rows WHERE form_id = $1 AND import = $2
                 GROUP BY id HAVING COUNT(*) > 1 LIMIT 1";
    // Materialized for the usual case of no duplicate. With only `LIMIT 1`, the planner would scan
    // all submissions until it finds one.
    let taken_sql = "WITH taken AS MATERIALIZED (
                   SELECT id FROM submissions WHERE id IN (
                     SELECT id FROM import_rows WHERE form_id = $1 AND import = $2))
                 SELECT id FROM taken LIMIT 1";
    for sql in [duplicate_sql, taken_sql] {
        if let Some(row) =
            query::fetch_row(tx, sql, &[&listed_import.form, &listed_import.number]).await?
        {
            return Err(StoreError::Exists(format!(
                "submission `{}`",
                read_column::<&str>(&row, 0)?
            )));
        }
    }
    Ok(())
}

/// Moves the rows to the submissions, and stores their counts by day and UTM values.
async fn move_rows(tx: &Transaction<'_>, listed_import: &ListedImport) -> Result<i64> {
    // Days before 1970 must be rounded down. UTM values are encoded as in `days::slot`.
    let sql = "INSERT INTO import_days
                 (form_id, import, day, utm_source, utm_medium, utm_campaign, row_count)
               SELECT $1, $2,
                 (submitted_at - CASE WHEN submitted_at < 0 THEN 86399999999 ELSE 0 END)
                   / 86400000000,
                 COALESCE('=' || utm_source, ''), COALESCE('=' || utm_medium, ''),
                 COALESCE('=' || utm_campaign, ''), COUNT(*)
               FROM import_rows WHERE form_id = $1 AND import = $2 GROUP BY 3, 4, 5, 6";
    tx.execute(sql, &[&listed_import.form, &listed_import.number]).await.map_err(database_error)?;
    let sql = "INSERT INTO submissions
                 (form_id, submitted_at, id, utm_source, utm_medium, utm_campaign, json, searched)
               SELECT form_id, submitted_at, id, utm_source, utm_medium, utm_campaign, json,
                 searched
               FROM import_rows WHERE form_id = $1 AND import = $2";
    let inserted = tx
        .execute(sql, &[&listed_import.form, &listed_import.number])
        .await
        .map_err(|error| insert_error(error, || "a submission of the same id".to_owned()))?;
    let sql = "DELETE FROM import_rows WHERE form_id = $1 AND import = $2";
    query::execute(tx, sql, &[&listed_import.form, &listed_import.number]).await?;
    i64::try_from(inserted).map_err(database_error)
}

async fn add_days(tx: &Transaction<'_>, listed_import: &ListedImport) -> Result<()> {
    let sql = "INSERT INTO submission_days AS d
                 (form_id, day, utm_source, utm_medium, utm_campaign, submission_count)
               SELECT form_id, day, utm_source, utm_medium, utm_campaign, row_count
               FROM import_days WHERE form_id = $1 AND import = $2
               ON CONFLICT (form_id, day, utm_source, utm_medium, utm_campaign)
               DO UPDATE SET submission_count = d.submission_count + EXCLUDED.submission_count";
    query::execute(tx, sql, &[&listed_import.form, &listed_import.number]).await?;
    let sql = "DELETE FROM import_days WHERE form_id = $1 AND import = $2";
    query::execute(tx, sql, &[&listed_import.form, &listed_import.number]).await.map(drop)
}
