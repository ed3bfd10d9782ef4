//! The import lock: one import into a form at a time, over all processes.

use crate::connect::Connections;
use crate::errors::database_error;
use crate::pool::WHOLE_TABLE_TIMEOUT;
use crate::query;
use crate::query::read_column;
use crate::transaction::Conn;
use contract::FormId;
use deadpool_postgres::{Object, Transaction};
use std::time::Duration;
use store::{Result, StoreError};

/// First half of the lock's key. The second half is a hash of the form's id.
const LOCK: i32 = 0x7368_6561;
/// Maximum attempts to take the lock, and the pause between them: ten minutes in total.
const ATTEMPTS_MAX: u32 = 3000;
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(200);

/// A connection with a session that has the lock. It serves only the import and is closed
/// afterwards. So the lock ends with this value, with the process, or with the connection.
pub(super) struct ImportLock(Option<Conn>);

impl ImportLock {
    /// Waits for the lock, without a connection between the attempts.
    pub(super) async fn acquire(connections: &Connections, form: &FormId) -> Result<Self> {
        let mut attempts = 0;
        loop {
            if let Some(turn) = Self::try_acquire(connections, form).await? {
                return Ok(turn);
            }
            attempts += 1;
            if attempts == ATTEMPTS_MAX {
                let reason = "another import is still running; try again when it has ended";
                return Err(StoreError::Source(reason.to_owned()));
            }
            tokio::time::sleep(ATTEMPT_INTERVAL).await;
        }
    }

    /// Takes the lock if it is free.
    async fn try_acquire(connections: &Connections, form: &FormId) -> Result<Option<Self>> {
        // If this future is dropped while the server takes the lock, `turn` closes the connection.
        let turn = Self(Some(connections.get_long().await?));
        let sql = "SELECT pg_try_advisory_lock($1, hashtext($2))";
        let lock_row = query::fetch_row(turn.conn()?, sql, &[&LOCK, &form.as_str()]).await?;
        if lock_row.map_or(Ok(false), |row| read_column(&row, 0))? {
            return Ok(Some(turn));
        }
        turn.return_to_pool();
        Ok(None)
    }

    /// Returns the connection to the pool, because its session has no lock.
    fn return_to_pool(mut self) {
        drop(self.0.take());
    }

    /// Returns the connection.
    pub(super) fn conn(&self) -> Result<&Conn> {
        self.0.as_ref().ok_or_else(lock_lost_error)
    }

    /// Begins a transaction.
    pub(super) async fn begin_transaction(&mut self) -> Result<Transaction<'_>> {
        self.0.as_mut().ok_or_else(lock_lost_error)?.transaction().await.map_err(database_error)
    }

    /// Like [`ImportLock::begin_transaction`], for statements that process all rows of an import.
    pub(super) async fn begin_long_transaction(&mut self) -> Result<Transaction<'_>> {
        let tx = self.begin_transaction().await?;
        let sql = format!("SET LOCAL statement_timeout = {}", WHOLE_TABLE_TIMEOUT.as_millis());
        tx.batch_execute(&sql).await.map_err(database_error)?;
        Ok(tx)
    }
}

impl Drop for ImportLock {
    fn drop(&mut self) {
        // A connection that is taken out of the pool is closed on drop.
        drop(self.0.take().map(Object::take));
    }
}

fn lock_lost_error() -> StoreError {
    database_error("the import lock was released")
}
