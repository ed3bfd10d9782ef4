//! The log of deliveries: list, replay and retention.

use crate::erase_traces;
use crate::insert_submission::micros_before;
use contract::webhook::{Delivery, DeliveryState};
use contract::{Timestamp, WebhookId};
use rusqlite::{Connection, OptionalExtension, Row};
use store::columns::{database_error, parse};
use store::outbox::{
    CHANGE_MAX, DeliveryColumns, DeliveryKey, DeliveryQuery, LOG_AGE_MAX, PURGE_ROWS_MAX,
};
use store::{QueueStats, Result};

/// Names of the columns of [`DeliveryColumns`], in order, with the table as `d`.
const DELIVERY_COLUMNS: &str =
    "d.seq, d.nonce, d.event, d.submission, d.created_at, d.state, d.due_at, d.body, d.attempts";

pub(super) fn list(conn: &Connection, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
    let sql = format!(
        "SELECT {DELIVERY_COLUMNS} FROM deliveries AS d INDEXED BY deliveries_by_webhook
         WHERE d.webhook = ?1 AND d.seq < ?2 AND (?3 IS NULL OR d.state = ?3)
         ORDER BY d.seq DESC LIMIT ?4"
    );
    let before = query.before.as_ref().map_or(i64::MAX, |key| key.seq);
    let state = query.state.map(DeliveryState::as_str);
    let rows_max = i64::try_from(query.rows_max).unwrap_or(i64::MAX);
    let rows: Vec<DeliveryColumns> = conn
        .prepare_cached(&sql)
        .and_then(|mut some| {
            let values = (query.webhook.as_str(), before, state, rows_max);
            some.query_map(values, |row| read_columns(row, 0))?.collect()
        })
        .map_err(database_error)?;
    rows.into_iter().map(DeliveryColumns::into_delivery).collect()
}

pub(super) fn find(conn: &Connection, key: &DeliveryKey) -> Result<Option<(WebhookId, Delivery)>> {
    let sql = format!(
        "SELECT d.webhook, {DELIVERY_COLUMNS} FROM deliveries AS d
         WHERE d.seq = ? AND d.nonce = ?"
    );
    let found: Option<(String, DeliveryColumns)> = conn
        .prepare_cached(&sql)
        .and_then(|mut one| {
            let read = |row: &Row<'_>| Ok((row.get(0)?, read_columns(row, 1)?));
            one.query_row((key.seq, &key.nonce), read).optional()
        })
        .map_err(database_error)?;
    found.map(|(webhook, row)| Ok((parse(&webhook)?, row.into_delivery()?))).transpose()
}

fn read_columns(row: &Row<'_>, first: usize) -> rusqlite::Result<DeliveryColumns> {
    Ok(DeliveryColumns {
        seq: row.get(first)?,
        nonce: row.get(first + 1)?,
        event: row.get(first + 2)?,
        submission: row.get(first + 3)?,
        created_at: row.get(first + 4)?,
        state: row.get(first + 5)?,
        due_at: row.get(first + 6)?,
        body: row.get(first + 7)?,
        attempts: row.get(first + 8)?,
    })
}

pub(super) fn replay(conn: &Connection, key: &DeliveryKey) -> Result<bool> {
    let sql = "UPDATE deliveries SET state = 'pending', due_at = 0, is_leased = 0, retries = 0
               WHERE seq = ? AND nonce = ?";
    Ok(conn.execute(sql, (key.seq, &key.nonce)).map_err(database_error)? > 0)
}

pub(super) fn replay_failed(conn: &Connection, id: &WebhookId, since: Timestamp) -> Result<u64> {
    let sql = "UPDATE deliveries SET state = 'pending', due_at = 0, is_leased = 0, retries = 0
               WHERE seq IN (
                 SELECT seq FROM deliveries
                 WHERE webhook = ? AND state = 'failed' AND created_at >= ?
                 ORDER BY created_at LIMIT ?)";
    let replayed =
        conn.execute(sql, (id.as_str(), since.micros(), CHANGE_MAX)).map_err(database_error)?;
    Ok(replayed as u64)
}

pub(super) fn end(conn: &Connection, key: &DeliveryKey) -> Result<()> {
    let key = (key.seq, &key.nonce);
    let end = "UPDATE deliveries SET state = 'failed', due_at = NULL, is_leased = 0
               WHERE seq = ? AND nonce = ? AND attempts <> '[]'";
    let delete = "DELETE FROM deliveries WHERE seq = ? AND nonce = ? AND attempts = '[]'";
    conn.execute(end, key).and_then(|_| conn.execute(delete, key)).map(drop).map_err(database_error)
}

/// Selects finished deliveries that are expired, and deliveries of deleted webhooks. The recursion
/// visits each webhook with deliveries once.
const EXPIRED_SQL: &str = "WITH RECURSIVE logged (webhook) AS (
     SELECT MIN(webhook) FROM deliveries
     UNION ALL
     SELECT (SELECT MIN(d.webhook) FROM deliveries AS d WHERE d.webhook > l.webhook)
     FROM logged AS l WHERE l.webhook IS NOT NULL)
   SELECT seq FROM deliveries INDEXED BY deliveries_by_end
     WHERE due_at IS NULL AND created_at <= ?1
   UNION ALL
   SELECT d.seq FROM logged AS l CROSS JOIN deliveries AS d ON d.webhook = l.webhook
     WHERE l.webhook NOT IN (SELECT id FROM webhooks)
   LIMIT ?2";

pub(super) fn has_expired(conn: &Connection, now: Timestamp) -> Result<bool> {
    let sql = format!(
        "SELECT EXISTS ({EXPIRED_SQL})
           OR EXISTS (SELECT 1 FROM webhooks WHERE old_secret_until <= ?3)"
    );
    let oldest = micros_before(now, LOG_AGE_MAX);
    conn.query_row(&sql, (oldest, PURGE_ROWS_MAX, now.micros()), |row| row.get(0))
        .map_err(database_error)
}

pub(super) fn purge(conn: &Connection, now: Timestamp) -> Result<u64> {
    let sql = format!("DELETE FROM deliveries WHERE seq IN ({EXPIRED_SQL})");
    let oldest = micros_before(now, LOG_AGE_MAX);
    let purged = conn.execute(&sql, (oldest, PURGE_ROWS_MAX)).map_err(database_error)?;
    let sql = "UPDATE webhooks SET old_secret = NULL, old_secret_until = NULL
               WHERE old_secret_until <= ?";
    conn.execute(sql, [now.micros()]).map_err(database_error)?;
    erase_traces::request_erasure(conn).map_err(database_error)?;
    Ok(purged as u64)
}

pub(super) fn stats(conn: &Connection) -> Result<QueueStats> {
    // Both read only the index, and one row per webhook.
    let sql = "SELECT SUM((SELECT COUNT(*) FROM deliveries AS d
                 WHERE d.webhook = w.id AND d.due_at IS NOT NULL)),
                 MIN((SELECT d.created_at FROM deliveries AS d
                   WHERE d.webhook = w.id AND d.due_at IS NOT NULL
                   ORDER BY d.due_at, d.seq LIMIT 1))
               FROM webhooks AS w WHERE w.disabled_at IS NULL";
    let (pending, oldest): (Option<i64>, Option<i64>) =
        conn.query_row(sql, [], |row| row.try_into()).map_err(database_error)?;
    QueueStats::from_columns(pending, oldest)
}
