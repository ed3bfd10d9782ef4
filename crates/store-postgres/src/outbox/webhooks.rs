//! Webhooks of forms.

use crate::query::read_column;
use crate::{forms, query};
use contract::webhook::{DisabledReason, WEBHOOKS_MAX, WebhookSettings};
use contract::{FormId, Timestamp, WebhookId};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::parse_count;
use store::outbox::{
    CHANGE_MAX, SigningSecret, WebhookColumns, WebhookRecord, events_to_bits, old_secret_end,
};
use store::{Result, StoreError};
use tokio_postgres::Row;

/// Selects the columns that [`read_webhook`] reads.
macro_rules! select_webhooks {
    ($rest:literal) => {
        concat!(
            "SELECT w.form_id, w.id, w.url, w.events, w.format, w.created_at, w.disabled_at,
               w.disabled_reason, w.failing_since, w.secret, w.old_secret, w.old_secret_until
             FROM webhooks AS w ",
            $rest
        )
    };
}

pub(super) async fn insert(tx: &Transaction<'_>, record: &WebhookRecord) -> Result<bool> {
    let form = record.form.as_str();
    if !forms::lock(tx, &record.form).await? {
        return Ok(false);
    }
    let sql = "SELECT count(*) FROM webhooks WHERE form_id = $1";
    let count = query::fetch_one(tx, sql, &[&form]).await?;
    if parse_count(read_column(&count, 0)?)? >= WEBHOOKS_MAX as u64 {
        return Err(StoreError::TooManyWebhooks);
    }
    let webhook = &record.webhook;
    let sql = "INSERT INTO webhooks (id, form_id, url, events, format, created_at, secret)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let events = events_to_bits(&webhook.events);
    let secret = &record.secret.expose_bytes()[..];
    query::execute(
        tx,
        sql,
        &[
            &webhook.id.as_str(),
            &form,
            &webhook.url,
            &events,
            &webhook.format.as_str(),
            &webhook.created_at.micros(),
            &secret,
        ],
    )
    .await?;
    Ok(true)
}

pub(super) async fn list(conn: &impl GenericClient, form: &FormId) -> Result<Vec<WebhookRecord>> {
    let sql = select_webhooks!("WHERE w.form_id = $1 ORDER BY w.created_at, w.id");
    let rows = query::fetch_rows(conn, sql, &[&form.as_str()]).await?;
    rows.iter().map(read_webhook).collect()
}

pub(super) async fn find(
    conn: &impl GenericClient,
    id: &WebhookId,
) -> Result<Option<WebhookRecord>> {
    let sql = select_webhooks!("WHERE w.id = $1");
    let row = query::fetch_row(conn, sql, &[&id.as_str()]).await?;
    row.as_ref().map(read_webhook).transpose()
}

fn read_webhook(row: &Row) -> Result<WebhookRecord> {
    WebhookColumns {
        form: read_column(row, 0)?,
        id: read_column(row, 1)?,
        url: read_column(row, 2)?,
        events: read_column(row, 3)?,
        format: read_column(row, 4)?,
        created_at: read_column(row, 5)?,
        disabled_at: read_column(row, 6)?,
        disabled_reason: read_column(row, 7)?,
        failing_since: read_column(row, 8)?,
        secret: read_column(row, 9)?,
        old_secret: read_column(row, 10)?,
        old_secret_until: read_column(row, 11)?,
    }
    .try_into()
}

pub(super) async fn update(
    tx: &Transaction<'_>,
    id: &WebhookId,
    settings: &WebhookSettings,
    now: Timestamp,
) -> Result<bool> {
    let WebhookSettings { url, events, format, enabled } = settings;
    let sql = "UPDATE webhooks SET url = $2, events = $3, format = $4,
                 disabled_at = CASE WHEN $5 THEN NULL ELSE COALESCE(disabled_at, $6) END,
                 disabled_reason = CASE WHEN $5 THEN NULL ELSE COALESCE(disabled_reason, $7) END,
                 failing_since = CASE WHEN url <> $2 OR $5 AND disabled_at IS NOT NULL THEN NULL
                   ELSE failing_since END
               WHERE id = $1";
    let events = events_to_bits(events);
    let format = format.as_str();
    let reason = DisabledReason::Owner.as_str();
    let values: query::Parameters<'_> =
        &[&id.as_str(), url, &events, &format, enabled, &now.micros(), &reason];
    Ok(query::execute(tx, sql, values).await? > 0)
}

pub(super) async fn rotate(
    tx: &Transaction<'_>,
    id: &WebhookId,
    secret: &SigningSecret,
    now: Timestamp,
) -> Result<bool> {
    let id = id.as_str();
    let sql = "SELECT old_secret_until FROM webhooks WHERE id = $1 FOR NO KEY UPDATE";
    let Some(row) = query::fetch_row(tx, sql, &[&id]).await? else { return Ok(false) };
    let old_until = old_secret_end(read_column(&row, 0)?, now)?;
    let sql = "UPDATE webhooks SET old_secret = secret, old_secret_until = $3, secret = $2
               WHERE id = $1";
    let secret = &secret.expose_bytes()[..];
    Ok(query::execute(tx, sql, &[&id, &secret, &old_until.micros()]).await? > 0)
}

pub(super) async fn delete(tx: &Transaction<'_>, id: &WebhookId) -> Result<bool> {
    let id = id.as_str();
    let sql = "DELETE FROM deliveries WHERE seq IN (
                 SELECT seq FROM deliveries WHERE webhook = $1
                 ORDER BY seq LIMIT $2 FOR UPDATE)";
    query::execute(tx, sql, &[&id, &CHANGE_MAX]).await?;
    Ok(query::execute(tx, "DELETE FROM webhooks WHERE id = $1", &[&id]).await? > 0)
}
