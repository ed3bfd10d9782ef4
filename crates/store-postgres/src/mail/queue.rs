//! Size, age and retention of the pending e-mails.

use super::notifications::is_confirmed;
use super::usage;
use crate::query;
use crate::query::read_column;
use contract::Timestamp;
use deadpool_postgres::{GenericClient, Transaction};
use store::clock::micros_before;
use store::mail::{MAIL_PURGE_ROWS_MAX, PENDING_AGE_MAX};
use store::{QueueStats, Result};

/// The notifications that have pending e-mails. The recursion visits each of them once, not each
/// pending e-mail. Every step has a limit, so that the plan does not depend on statistics from when
/// the queue was empty.
macro_rules! with_pending {
    () => {
        "WITH RECURSIVE pending (notification) AS (
           (SELECT notification FROM pending_mails ORDER BY notification, seq LIMIT 1)
           UNION ALL
           SELECT m.notification FROM pending AS p CROSS JOIN LATERAL (
             SELECT notification FROM pending_mails WHERE notification > p.notification
             ORDER BY notification, seq LIMIT 1) AS m) "
    };
}
pub(super) use with_pending;

/// Deletes pending e-mails that are too old or of deleted notifications, and the usage of past
/// days. Skips rows that another transaction has locked.
pub(super) async fn purge(tx: &Transaction<'_>, now: Timestamp) -> Result<u64> {
    let sql = "DELETE FROM pending_mails WHERE (notification, seq) IN (
                 SELECT notification, seq FROM pending_mails WHERE created_at <= $1
                 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
    let oldest = micros_before(now, PENDING_AGE_MAX);
    let expired = query::execute(tx, sql, &[&oldest, &MAIL_PURGE_ROWS_MAX]).await?;
    let sql = concat!(
        with_pending!(),
        "DELETE FROM pending_mails WHERE (notification, seq) IN (
           SELECT m.notification, m.seq
           FROM pending AS p JOIN pending_mails AS m USING (notification)
           WHERE NOT EXISTS (SELECT 1 FROM notifications AS n WHERE n.id = p.notification)
           LIMIT $1 FOR UPDATE OF m SKIP LOCKED)"
    );
    let orphaned = query::execute(tx, sql, &[&MAIL_PURGE_ROWS_MAX]).await?;
    usage::purge(tx, now).await?;
    Ok(expired + orphaned)
}

pub(super) async fn stats(conn: &impl GenericClient) -> Result<QueueStats> {
    // Reads only the index, and one row per notification.
    let sql = concat!(
        with_pending!(),
        "SELECT COALESCE(sum(q.count), 0)::BIGINT, min(q.oldest) FROM (
           SELECT count(*) AS count, min(created_at) AS oldest FROM account_mails
           UNION ALL
           SELECT (SELECT count(*) FROM pending_mails AS m WHERE m.notification = n.id),
             (SELECT m.created_at FROM pending_mails AS m WHERE m.notification = n.id
              ORDER BY m.seq LIMIT 1)
           FROM pending AS p JOIN notifications AS n ON n.id = p.notification
           WHERE n.disabled_at IS NULL AND ",
        is_confirmed!(),
        ") AS q"
    );
    let row = query::fetch_one(conn, sql, &[]).await?;
    QueueStats::from_columns(read_column(&row, 0)?, read_column(&row, 1)?)
}
