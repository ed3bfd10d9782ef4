//! Notifications and auto-replies of forms.

use crate::query::{insert_error, read_column};
use crate::text_encoding::{decode, encode};
use crate::{forms, query, views};
use contract::fold::fold;
use contract::notification::{
    AddressDisabledReason, AutoReply, NOTIFICATIONS_MAX, NotificationSettings,
};
use contract::{FormId, Notification, NotificationId, Timestamp, ViewId};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{parse, parse_count};
use store::mail::{NotificationColumns, NotificationRecord, NotificationUpdate};
use store::outbox::CHANGE_MAX;
use store::{Result, StoreError, ids};
use tokio_postgres::Row;

/// Kinds of rows.
pub(super) const ADDRESS: &str = "address";
pub(super) const AUTO_REPLY: &str = "auto_reply";

/// Whether the row `n` may receive e-mail: its reader confirmed the address, or it belongs to a
/// member at present, or it is an auto-reply, which has no address.
macro_rules! is_confirmed {
    () => {
        "(n.confirmed_at IS NOT NULL OR n.kind = 'auto_reply' OR EXISTS (
           SELECT 1 FROM people AS p JOIN forms AS f ON f.account = p.account
           WHERE p.email_folded = n.email_folded AND f.form_id = n.form_id
             AND (p.forms IS NULL OR p.forms::JSONB ? f.form_id)))"
    };
}
pub(super) use is_confirmed;

/// Selects the columns that [`read_notification`] reads.
macro_rules! select_notifications {
    ($rest:literal) => {
        concat!(
            "SELECT n.form_id, n.id, n.email, n.view, n.every, n.content, n.time_zone, n.language,
               n.created_at, ",
            is_confirmed!(),
            ", n.disabled_at, n.disabled_reason, n.last_error FROM notifications AS n ",
            $rest
        )
    };
}

pub(super) async fn insert(tx: &Transaction<'_>, record: &NotificationRecord) -> Result<bool> {
    if !forms::lock(tx, &record.form).await? {
        return Ok(false);
    }
    let form = record.form.as_str();
    let new = &record.notification;
    let folded = fold(&new.email);
    let folded = encode(&folded);
    let sql = "SELECT count(*), count(*) FILTER (WHERE email_folded = $3)
               FROM notifications WHERE form_id = $1 AND kind = $2";
    let counts = query::fetch_one(tx, sql, &[&form, &ADDRESS, &folded]).await?;
    if parse_count(read_column(&counts, 1)?)? > 0 {
        return Err(StoreError::Exists(format!("a notification to `{}`", new.email)));
    }
    if parse_count(read_column(&counts, 0)?)? >= NOTIFICATIONS_MAX as u64 {
        return Err(StoreError::TooManyNotifications);
    }
    if let Some(view) = &new.view {
        views::check_notified(tx, &record.form, view).await?;
    }
    let sql = "INSERT INTO notifications (id, form_id, kind, email, email_folded, every, content,
                 time_zone, language, created_at, confirmed_at, view)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let created_at = new.created_at.micros();
    query::execute_raw(
        tx,
        sql,
        &[
            &new.id.as_str(),
            &form,
            &ADDRESS,
            &encode(&new.email),
            &folded,
            &new.every.as_str(),
            &new.content.as_str(),
            &new.time_zone,
            &new.language.as_str(),
            &created_at,
            &new.confirmed.then_some(created_at),
            &new.view.as_ref().map(ViewId::as_str),
        ],
    )
    .await
    .map(|_| true)
    .map_err(|error| insert_error(error, || format!("a notification `{}`", new.id)))
}

pub(super) async fn list(conn: &impl GenericClient, form: &FormId) -> Result<Vec<Notification>> {
    let sql =
        select_notifications!("WHERE n.form_id = $1 AND n.kind = $2 ORDER BY n.created_at, n.id");
    let rows = query::fetch_rows(conn, sql, &[&form.as_str(), &ADDRESS]).await?;
    rows.iter().map(|row| Ok(read_notification(row)?.notification)).collect()
}

pub(super) async fn find(
    conn: &impl GenericClient,
    id: &NotificationId,
) -> Result<Option<NotificationRecord>> {
    let sql = select_notifications!("WHERE n.id = $1 AND n.kind = $2");
    let row = query::fetch_row(conn, sql, &[&id.as_str(), &ADDRESS]).await?;
    row.as_ref().map(read_notification).transpose()
}

