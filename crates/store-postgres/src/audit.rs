//! The audit log in PostgreSQL. Most entries are written in the transaction that they describe.
//! They are its last statements, because appending locks the head of the chain until the commit.

mod list;
pub(crate) mod queue;
mod verify;

pub(super) use queue::AuditQueue;

use super::query::{read_column, read_hash};
use super::{PostgresStore, query};
use async_trait::async_trait;
use contract::AccountId;
use contract::audit::{AuditEvent, AuditFilter};
use deadpool_postgres::Transaction;
use std::sync::Arc;
use std::time::Duration;
use store::audit::chain::{dropped_event, retention_start};
use store::audit::{
    AffectedRows, AuditPage, AuditRow, AuditScope, AuditStore, EXPIRED_PER_WRITE_MAX,
};
use store::{Hash, Result, Store};
use tokio::time::timeout;

/// How long a reader waits for queued entries of this process.
const READ_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

#[async_trait]
impl AuditStore for PostgresStore {
    fn with_audit(&self, event: AuditEvent) -> Arc<dyn Store> {
        Arc::new(Self { audit_event: Some(event), ..self.clone() })
    }

    async fn write_audit(&self, event: AuditEvent) -> Result<()> {
        let audited = Self { audit_event: Some(event), ..self.clone() };
        let mut conn = audited.connections.get().await?;
        audited.begin_write(&mut conn).await?.commit_audited(()).await
    }

    fn enqueue_audit(&self, event: AuditEvent) {
        self.audit_queue.enqueue(event);
    }

    async fn list_audit_entries(
        &self,
        scope: AuditScope<'_>,
        filter: &AuditFilter,
        before: Option<u64>,
        rows_max: usize,
    ) -> Result<AuditPage> {
        self.audit_queue.enqueue_omitted(scope.account());
        // The list should include the events that this process has queued. The wait is limited,
        // because the database may reject writes for a while.
        let _ = timeout(READ_FLUSH_TIMEOUT, self.audit_queue.wait_until_written()).await;
        let mut conn = self.connections.get().await?;
        let tx = self.begin_read(&mut conn).await?;
        list::list_entries(&tx, scope, filter, before, rows_max).await
    }
}

/// Appends an event within a transaction, and deletes expired entries.
pub(super) async fn append_event(
    tx: &Transaction<'_>,
    event: AuditEvent,
    done: &AffectedRows,
) -> Result<()> {
    let event = match done {
        AffectedRows::Nothing => return Ok(()),
        AffectedRows::All => event,
        AffectedRows::Count(count) => event.with_value("count", *count),
    };
    let end = lock_head(tx, &event).await?;
    append_after(tx, &event, &end).await
}

/// Head of a chain, which is locked against other writers.
struct ChainHead {
    last: (i64, Hash),
    /// Instant of the oldest entry of all chains.
    oldest_at: Option<i64>,
}

/// Locks the head of an event's chain until the transaction ends. Concurrent writers wait here.
async fn lock_head(tx: &Transaction<'_>, event: &AuditEvent) -> Result<ChainHead> {
    let account = event.account.as_ref().map_or("", AccountId::as_str);
    let sql = "SELECT place, hash, (SELECT at FROM audit ORDER BY seq LIMIT 1)
               FROM audit_heads WHERE account = $1 FOR UPDATE";
    if let Some(row) = query::fetch_row(tx, sql, &[&account]).await? {
        let last = (read_column(&row, 0)?, read_hash(&row, 1)?);
        return Ok(ChainHead { last, oldest_at: read_column(&row, 2)? });
    }
    let begin = "INSERT INTO audit_heads (account, place, hash) VALUES ($1, 0, $2)
                 ON CONFLICT DO NOTHING";
    query::execute(tx, begin, &[&account, &Hash::default().as_slice()]).await?;
    // Another process may have created the head at the same time, and appended to the chain.
    let row = query::fetch_one(tx, sql, &[&account]).await?;
    Ok(ChainHead {
        last: (read_column(&row, 0)?, read_hash(&row, 1)?),
        oldest_at: read_column(&row, 2)?,
    })
}

