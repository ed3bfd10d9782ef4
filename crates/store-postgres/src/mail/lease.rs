//! Leases due notifications with their pending e-mails, and records their outcome.

use super::notifications::{self, AUTO_REPLY, is_confirmed};
use super::queue::with_pending;
use crate::errors::sql_state;
use crate::query::read_column;
use crate::{forms, outbox, query, text_encoding, views};
use contract::notification::AddressDisabledReason;
use contract::{FormId, Notification, NotificationId, Timestamp};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{damaged_row, parse, parse_instant};
use store::mail::{
    MAIL_LEASE, MailBatch, MailDestination, MailLeaseQuery, MailRecord, PendingMail,
    PendingSubmission,
};
use store::new_submission::parse_intake;
use store::{Result, StoreError};
use tokio_postgres::Row;

/// Returns notifications with pending e-mails that may be due, in random order, so that none is
/// always served before others.
pub(super) async fn due_notifications(
    conn: &impl GenericClient,
    query: &MailLeaseQuery,
) -> Result<Vec<NotificationId>> {
    let sql = concat!(
        with_pending!(),
        "SELECT n.id FROM pending AS p JOIN notifications AS n ON n.id = p.notification
         WHERE n.disabled_at IS NULL AND n.next_at <= $1 AND ",
        is_confirmed!(),
        " ORDER BY random() LIMIT $2"
    );
    let rows_max = to_limit(query.notifications_max);
    let rows = query::fetch_rows(conn, sql, &[&query.now.micros(), &rows_max]).await?;
    rows.iter().map(|row| parse(read_column(row, 0)?)).collect()
}

fn to_limit(rows_max: usize) -> i64 {
    i64::try_from(rows_max).unwrap_or(i64::MAX)
}

