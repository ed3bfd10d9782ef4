//! The log of deliveries: list, replay and retention.

use crate::{erase_traces, query};
use contract::webhook::{Delivery, DeliveryState};
use contract::{Timestamp, WebhookId};
use rusqlite::{Connection, Row};
use store::clock::micros_before;
use store::columns::parse;
use store::outbox::{
    CHANGE_MAX, DeliveryColumns, DeliveryKey, DeliveryQuery, LOG_AGE_MAX, PURGE_ROWS_MAX,
};
use store::{QueueStats, Result};

/// Names of the columns of [`DeliveryColumns`], in order, with the table as `d`.
const DELIVERY_COLUMNS: &str =
    "d.seq, d.nonce, d.event, d.submission, d.created_at, d.state, d.due_at, d.body, d.attempts";

/// Selects deliveries of a webhook, newest first, in two parts: those that are due at once, which
/// only the index of the queue has, and the others.
fn list_sql() -> String {
    let part = |index: &str, condition: &str| {
        format!(
            "SELECT {DELIVERY_COLUMNS} FROM deliveries AS d INDEXED BY {index}
             WHERE d.queue = (SELECT seq FROM webhooks WHERE id = ?1) AND {condition}
               AND d.created_at <= ?2 AND (d.created_at < ?2 OR d.seq < ?3)
               AND (?4 IS NULL OR d.state = ?4)"
        )
    };
    format!(
        "{} UNION ALL {} ORDER BY created_at DESC, seq DESC LIMIT ?5",
        part("deliveries_by_due", "d.due_at = 0"),
        part("deliveries_by_webhook", "d.due_at IS NOT 0")
    )
}

pub(super) fn list(conn: &Connection, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
    let (at, seq) = match &query.before {
        Some(key) => (position(conn, key)?, key.seq),
        None => (i64::MAX, i64::MAX),
    };
    let state = query.state.map(DeliveryState::as_str);
    let rows_max = i64::try_from(query.rows_max).unwrap_or(i64::MAX);
    let values = (query.webhook.as_str(), at, seq, state, rows_max);
    let rows: Vec<DeliveryColumns> =
        query::list(conn, &list_sql(), values, |row| read_columns(row, 0))?;
    rows.into_iter().map(DeliveryColumns::into_delivery).collect()
}

/// Returns the time of the event of a delivery. If the delivery was deleted, that of the previous
/// one takes its place.
fn position(conn: &Connection, key: &DeliveryKey) -> Result<i64> {
    let sql = "SELECT created_at FROM deliveries WHERE seq <= ? ORDER BY seq DESC LIMIT 1";
    let at = query::find(conn, sql, [key.seq], |row| row.get(0))?;
    Ok(at.unwrap_or(i64::MIN))
}

pub(super) fn find(conn: &Connection, key: &DeliveryKey) -> Result<Option<(WebhookId, Delivery)>> {
    let sql = format!(
        "SELECT d.webhook, {DELIVERY_COLUMNS} FROM deliveries AS d
         WHERE d.seq = ? AND d.nonce = ?"
    );
    let found: Option<(String, DeliveryColumns)> =
        query::find(conn, &sql, (key.seq, &key.nonce), |row| {
            Ok((row.get(0)?, read_columns(row, 1)?))
        })?;
    found.map(|(webhook, row)| Ok((parse(&webhook)?, row.into_delivery()?))).transpose()
}

fn read_columns(row: &Row<'_>, first: usize) -> rusqlite::Result<DeliveryColumns> {
    Ok(DeliveryColumns {
        seq: row.get(first)?,
        nonce: row.get(first + 1)?,
        event: row.get(first + 2)?,
        submission: row.get(first + 3)?,
        created_at: row.get(first + 4)?,
        state: row.get(first + 5)?,
        due_at: row.get(first + 6)?,
        body: row.get(first + 7)?,
        attempts: row.get(first + 8)?,
    })
}

pub(super) fn replay(conn: &Connection, key: &DeliveryKey) -> Result<bool> {
    let sql = "UPDATE deliveries SET state = 'pending', due_at = 0, is_leased = 0, retries = 0
               WHERE seq = ? AND nonce = ?";
    Ok(query::execute(conn, sql, (key.seq, &key.nonce))? > 0)
}

pub(super) fn replay_failed(conn: &Connection, id: &WebhookId, since: Timestamp) -> Result<u64> {
    let sql = "UPDATE deliveries SET state = 'pending', due_at = 0, is_leased = 0, retries = 0
               WHERE seq IN (
                 SELECT seq FROM deliveries
                 WHERE queue = (SELECT seq FROM webhooks WHERE id = ?) AND state = 'failed'
                   AND created_at >= ?
                 ORDER BY created_at LIMIT ?)";
    Ok(query::execute(conn, sql, (id.as_str(), since.micros(), CHANGE_MAX))? as u64)
}

pub(super) fn end(conn: &Connection, key: &DeliveryKey) -> Result<()> {
    let key = (key.seq, &key.nonce);
    let end = "UPDATE deliveries SET state = 'failed', due_at = NULL, is_leased = 0
               WHERE seq = ? AND nonce = ? AND attempts <> '[]'";
    let delete = "DELETE FROM deliveries WHERE seq = ? AND nonce = ? AND attempts = '[]'";
    query::execute(conn, end, key)?;
    query::execute(conn, delete, key).map(drop)
}

