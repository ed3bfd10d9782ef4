//! The turn: one import into a form at a time, over all processes.

use crate::connect::Connections;
use crate::errors::database;
use crate::pool::WHOLE_WITHIN;
use crate::query;
use crate::query::column;
use crate::transaction::Conn;
use contract::FormId;
use deadpool_postgres::{Object, Transaction};
use std::time::Duration;
use store::{Result, StoreError};

/// The first half of the lock's number; the other is the form's.
const LOCK: i32 = 0x7368_6561;
/// How often an import looks whether the one before it has ended, and how long in between: ten
/// minutes in all.
const LOOKS_MAX: u32 = 3000;
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A connection whose session has the turn. It is not used for anything else, and closed behind it:
/// so the turn ends with this, with the process, or where the connection is lost.
pub(super) struct Turn(Option<Conn>);

impl Turn {
    /// Waits for the turn, and has no connection in between.
    pub(super) async fn wait(connections: &Connections, form: &FormId) -> Result<Self> {
        let mut looks = 0;
        loop {
            if let Some(turn) = Self::take(connections, form).await? {
                return Ok(turn);
            }
            looks += 1;
            if looks == LOOKS_MAX {
                let why = "another import is running still; try again when it has ended";
                return Err(StoreError::Source(why.to_owned()));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Takes the turn where nobody has it.
    async fn take(connections: &Connections, form: &FormId) -> Result<Option<Self>> {
        // Closed, should this be dropped while the server takes the lock.
        let turn = Self(Some(connections.get_patient().await?));
        let sql = "SELECT pg_try_advisory_lock($1, hashtext($2))";
        let taken = query::row(turn.conn()?, sql, &[&LOCK, &form.as_str()]).await?;
        if taken.map_or(Ok(false), |row| column(&row, 0))? {
            return Ok(Some(turn));
        }
        turn.give_back();
        Ok(None)
    }

    /// Gives the connection back to the others: its session has no lock.
    fn give_back(mut self) {
        drop(self.0.take());
    }

    /// Returns the connection.
    pub(super) fn conn(&self) -> Result<&Conn> {
        self.0.as_ref().ok_or_else(ended)
    }

    /// Begins a transaction.
    pub(super) async fn begin(&mut self) -> Result<Transaction<'_>> {
        self.0.as_mut().ok_or_else(ended)?.transaction().await.map_err(database)
    }

    /// As [`Turn::begin`], for statements that go through all rows of an import.
    pub(super) async fn begin_long(&mut self) -> Result<Transaction<'_>> {
        let tx = self.begin().await?;
        let sql = format!("SET LOCAL statement_timeout = {}", WHOLE_WITHIN.as_millis());
        tx.batch_execute(&sql).await.map_err(database)?;
        Ok(tx)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Out of the pool, and so closed.
        drop(self.0.take().map(Object::take));
    }
}

fn ended() -> StoreError {
    database("the turn of an import has ended")
}
