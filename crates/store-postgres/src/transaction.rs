//! Transactions of a store, and the lock order.
//!
//! # Lock order
//! A transaction that waits for a lock has no lock that is listed after it. This prevents
//! deadlocks.
//! 1. The import lock of a form, which belongs to a session (`import/import_lock.rs`).
//! 2. The lock for known ids (`insert::lock_known_ids`).
//! 3. Accounts, then people, then their sessions and links by token. Then statuses and tags.
//! 4. Forms, by id. A transaction locks the form's row before it changes data of the whole form
//!    (fields, counts, counts by day, receipts, unlisted submissions, sweeps for the analysis) or
//!    deletes a submission. Those rows then need no lock of their own.
//! 5. Visible submissions, by form, instant and id. New ones may be inserted before the form is
//!    locked: other transactions do not see them yet, and lock 2 prevents duplicate ids.
//! 6. Analysis usage, by account and environment.
//! 7. Data of single submissions: analysis queue, retries, corrections, notes, history. Then
//!    leases, listed imports, and saved views. Then deliveries, by number, and webhooks. Then
//!    pending e-mails, by number, and notifications.
//! 8. The head of an audit log chain.
//! 9. At the commit: the queue of notifications (`live.rs`).
//!
//! Expired rows are deleted with `SKIP LOCKED` and without the form's lock. This never waits, so
//! the transaction may lock rows that other transactions wait for.

use super::dirty_connections::DirtyGuard;
use super::{PostgresStore, audit};
use crate::errors::database_error;
use contract::audit::AuditEvent;
use deadpool_postgres::{Client, Transaction};
use std::ops::Deref;
use store::Result;
use store::audit::CountAffected;
use tokio_postgres::IsolationLevel;

/// A connection of a pool.
pub(super) type Conn = Client;

/// A write transaction, and the audit event that is recorded with it.
pub(super) struct WriteTransaction<'a> {
    tx: Transaction<'a>,
    audit_event: Option<AuditEvent>,
    /// Marks the connection as dirty if the write is abandoned.
    dirty_guard: DirtyGuard,
}

impl<'a> Deref for WriteTransaction<'a> {
    type Target = Transaction<'a>;

    fn deref(&self) -> &Transaction<'a> {
        &self.tx
    }
}

impl WriteTransaction<'_> {
    /// Records the audit event, commits, and returns `done` once it is on disk. No event is
    /// recorded if nothing changed. Dropping the transaction instead rolls it back.
    pub(super) async fn commit_audited<T: CountAffected>(self, done: T) -> Result<T> {
        if let Some(event) = self.audit_event {
            audit::append_event(&self.tx, event, &done.affected_rows()).await?;
        }
        self.tx.commit().await.map_err(database_error)?;
        self.dirty_guard.disarm();
        Ok(done)
    }
}

impl PostgresStore {
    /// Begins a write transaction. Each statement sees all earlier commits (Read Committed).
    pub(super) async fn begin_write<'a>(&self, conn: &'a mut Conn) -> Result<WriteTransaction<'a>> {
        let dirty_guard = self.connections.dirty.guard_write(&conn.statement_cache);
        let tx = conn.transaction().await.map_err(database_error)?;
        Ok(WriteTransaction { tx, audit_event: self.audit_event.clone(), dirty_guard })
    }

    /// Begins a read-only transaction with one snapshot for all its statements.
    pub(super) async fn begin_read<'a>(&self, conn: &'a mut Conn) -> Result<Transaction<'a>> {
        conn.build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await
            .map_err(database_error)
    }
}
