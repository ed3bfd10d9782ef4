//! The audit log in PostgreSQL. Most entries are written in the transaction that they describe.
//! They are its last statements, because appending locks the head of the chain until the commit.

mod list;
pub(crate) mod queue;
mod verify;

pub(super) use queue::Soon;

use super::query::{column, hash};
use super::{PostgresStore, query};
use crate::errors::database;
use async_trait::async_trait;
use contract::AccountId;
use contract::audit::{Act, AuditFilter};
use deadpool_postgres::Transaction;
use std::sync::Arc;
use std::time::Duration;
use store::audit::chain::{dropped, kept_from};
use store::audit::{AuditStore, DROPPED_MAX, Done, Line, NotesPage, Whose};
use store::{Hash, Result, Store};
use tokio::time::timeout;

/// How long a reader waits for queued entries of this process.
const SEEN_WITHIN: Duration = Duration::from_secs(2);

#[async_trait]
impl AuditStore for PostgresStore {
    fn noting(&self, act: Act) -> Arc<dyn Store> {
        Arc::new(Self { act: Some(act), ..self.clone() })
    }

    async fn note(&self, act: Act) -> Result<()> {
        let noting = Self { act: Some(act), ..self.clone() };
        let mut conn = noting.connections.get().await?;
        noting.begin(&mut conn).await?.done(()).await
    }

    fn note_soon(&self, act: Act) {
        self.soon.take(act);
    }

    async fn list_notes(
        &self,
        whose: Whose<'_>,
        filter: &AuditFilter,
        before: Option<u64>,
        rows_max: usize,
    ) -> Result<NotesPage> {
        self.soon.take_left_out(whose.account());
        // The list should include the events that this process has queued. The wait is limited,
        // because the database may reject writes for a while.
        let _ = timeout(SEEN_WITHIN, self.soon.settled()).await;
        let mut conn = self.connections.get().await?;
        let look = self.look(&mut conn).await?;
        list::list(&look, whose, filter, before, rows_max).await
    }
}

/// Appends an event within a transaction, and deletes expired entries.
pub(super) async fn append(tx: &Transaction<'_>, act: Act, done: &Done) -> Result<()> {
    let act = match done {
        Done::Nothing => return Ok(()),
        Done::All => act,
        Done::Count(count) => act.with("count", *count),
    };
    let end = hold(tx, &act).await?;
    append_behind(tx, &act, &end).await
}

/// Head of a chain, which is locked against other writers.
struct End {
    last: (i64, Hash),
    /// Instant of the oldest entry of all chains.
    oldest_at: Option<i64>,
}

/// Locks the head of an event's chain until the transaction ends. Concurrent writers wait here.
async fn hold(tx: &Transaction<'_>, act: &Act) -> Result<End> {
    let account = act.account.as_ref().map_or("", AccountId::as_str);
    let sql = "SELECT place, hash, (SELECT at FROM audit ORDER BY seq LIMIT 1)
               FROM audit_heads WHERE account = $1 FOR UPDATE";
    if let Some(row) = query::row(tx, sql, &[&account]).await? {
        let last = (column(&row, 0)?, hash(&row, 1)?);
        return Ok(End { last, oldest_at: column(&row, 2)? });
    }
    let begin = "INSERT INTO audit_heads (account, place, hash) VALUES ($1, 0, $2)
                 ON CONFLICT DO NOTHING";
    query::change(tx, begin, &[&account, &Hash::default().as_slice()]).await.map_err(database)?;
    // Another process may have created the head at the same time, and appended to the chain.
    let row = query::row(tx, sql, &[&account]).await?;
    let row = row.ok_or_else(|| database("a chain of the audit log has no head"))?;
    Ok(End { last: (column(&row, 0)?, hash(&row, 1)?), oldest_at: column(&row, 2)? })
}

async fn append_behind(tx: &Transaction<'_>, act: &Act, end: &End) -> Result<()> {
    insert(tx, &Line::of(act, end.last)).await?;
    if end.oldest_at.is_some_and(|at| at < kept_from(act.at)) {
        drop_old(tx, act).await?;
    }
    Ok(())
}

/// Inserts an entry. A trigger advances the head of its chain.
async fn insert(tx: &Transaction<'_>, line: &Line) -> Result<()> {
    let sql = "INSERT INTO audit (account, place, at, environment, actor_kind, actor_id, device,
                 browser, address, request, action, object_kind, object_id, outcome, code, detail,
                 prev_hash, hash)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                 $18)";
    query::change(
        tx,
        sql,
        &[
            &line.account,
            &line.place,
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
    .map_err(database)
}

/// Deletes expired entries from the start of the chain that has the oldest entry, in whole months.
/// The deletion and the new start are recorded in the chain. If another transaction is appending to
/// that chain, the next entry tries again: two transactions that each lock one chain and wait for
/// the other's would deadlock.
async fn drop_old(tx: &Transaction<'_>, act: &Act) -> Result<()> {
    let oldest = query::row(tx, "SELECT account FROM audit ORDER BY seq LIMIT 1", &[]).await?;
    let Some(oldest) = oldest else { return Ok(()) };
    let account: &str = column(&oldest, 0)?;
    let sql = "SELECT place, hash FROM audit_heads WHERE account = $1 FOR UPDATE SKIP LOCKED";
    let Some(head) = query::row(tx, sql, &[&account]).await? else { return Ok(()) };
    // Last position to delete: at most `DROPPED_MAX` entries, and only those before the first entry
    // that is not expired.
    let sql = "WITH chain AS (
                 SELECT place, hash, at FROM audit WHERE account = $1 ORDER BY place LIMIT $2
               )
               SELECT place, hash FROM chain
               WHERE place < COALESCE((SELECT MIN(place) FROM chain WHERE at >= $3),
                                      (SELECT MAX(place) + 1 FROM chain))
               ORDER BY place DESC LIMIT 1";
    let until = kept_from(act.at);
    let Some(last) = query::row(tx, sql, &[&account, &DROPPED_MAX, &until]).await? else {
        return Ok(());
    };
    let (place, start): (i64, Hash) = (column(&last, 0)?, hash(&last, 1)?);
    let sql = "INSERT INTO audit_starts (account, place, hash) VALUES ($1, $2, $3)
               ON CONFLICT (account) DO UPDATE SET place = excluded.place, hash = excluded.hash";
    let values: query::Values<'_> = &[&account, &place, &start.as_slice()];
    query::change(tx, sql, values).await.map_err(database)?;
    let sql = "DELETE FROM audit WHERE account = $1 AND place <= $2";
    let gone = query::change(tx, sql, &[&account, &place]).await.map_err(database)?;
    let gone = usize::try_from(gone).unwrap_or(usize::MAX);
    let end = (column(&head, 0)?, hash(&head, 1)?);
    insert(tx, &Line::of(&dropped(act.at, account, place, gone), end)).await
}
