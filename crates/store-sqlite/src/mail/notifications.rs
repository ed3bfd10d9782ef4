//! Notifications and auto-replies of forms.

use crate::{erase_traces, forms, query, views};
use contract::fold::fold;
use contract::notification::{
    AddressDisabledReason, AutoReply, NOTIFICATIONS_MAX, NotificationSettings,
};
use contract::{FormId, Notification, NotificationId, Timestamp, ViewId};
use rusqlite::{Connection, Row, params};
use store::columns::{parse, parse_count};
use store::mail::{NotificationColumns, NotificationRecord, NotificationUpdate};
use store::outbox::CHANGE_MAX;
use store::{Result, StoreError, ids};

/// Kinds of rows.
pub(super) const ADDRESS: &str = "address";
pub(super) const AUTO_REPLY: &str = "auto_reply";

/// Whether the address of `n` may receive e-mail, with the form's row as `f`: its reader confirmed
/// it, or it belongs to a member with access to the form at present.
pub(super) const IS_CONFIRMED: &str = "(n.confirmed_at IS NOT NULL OR EXISTS (
    SELECT 1 FROM people AS p WHERE p.account = f.account AND p.email_folded = n.email_folded
      AND (p.forms IS NULL OR EXISTS (SELECT 1 FROM json_each(p.forms) WHERE value = f.id))))";

/// Columns that [`read_columns`] reads, with the tables as `n` and `f`.
fn select_notifications(rest: &str) -> String {
    format!(
        "SELECT f.id, n.id, n.email, n.view, n.every, n.content, n.time_zone, n.language, n.created_at,
           {IS_CONFIRMED}, n.disabled_at, n.disabled_reason, n.last_error
         FROM notifications AS n JOIN forms AS f ON f.seq = n.form {rest}"
    )
}

pub(super) fn insert(conn: &Connection, record: &NotificationRecord) -> Result<bool> {
    let Some(form) = forms::find_seq(conn, &record.form)? else { return Ok(false) };
    let new = &record.notification;
    let folded = fold(&new.email);
    let sql = "SELECT COUNT(*), COALESCE(SUM(email_folded = ?3), 0) FROM notifications
               WHERE form = ?1 AND kind = ?2";
    let (count, duplicates): (i64, i64) =
        query::one(conn, sql, (form, ADDRESS, &folded), |row| row.try_into())?;
    if duplicates > 0 {
        return Err(StoreError::Exists(format!("a notification to `{}`", new.email)));
    }
    if parse_count(count)? >= NOTIFICATIONS_MAX as u64 {
        return Err(StoreError::TooManyNotifications);
    }
    if let Some(view) = &new.view {
        views::check_notified(conn, &record.form, view)?;
    }
    let confirmed_at = new.confirmed.then(|| new.created_at.micros());
    query::execute(
        conn,
        "INSERT INTO notifications (id, form, kind, email, email_folded, every, content, time_zone,
           language, created_at, confirmed_at, view)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            new.id.as_str(),
            form,
            ADDRESS,
            new.email,
            folded,
            new.every.as_str(),
            new.content.as_str(),
            new.time_zone,
            new.language.as_str(),
            new.created_at.micros(),
            confirmed_at,
            new.view.as_ref().map(ViewId::as_str),
        ],
    )
    .map(|_| true)
}

pub(super) fn list(conn: &Connection, form: &FormId) -> Result<Vec<Notification>> {
    let sql = select_notifications("WHERE f.id = ? AND n.kind = ? ORDER BY n.created_at, n.id");
    let rows: Vec<NotificationColumns> =
        query::list(conn, &sql, (form.as_str(), ADDRESS), read_columns)?;
    rows.into_iter().map(|row| Ok(NotificationRecord::try_from(row)?.notification)).collect()
}

pub(super) fn find(conn: &Connection, id: &NotificationId) -> Result<Option<NotificationRecord>> {
    let sql = select_notifications("WHERE n.id = ? AND n.kind = ?");
    let row = query::find(conn, &sql, (id.as_str(), ADDRESS), read_columns)?;
    row.map(NotificationRecord::try_from).transpose()
}

fn read_columns(row: &Row<'_>) -> rusqlite::Result<NotificationColumns> {
    Ok(NotificationColumns {
        form: row.get(0)?,
        id: row.get(1)?,
        email: row.get(2)?,
        view: row.get(3)?,
        every: row.get(4)?,
        content: row.get(5)?,
        time_zone: row.get(6)?,
        language: row.get(7)?,
        created_at: row.get(8)?,
        confirmed: row.get(9)?,
        disabled_at: row.get(10)?,
        disabled_reason: row.get(11)?,
        last_error: row.get(12)?,
    })
}

pub(super) fn update(
    conn: &Connection,
    id: &NotificationId,
    update: &NotificationUpdate,
    now: Timestamp,
) -> Result<bool> {
    let changed = match update {
        NotificationUpdate::Settings(settings) => {
            if let Some(Some(view)) = &settings.view
                && let Some(found) = find(conn, id)?
            {
                views::check_notified(conn, &found.form, view)?;
            }
            set(conn, id, settings, now)
        }
        NotificationUpdate::Confirmed => confirm(conn, id, now),
        NotificationUpdate::Disabled(reason) => disable(conn, id, *reason, now),
    };
    Ok(changed? > 0)
}

