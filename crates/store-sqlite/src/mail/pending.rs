//! Pending e-mails: inserts them with their submission, leases them, and records their outcome.

use super::notifications::{self, AUTO_REPLY, IS_CONFIRMED};
use crate::{accounts, forms, insert_submission, query, views};
use contract::{FormId, Notification, NotificationId, Timestamp};
use rusqlite::{Connection, params};
use store::columns::{database_error, parse, parse_instant};
use store::mail::{
    MAIL_LEASE, MailBatch, MailDestination, MailLeaseQuery, MailRecord, PendingMail,
    PendingSubmission,
};
use store::{QueueStats, Result};

/// Inserts a pending e-mail about a submission that arrived, given by its instant and id, for each
/// enabled notification of its form. An auto-reply has no address to confirm.
pub(crate) fn enqueue(conn: &Connection, form: i64, key: (i64, &str)) -> Result<()> {
    let sql = format!(
        "INSERT INTO pending_mails (notification, form, submitted_at, submission, created_at)
         SELECT n.id, ?1, ?2, ?3, ?2 FROM notifications AS n JOIN forms AS f ON f.seq = n.form
         WHERE n.form = ?1 AND n.disabled_at IS NULL AND (n.kind = 'auto_reply' OR {IS_CONFIRMED})"
    );
    query::execute(conn, &sql, (form, key.0, key.1)).map(drop)
}

/// The ids of notifications with pending e-mails, and a last row NULL. The recursion visits each
/// notification once, not each pending e-mail.
const WITH_PENDING: &str = "WITH RECURSIVE pending (notification) AS (
     SELECT MIN(notification) FROM pending_mails
     UNION ALL
     SELECT (SELECT MIN(m.notification) FROM pending_mails AS m
       WHERE m.notification > p.notification)
     FROM pending AS p WHERE p.notification IS NOT NULL)";

/// Selects enabled notifications with pending e-mails.
fn select_pending(columns: &str) -> String {
    format!(
        "{WITH_PENDING}
         SELECT {columns} FROM pending AS p
           CROSS JOIN notifications AS n ON n.id = p.notification
           CROSS JOIN forms AS f ON f.seq = n.form
         WHERE n.disabled_at IS NULL AND (n.kind = '{AUTO_REPLY}' OR {IS_CONFIRMED})"
    )
}

/// Returns notifications with pending e-mails that may be due, in random order, so that none is
/// always served before others.
pub(super) fn due_notifications(
    conn: &Connection,
    query: &MailLeaseQuery,
) -> Result<Vec<NotificationId>> {
    let sql = format!("{} AND n.next_at <= ?1 ORDER BY random() LIMIT ?2", select_pending("n.id"));
    let rows_max = i64::try_from(query.notifications_max).unwrap_or(i64::MAX);
    let ids: Vec<String> =
        query::list(conn, &sql, (query.now.micros(), rows_max), |row| row.get(0))?;
    ids.iter().map(|id| parse(id)).collect()
}

/// Leases notifications, within a writer job.
pub(super) fn lease(
    conn: &Connection,
    due: &[NotificationId],
    query: &MailLeaseQuery,
) -> Result<Vec<MailBatch>> {
    let mut batches = Vec::with_capacity(due.len());
    for id in due {
        let lease_until = query.now.saturating_add(MAIL_LEASE);
        // It may have been changed or deleted since.
        let sql = "UPDATE notifications SET next_at = ?2, is_leased = 1
                   WHERE id = ?1 AND next_at <= ?3 AND disabled_at IS NULL";
        let leased =
            query::execute(conn, sql, (id.as_str(), lease_until.micros(), query.now.micros()))?;
        if leased == 0 {
            continue;
        }
        // A notification that cannot be read must not stop the others.
        match read_batch(conn, id, lease_until, query) {
            Ok(batch) => batches.extend(batch),
            Err(error) => tracing::error!(%error, notification = %id, "cannot read pending e-mail"),
        }
    }
    Ok(batches)
}

fn read_batch(
    conn: &Connection,
    id: &NotificationId,
    lease_until: Timestamp,
    query: &MailLeaseQuery,
) -> Result<Option<MailBatch>> {
    let sql = "SELECT f.id, n.kind, n.retries, n.refusals
               FROM notifications AS n JOIN forms AS f ON f.seq = n.form WHERE n.id = ?";
    let (form, kind, retries, refusals): (String, String, u32, u32) =
        query::one(conn, sql, [id.as_str()], |row| row.try_into())?;
    let form: FormId = parse(&form)?;
    let destination = if kind == AUTO_REPLY {
        notifications::find_auto_reply(conn, &form)?.map(MailDestination::AutoReply)
    } else {
        notifications::find(conn, id)?
            .map(|record| MailDestination::Notification(record.notification))
    };
    let Some(destination) = destination else { return Ok(None) };
    let view = match &destination {
        MailDestination::Notification(Notification { view: Some(view), .. }) => {
            views::find_shared(conn, &form, view)?
        }
        _ => None,
    };
    let Some(record) = forms::find(conn, &form)? else { return Ok(None) };
    let Some(intake) = insert_submission::find_intake(conn, &form)? else { return Ok(None) };
    let Some(owner) = accounts::find(conn, &record.account_id)? else { return Ok(None) };
    Ok(Some(MailBatch {
        id: id.clone(),
        destination,
        lease_until,
        retries,
        refusals,
        account_id: record.account_id,
        account_email: owner.account.email,
        plan: owner.account.plan,
        form,
        form_name: record.form.name,
        environment: record.form.environment,
        fields: record.form.fields,
        intake: intake.intake,
        view,
        pending: read_pending(conn, id, query)?,
    }))
}

