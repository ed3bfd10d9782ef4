//! How the store is: figures for whoever watches over it, and whether it can be read and written.

use super::PostgresStore;
use super::query::column;
use super::{errors, pool};
use crate::errors::database;
use deadpool_postgres::Pool;
use std::sync::atomic::Ordering;
use store::Result;

/// Most submissions that are counted of those that wait: a number is to cost little.
const COUNTED_MAX: i64 = 100_000;

/// Connections of one kind, at a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connected {
    /// How many there may be.
    pub max: usize,
    /// How many there are.
    pub open: usize,
    /// How many of them are at work.
    pub in_use: usize,
    /// How many calls wait for one.
    pub waiting: usize,
}

impl Connected {
    fn of(pool: &Pool) -> Self {
        let status = pool.status();
        let in_use = status.size.saturating_sub(status.available);
        Self { max: status.max_size, open: status.size, in_use, waiting: status.waiting }
    }
}

/// Figures of a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Vitals {
    /// Submissions that forms took in by this process, those set aside among them; repeated ones
    /// are not.
    pub submissions_taken: u64,
    /// Connections for what answers at once.
    pub quick: Connected,
    /// Connections for what takes long.
    pub patient: Connected,
    /// Connections to the replica, where there is one.
    pub replica: Option<Connected>,
    /// Whether the replica is left alone, since it was gone or behind.
    pub is_replica_left_alone: bool,
}

impl PostgresStore {
    /// Returns the figures of this moment, without asking the database.
    pub fn vitals(&self) -> Vitals {
        let connections = &self.connections;
        let replica = connections.replica.as_ref();
        Vitals {
            submissions_taken: connections.taken.load(Ordering::Relaxed),
            quick: Connected::of(&connections.quick),
            patient: Connected::of(&connections.patient),
            replica: replica.map(|replica| Connected::of(&replica.pool)),
            is_replica_left_alone: replica.is_some_and(super::replica::Replica::is_left_alone),
        }
    }

    /// Finds out whether the database can be reached and takes writes, by a connection that nothing
    /// else uses. Nothing is written: the database says of itself whether it would be.
    ///
    /// # Errors
    /// Why not.
    pub async fn try_to_write(&self) -> Result<()> {
        let conn = pool::get(&self.connections.watch).await?;
        let sql = "SELECT current_setting('transaction_read_only') = 'on'";
        let statement = conn.prepare_cached(sql).await.map_err(database)?;
        let row = conn.query_one(&statement, &[]).await.map_err(database)?;
        if column(&row, 0)? {
            return Err(errors::gone("it takes no writes"));
        }
        Ok(())
    }

    /// Counts the submissions that wait for their insight, 100,000 at most; for as long as somebody
    /// waits for it.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub async fn insights_waiting(&self) -> Result<u64> {
        let conn = self.watched().await?;
        let sql = "SELECT count(*) FROM (SELECT 1 FROM insight_queue LIMIT $1) AS waiting";
        let statement = conn.prepare_cached(sql).await.map_err(database)?;
        let row = conn.query_one(&statement, &[&COUNTED_MAX]).await.map_err(database)?;
        conn.done();
        Ok(u64::try_from(column::<i64>(&row, 0)?).unwrap_or_default())
    }
}