fn set(
    conn: &Connection,
    id: &NotificationId,
    settings: &NotificationSettings,
    now: Timestamp,
) -> Result<usize> {
    let NotificationSettings { view, every, content, time_zone, language, enabled } = settings;
    // The worker computes the time of the next digest.
    query::execute(
        conn,
        "UPDATE notifications SET every = ?2, content = ?3, time_zone = ?4, language = ?5,
           next_at = 0, is_leased = 0,
           view = CASE WHEN ?11 THEN ?12 ELSE view END,
           confirmed_at = CASE WHEN ?6 AND disabled_reason = ?8 THEN NULL ELSE confirmed_at END,
           retries = CASE WHEN ?6 AND disabled_at IS NOT NULL THEN 0 ELSE retries END,
           refusals = CASE WHEN ?6 AND disabled_at IS NOT NULL THEN 0 ELSE refusals END,
           last_error = CASE WHEN ?6 AND disabled_at IS NOT NULL THEN NULL ELSE last_error END,
           disabled_reason = CASE WHEN ?6 THEN NULL ELSE COALESCE(disabled_reason, ?9) END,
           disabled_at = CASE WHEN ?6 THEN NULL ELSE COALESCE(disabled_at, ?7) END
         WHERE id = ?1 AND kind = ?10",
        params![
            id.as_str(),
            every.as_str(),
            content.as_str(),
            time_zone,
            language.as_str(),
            enabled,
            now.micros(),
            AddressDisabledReason::Unsubscribed.as_str(),
            AddressDisabledReason::Owner.as_str(),
            ADDRESS,
            view.is_some(),
            view.as_ref().and_then(Option::as_ref).map(ViewId::as_str),
        ],
    )
}

fn confirm(conn: &Connection, id: &NotificationId, now: Timestamp) -> Result<usize> {
    query::execute(
        conn,
        "UPDATE notifications SET confirmed_at = ?2, next_at = 0, is_leased = 0, retries = 0,
           refusals = 0, last_error = NULL,
           disabled_at = CASE WHEN disabled_reason = ?3 THEN disabled_at END,
           disabled_reason = CASE WHEN disabled_reason = ?3 THEN disabled_reason END
         WHERE id = ?1 AND kind = ?4",
        params![id.as_str(), now.micros(), AddressDisabledReason::Owner.as_str(), ADDRESS],
    )
}

fn disable(
    conn: &Connection,
    id: &NotificationId,
    reason: AddressDisabledReason,
    now: Timestamp,
) -> Result<usize> {
    let replaces = reason == AddressDisabledReason::Unsubscribed;
    let sql = "UPDATE notifications SET disabled_at = COALESCE(disabled_at, ?3),
                 disabled_reason = CASE WHEN ?4 THEN ?2 ELSE COALESCE(disabled_reason, ?2) END
               WHERE id = ?1 AND kind = ?5";
    query::execute(conn, sql, (id.as_str(), reason.as_str(), now.micros(), replaces, ADDRESS))
}

pub(super) fn delete(conn: &Connection, id: &NotificationId) -> Result<bool> {
    // The purge deletes the others.
    let sql = "DELETE FROM pending_mails WHERE seq IN (
                 SELECT seq FROM pending_mails WHERE notification = (
                   SELECT id FROM notifications WHERE id = ? AND kind = ?) LIMIT ?)";
    let id = id.as_str();
    query::execute(conn, sql, (id, ADDRESS, CHANGE_MAX))?;
    let sql = "DELETE FROM notifications WHERE id = ? AND kind = ?";
    let deleted = query::execute(conn, sql, (id, ADDRESS))?;
    erase_traces::request_erasure(conn)?;
    Ok(deleted > 0)
}

pub(super) fn find_auto_reply(conn: &Connection, form: &FormId) -> Result<Option<AutoReply>> {
    let sql = "SELECT n.disabled_at IS NULL, n.subject, n.text, n.language
               FROM forms AS f JOIN notifications AS n ON n.form = f.seq
               WHERE f.id = ? AND n.kind = ?";
    let found: Option<(bool, String, String, String)> =
        query::find(conn, sql, (form.as_str(), AUTO_REPLY), |row| row.try_into())?;
    found
        .map(|(enabled, subject, text, language)| {
            Ok(AutoReply { enabled, subject, text, language: parse(&language)? })
        })
        .transpose()
}

pub(super) fn set_auto_reply(
    conn: &Connection,
    form: &FormId,
    reply: &AutoReply,
    now: Timestamp,
) -> Result<bool> {
    let Some(form) = forms::find_seq(conn, form)? else { return Ok(false) };
    let AutoReply { enabled, subject, text, language } = reply;
    let disabled_at = (!enabled).then(|| now.micros());
    let reason = (!enabled).then_some(AddressDisabledReason::Owner.as_str());
    query::execute(
        conn,
        "INSERT INTO notifications (id, form, kind, email, email_folded, every, content, time_zone,
           language, subject, text, created_at, disabled_at, disabled_reason)
         VALUES (?1, ?2, ?3, '', '', 'submission', 'full', 'UTC', ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (form, kind, email_folded) DO UPDATE SET language = excluded.language,
           subject = excluded.subject, text = excluded.text, disabled_at = excluded.disabled_at,
           disabled_reason = excluded.disabled_reason",
        params![
            ids::generate_notification_id(now).as_str(),
            form,
            AUTO_REPLY,
            language.as_str(),
            subject,
            text,
            now.micros(),
            disabled_at,
            reason,
        ],
    )?;
    if !enabled {
        let sql = "DELETE FROM pending_mails WHERE notification = (
                     SELECT id FROM notifications WHERE form = ? AND kind = ?)";
        query::execute(conn, sql, (form, AUTO_REPLY))?;
    }
    Ok(true)
}
