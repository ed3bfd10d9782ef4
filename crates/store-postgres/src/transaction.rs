//! One transaction of a store, and what every part of it needs of the driver.
//!
//! # The order of locks
//! Whoever waits for a lock holds none that stands behind it here; so nobody waits in a circle.
//! 1. The turn of an import into a form, which is its session's (`import/turn.rs`).
//! 2. The ids that are known from elsewhere (`insert::given_ids`).
//! 3. Accounts, then people, then their sessions and links by token.
//! 4. Forms, by id. A transaction locks the form's row before it changes anything of the form as a
//!    whole (fields, counts, counts by day, receipts, unlisted submissions, what is to be looked
//!    through for the analysis) or deletes a submission. It need not lock those rows first.
//! 5. Submissions that others see, by form, instant and id. New ones may be inserted before the
//!    form is locked: others do not see them yet, and 2 keeps others from the same ids.
//! 6. What accounts spent on the analysis, by account and environment.
//! 7. What goes with a submission: what waits, tries, corrections. Then leases, and imports that
//!    are listed.
//! 8. The end of a chain of the audit log.
//!
//! Rows that are older than they are kept are deleted with `SKIP LOCKED` and without the form's
//! lock. Such a transaction waits for nobody, so it may hold rows that others wait for.

use super::dirty_connections::Guard;
use super::{PostgresStore, audit};
use crate::errors::database;
use contract::audit::Act;
use deadpool_postgres::{Client, Transaction};
use std::ops::Deref;
use store::Result;
use store::audit::Did;
use tokio_postgres::IsolationLevel;

/// A connection that nobody else has at the moment.
pub(super) type Conn = Client;

/// A write under way: a transaction, and the act that is noted with it.
pub(super) struct Work<'a> {
    tx: Transaction<'a>,
    act: Option<Act>,
    /// Where this is left in the middle.
    left: Guard,
}

impl<'a> Deref for Work<'a> {
    type Target = Transaction<'a>;

    fn deref(&self) -> &Transaction<'a> {
        &self.tx
    }
}

impl Work<'_> {
    /// Ends it with what was done, and returns that once it is on disk. Where nothing was done,
    /// nothing is noted. What is dropped instead is undone.
    pub(super) async fn done<T: Did>(self, done: T) -> Result<T> {
        if let Some(act) = self.act {
            audit::append(&self.tx, act, &done.did()).await?;
        }
        self.tx.commit().await.map_err(database)?;
        self.left.answered();
        Ok(done)
    }
}

impl PostgresStore {
    /// Begins a write on a connection. It sees what others have committed before each statement.
    pub(super) async fn begin<'a>(&self, conn: &'a mut Conn) -> Result<Work<'a>> {
        let left = self.connections.left.guard(&conn.statement_cache);
        let tx = conn.transaction().await.map_err(database)?;
        Ok(Work { tx, act: self.act.clone(), left })
    }

    /// Begins a read of several statements that all see one instant.
    pub(super) async fn look<'a>(&self, conn: &'a mut Conn) -> Result<Transaction<'a>> {
        conn.build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await
            .map_err(database)
    }
}