fn read_pending(
    conn: &Connection,
    id: &NotificationId,
    query: &MailLeaseQuery,
) -> Result<Vec<PendingMail>> {
    // The submissions of the first rows only, because they can be large.
    let sql = "SELECT m.seq, m.created_at, s.json
               FROM (SELECT seq, form, submitted_at, submission, created_at,
                   row_number() OVER (ORDER BY seq) AS number
                 FROM pending_mails INDEXED BY pending_mails_by_notification
                 WHERE notification = ?1 ORDER BY seq LIMIT ?2) AS m
               LEFT JOIN submissions AS s ON m.number <= ?3 AND s.form = m.form
                 AND s.submitted_at = m.submitted_at AND s.id = m.submission
               ORDER BY m.seq";
    let limit = |most: usize| i64::try_from(most).unwrap_or(i64::MAX);
    let values = (id.as_str(), limit(query.pending_max), limit(query.submissions_max));
    let rows: Vec<(i64, i64, Option<String>)> =
        query::list(conn, sql, values, |row| row.try_into())?;
    rows.into_iter()
        .map(|(seq, created_at, submission)| {
            Ok(PendingMail { seq, created_at: parse_instant(created_at)?, submission })
        })
        .collect()
}

/// Returns pending e-mails whose submission is listed, with its triage, in order.
pub(super) fn find_submissions(
    conn: &Connection,
    id: &NotificationId,
    seqs: &[i64],
) -> Result<Vec<PendingSubmission>> {
    let seqs = serde_json::to_string(seqs).map_err(database_error)?;
    let sql = "SELECT m.seq, m.created_at, s.json, s.triage
               FROM pending_mails AS m JOIN submissions AS s ON s.form = m.form
                 AND s.submitted_at = m.submitted_at AND s.id = m.submission
               WHERE m.seq IN (SELECT value FROM json_each(?)) AND m.notification = ?
               ORDER BY m.seq";
    let rows: Vec<_> = query::list(conn, sql, (seqs, id.as_str()), |row| row.try_into())?;
    rows.into_iter().map(PendingSubmission::from_columns).collect()
}

/// Records the outcome of a lease, within a writer job.
pub(super) fn record(conn: &Connection, record: &MailRecord) -> Result<bool> {
    let done = serde_json::to_string(&record.done).map_err(database_error)?;
    let sql = "DELETE FROM pending_mails
               WHERE seq IN (SELECT value FROM json_each(?)) AND notification = ?";
    query::execute(conn, sql, (done, record.id.as_str()))?;
    let is_leased = record.next_at == record.lease_until;
    let sql = "UPDATE notifications SET next_at = ?3, is_leased = ?4, retries = ?5, refusals = ?6,
                 last_error = ?7,
                 disabled_at = CASE WHEN ?8 IS NULL THEN NULL ELSE ?9 END, disabled_reason = ?8
               WHERE id = ?1 AND is_leased AND next_at = ?2 AND disabled_at IS NULL";
    let disabled_at = record.disable.map(|_| record.at.micros());
    let changed = query::execute(
        conn,
        sql,
        params![
            record.id.as_str(),
            record.lease_until.micros(),
            record.next_at.micros(),
            is_leased,
            record.retries,
            record.refusals,
            record.last_error,
            record.disable.map(contract::notification::AddressDisabledReason::as_str),
            disabled_at,
        ],
    )?;
    Ok(changed > 0 && record.disable.is_some())
}

/// Makes all leased e-mails due at once.
pub(super) fn release(conn: &Connection) -> Result<()> {
    let sql = "UPDATE notifications SET next_at = 0, is_leased = 0 WHERE is_leased";
    query::execute(conn, sql, [])?;
    let sql = "UPDATE account_mails SET due_at = 0, is_leased = 0 WHERE is_leased";
    query::execute(conn, sql, []).map(drop)
}

pub(super) fn stats(conn: &Connection) -> Result<QueueStats> {
    // Reads only the index, and one row per notification.
    let sql = format!(
        "SELECT SUM(count), MIN(oldest) FROM (
           SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM account_mails
           UNION ALL
           SELECT * FROM ({}))",
        select_pending(
            "(SELECT COUNT(*) FROM pending_mails AS m WHERE m.notification = n.id),
             (SELECT m.created_at FROM pending_mails AS m WHERE m.notification = n.id
              ORDER BY m.seq LIMIT 1)"
        )
    );
    let (pending, oldest): (Option<i64>, Option<i64>) =
        query::find(conn, &sql, [], |row| row.try_into())?.unwrap_or_default();
    QueueStats::from_columns(pending, oldest)
}

/// Selects pending e-mails that are expired, and those of deleted notifications.
fn select_expired() -> String {
    format!(
        "{WITH_PENDING}
         SELECT seq FROM pending_mails WHERE created_at <= ?1
         UNION ALL
         SELECT m.seq FROM pending AS p
           CROSS JOIN pending_mails AS m ON m.notification = p.notification
         WHERE p.notification NOT IN (SELECT id FROM notifications)
         LIMIT ?2"
    )
}

/// Returns whether [`purge`] deletes anything.
pub(super) fn has_expired(conn: &Connection, oldest: i64) -> Result<bool> {
    let sql = format!("SELECT EXISTS ({})", select_expired());
    query::one(conn, &sql, (oldest, 1), |row| row.get(0))
}

/// Deletes pending e-mails that were created until the instant `oldest`, and those of deleted
/// notifications, at most `rows_max`. Returns their number.
pub(super) fn purge(conn: &Connection, oldest: i64, rows_max: i64) -> Result<u64> {
    let sql = format!("DELETE FROM pending_mails WHERE seq IN ({})", select_expired());
    Ok(query::execute(conn, &sql, (oldest, rows_max))? as u64)
}
