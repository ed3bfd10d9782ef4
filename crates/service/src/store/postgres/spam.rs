//! The spam shelf: what was set aside, bounded in count and age.
//!
//! Nothing here is a submission until it is released: no list, export, search or count sees it.
//! Whoever changes it has locked the form's row, but for what is too old.

use super::super::arrival::{SPAM_AGE_MAX, SPAM_ROWS_MAX, SpamPage, SpamRow};
use super::super::found::PAGE_BYTES_MAX;
use super::super::row::{SubmissionRow, count, database, parse, position};
use super::super::{Position, Result};
use super::arrival::{self, before};
use super::work::{column, exists};
use super::{ask, forms, insert, insight};
use contract::{Field, FormId, SpamReason, Submission, SubmissionId, Timestamp};
use deadpool_postgres::Transaction;
use tokio_postgres::Row;

/// A submission that is set aside.
pub(super) struct Aside<'r> {
    pub(super) reason: SpamReason,
    pub(super) row: &'r SubmissionRow,
    pub(super) fields: &'r [Field],
}

/// Sets submissions of a form aside; the oldest make room for them.
pub(super) async fn insert(tx: &Transaction<'_>, form: &FormId, aside: &[Aside<'_>]) -> Result<()> {
    if aside.is_empty() {
        return Ok(());
    }
    let at: Vec<i64> = aside.iter().map(|it| it.row.submitted_at).collect();
    let ids: Vec<&str> = aside.iter().map(|it| it.row.id.as_str()).collect();
    let reasons: Vec<&str> = aside.iter().map(|it| it.reason.as_str()).collect();
    let json: Vec<&str> = aside.iter().map(|it| it.row.json.as_str()).collect();
    let fields: Result<Vec<String>, _> =
        aside.iter().map(|it| serde_json::to_string(it.fields)).collect();
    let fields = fields.map_err(database)?;
    let sql = tx
        .prepare_cached(
            "INSERT INTO spam (form_id, submitted_at, id, reason, json, fields)
             SELECT $1, * FROM unnest(
               $2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[])",
        )
        .await
        .map_err(database)?;
    tx.execute(&sql, &[&form.as_str(), &at, &ids, &reasons, &json, &fields])
        .await
        .map_err(|error| exists(error, || "a submission of the same id".to_owned()))?;
    make_room(tx, form).await
}

async fn make_room(tx: &Transaction<'_>, form: &FormId) -> Result<()> {
    let kept_max = i64::try_from(SPAM_ROWS_MAX).map_err(database)?;
    let sql = "DELETE FROM spam WHERE form_id = $1 AND (submitted_at, id) <= (
                 SELECT submitted_at, id FROM spam WHERE form_id = $1
                 ORDER BY submitted_at DESC, id DESC LIMIT 1 OFFSET $2)";
    ask::run(tx, sql, &[&form.as_str(), &kept_max]).await.map(drop)
}

/// Clears so many of what is too old away, of any form and at most. Nothing is waited for behind
/// this.
pub(super) async fn clear_old(tx: &Transaction<'_>, now: Timestamp, most: i64) -> Result<()> {
    let oldest = before(now, SPAM_AGE_MAX);
    let sql = "DELETE FROM spam WHERE (form_id, submitted_at, id) IN (
                 SELECT form_id, submitted_at, id FROM spam WHERE submitted_at <= $1
                 ORDER BY submitted_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
    ask::run(tx, sql, &[&oldest, &most]).await.map(drop)
}

/// Lists what stands on a form's shelf, within a look at one instant.
pub(super) async fn list(
    tx: &Transaction<'_>,
    form: &FormId,
    after: Timestamp,
    behind: Option<&Position>,
    rows_max: usize,
) -> Result<SpamPage> {
    let (form, after) = (form.as_str(), after.micros());
    let sql = "SELECT COUNT(*) FROM spam WHERE form_id = $1 AND submitted_at > $2";
    let total = ask::row(tx, sql, &[&form, &after]).await?;
    let total = total.map_or(Ok(0), |row| column(&row, 0))?;
    let (at, id) = behind.map_or((i64::MAX, ""), |it| (it.submitted_at.micros(), it.id.as_str()));
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    // One more than a page has room for tells that there are more.
    let sql = "SELECT submitted_at, id, reason, json FROM (
                 SELECT submitted_at, id, reason, json, row_number() OVER newest AS place,
                   sum(octet_length(json)) OVER newest - octet_length(json) AS before
                 FROM (
                   SELECT submitted_at, id, reason, json FROM spam
                   WHERE form_id = $1 AND submitted_at > $2 AND (submitted_at, id) < ($3, $4)
                   ORDER BY submitted_at DESC, id DESC LIMIT $5) AS page
                 WINDOW newest AS (ORDER BY submitted_at DESC, id DESC)) AS page
               WHERE place <= 2 OR before <= $6
               ORDER BY submitted_at DESC, id DESC";
    let bytes_max = i64::try_from(PAGE_BYTES_MAX).unwrap_or(i64::MAX);
    let rows = ask::rows(tx, sql, &[&form, &after, &at, &id, &rows_max, &bytes_max]).await?;
    let read = |row: &Row| {
        let position = position(column(row, 0)?, column(row, 1)?)?;
        Ok(SpamRow { position, reason: parse(column(row, 2)?)?, json: column(row, 3)? })
    };
    Ok(SpamPage { rows: rows.iter().map(read).collect::<Result<_>>()?, total: count(total)? })
}

/// Moves one among the form's submissions. Its id has been known for long: it may be in what
/// somebody brings in from elsewhere in this moment.
///
/// # Errors
/// [`StoreError::Busy`](super::super::StoreError) where others bring much in.
pub(super) async fn release(
    tx: &Transaction<'_>,
    form: &FormId,
    id: &SubmissionId,
) -> Result<bool> {
    insert::given_ids_soon(tx).await?;
    if !forms::lock(tx, form).await? {
        return Ok(false);
    }
    let sql = "DELETE FROM spam WHERE form_id = $1 AND id = $2 RETURNING json, fields";
    let Some(taken) = ask::row(tx, sql, &[&form.as_str(), &id.as_str()]).await? else {
        return Ok(false);
    };
    let submission: Submission = serde_json::from_str(column(&taken, 0)?).map_err(database)?;
    let brought: Vec<Field> = serde_json::from_str(column(&taken, 1)?).map_err(database)?;
    let (known, removed) = (forms::fields(tx, form).await?, forms::removed_keys(tx, form).await?);
    let is_new = |field: &Field| {
        !known.iter().any(|it| it.key == field.key) && !removed.contains(&field.key)
    };
    let new: Vec<Field> = brought.into_iter().filter(is_new).collect();
    arrival::learn(tx, form, &new).await?;
    let row = SubmissionRow::new(submission)?;
    insert::rows(tx, form, &[&row]).await?;
    insight::queue(tx, form, &[&row]).await?;
    Ok(true)
}

/// Deletes one, or all.
pub(super) async fn delete(
    tx: &Transaction<'_>,
    form: &FormId,
    id: Option<&SubmissionId>,
) -> Result<u64> {
    if !forms::lock(tx, form).await? {
        return Ok(0);
    }
    let (form, id) = (form.as_str(), id.map(SubmissionId::as_str));
    match id {
        Some(id) => {
            ask::run(tx, "DELETE FROM spam WHERE form_id = $1 AND id = $2", &[&form, &id]).await
        }
        None => ask::run(tx, "DELETE FROM spam WHERE form_id = $1", &[&form]).await,
    }
}
