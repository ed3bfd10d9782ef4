//! Inserts deliveries, in the transactions that change submissions.

use crate::query;
use contract::webhook::WebhookEvent;
use contract::{BatchId, DeliveryId, Timestamp, WebhookId};
use rusqlite::Connection;
use store::Result;
use store::clock::{Clock as _, SystemClock};
use store::columns::{SubmissionRow, database_error};
use store::outbox::DeliveryKey;

/// The start of each statement: one row for each enabled webhook of the form `?1` that chose an
/// event of the bit set `?2`, whose name is `?3`, at the instant `?4`.
macro_rules! enqueue_sql {
    ($key:literal, $from:literal) => {
        concat!(
            "INSERT INTO deliveries
               (nonce, queue, webhook, form, event, created_at, submitted_at, submission)
             SELECT lower(hex(randomblob(8))), w.seq, w.id, ?1, ?3, ?4, ",
            $key,
            " FROM webhooks AS w",
            $from,
            " WHERE w.form = ?1 AND w.events & ?2 AND w.disabled_at IS NULL"
        )
    };
}

/// A webhook, as the deliveries of one form refer to it.
pub(crate) struct DeliveryTarget {
    queue: i64,
    id: String,
}

/// Returns the enabled webhooks of a form that chose an event.
pub(crate) fn find_targets(
    conn: &Connection,
    form: i64,
    event: WebhookEvent,
) -> Result<Vec<DeliveryTarget>> {
    let sql = "SELECT seq, id FROM webhooks
               WHERE form = ?1 AND events & ?2 AND disabled_at IS NULL";
    query::list(conn, sql, (form, event.bit()), |row| {
        Ok(DeliveryTarget { queue: row.get(0)?, id: row.get(1)? })
    })
}

/// Enqueues the creation of submissions that arrived.
pub(crate) fn enqueue_created<'r>(
    conn: &Connection,
    form: i64,
    targets: &[DeliveryTarget],
    rows: impl Iterator<Item = &'r SubmissionRow>,
) -> Result<()> {
    let rows = rows.map(|row| (row.submitted_at, (row.submitted_at, row.id.as_str())));
    insert_rows(conn, form, (WebhookEvent::Created, targets), rows)
}

/// Enqueues an update of submissions, given by their instants and ids.
pub(crate) fn enqueue_updated<'r>(
    conn: &Connection,
    form: i64,
    keys: impl Iterator<Item = (i64, &'r str)>,
    at: Timestamp,
) -> Result<()> {
    let event = WebhookEvent::Updated;
    let targets = find_targets(conn, form, event)?;
    insert_rows(conn, form, (event, &targets), keys.map(|key| (at.micros(), key)))
}

/// Enqueues an event of many submissions, given by the instant of the event and the key of the
/// submission, for each target.
fn insert_rows<'r>(
    conn: &Connection,
    form: i64,
    (event, targets): (WebhookEvent, &[DeliveryTarget]),
    rows: impl Iterator<Item = (i64, (i64, &'r str))>,
) -> Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    // One row per statement: SQLite copies each changed page before a statement that may insert
    // more rows.
    let sql = "INSERT INTO deliveries
                 (nonce, queue, webhook, form, event, created_at, submitted_at, submission)
               VALUES (lower(hex(randomblob(8))), ?, ?, ?, ?, ?, ?, ?)";
    let mut insert = conn.prepare_cached(sql).map_err(database_error)?;
    for (at, (submitted_at, id)) in rows {
        for DeliveryTarget { queue, id: webhook } in targets {
            insert
                .execute((queue, webhook, form, event.as_str(), at, submitted_at, id))
                .map_err(database_error)?;
        }
    }
    Ok(())
}

/// Enqueues an event of one submission, given by its instant and id.
pub(crate) fn enqueue(
    conn: &Connection,
    form: i64,
    event: WebhookEvent,
    key: (i64, &str),
    at: i64,
) -> Result<()> {
    let values = (form, event.bit(), event.as_str(), at, key.0, key.1);
    query::execute(conn, enqueue_sql!("?5, ?6", ""), values).map(drop)
}

/// Enqueues the deletion of the submissions that a move took from the list.
pub(crate) fn enqueue_moved(
    conn: &Connection,
    form: i64,
    batch: &BatchId,
    at: Timestamp,
) -> Result<()> {
    let event = WebhookEvent::Deleted;
    let sql =
        enqueue_sql!("u.submitted_at, u.id", " JOIN unlisted AS u ON u.form = ?1 AND u.batch = ?5");
    let values = (form, event.bit(), event.as_str(), at.micros(), batch.as_str());
    query::execute(conn, sql, values).map(drop)
}

/// Enqueues the creation of the submissions that a restore returns to the list. `condition` and
/// `chosen` are those of the restore: they select rows of `unlisted`.
pub(crate) fn enqueue_restored(
    conn: &Connection,
    condition: &str,
    chosen: (i64, &str, Option<&str>),
) -> Result<()> {
    let event = WebhookEvent::Created;
    let sql = format!(
        "INSERT INTO deliveries
           (nonce, queue, webhook, form, event, created_at, submitted_at, submission)
         SELECT lower(hex(randomblob(8))), w.seq, w.id, ?1, ?4, ?5, u.submitted_at, u.submission
         FROM webhooks AS w CROSS JOIN (
           SELECT submitted_at, id AS submission FROM unlisted
           WHERE form = ?1 AND state = ?2{condition}) AS u
         WHERE w.form = ?1 AND w.events & ?6 AND w.disabled_at IS NULL"
    );
    let (form, state, value) = chosen;
    let now = SystemClock.now().micros();
    query::execute(conn, &sql, (form, state, value, event.as_str(), now, event.bit())).map(drop)
}

/// Inserts a test delivery, also for a disabled webhook, which sends it once it is enabled.
pub(super) fn insert_test(
    conn: &Connection,
    id: &WebhookId,
    now: Timestamp,
) -> Result<Option<DeliveryId>> {
    let sql = "INSERT INTO deliveries (nonce, queue, webhook, form, event, created_at)
               SELECT lower(hex(randomblob(8))), seq, id, form, ?2, ?3 FROM webhooks WHERE id = ?1
               RETURNING seq, nonce";
    let event = WebhookEvent::Test.as_str();
    let inserted = query::find(conn, sql, (id.as_str(), event, now.micros()), |row| {
        Ok(DeliveryKey { seq: row.get(0)?, nonce: row.get(1)? })
    })?;
    inserted.map(|key| key.id()).transpose()
}