async fn append_after(tx: &Transaction<'_>, event: &AuditEvent, end: &ChainHead) -> Result<()> {
    insert_entry(tx, &AuditRow::from_event(event, end.last)).await?;
    if end.oldest_at.is_some_and(|at| at < retention_start(event.at)) {
        delete_expired(tx, event).await?;
    }
    Ok(())
}

/// Inserts an entry. A trigger advances the head of its chain.
async fn insert_entry(tx: &Transaction<'_>, line: &AuditRow) -> Result<()> {
    let sql = "INSERT INTO audit (account, place, at, environment, actor_kind, actor_id, device,
                 browser, address, request, action, object_kind, object_id, outcome, code, detail,
                 prev_hash, hash)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                 $18)";
    query::execute(
        tx,
        sql,
        &[
            &line.account,
            &line.number,
            &line.at,
            &line.environment,
            &line.actor_kind,
            &line.actor_id,
            &line.device,
            &line.browser,
            &line.address,
            &line.request,
            &line.action,
            &line.object_kind,
            &line.object_id,
            &line.outcome,
            &line.code,
            &line.detail,
            &line.prev_hash.as_slice(),
            &line.hash().as_slice(),
        ],
    )
    .await
    .map(drop)
}

/// Deletes expired entries from the start of the chain that has the oldest entry, in whole months.
/// The deletion and the new start are recorded in the chain. If another transaction is appending to
/// that chain, the next entry tries again: two transactions that each lock one chain and wait for
/// the other's would deadlock.
async fn delete_expired(tx: &Transaction<'_>, event: &AuditEvent) -> Result<()> {
    let oldest =
        query::fetch_row(tx, "SELECT account FROM audit ORDER BY seq LIMIT 1", &[]).await?;
    let Some(oldest) = oldest else { return Ok(()) };
    let account: &str = read_column(&oldest, 0)?;
    let sql = "SELECT place, hash FROM audit_heads WHERE account = $1 FOR UPDATE SKIP LOCKED";
    let Some(head) = query::fetch_row(tx, sql, &[&account]).await? else { return Ok(()) };
    // Last position to delete: at most `EXPIRED_PER_WRITE_MAX` entries, and only those before the
    // first entry that is not expired.
    let sql = "WITH chain AS (
                 SELECT place, hash, at FROM audit WHERE account = $1 ORDER BY place LIMIT $2
               )
               SELECT place, hash FROM chain
               WHERE place < COALESCE((SELECT MIN(place) FROM chain WHERE at >= $3),
                                      (SELECT MAX(place) + 1 FROM chain))
               ORDER BY place DESC LIMIT 1";
    let until = retention_start(event.at);
    let Some(last) = query::fetch_row(tx, sql, &[&account, &EXPIRED_PER_WRITE_MAX, &until]).await?
    else {
        return Ok(());
    };
    let (place, start): (i64, Hash) = (read_column(&last, 0)?, read_hash(&last, 1)?);
    let sql = "INSERT INTO audit_starts (account, place, hash) VALUES ($1, $2, $3)
               ON CONFLICT (account) DO UPDATE SET place = excluded.place, hash = excluded.hash";
    let values: query::Parameters<'_> = &[&account, &place, &start.as_slice()];
    query::execute(tx, sql, values).await?;
    let sql = "DELETE FROM audit WHERE account = $1 AND place <= $2";
    let deleted = query::execute(tx, sql, &[&account, &place]).await?;
    let deleted = usize::try_from(deleted).unwrap_or(usize::MAX);
    let end = (read_column(&head, 0)?, read_hash(&head, 1)?);
    insert_entry(tx, &AuditRow::from_event(&dropped_event(event.at, account, place, deleted), end))
        .await
}
