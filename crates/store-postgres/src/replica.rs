//! A read replica for long reads.
//!
//! Reads never miss a write that the primary has acknowledged. Before each read, the primary
//! reports its WAL position, and the replica must have replayed up to it.

use super::fair_share::FairShares;
use super::pool;
use crate::errors::database_error;
use deadpool_postgres::{Client, Pool};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use store::Result;
use tokio::time::{sleep, timeout};
use tokio_postgres::types::PgLsn;

/// Default of [`Setup::replica_lag_max`](super::Setup::replica_lag_max).
pub const REPLICA_LAG_MAX: Duration = Duration::from_secs(1);
/// How long an unreachable or lagging replica is not used.
const DISABLED_FOR: Duration = Duration::from_secs(5);
/// Polling interval for the position of the replica.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A replica and its availability.
pub(super) struct Replica {
    pub(super) pool: Pool,
    pub(super) shares: FairShares,
    lag_max: Duration,
    disabled_at: Mutex<Option<Instant>>,
}

impl Replica {
    pub(super) fn new(pool: Pool, behind_max: Duration) -> Self {
        let shares = FairShares::new(pool.status().max_size);
        Self { pool, shares, lag_max: behind_max, disabled_at: Mutex::default() }
    }

    /// Whether reads currently go to the primary.
    pub(super) fn is_disabled(&self) -> bool {
        self.lock_disabled_at().is_some_and(|at| at.elapsed() < DISABLED_FOR)
    }

    fn lock_disabled_at(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.disabled_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Stops using the replica for a while, and logs the first of a series of failures.
    pub(super) fn disable(&self, reason: &str) {
        let before = self.lock_disabled_at().replace(Instant::now());
        // The replica is tried again every few seconds, so a recent failure was logged already.
        if before.is_none_or(|at| at.elapsed() > 2 * DISABLED_FOR) {
            tracing::warn!(reason, "replica not used for now; long reads go to the primary");
        }
    }

    /// Returns a connection if the replica replays the WAL up to `known` in time.
    pub(super) async fn get(&self, known: PgLsn) -> Result<Option<Client>> {
        let client = pool::get(&self.pool).await?;
        let sql = "SELECT pg_last_wal_replay_lsn() >= $1";
        let replayed = async {
            let statement = client.prepare_cached(sql).await?;
            loop {
                let row = client.query_one(&statement, &[&known]).await?;
                if row.try_get::<_, Option<bool>>(0)? == Some(true) {
                    return Ok::<_, tokio_postgres::Error>(());
                }
                sleep(POLL_INTERVAL).await;
            }
        };
        match timeout(self.lag_max, replayed).await {
            Ok(replayed) => replayed.map(|()| Some(client)).map_err(database_error),
            Err(_) => Ok(None),
        }
    }
}
