//! Leases due deliveries, and records their attempts.

use super::webhooks;
use crate::query::read_column;
use crate::{forms, query, text_encoding};
use contract::{FormId, Timestamp, WebhookId};
use deadpool_postgres::{GenericClient, Transaction};
use std::collections::HashMap;
use store::Result;
use store::columns::{parse, skip_damaged};
use store::outbox::{
    AttemptRecord, LEASE, LeaseQuery, LeasedBatch, LeasedColumns, LeasedDelivery, WebhookRecord,
    append_attempt,
};
use tokio_postgres::Row;

/// Returns enabled webhooks with due deliveries: failing ones last, otherwise in random order, so
/// that none is always served before others.
pub(super) async fn due_webhooks(
    conn: &impl GenericClient,
    query: &LeaseQuery,
) -> Result<Vec<WebhookId>> {
    // The recursion visits each webhook with pending deliveries once, not each delivery. Every step
    // has a limit, so that the plan does not depend on statistics from when the queue was empty.
    let sql = "WITH RECURSIVE pending (webhook) AS (
                 (SELECT webhook FROM deliveries WHERE due_at IS NOT NULL
                  ORDER BY webhook, due_at LIMIT 1)
                 UNION ALL
                 SELECT d.webhook FROM pending AS p CROSS JOIN LATERAL (
                   SELECT webhook FROM deliveries
                   WHERE due_at IS NOT NULL AND webhook > p.webhook
                   ORDER BY webhook, due_at LIMIT 1) AS d)
               SELECT w.id FROM pending AS p JOIN webhooks AS w ON w.id = p.webhook
                 CROSS JOIN LATERAL (
                   SELECT due_at FROM deliveries AS d
                   WHERE d.webhook = p.webhook AND d.due_at IS NOT NULL
                   ORDER BY d.due_at, d.seq LIMIT 1) AS first
               WHERE w.disabled_at IS NULL AND w.id <> ALL($2::TEXT[]) AND first.due_at <= $1
               ORDER BY w.failing_since IS NOT NULL, random() LIMIT $3";
    let busy: Vec<&str> = query.busy.iter().map(WebhookId::as_str).collect();
    let webhooks_max = i64::try_from(query.webhooks_max).unwrap_or(i64::MAX);
    let rows = query::fetch_rows(conn, sql, &[&query.now.micros(), &busy, &webhooks_max]).await?;
    rows.iter().map(|row| parse(read_column(row, 0)?)).collect()
}

/// Leases deliveries of webhooks.
pub(super) async fn lease(
    tx: &Transaction<'_>,
    due: &[WebhookId],
    mut query: LeaseQuery,
) -> Result<Vec<LeasedBatch>> {
    let mut batches = Vec::with_capacity(due.len());
    for id in due {
        // It may have been deleted or disabled since.
        let webhook =
            webhooks::find(tx, id).await?.filter(|found| found.webhook.disabled.is_none());
        let Some(webhook) = webhook else { continue };
        let Some(form) = forms::find_form(tx, &webhook.form).await? else { continue };
        let rows_max = query.take_rows_max(&webhook.webhook);
        let deliveries = lease_of_webhook(tx, &webhook, query.now, rows_max).await?;
        if !deliveries.is_empty() {
            batches.push(LeasedBatch::new(webhook, form.form, deliveries));
        }
    }
    Ok(batches)
}

async fn lease_of_webhook(
    tx: &Transaction<'_>,
    webhook: &WebhookRecord,
    now: Timestamp,
    rows_max: usize,
) -> Result<Vec<LeasedDelivery>> {
    let sql = "WITH due AS MATERIALIZED (
                 SELECT seq FROM deliveries WHERE webhook = $1 AND due_at <= $2
                 ORDER BY due_at, seq LIMIT $3 FOR UPDATE SKIP LOCKED)
               UPDATE deliveries AS d SET due_at = $4 FROM due WHERE d.seq = due.seq
               RETURNING d.seq, d.nonce, d.event, d.created_at, d.retries, d.submission,
                 CASE WHEN d.body_format = $5 THEN d.body END, d.submitted_at";
    let lease_until = now.saturating_add(LEASE);
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let id = webhook.webhook.id.as_str();
    let format = webhook.webhook.format.as_str();
    let values: query::Parameters<'_> =
        &[&id, &now.micros(), &rows_max, &lease_until.micros(), &format];
    let rows = query::fetch_rows(tx, sql, values).await?;
    let submissions = find_listed(tx, &webhook.form, &rows).await?;
    let read = |row| LeasedDelivery::from_columns(leased_columns(row, &submissions)?, lease_until);
    let mut leased = skip_damaged(rows.iter().map(read), "a delivery");
    leased.sort_unstable_by_key(|delivery| delivery.key.seq);
    Ok(leased)
}