fn read_notification(row: &Row) -> Result<NotificationRecord> {
    NotificationColumns {
        form: read_column(row, 0)?,
        id: read_column(row, 1)?,
        email: decode(read_column(row, 2)?),
        view: read_column(row, 3)?,
        every: read_column(row, 4)?,
        content: read_column(row, 5)?,
        time_zone: read_column(row, 6)?,
        language: read_column(row, 7)?,
        created_at: read_column(row, 8)?,
        confirmed: read_column(row, 9)?,
        disabled_at: read_column(row, 10)?,
        disabled_reason: read_column(row, 11)?,
        last_error: read_column::<Option<String>>(row, 12)?.map(decode),
    }
    .try_into()
}

pub(super) async fn update(
    tx: &Transaction<'_>,
    id: &NotificationId,
    update: &NotificationUpdate,
    now: Timestamp,
) -> Result<bool> {
    let changed = match update {
        NotificationUpdate::Settings(settings) => {
            if let Some(Some(view)) = &settings.view {
                check_view(tx, id, view).await?;
            }
            set(tx, id, settings, now).await?
        }
        NotificationUpdate::Confirmed => confirm(tx, id, now).await?,
        NotificationUpdate::Disabled(reason) => disable(tx, id, *reason, now).await?,
    };
    Ok(changed > 0)
}

/// Locks the form of a notification, and checks that the notification can use a view.
async fn check_view(tx: &Transaction<'_>, id: &NotificationId, view: &ViewId) -> Result<()> {
    let Some(record) = find(tx, id).await? else { return Ok(()) };
    if !forms::lock(tx, &record.form).await? {
        return Ok(());
    }
    views::check_notified(tx, &record.form, view).await
}

async fn set(
    tx: &Transaction<'_>,
    id: &NotificationId,
    settings: &NotificationSettings,
    now: Timestamp,
) -> Result<u64> {
    let NotificationSettings { view, every, content, time_zone, language, enabled } = settings;
    // The worker computes the time of the next digest.
    let sql = "UPDATE notifications SET every = $3, content = $4, time_zone = $5, language = $6,
                 next_at = 0, view = CASE WHEN $11 THEN $12 ELSE view END,
                 confirmed_at = CASE WHEN $7 AND disabled_reason = $9 THEN NULL
                   ELSE confirmed_at END,
                 retries = CASE WHEN $7 AND disabled_at IS NOT NULL THEN 0 ELSE retries END,
                 refusals = CASE WHEN $7 AND disabled_at IS NOT NULL THEN 0 ELSE refusals END,
                 last_error = CASE WHEN $7 AND disabled_at IS NOT NULL THEN NULL
                   ELSE last_error END,
                 disabled_at = CASE WHEN $7 THEN NULL ELSE COALESCE(disabled_at, $8) END,
                 disabled_reason = CASE WHEN $7 THEN NULL ELSE COALESCE(disabled_reason, $10) END
               WHERE id = $1 AND kind = $2";
    let values: query::Parameters<'_> = &[
        &id.as_str(),
        &ADDRESS,
        &every.as_str(),
        &content.as_str(),
        time_zone,
        &language.as_str(),
        enabled,
        &now.micros(),
        &AddressDisabledReason::Unsubscribed.as_str(),
        &AddressDisabledReason::Owner.as_str(),
        &view.is_some(),
        &view.as_ref().and_then(Option::as_ref).map(ViewId::as_str),
    ];
    query::execute(tx, sql, values).await
}

async fn confirm(tx: &Transaction<'_>, id: &NotificationId, now: Timestamp) -> Result<u64> {
    let sql = "UPDATE notifications SET confirmed_at = $3, next_at = 0, retries = 0, refusals = 0,
                 last_error = NULL,
                 disabled_at = CASE WHEN disabled_reason = $4 THEN disabled_at END,
                 disabled_reason = CASE WHEN disabled_reason = $4 THEN disabled_reason END
               WHERE id = $1 AND kind = $2";
    let owner = AddressDisabledReason::Owner.as_str();
    query::execute(tx, sql, &[&id.as_str(), &ADDRESS, &now.micros(), &owner]).await
}