/// Leases notifications.
pub(super) async fn lease(
    tx: &Transaction<'_>,
    due: &[NotificationId],
    query: &MailLeaseQuery,
) -> Result<Vec<MailBatch>> {
    let lease_until = query.now.saturating_add(MAIL_LEASE);
    // They may have been leased, disabled or deleted since.
    let sql = "WITH due AS MATERIALIZED (
                 SELECT id FROM notifications
                 WHERE id = ANY($1) AND next_at <= $2 AND disabled_at IS NULL
                 FOR UPDATE SKIP LOCKED)
               UPDATE notifications AS n SET next_at = $3 FROM due WHERE n.id = due.id
               RETURNING n.id, n.form_id, n.kind, n.retries, n.refusals";
    let ids: Vec<&str> = due.iter().map(NotificationId::as_str).collect();
    let values: query::Parameters<'_> = &[&ids, &query.now.micros(), &lease_until.micros()];
    let rows = query::fetch_rows(tx, sql, values).await?;
    let mut batches = Vec::with_capacity(rows.len());
    for row in &rows {
        match read_batch(tx, row, lease_until, query).await {
            Ok(Some(batch)) if batch.pending.is_empty() => end_lease(tx, &batch.id).await?,
            Ok(batch) => batches.extend(batch),
            // A notification that cannot be read must not stop the others.
            Err(error) if is_damaged(&error) => {
                tracing::error!(%error, "cannot read pending e-mails");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(batches)
}

/// Whether an error is about a value, so that the transaction can go on.
fn is_damaged(error: &StoreError) -> bool {
    matches!(error, StoreError::Database(_)) && sql_state(error).is_none()
}

/// Another process has sent its pending e-mails since they were found.
async fn end_lease(tx: &Transaction<'_>, id: &NotificationId) -> Result<()> {
    let sql = "UPDATE notifications SET next_at = 0 WHERE id = $1";
    query::execute(tx, sql, &[&id.as_str()]).await.map(drop)
}

/// Reads a leased notification; `None` if its form was deleted.
async fn read_batch(
    tx: &Transaction<'_>,
    row: &Row,
    lease_until: Timestamp,
    query: &MailLeaseQuery,
) -> Result<Option<MailBatch>> {
    let id: NotificationId = parse(read_column(row, 0)?)?;
    let form: FormId = parse(read_column(row, 1)?)?;
    let destination = if read_column::<&str>(row, 2)? == AUTO_REPLY {
        notifications::find_auto_reply(tx, &form).await?.map(MailDestination::AutoReply)
    } else {
        let found = notifications::find(tx, &id).await?;
        found.map(|record| MailDestination::Notification(record.notification))
    };
    let Some(destination) = destination else { return Ok(None) };
    let view = match &destination {
        MailDestination::Notification(Notification { view: Some(view), .. }) => {
            views::find_shared(tx, &form, view).await?
        }
        _ => None,
    };
    let Some(record) = forms::find_form(tx, &form).await? else { return Ok(None) };
    let sql = "SELECT f.intake, a.email, a.plan FROM forms AS f JOIN accounts AS a
                 ON a.id = f.account WHERE f.form_id = $1";
    let Some(owner) = query::fetch_row(tx, sql, &[&form.as_str()]).await? else { return Ok(None) };
    let pending = read_pending(tx, &id, &form, query).await?;
    Ok(Some(MailBatch {
        id,
        destination,
        lease_until,
        retries: read_number(row, 3)?,
        refusals: read_number(row, 4)?,
        account_id: record.account_id,
        account_email: text_encoding::decode(read_column(&owner, 1)?),
        plan: parse(read_column(&owner, 2)?)?,
        form,
        form_name: record.form.name,
        environment: record.form.environment,
        fields: record.form.fields,
        intake: parse_intake(read_column(&owner, 0)?)?,
        view,
        pending,
    }))
}

fn read_number(row: &Row, place: usize) -> Result<u32> {
    u32::try_from(read_column::<i64>(row, place)?).map_err(damaged_row)
}

/// Returns the first pending e-mails. Only the first of them have their submission.
async fn read_pending(
    tx: &Transaction<'_>,
    id: &NotificationId,
    form: &FormId,
    query: &MailLeaseQuery,
) -> Result<Vec<PendingMail>> {
    let sql = "SELECT seq, created_at, submitted_at, submission FROM pending_mails
               WHERE notification = $1 ORDER BY seq LIMIT $2";
    let rows = query::fetch_rows(tx, sql, &[&id.as_str(), &to_limit(query.pending_max)]).await?;
    // Submissions can be large.
    let (mut submitted_at, mut ids) = (Vec::new(), Vec::new());
    for row in rows.iter().take(query.submissions_max) {
        submitted_at.push(read_column(row, 2)?);
        ids.push(read_column(row, 3)?);
    }
    let mut submissions = outbox::find_submissions(tx, form, &submitted_at, &ids).await?;
    let read = |row: &Row| {
        Ok(PendingMail {
            seq: read_column(row, 0)?,
            created_at: parse_instant(read_column(row, 1)?)?,
            submission: submissions.remove(read_column::<&str>(row, 3)?).map(|(json, _)| json),
        })
    };
    rows.iter().map(read).collect()
}

/// Returns pending e-mails whose submission is listed, with its triage, in order.
pub(super) async fn find_submissions(
    conn: &impl GenericClient,
    id: &NotificationId,
    seqs: &[i64],
) -> Result<Vec<PendingSubmission>> {
    let sql = "SELECT m.seq, m.created_at, s.json, s.triage
               FROM pending_mails AS m JOIN submissions AS s ON s.form_id = m.form_id
                 AND s.submitted_at = m.submitted_at AND s.id = m.submission
               WHERE m.notification = $1 AND m.seq = ANY($2) ORDER BY m.seq";
    let rows = query::fetch_rows(conn, sql, &[&id.as_str(), &seqs]).await?;
    let read = |row: &Row| {
        PendingSubmission::from_columns((
            read_column(row, 0)?,
            read_column(row, 1)?,
            read_column(row, 2)?,
            read_column(row, 3)?,
        ))
    };
    rows.iter().map(read).collect()
}

/// Records the outcome of a lease. Returns whether it disabled the notification.
pub(super) async fn record(tx: &Transaction<'_>, record: &MailRecord) -> Result<bool> {
    let id = record.id.as_str();
    if !record.done.is_empty() {
        let sql = "DELETE FROM pending_mails WHERE notification = $1 AND seq IN (
                     SELECT seq FROM pending_mails WHERE notification = $1 AND seq = ANY($2)
                     ORDER BY seq FOR UPDATE)";
        query::execute(tx, sql, &[&id, &record.done]).await?;
    }
    let sql = "UPDATE notifications SET next_at = $3, retries = $4, refusals = $5, last_error = $6,
                 disabled_at = $7, disabled_reason = $8
               WHERE id = $1 AND next_at = $2 AND disabled_at IS NULL";
    let values: query::Parameters<'_> = &[
        &id,
        &record.lease_until.micros(),
        &record.next_at.micros(),
        &i64::from(record.retries),
        &i64::from(record.refusals),
        &record.last_error.as_deref().map(text_encoding::encode),
        &record.disable.map(|_| record.at.micros()),
        &record.disable.map(AddressDisabledReason::as_str),
    ];
    let changed = query::execute(tx, sql, values).await?;
    Ok(changed > 0 && record.disable.is_some())
}
