//! The log of deliveries: list, replay and retention.

use crate::query::read_column;
use crate::{query, text_encoding};
use contract::webhook::{Delivery, DeliveryState};
use contract::{Timestamp, WebhookId};
use deadpool_postgres::{GenericClient, Transaction};
use store::clock::micros_before;
use store::columns::parse;
use store::outbox::{
    CHANGE_MAX, DeliveryColumns, DeliveryKey, DeliveryQuery, LOG_AGE_MAX, PURGE_ROWS_MAX,
};
use store::{QueueStats, Result};
use tokio_postgres::Row;

/// Selects the columns that [`read_delivery`] reads.
macro_rules! select_deliveries {
    ($rest:literal) => {
        concat!(
            "SELECT d.webhook, d.seq, d.nonce, d.event, d.submission, d.created_at, d.state,
               d.due_at, d.body, d.attempts
             FROM deliveries AS d ",
            $rest
        )
    };
}

pub(super) async fn list(
    conn: &impl GenericClient,
    query: &DeliveryQuery,
) -> Result<Vec<Delivery>> {
    let sql = select_deliveries!(
        "WHERE d.webhook = $1 AND d.seq < $2 AND ($3::TEXT IS NULL OR d.state = $3)
         ORDER BY d.seq DESC LIMIT $4"
    );
    let before = query.before.as_ref().map_or(i64::MAX, |key| key.seq);
    let state = query.state.map(DeliveryState::as_str);
    let rows_max = i64::try_from(query.rows_max).unwrap_or(i64::MAX);
    let values: query::Parameters<'_> = &[&query.webhook.as_str(), &before, &state, &rows_max];
    let rows = query::fetch_rows(conn, sql, values).await?;
    rows.iter().map(read_delivery).collect()
}

pub(super) async fn find(
    conn: &impl GenericClient,
    key: &DeliveryKey,
) -> Result<Option<(WebhookId, Delivery)>> {
    let sql = select_deliveries!("WHERE d.seq = $1 AND d.nonce = $2");
    let Some(row) = query::fetch_row(conn, sql, &[&key.seq, &key.nonce]).await? else {
        return Ok(None);
    };
    Ok(Some((parse(read_column(&row, 0)?)?, read_delivery(&row)?)))
}

fn read_delivery(row: &Row) -> Result<Delivery> {
    DeliveryColumns {
        seq: read_column(row, 1)?,
        nonce: read_column(row, 2)?,
        event: read_column(row, 3)?,
        submission: read_column(row, 4)?,
        created_at: read_column(row, 5)?,
        state: read_column(row, 6)?,
        due_at: read_column(row, 7)?,
        body: read_column::<Option<String>>(row, 8)?.map(text_encoding::decode),
        attempts: read_column(row, 9)?,
    }
    .into_delivery()
}

pub(super) async fn replay(tx: &Transaction<'_>, key: &DeliveryKey) -> Result<bool> {
    let sql = "UPDATE deliveries SET state = 'pending', due_at = 0, retries = 0
               WHERE seq = $1 AND nonce = $2";
    Ok(query::execute(tx, sql, &[&key.seq, &key.nonce]).await? > 0)
}

pub(super) async fn replay_failed(
    tx: &Transaction<'_>,
    id: &WebhookId,
    since: Timestamp,
) -> Result<u64> {
    let sql = "UPDATE deliveries SET state = 'pending', due_at = 0, retries = 0 WHERE seq IN (
                 SELECT seq FROM deliveries
                 WHERE webhook = $1 AND state = 'failed' AND created_at >= $2
                 ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED)";
    query::execute(tx, sql, &[&id.as_str(), &since.micros(), &CHANGE_MAX]).await
}

/// As [`store::outbox::OutboxStore::drop_delivery`].
pub(super) async fn end(conn: &impl GenericClient, key: &DeliveryKey) -> Result<()> {
    for sql in [
        "UPDATE deliveries SET state = 'failed', due_at = NULL
         WHERE seq = $1 AND nonce = $2 AND attempts <> '[]'",
        "DELETE FROM deliveries WHERE seq = $1 AND nonce = $2 AND attempts = '[]'",
    ] {
        query::execute(conn, sql, &[&key.seq, &key.nonce]).await?;
    }
    Ok(())
}

/// Deletes finished deliveries that are expired, deliveries of deleted webhooks, and expired
/// secrets. Skips rows that another transaction has locked.
pub(super) async fn purge(tx: &Transaction<'_>, now: Timestamp) -> Result<u64> {
    let sql = "DELETE FROM deliveries WHERE seq IN (
                 SELECT seq FROM deliveries WHERE due_at IS NULL AND created_at <= $1
                 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
    let oldest = micros_before(now, LOG_AGE_MAX);
    let expired = query::execute(tx, sql, &[&oldest, &PURGE_ROWS_MAX]).await?;
    // The recursion visits each webhook with deliveries once.
    let sql = "WITH RECURSIVE logged (webhook) AS (
                 (SELECT webhook FROM deliveries ORDER BY webhook LIMIT 1)
                 UNION ALL
                 SELECT d.webhook FROM logged AS l CROSS JOIN LATERAL (
                   SELECT webhook FROM deliveries WHERE webhook > l.webhook
                   ORDER BY webhook LIMIT 1) AS d)
               DELETE FROM deliveries WHERE seq IN (
                 SELECT d.seq FROM logged AS l JOIN deliveries AS d USING (webhook)
                 WHERE NOT EXISTS (SELECT 1 FROM webhooks AS w WHERE w.id = l.webhook)
                 LIMIT $1 FOR UPDATE OF d SKIP LOCKED)";
    let orphaned = query::execute(tx, sql, &[&PURGE_ROWS_MAX]).await?;
    let sql = "UPDATE webhooks SET old_secret = NULL, old_secret_until = NULL
               WHERE old_secret_until <= $1";
    query::execute(tx, sql, &[&now.micros()]).await?;
    Ok(expired.max(orphaned))
}

pub(super) async fn stats(conn: &impl GenericClient) -> Result<QueueStats> {
    // Both read only the index, and one row per webhook.
    let sql = "SELECT COALESCE(sum(n.count), 0)::BIGINT, min(n.oldest)
               FROM webhooks AS w CROSS JOIN LATERAL (
                 SELECT (SELECT count(*) FROM deliveries AS d
                     WHERE d.webhook = w.id AND d.due_at IS NOT NULL) AS count,
                   (SELECT d.created_at FROM deliveries AS d
                     WHERE d.webhook = w.id AND d.due_at IS NOT NULL
                     ORDER BY d.due_at, d.seq LIMIT 1) AS oldest) AS n
               WHERE w.disabled_at IS NULL";
    let row = query::fetch_one(conn, sql, &[]).await?;
    QueueStats::from_columns(read_column(&row, 0)?, read_column(&row, 1)?)
}
