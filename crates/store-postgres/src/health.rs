//! Health and metrics of the store.

use super::PostgresStore;
use super::query::read_column;
use super::{errors, pool};
use crate::errors::database_error;
use deadpool_postgres::Pool;
use std::sync::atomic::Ordering;
use store::Result;

/// Maximum result of [`PostgresStore::count_pending_insights`]. It bounds the cost of the metric.
const COUNTED_MAX: i64 = 100_000;

/// State of one connection pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStatus {
    /// Maximum connections.
    pub max: usize,
    /// Open connections, in use or idle.
    pub open: usize,
    /// Connections in use.
    pub in_use: usize,
    /// Calls that wait for a connection.
    pub waiting: usize,
}

impl PoolStatus {
    fn from_pool(pool: &Pool) -> Self {
        let status = pool.status();
        let in_use = status.size.saturating_sub(status.available);
        Self { max: status.max_size, open: status.size, in_use, waiting: status.waiting }
    }
}

/// Metrics of the store at one instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreMetrics {
    /// Submissions inserted by this process, including spam. Idempotent replays do not count.
    pub submissions_inserted: u64,
    /// Pool for short statements.
    pub short_pool: PoolStatus,
    /// Pool for long statements.
    pub long_pool: PoolStatus,
    /// Pool of the replica, if there is one.
    pub replica: Option<PoolStatus>,
    /// Whether the replica is not used for now, because it was unreachable or lagged.
    pub is_replica_disabled: bool,
}

impl PostgresStore {
    /// Returns the current metrics from memory, without a query.
    pub fn metrics(&self) -> StoreMetrics {
        let connections = &self.connections;
        let replica = connections.replica.as_ref();
        StoreMetrics {
            submissions_inserted: connections.submissions_inserted.load(Ordering::Relaxed),
            short_pool: PoolStatus::from_pool(&connections.short_pool),
            long_pool: PoolStatus::from_pool(&connections.long_pool),
            replica: replica.map(|replica| PoolStatus::from_pool(&replica.pool)),
            is_replica_disabled: replica.is_some_and(super::replica::Replica::is_disabled),
        }
    }

    /// Checks that the database is reachable and accepts writes. Writes nothing: it asks the
    /// database whether it is read-only. The check has a pool of its own, so that it does not wait
    /// for other statements.
    ///
    /// # Errors
    /// The database is unreachable or read-only.
    pub async fn check_writable(&self) -> Result<()> {
        let conn = pool::get(&self.connections.health_pool).await?;
        let sql = "SELECT current_setting('transaction_read_only') = 'on'";
        let statement = conn.prepare_cached(sql).await.map_err(database_error)?;
        let row = conn.query_one(&statement, &[]).await.map_err(database_error)?;
        if read_column(&row, 0)? {
            return Err(errors::unavailable("it is read-only"));
        }
        Ok(())
    }

    /// Counts the submissions that wait for analysis, up to 100,000. The statement is canceled if
    /// the future is dropped.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn count_pending_insights(&self) -> Result<u64> {
        let conn = self.get_cancelable().await?;
        let sql = "SELECT count(*) FROM (SELECT 1 FROM insight_queue LIMIT $1) AS waiting";
        let statement = conn.prepare_cached(sql).await.map_err(database_error)?;
        let row = conn.query_one(&statement, &[&COUNTED_MAX]).await.map_err(database_error)?;
        conn.release();
        Ok(u64::try_from(read_column::<i64>(&row, 0)?).unwrap_or_default())
    }
}
