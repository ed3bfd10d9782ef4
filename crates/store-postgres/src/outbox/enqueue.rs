//! Inserts and deletes deliveries, in the transactions that change submissions.

use crate::query;
use crate::query::read_column;
use contract::webhook::WebhookEvent;
use contract::{DeliveryId, FormId, Timestamp, WebhookId};
use deadpool_postgres::Transaction;
use store::Result;
use store::columns::SubmissionRow;
use store::outbox::DeliveryKey;
use tokio_postgres::types::ToSql;

/// Enqueues an event of some submissions of a form, given by their instants and ids, for each
/// enabled webhook of the form that chose the event.
pub(crate) async fn enqueue<T: ToSql + Sync>(
    tx: &Transaction<'_>,
    form: &str,
    event: WebhookEvent,
    at: i64,
    submitted_at: &[i64],
    ids: &[T],
) -> Result<()> {
    let sql = "INSERT INTO deliveries
                 (webhook, form_id, event, created_at, submitted_at, submission)
               SELECT w.id, $1, $2, $4, n.submitted_at, n.id
               FROM webhooks AS w
                 CROSS JOIN unnest($5::BIGINT[], $6::TEXT[]) AS n (submitted_at, id)
               WHERE w.form_id = $1 AND w.events & $3 <> 0 AND w.disabled_at IS NULL";
    let name = event.as_str();
    query::execute(tx, sql, &[&form, &name, &event.bit(), &at, &submitted_at, &ids]).await.map(drop)
}

/// Enqueues the creation of submissions that just arrived. The form's row is locked.
pub(crate) async fn enqueue_created(
    tx: &Transaction<'_>,
    form: &FormId,
    rows: &[&SubmissionRow],
) -> Result<()> {
    let submitted_at: Vec<i64> = rows.iter().map(|row| row.submitted_at).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let Some(at) = submitted_at.iter().max().copied() else { return Ok(()) };
    enqueue(tx, form.as_str(), WebhookEvent::Created, at, &submitted_at, &ids).await
}

/// Whether a form has a webhook.
pub(crate) async fn has_webhooks(tx: &Transaction<'_>, form: &FormId) -> Result<bool> {
    let sql = "SELECT 1 FROM webhooks WHERE form_id = $1 LIMIT 1";
    Ok(query::fetch_row(tx, sql, &[&form.as_str()]).await?.is_some())
}

/// Deletes the deliveries of submissions that are deleted permanently, because they contain
/// answers. That of the deletion itself stays.
pub(crate) async fn delete_deliveries<T: ToSql + Sync>(
    tx: &Transaction<'_>,
    form: &str,
    ids: &[T],
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM deliveries WHERE seq IN (
                 SELECT seq FROM deliveries
                 WHERE form_id = $1 AND submission = ANY($2) AND event <> $3
                 ORDER BY seq FOR UPDATE)";
    let event = WebhookEvent::Deleted.as_str();
    query::execute(tx, sql, &[&form, &ids, &event]).await.map(drop)
}

/// Inserts a test delivery, also for a disabled webhook, which sends it once it is enabled.
pub(super) async fn insert_test(
    tx: &Transaction<'_>,
    id: &WebhookId,
    now: Timestamp,
) -> Result<Option<DeliveryId>> {
    let sql = "INSERT INTO deliveries (webhook, form_id, event, created_at)
               SELECT id, form_id, $2, $3 FROM webhooks WHERE id = $1 RETURNING seq, nonce";
    let event = WebhookEvent::Test.as_str();
    let inserted = query::fetch_row(tx, sql, &[&id.as_str(), &event, &now.micros()]).await?;
    let Some(row) = inserted else { return Ok(None) };
    DeliveryKey { seq: read_column(&row, 0)?, nonce: read_column(&row, 1)? }.id().map(Some)
}
