//! Webhooks of forms.

use crate::{erase_traces, forms, query};
use contract::webhook::{DisabledReason, WEBHOOKS_MAX, WebhookSettings};
use contract::{FormId, Timestamp, WebhookId};
use rusqlite::{Connection, Row};
use store::columns::database_error;
use store::outbox::{
    CHANGE_MAX, SigningSecret, WebhookColumns, WebhookRecord, events_to_bits, old_secret_end,
};
use store::{Result, StoreError};

/// Names of the columns of [`WebhookColumns`], in order, with the table as `w`.
const WEBHOOK_COLUMNS: &str = "w.id, w.url, w.events, w.format, w.created_at, w.disabled_at,
    w.disabled_reason, w.failing_since, w.secret, w.old_secret, w.old_secret_until";

pub(super) fn insert(conn: &Connection, record: &WebhookRecord) -> Result<bool> {
    let Some(form) = forms::find_seq(conn, &record.form)? else { return Ok(false) };
    let sql = "SELECT COUNT(*) >= ?2 FROM webhooks WHERE form = ?1";
    let rows_max = i64::try_from(WEBHOOKS_MAX).map_err(database_error)?;
    let is_full = query::one(conn, sql, (form, rows_max), |row| row.get(0))?;
    if is_full {
        return Err(StoreError::TooManyWebhooks);
    }
    let webhook = &record.webhook;
    query::execute(
        conn,
        "INSERT INTO webhooks (id, form, url, events, format, created_at, secret)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            webhook.id.as_str(),
            form,
            &webhook.url,
            events_to_bits(&webhook.events),
            webhook.format.as_str(),
            webhook.created_at.micros(),
            record.secret.expose_bytes(),
        ),
    )
    .map(|_| true)
}

pub(super) fn list(conn: &Connection, form: &FormId) -> Result<Vec<WebhookRecord>> {
    let sql = format!(
        "SELECT f.id, {WEBHOOK_COLUMNS} FROM forms AS f JOIN webhooks AS w ON w.form = f.seq
         WHERE f.id = ? ORDER BY w.created_at, w.id"
    );
    let rows: Vec<WebhookColumns> = query::list(conn, &sql, [form.as_str()], read_columns)?;
    rows.into_iter().map(WebhookRecord::try_from).collect()
}

pub(super) fn find(conn: &Connection, id: &WebhookId) -> Result<Option<WebhookRecord>> {
    let sql = format!(
        "SELECT f.id, {WEBHOOK_COLUMNS} FROM webhooks AS w JOIN forms AS f ON f.seq = w.form
         WHERE w.id = ?"
    );
    let row = query::find(conn, &sql, [id.as_str()], read_columns)?;
    row.map(WebhookRecord::try_from).transpose()
}

fn read_columns(row: &Row<'_>) -> rusqlite::Result<WebhookColumns> {
    Ok(WebhookColumns {
        form: row.get(0)?,
        id: row.get(1)?,
        url: row.get(2)?,
        events: row.get(3)?,
        format: row.get(4)?,
        created_at: row.get(5)?,
        disabled_at: row.get(6)?,
        disabled_reason: row.get(7)?,
        failing_since: row.get(8)?,
        secret: row.get(9)?,
        old_secret: row.get(10)?,
        old_secret_until: row.get(11)?,
    })
}

pub(super) fn update(
    conn: &Connection,
    id: &WebhookId,
    settings: &WebhookSettings,
    now: Timestamp,
) -> Result<bool> {
    let WebhookSettings { url, events, format, enabled } = settings;
    let changed = query::execute(
        conn,
        "UPDATE webhooks SET url = ?2, events = ?3, format = ?4,
           disabled_at = CASE WHEN ?5 THEN NULL ELSE COALESCE(disabled_at, ?6) END,
           disabled_reason = CASE WHEN ?5 THEN NULL ELSE COALESCE(disabled_reason, ?7) END,
           failing_since = CASE WHEN url <> ?2 OR ?5 AND disabled_at IS NOT NULL THEN NULL
             ELSE failing_since END
         WHERE id = ?1",
        (
            id.as_str(),
            url,
            events_to_bits(events),
            format.as_str(),
            enabled,
            now.micros(),
            DisabledReason::Owner.as_str(),
        ),
    )?;
    Ok(changed > 0)
}

pub(super) fn rotate(
    conn: &Connection,
    id: &WebhookId,
    secret: &SigningSecret,
    now: Timestamp,
) -> Result<bool> {
    let sql = "SELECT old_secret_until FROM webhooks WHERE id = ?";
    let found = query::find(conn, sql, [id.as_str()], |row| row.get(0))?;
    let Some(old_until) = found else { return Ok(false) };
    let old_until = old_secret_end(old_until, now)?;
    let sql = "UPDATE webhooks SET old_secret = secret, old_secret_until = ?3, secret = ?2
               WHERE id = ?1";
    let values = (id.as_str(), secret.expose_bytes(), old_until.micros());
    let changed = query::execute(conn, sql, values)?;
    erase_traces::request_erasure(conn)?;
    Ok(changed > 0)
}

pub(super) fn delete(conn: &Connection, id: &WebhookId) -> Result<bool> {
    // First those of the log, which contain answers.
    let sql = "DELETE FROM deliveries WHERE seq IN (
                 SELECT d.seq FROM webhooks AS w CROSS JOIN deliveries AS d ON d.queue = w.seq
                   AND d.due_at IS NOT 0 WHERE w.id = ?1
                 UNION ALL
                 SELECT d.seq FROM webhooks AS w CROSS JOIN deliveries AS d ON d.queue = w.seq
                   AND d.due_at = 0 WHERE w.id = ?1
                 LIMIT ?2)";
    query::execute(conn, sql, (id.as_str(), CHANGE_MAX))?;
    let deleted = query::execute(conn, "DELETE FROM webhooks WHERE id = ?", [id.as_str()])?;
    erase_traces::request_erasure(conn)?;
    Ok(deleted > 0)
}
