//! Publishes an import: all its rows become visible at once, with the form's new fields and counts.

use super::Begun;
use super::turn::Turn;
use crate::errors::database;
use crate::query::{column, exists};
use crate::{forms, insert, insight, query};
use contract::{Field, FormId};
use deadpool_postgres::Transaction;
use store::columns::{count, no_form};
use store::{Result, StoreError};

/// Publishes an import, and returns the number of its rows.
pub(super) async fn show(
    turn: &mut Turn,
    begun: &Begun,
    form: &FormId,
    fields: &[Field],
) -> Result<u64> {
    let tx = turn.begin_long().await?;
    insert::given_ids(&tx).await?;
    refuse_taken(&tx, begun).await?;
    let inserted = insert_all(&tx, begun).await?;
    // From here on no other transaction writes into the form. The slow statements are done.
    if !forms::lock(&tx, form).await? {
        return Err(no_form(form));
    }
    forms::append_fields(&tx, form, fields).await?;
    insert::add_count(&tx, form, inserted).await?;
    add_days(&tx, begun).await?;
    insight::look_through(&tx, form).await?;
    let sql = "UPDATE imports SET is_done = TRUE, touched_at = now()
               WHERE form_id = $1 AND import = $2";
    query::run(&tx, sql, &[&begun.form, &begun.number]).await?;
    tx.commit().await.map_err(database)?;
    count(inserted)
}

async fn refuse_taken(tx: &Transaction<'_>, begun: &Begun) -> Result<()> {
    let twice = "SELECT id FROM import_rows WHERE form_id = $1 AND import = $2
                 GROUP BY id HAVING COUNT(*) > 1 LIMIT 1";
    // Materialized for the usual case of no duplicate. With only `LIMIT 1`, the planner would scan
    // all submissions until it finds one.
    let taken = "WITH taken AS MATERIALIZED (
                   SELECT id FROM submissions WHERE id IN (
                     SELECT id FROM import_rows WHERE form_id = $1 AND import = $2))
                 SELECT id FROM taken LIMIT 1";
    for sql in [twice, taken] {
        if let Some(row) = query::row(tx, sql, &[&begun.form, &begun.number]).await? {
            return Err(StoreError::Exists(format!("submission `{}`", column::<&str>(&row, 0)?)));
        }
    }
    Ok(())
}

/// Moves the rows to the submissions, and stores their counts by day and UTM values.
async fn insert_all(tx: &Transaction<'_>, begun: &Begun) -> Result<i64> {
    // Days before 1970 must be rounded down. UTM values are encoded as in `days::slot`.
    let sql = "INSERT INTO import_days
                 (form_id, import, day, utm_source, utm_medium, utm_campaign, row_count)
               SELECT $1, $2,
                 (submitted_at - CASE WHEN submitted_at < 0 THEN 86399999999 ELSE 0 END)
                   / 86400000000,
                 COALESCE('=' || utm_source, ''), COALESCE('=' || utm_medium, ''),
                 COALESCE('=' || utm_campaign, ''), COUNT(*)
               FROM import_rows WHERE form_id = $1 AND import = $2 GROUP BY 3, 4, 5, 6";
    tx.execute(sql, &[&begun.form, &begun.number]).await.map_err(database)?;
    let sql = "INSERT INTO submissions
                 (form_id, submitted_at, id, utm_source, utm_medium, utm_campaign, json, searched)
               SELECT form_id, submitted_at, id, utm_source, utm_medium, utm_campaign, json,
                 searched
               FROM import_rows WHERE form_id = $1 AND import = $2";
    let inserted = tx
        .execute(sql, &[&begun.form, &begun.number])
        .await
        .map_err(|error| exists(error, || "a submission of the same id".to_owned()))?;
    let sql = "DELETE FROM import_rows WHERE form_id = $1 AND import = $2";
    query::run(tx, sql, &[&begun.form, &begun.number]).await?;
    i64::try_from(inserted).map_err(database)
}

async fn add_days(tx: &Transaction<'_>, begun: &Begun) -> Result<()> {
    let sql = "INSERT INTO submission_days AS d
                 (form_id, day, utm_source, utm_medium, utm_campaign, submission_count)
               SELECT form_id, day, utm_source, utm_medium, utm_campaign, row_count
               FROM import_days WHERE form_id = $1 AND import = $2
               ON CONFLICT (form_id, day, utm_source, utm_medium, utm_campaign)
               DO UPDATE SET submission_count = d.submission_count + EXCLUDED.submission_count";
    query::run(tx, sql, &[&begun.form, &begun.number]).await?;
    let sql = "DELETE FROM import_days WHERE form_id = $1 AND import = $2";
    query::run(tx, sql, &[&begun.form, &begun.number]).await.map(drop)
}
