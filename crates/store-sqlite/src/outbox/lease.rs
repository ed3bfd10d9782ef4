//! Leases due deliveries, and records their attempts.

use super::webhooks;
use crate::{forms, query};
use contract::{Timestamp, WebhookId};
use rusqlite::Connection;
use store::Result;
use store::columns::{database_error, parse, skip_damaged};
use store::outbox::{
    AttemptRecord, LEASE, LeaseQuery, LeasedBatch, LeasedColumns, LeasedDelivery, WebhookRecord,
    append_attempt,
};

/// Returns enabled webhooks with due deliveries: failing ones last, otherwise in random order, so
/// that none is always served before others.
pub(super) fn due_webhooks(conn: &Connection, query: &LeaseQuery) -> Result<Vec<WebhookId>> {
    // The recursion visits each webhook with pending deliveries once, not each delivery.
    let sql = "WITH RECURSIVE pending (queue) AS (
                 SELECT MIN(queue) FROM deliveries WHERE due_at IS NOT NULL
                 UNION ALL
                 SELECT (SELECT MIN(d.queue) FROM deliveries AS d
                   WHERE d.due_at IS NOT NULL AND d.queue > p.queue)
                 FROM pending AS p WHERE p.queue IS NOT NULL)
               SELECT w.id FROM pending AS p CROSS JOIN webhooks AS w ON w.seq = p.queue
               WHERE w.disabled_at IS NULL
                 AND w.id NOT IN (SELECT value FROM json_each(?2))
                 AND EXISTS (SELECT 1 FROM deliveries AS d
                   WHERE d.queue = w.seq AND d.due_at <= ?1)
               ORDER BY w.failing_since IS NOT NULL, random() LIMIT ?3";
    let busy = serde_json::to_string(&query.busy).map_err(database_error)?;
    let webhooks_max = i64::try_from(query.webhooks_max).unwrap_or(i64::MAX);
    let ids: Vec<String> =
        query::list(conn, sql, (query.now.micros(), busy, webhooks_max), |row| row.get(0))?;
    ids.iter().map(|id| parse(id)).collect()
}

/// Leases deliveries of webhooks, within a writer job.
pub(super) fn lease(
    conn: &Connection,
    due: &[WebhookId],
    mut query: LeaseQuery,
) -> Result<Vec<LeasedBatch>> {
    let mut batches = Vec::with_capacity(due.len());
    for id in due {
        // It may have been deleted or disabled since.
        let webhook = webhooks::find(conn, id)?.filter(|found| found.webhook.disabled.is_none());
        let Some(webhook) = webhook else { continue };
        let rows_max = query.take_rows_max(&webhook.webhook);
        let deliveries = lease_of_webhook(conn, &webhook, query.now, rows_max)?;
        let Some(form) = forms::find(conn, &webhook.form)? else { continue };
        if !deliveries.is_empty() {
            batches.push(LeasedBatch::new(webhook, form.form, deliveries));
        }
    }
    Ok(batches)
}

fn lease_of_webhook(
    conn: &Connection,
    webhook: &WebhookRecord,
    now: Timestamp,
    rows_max: usize,
) -> Result<Vec<LeasedDelivery>> {
    let sql = "SELECT d.seq, d.nonce, d.event, d.created_at, d.retries, d.submission,
                 CASE WHEN d.body_format = ?4 THEN d.body END, s.json, s.triage
               FROM deliveries AS d INDEXED BY deliveries_by_due
                 LEFT JOIN submissions AS s ON s.form = d.form
                   AND s.submitted_at = d.submitted_at AND s.id = d.submission
               WHERE d.queue = (SELECT seq FROM webhooks WHERE id = ?1) AND d.due_at <= ?2
               ORDER BY d.due_at, d.created_at, d.seq LIMIT ?3";
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let webhook = &webhook.webhook;
    let values = (webhook.id.as_str(), now.micros(), rows_max, webhook.format.as_str());
    let rows: Vec<LeasedColumns> = query::list(conn, sql, values, |row| row.try_into())?;
    let lease_until = now.saturating_add(LEASE);
    for row in &rows {
        let sql = "UPDATE deliveries SET due_at = ?, is_leased = 1 WHERE seq = ?";
        query::execute(conn, sql, (lease_until.micros(), row.0))?;
    }
    let rows = rows.into_iter().map(|row| LeasedDelivery::from_columns(row, lease_until));
    Ok(skip_damaged(rows, "a delivery"))
}

/// Records an attempt, within a writer job.
pub(super) fn record_attempt(conn: &Connection, record: &AttemptRecord) -> Result<bool> {
    let key = (record.key.seq, &record.key.nonce);
    let sql = "SELECT attempts, due_at FROM deliveries WHERE seq = ? AND nonce = ?";
    let found: Option<(String, Option<i64>)> = query::find(conn, sql, key, |row| row.try_into())?;
    let Some((attempts, due_at)) = found else { return Ok(false) };
    let attempts = append_attempt(&attempts, &record.attempt)?;
    if due_at == Some(record.lease_until.micros()) {
        record_outcome(conn, record, &attempts)?;
    } else {
        let sql = "UPDATE deliveries SET attempts = ?2 WHERE seq = ?1";
        query::execute(conn, sql, (key.0, attempts))?;
    }
    record_webhook_state(conn, record)
}

fn record_outcome(conn: &Connection, record: &AttemptRecord, attempts: &str) -> Result<()> {
    let state = record.outcome.state().as_str();
    let due_at = record.outcome.due_at().map(Timestamp::micros);
    let format = record.format.as_str();
    let sql = "UPDATE deliveries SET state = ?2, due_at = ?3, is_leased = 0, retries = retries + 1,
                 body = ?4, body_format = ?5, attempts = ?6
               WHERE seq = ?1";
    let values = (record.key.seq, state, due_at, &record.body, format, attempts);
    query::execute(conn, sql, values).map(drop)
}

/// Returns whether the webhook was disabled.
fn record_webhook_state(conn: &Connection, record: &AttemptRecord) -> Result<bool> {
    let id = record.webhook.as_str();
    let at = record.attempt.at.micros();
    if record.outcome.is_success() {
        let sql = "UPDATE webhooks SET failing_since = NULL
                   WHERE id = ? AND url = ? AND failing_since IS NOT NULL";
        query::execute(conn, sql, (id, &record.url))?;
    } else {
        let sql = "UPDATE webhooks SET failing_since = ?3
                   WHERE id = ?1 AND url = ?2 AND failing_since IS NULL";
        query::execute(conn, sql, (id, &record.url, at))?;
    }
    let Some(reason) = record.disable else { return Ok(false) };
    let sql = "UPDATE webhooks SET disabled_at = ?3, disabled_reason = ?4
               WHERE id = ?1 AND url = ?2 AND disabled_at IS NULL";
    Ok(query::execute(conn, sql, (id, &record.url, at, reason.as_str()))? > 0)
}

/// Makes all leased deliveries due at once.
pub(super) fn release(conn: &Connection) -> Result<()> {
    let sql = "UPDATE deliveries SET due_at = 0, is_leased = 0 WHERE is_leased";
    query::execute(conn, sql, []).map(drop)
}
