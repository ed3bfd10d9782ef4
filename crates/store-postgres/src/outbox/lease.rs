//! Leases due deliveries, and records their attempts.

use super::webhooks;
use crate::query::read_column;
use crate::{forms, query, text_encoding};
use contract::webhook::WebhookEvent;
use contract::{Timestamp, WebhookId};
use deadpool_postgres::{GenericClient, Transaction};
use store::Result;
use store::columns::{damaged_row, parse, parse_instant};
use store::outbox::{
    AttemptRecord, DeliveryContent, DeliveryKey, LEASE, LeaseQuery, LeasedBatch, LeasedDelivery,
    append_attempt,
};
use tokio_postgres::Row;

/// Returns enabled webhooks with due deliveries, in random order, so that none is always served
/// before others.
pub(super) async fn due_webhooks(
    conn: &impl GenericClient,
    query: &LeaseQuery,
) -> Result<Vec<WebhookId>> {
    // The recursion visits each webhook with pending deliveries once, not each delivery.
    let sql = "WITH RECURSIVE pending (webhook) AS (
                 SELECT min(webhook) FROM deliveries WHERE due_at IS NOT NULL
                 UNION ALL
                 SELECT (SELECT min(d.webhook) FROM deliveries AS d
                   WHERE d.due_at IS NOT NULL AND d.webhook > p.webhook)
                 FROM pending AS p WHERE p.webhook IS NOT NULL)
               SELECT w.id FROM pending AS p JOIN webhooks AS w ON w.id = p.webhook
               WHERE w.disabled_at IS NULL AND w.id <> ALL($2::TEXT[])
                 AND EXISTS (SELECT 1 FROM deliveries AS d
                   WHERE d.webhook = w.id AND d.due_at <= $1)
               ORDER BY random() LIMIT $3";
    let busy: Vec<&str> = query.busy.iter().map(WebhookId::as_str).collect();
    let webhooks_max = i64::try_from(query.webhooks_max).unwrap_or(i64::MAX);
    let rows = query::fetch_rows(conn, sql, &[&query.now.micros(), &busy, &webhooks_max]).await?;
    rows.iter().map(|row| parse(read_column(row, 0)?)).collect()
}

/// Leases deliveries of webhooks.
pub(super) async fn lease(
    tx: &Transaction<'_>,
    due: &[WebhookId],
    query: &LeaseQuery,
) -> Result<Vec<LeasedBatch>> {
    let mut batches = Vec::with_capacity(due.len());
    for id in due {
        // It may have been deleted or disabled since.
        let webhook = webhooks::find(tx, id).await?.filter(|it| it.webhook.disabled.is_none());
        let Some(webhook) = webhook else { continue };
        let Some(form) = forms::find_form(tx, &webhook.form).await? else { continue };
        let deliveries = lease_of_webhook(tx, id, query).await?;
        if !deliveries.is_empty() {
            let form = form.form;
            batches.push(LeasedBatch {
                webhook,
                form_name: form.name,
                environment: form.environment,
                fields: form.fields,
                deliveries,
            });
        }
    }
    Ok(batches)
}

async fn lease_of_webhook(
    tx: &Transaction<'_>,
    id: &WebhookId,
    query: &LeaseQuery,
) -> Result<Vec<LeasedDelivery>> {
    let sql = "WITH due AS MATERIALIZED (
                 SELECT seq FROM deliveries WHERE webhook = $1 AND due_at <= $2
                 ORDER BY due_at, seq LIMIT $3 FOR UPDATE SKIP LOCKED),
               leased AS (
                 UPDATE deliveries AS d SET due_at = $4 FROM due WHERE d.seq = due.seq
                 RETURNING d.*)
               SELECT l.seq, l.nonce, l.event, l.created_at, l.retries, l.submission, l.body, s.json
               FROM leased AS l LEFT JOIN submissions AS s ON s.form_id = l.form_id
                 AND s.submitted_at = l.submitted_at AND s.id = l.submission
               ORDER BY l.seq";
    let lease_until = query.now.saturating_add(LEASE);
    let rows_max = i64::try_from(query.rows_max).unwrap_or(i64::MAX);
    let values: query::Parameters<'_> =
        &[&id.as_str(), &query.now.micros(), &rows_max, &lease_until.micros()];
    let rows = query::fetch_rows(tx, sql, values).await?;
    rows.iter().map(|row| leased_delivery(row, lease_until)).collect()
}

fn leased_delivery(row: &Row, lease_until: Timestamp) -> Result<LeasedDelivery> {
    let event: WebhookEvent = parse(read_column(row, 2)?)?;
    let retries: i64 = read_column(row, 4)?;
    let body = read_column::<Option<String>>(row, 6)?.map(text_encoding::decode);
    Ok(LeasedDelivery {
        key: DeliveryKey { seq: read_column(row, 0)?, nonce: read_column(row, 1)? },
        lease_until,
        event,
        created_at: parse_instant(read_column(row, 3)?)?,
        retries: u32::try_from(retries).map_err(damaged_row)?,
        content: DeliveryContent::from_columns(
            event,
            read_column(row, 5)?,
            body,
            read_column(row, 7)?,
        )?,
    })
}

/// Records an attempt.
pub(super) async fn record_attempt(tx: &Transaction<'_>, record: &AttemptRecord) -> Result<()> {
    let sql = "SELECT attempts FROM deliveries
               WHERE seq = $1 AND nonce = $2 AND due_at = $3 FOR UPDATE";
    let key = &record.key;
    let lease_until = record.lease_until.micros();
    let found = query::fetch_row(tx, sql, &[&key.seq, &key.nonce, &lease_until]).await?;
    let Some(found) = found else { return Ok(()) };
    let attempts = append_attempt(read_column(&found, 0)?, &record.attempt)?;
    let sql = "UPDATE deliveries SET state = $2, due_at = $3, retries = retries + 1, body = $4,
                 attempts = $5
               WHERE seq = $1";
    let state = record.outcome.state().as_str();
    let due_at = record.outcome.due_at().map(Timestamp::micros);
    let body = text_encoding::encode(&record.body);
    query::execute(tx, sql, &[&key.seq, &state, &due_at, &body, &attempts]).await?;
    record_webhook_state(tx, record).await
}

async fn record_webhook_state(tx: &Transaction<'_>, record: &AttemptRecord) -> Result<()> {
    let id = record.webhook.as_str();
    let at = record.attempt.at.micros();
    if record.outcome.is_success() {
        let sql = "UPDATE webhooks SET failing_since = NULL
                   WHERE id = $1 AND failing_since IS NOT NULL";
        query::execute(tx, sql, &[&id]).await?;
    } else {
        let sql = "UPDATE webhooks SET failing_since = $2
                   WHERE id = $1 AND failing_since IS NULL";
        query::execute(tx, sql, &[&id, &at]).await?;
    }
    if let Some(reason) = record.disable {
        let sql = "UPDATE webhooks SET disabled_at = $2, disabled_reason = $3
                   WHERE id = $1 AND disabled_at IS NULL";
        query::execute(tx, sql, &[&id, &at, &reason.as_str()]).await?;
    }
    Ok(())
}