/// JSON and triage of a submission.
pub(crate) type StoredColumns = (String, Option<String>);

async fn find_listed(
    tx: &Transaction<'_>,
    form: &FormId,
    rows: &[Row],
) -> Result<HashMap<String, StoredColumns>> {
    let mut at: Vec<i64> = Vec::with_capacity(rows.len());
    let mut ids: Vec<&str> = Vec::with_capacity(rows.len());
    for row in rows {
        if let Some(submitted_at) = read_column(row, 7)? {
            at.push(submitted_at);
            ids.push(read_column(row, 5)?);
        }
    }
    find_submissions(tx, form, &at, &ids).await
}

/// Returns the columns of those submissions of a form that are listed, by id. The submissions are
/// given by their instants and ids. A statement of its own, because submissions can be distributed
/// over machines.
pub(crate) async fn find_submissions(
    tx: &Transaction<'_>,
    form: &FormId,
    submitted_at: &[i64],
    ids: &[&str],
) -> Result<HashMap<String, StoredColumns>> {
    let sql = "SELECT s.id, s.json, s.triage FROM submissions AS s
                 JOIN unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
                   ON s.submitted_at = n.submitted_at AND s.id = n.id
               WHERE s.form_id = $1";
    let found = query::fetch_rows(tx, sql, &[&form.as_str(), &submitted_at, &ids]).await?;
    let read = |row| Ok((read_column(row, 0)?, (read_column(row, 1)?, read_column(row, 2)?)));
    found.iter().map(read).collect()
}

fn leased_columns(
    row: &Row,
    submissions: &HashMap<String, StoredColumns>,
) -> Result<LeasedColumns> {
    let submission: String = read_column(row, 5)?;
    let body = read_column::<Option<String>>(row, 6)?.map(text_encoding::decode);
    let (json, triage) = submissions.get(&submission).cloned().unzip();
    let [nonce, event] = [read_column(row, 1)?, read_column(row, 2)?];
    let [seq, created_at, retries] =
        [read_column(row, 0)?, read_column(row, 3)?, read_column(row, 4)?];
    Ok((seq, nonce, event, created_at, retries, submission, body, json, triage.flatten()))
}

/// Records an attempt.
pub(super) async fn record_attempt(tx: &Transaction<'_>, record: &AttemptRecord) -> Result<bool> {
    let sql = "SELECT attempts, due_at FROM deliveries WHERE seq = $1 AND nonce = $2 FOR UPDATE";
    let key = &record.key;
    let Some(found) = query::fetch_row(tx, sql, &[&key.seq, &key.nonce]).await? else {
        return Ok(false);
    };
    let attempts = append_attempt(read_column(&found, 0)?, &record.attempt)?;
    let due_at: Option<i64> = read_column(&found, 1)?;
    if due_at == Some(record.lease_until.micros()) {
        record_outcome(tx, record, &attempts).await?;
    } else {
        let sql = "UPDATE deliveries SET attempts = $2 WHERE seq = $1";
        query::execute(tx, sql, &[&key.seq, &attempts]).await?;
    }
    record_webhook_state(tx, record).await
}

async fn record_outcome(
    tx: &Transaction<'_>,
    record: &AttemptRecord,
    attempts: &str,
) -> Result<()> {
    let sql = "UPDATE deliveries SET state = $2, due_at = $3, retries = retries + 1, body = $4,
                 body_format = $5, attempts = $6
               WHERE seq = $1";
    let state = record.outcome.state().as_str();
    let due_at = record.outcome.due_at().map(Timestamp::micros);
    let body = text_encoding::encode(&record.body);
    let format = record.format.as_str();
    let values: query::Parameters<'_> =
        &[&record.key.seq, &state, &due_at, &body, &format, &attempts];
    query::execute(tx, sql, values).await.map(drop)
}

/// Returns whether the webhook was disabled.
async fn record_webhook_state(tx: &Transaction<'_>, record: &AttemptRecord) -> Result<bool> {
    let id = record.webhook.as_str();
    let url = &record.url;
    let at = record.attempt.at.micros();
    if record.outcome.is_success() {
        let sql = "UPDATE webhooks SET failing_since = NULL
                   WHERE id = $1 AND url = $2 AND failing_since IS NOT NULL";
        query::execute(tx, sql, &[&id, url]).await?;
    } else {
        let sql = "UPDATE webhooks SET failing_since = $3
                   WHERE id = $1 AND url = $2 AND failing_since IS NULL";
        query::execute(tx, sql, &[&id, url, &at]).await?;
    }
    let Some(reason) = record.disable else { return Ok(false) };
    let sql = "UPDATE webhooks SET disabled_at = $3, disabled_reason = $4
               WHERE id = $1 AND url = $2 AND disabled_at IS NULL";
    Ok(query::execute(tx, sql, &[&id, url, &at, &reason.as_str()]).await? > 0)
}
