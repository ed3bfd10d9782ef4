//! [`AuditStore`] for SQLite. Most entries are written in the transaction of the write that they
//! record: on the writer thread, or on the connection of an import.

mod entry_row;
mod list;
mod verify;

pub use verify::verify;
pub(super) use verify::verify_chains as look_through;

use super::{SqliteStore, query};
use async_trait::async_trait;
use contract::AccountId;
use contract::audit::{AuditEvent, AuditFilter, AuditOutcome};
use rusqlite::Connection;
use std::sync::Arc;
use store::audit::{
    AffectedRows, AuditPage, AuditRateLimiter, AuditRow, AuditScope, AuditStore,
    EXPIRED_PER_WRITE_MAX, QUEUE_MAX, chain,
};
use store::{Hash, Result, Store};

#[async_trait]
impl AuditStore for SqliteStore {
    fn with_audit(&self, event: AuditEvent) -> Arc<dyn Store> {
        Arc::new(Self {
            path: self.path.clone(),
            writer: self.writer.with_audit(event),
            readers: Arc::clone(&self.readers),
            memory_index: Arc::clone(&self.memory_index),
            audit_limiter: Arc::clone(&self.audit_limiter),
        })
    }

    async fn write_audit(&self, event: AuditEvent) -> Result<()> {
        self.writer.with_audit(event).write_when_full(|_| Ok(())).await
    }

    fn enqueue_audit(&self, event: AuditEvent) {
        if event.outcome != AuditOutcome::Denied {
            self.enqueue_audit(event);
            return;
        }
        for event in self.audit_limiter.admit(event) {
            let account = event.account.clone();
            let at = event.at;
            if !self.enqueue_audit(event) {
                self.audit_limiter.count_omitted(account, at);
            }
        }
    }

    async fn list_audit_entries(
        &self,
        scope: AuditScope<'_>,
        filter: &AuditFilter,
        before: Option<u64>,
        rows_max: usize,
    ) -> Result<AuditPage> {
        if let Some(event) = self.audit_limiter.take_omitted(scope.account())
            && let Err(error) = self.write_audit(event).await
        {
            tracing::error!(%error, "audit log: entry dropped");
        }
        let account = scope.chain_name().to_owned();
        let filter = filter.clone();
        let list =
            move |conn: &Connection| list::list_entries(conn, &account, &filter, before, rows_max);
        self.readers.read(list).await
    }
}

impl SqliteStore {
    /// Queues an audit entry. Returns `false`, and logs an error, if it is dropped.
    fn enqueue_audit(&self, event: AuditEvent) -> bool {
        let Some(place) = AuditRateLimiter::acquire_slot(&self.audit_limiter) else {
            tracing::error!(
                action = event.action.as_str(),
                "audit log: entry dropped, {QUEUE_MAX} are queued already"
            );
            return false;
        };
        let done = self.writer.write_later(move |conn| {
            let _place = place;
            append_entry(conn, event, &AffectedRows::All)
        });
        done.inspect_err(|error| tracing::error!(%error, "audit log: entry dropped")).is_ok()
    }
}

/// Appends an audit entry within the transaction of a write, and deletes expired entries. Does
/// nothing if the write changed nothing.
pub(super) fn append_entry(
    conn: &Connection,
    event: AuditEvent,
    done: &AffectedRows,
) -> Result<()> {
    let event = match done {
        AffectedRows::Nothing => return Ok(()),
        AffectedRows::All => event,
        AffectedRows::Count(count) => event.with_value("count", *count),
    };
    insert_entry(conn, &event)?;
    delete_expired(conn, &event)
}

fn insert_entry(conn: &Connection, event: &AuditEvent) -> Result<()> {
    let line = AuditRow::from_event(event, chain_head(conn, event.account.as_ref())?);
    let hash = line.hash();
    let columns = rusqlite::params![
        line.account,
        line.number,
        line.at,
        line.environment,
        line.actor_kind,
        line.actor_id,
        line.device,
        line.browser,
        line.address,
        line.request,
        line.action,
        line.object_kind,
        line.object_id,
        line.outcome,
        line.code,
        line.detail,
        line.prev_hash,
        hash,
    ];
    let sql = "INSERT INTO audit (account, place, at, environment, actor_kind, actor_id, device,
                 browser, address, request, action, object_kind, object_id, outcome, code, detail,
                 prev_hash, hash)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    query::execute(conn, sql, columns)?;
    let sql = "INSERT INTO audit_heads (account, place, hash) VALUES (?, ?, ?)
               ON CONFLICT DO UPDATE SET place = excluded.place, hash = excluded.hash";
    query::execute(conn, sql, (&line.account, line.number, hash)).map(drop)
}

/// Returns the number and the hash of the last entry of a chain; zeros if the chain is empty.
fn chain_head(conn: &Connection, account: Option<&AccountId>) -> Result<(i64, Hash)> {
    let account = account.map_or("", AccountId::as_str);
    let sql = "SELECT place, hash FROM audit_heads WHERE account = ?";
    Ok(query::find(conn, sql, [account], |row| row.try_into())?.unwrap_or_default())
}

/// Deletes expired entries of the chain that has the oldest entry: whole months, from the start of
/// the chain. Records in the chain that entries were dropped, and its new start.
fn delete_expired(conn: &Connection, event: &AuditEvent) -> Result<()> {
    let sql = "SELECT account, place, at FROM audit ORDER BY seq LIMIT 1";
    let first: Option<(String, i64, i64)> = query::find(conn, sql, [], |row| row.try_into())?;
    let until = chain::retention_start(event.at);
    let Some((account, place, at)) = first else { return Ok(()) };
    if at >= until {
        return Ok(());
    }
    let number_max = place + EXPIRED_PER_WRITE_MAX;
    let sql = "SELECT COALESCE(MIN(place), ?2) - 1 FROM audit
               WHERE account = ?1 AND place < ?2 AND at >= ?3";
    let last: i64 = query::one(conn, sql, (&account, number_max, until), |row| row.get(0))?;
    let sql = "SELECT place, hash FROM audit WHERE account = ? AND place <= ?
               ORDER BY place DESC LIMIT 1";
    let start: Option<(i64, Hash)> =
        query::find(conn, sql, (&account, last), |row| row.try_into())?;
    let Some((last, hash)) = start else { return Ok(()) };
    let sql = "INSERT INTO audit_starts (account, place, hash) VALUES (?, ?, ?)
               ON CONFLICT DO UPDATE SET place = excluded.place, hash = excluded.hash";
    query::execute(conn, sql, (&account, last, hash))?;
    let sql = "DELETE FROM audit WHERE account = ? AND place <= ?";
    let deleted = query::execute(conn, sql, (&account, last))?;
    insert_entry(conn, &chain::dropped_event(event.at, &account, last, deleted))
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