/// Selects deliveries of deleted webhooks. Each recursion visits each webhook of an index once.
const ORPHANS_SQL: &str = "WITH RECURSIVE pending (queue) AS (
     SELECT MIN(queue) FROM deliveries WHERE due_at IS NOT NULL
     UNION ALL
     SELECT (SELECT MIN(d.queue) FROM deliveries AS d
       WHERE d.due_at IS NOT NULL AND d.queue > p.queue)
     FROM pending AS p WHERE p.queue IS NOT NULL),
   logged (queue) AS (
     SELECT MIN(queue) FROM deliveries WHERE due_at IS NOT 0
     UNION ALL
     SELECT (SELECT MIN(d.queue) FROM deliveries AS d
       WHERE d.due_at IS NOT 0 AND d.queue > l.queue)
     FROM logged AS l WHERE l.queue IS NOT NULL)
   SELECT d.seq FROM pending AS p CROSS JOIN deliveries AS d INDEXED BY deliveries_by_due
     ON d.queue = p.queue AND d.due_at IS NOT NULL
     WHERE p.queue NOT IN (SELECT seq FROM webhooks)
   UNION ALL
   SELECT d.seq FROM logged AS l CROSS JOIN deliveries AS d INDEXED BY deliveries_by_webhook
     ON d.queue = l.queue AND d.due_at IS NOT 0
     WHERE l.queue NOT IN (SELECT seq FROM webhooks)";

/// Selects finished deliveries that are expired, and deliveries of deleted webhooks.
fn expired_sql() -> String {
    format!(
        "{ORPHANS_SQL}
         UNION ALL
         SELECT seq FROM deliveries INDEXED BY deliveries_by_end
           WHERE due_at IS NULL AND created_at <= ?1
         LIMIT ?2"
    )
}

/// Deletes at most `rows_max` deliveries of deleted webhooks, within a writer job, and returns
/// their number.
pub(crate) fn delete_orphans(conn: &Connection, rows_max: i64) -> Result<usize> {
    let sql = format!("DELETE FROM deliveries WHERE seq IN ({ORPHANS_SQL} LIMIT ?)");
    query::execute(conn, &sql, [rows_max])
}

pub(super) fn has_expired(conn: &Connection, now: Timestamp) -> Result<bool> {
    let sql = format!(
        "SELECT EXISTS ({})
           OR EXISTS (SELECT 1 FROM webhooks WHERE old_secret_until <= ?3)",
        expired_sql()
    );
    let oldest = micros_before(now, LOG_AGE_MAX);
    query::one(conn, &sql, (oldest, PURGE_ROWS_MAX, now.micros()), |row| row.get(0))
}

pub(super) fn purge(conn: &Connection, now: Timestamp) -> Result<u64> {
    let sql = format!("DELETE FROM deliveries WHERE seq IN ({})", expired_sql());
    let oldest = micros_before(now, LOG_AGE_MAX);
    let purged = query::execute(conn, &sql, (oldest, PURGE_ROWS_MAX))?;
    let sql = "UPDATE webhooks SET old_secret = NULL, old_secret_until = NULL
               WHERE old_secret_until <= ?";
    query::execute(conn, sql, [now.micros()])?;
    erase_traces::request_erasure(conn)?;
    Ok(purged as u64)
}

pub(super) fn stats(conn: &Connection) -> Result<QueueStats> {
    // Both read only the index, and one row per webhook.
    let sql = "SELECT SUM((SELECT COUNT(*) FROM deliveries AS d
                 WHERE d.queue = w.seq AND d.due_at IS NOT NULL)),
                 MIN((SELECT d.created_at FROM deliveries AS d
                   WHERE d.queue = w.seq AND d.due_at IS NOT NULL
                   ORDER BY d.due_at, d.created_at LIMIT 1))
               FROM webhooks AS w WHERE w.disabled_at IS NULL";
    let (pending, oldest): (Option<i64>, Option<i64>) =
        query::one(conn, sql, [], |row| row.try_into())?;
    QueueStats::from_columns(pending, oldest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrate::{MIGRATIONS, migrate};
    use std::path::Path;

    fn plan(conn: &Connection, sql: &str) -> String {
        let mut plan = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let mut steps = Vec::new();
        let mut rows = plan.raw_query();
        while let Some(row) = rows.next().unwrap() {
            steps.push(row.get::<_, String>(3).unwrap());
        }
        steps.join("; ")
    }

    fn open() -> Connection {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(Path::new("memory"), &mut conn, MIGRATIONS).unwrap();
        conn
    }

    #[test]
    fn log_is_read_in_the_order_of_two_indexes() {
        let plan = plan(&open(), &list_sql());
        assert!(
            plan.contains("deliveries_by_due (queue=? AND due_at=? AND created_at<?)"),
            "{plan}"
        );
        assert!(plan.contains("deliveries_by_webhook (queue=? AND created_at<?)"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE") && !plan.contains("SCAN d"), "{plan}");
    }

    #[test]
    fn deletion_of_a_submission_searches_two_indexes() {
        let conn = open();
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?";
        for name in ["*_submission", "*_unlisted"] {
            let trigger: String = conn
                .query_row(sql, [format!("deliveries_of_deleted{name}")], |row| row.get(0))
                .unwrap();
            let (_, delete) = trigger.split_once("BEGIN").unwrap();
            let (delete, _) = delete.split_once(';').unwrap();
            let mut sql = delete.to_owned();
            for column in ["form", "id", "submitted_at"] {
                sql = sql.replace(&format!("OLD.{column}"), "?");
            }
            let plan = plan(&conn, &sql);
            let by_submission = "deliveries_by_submission (form=? AND submission=?)";
            let by_due = "deliveries_by_due (queue=? AND due_at=? AND created_at=?)";
            assert!(plan.contains(by_submission) && plan.contains(by_due), "{plan}");
            assert!(!plan.contains("SCAN"), "{plan}");
        }
    }

    #[test]
    fn purge_scans_no_table() {
        let plan = plan(&open(), &expired_sql());
        assert!(!plan.contains("SCAN d") && !plan.contains("SCAN deliveries"), "{plan}");
    }
}