async fn disable(
    tx: &Transaction<'_>,
    id: &NotificationId,
    reason: AddressDisabledReason,
    now: Timestamp,
) -> Result<u64> {
    let sql = "UPDATE notifications SET disabled_at = COALESCE(disabled_at, $4),
                 disabled_reason = CASE WHEN $5 THEN $3 ELSE COALESCE(disabled_reason, $3) END
               WHERE id = $1 AND kind = $2";
    let replaces = reason == AddressDisabledReason::Unsubscribed;
    let values: query::Parameters<'_> =
        &[&id.as_str(), &ADDRESS, &reason.as_str(), &now.micros(), &replaces];
    query::execute(tx, sql, values).await
}

/// Deletes a notification and at most [`CHANGE_MAX`] of its pending e-mails. The others are purged.
pub(super) async fn delete(tx: &Transaction<'_>, id: &NotificationId) -> Result<bool> {
    let values: query::Parameters<'_> = &[&id.as_str(), &ADDRESS];
    let sql = "SELECT id FROM notifications WHERE id = $1 AND kind = $2";
    if query::fetch_row(tx, sql, values).await?.is_none() {
        return Ok(false);
    }
    delete_pending(tx, id.as_str(), CHANGE_MAX).await?;
    let sql = "DELETE FROM notifications WHERE id = $1 AND kind = $2";
    Ok(query::execute(tx, sql, values).await? > 0)
}

/// Deletes pending e-mails of a notification. The lock order requires this before a change of its
/// row.
async fn delete_pending(tx: &Transaction<'_>, id: &str, rows_max: i64) -> Result<()> {
    let sql = "DELETE FROM pending_mails WHERE notification = $1 AND seq IN (
                 SELECT seq FROM pending_mails WHERE notification = $1
                 ORDER BY seq LIMIT $2 FOR UPDATE)";
    query::execute(tx, sql, &[&id, &rows_max]).await.map(drop)
}

pub(super) async fn find_auto_reply(
    conn: &impl GenericClient,
    form: &FormId,
) -> Result<Option<AutoReply>> {
    let sql = "SELECT disabled_at IS NULL, subject, text, language FROM notifications
               WHERE form_id = $1 AND kind = $2";
    let row = query::fetch_row(conn, sql, &[&form.as_str(), &AUTO_REPLY]).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(AutoReply {
        enabled: read_column(&row, 0)?,
        subject: decode(read_column(&row, 1)?),
        text: decode(read_column(&row, 2)?),
        language: parse(read_column(&row, 3)?)?,
    }))
}

pub(super) async fn set_auto_reply(
    tx: &Transaction<'_>,
    form: &FormId,
    reply: &AutoReply,
    now: Timestamp,
) -> Result<bool> {
    // Arriving submissions wait for the lock, so their e-mails are not left behind.
    if !forms::lock(tx, form).await? {
        return Ok(false);
    }
    let form = form.as_str();
    let AutoReply { enabled, subject, text, language } = reply;
    if !enabled {
        let sql = "SELECT id FROM notifications WHERE form_id = $1 AND kind = $2";
        if let Some(row) = query::fetch_row(tx, sql, &[&form, &AUTO_REPLY]).await? {
            delete_pending(tx, read_column(&row, 0)?, i64::MAX).await?;
        }
    }
    let sql = "INSERT INTO notifications (id, form_id, kind, email, email_folded, every, content,
                 time_zone, language, subject, text, created_at, disabled_at, disabled_reason)
               VALUES ($1, $2, $3, '', '', 'submission', 'full', 'UTC', $4, $5, $6, $7, $8, $9)
               ON CONFLICT (form_id, kind, email_folded) DO UPDATE SET
                 language = EXCLUDED.language, subject = EXCLUDED.subject, text = EXCLUDED.text,
                 disabled_at = EXCLUDED.disabled_at, disabled_reason = EXCLUDED.disabled_reason";
    let id = ids::generate_notification_id(now);
    let values: query::Parameters<'_> = &[
        &id.as_str(),
        &form,
        &AUTO_REPLY,
        &language.as_str(),
        &encode(subject),
        &encode(text),
        &now.micros(),
        &(!enabled).then(|| now.micros()),
        &(!enabled).then_some(AddressDisabledReason::Owner.as_str()),
    ];
    query::execute(tx, sql, values).await.map(|_| true)
}
