//! A read replica for long reads.
//!
//! Reads never miss a write that the primary has acknowledged. Before each read, the primary
//! reports its WAL position, and the replica must have replayed up to it.

use super::fair_share::Shares;
use super::pool;
use crate::errors::database;
use deadpool_postgres::{Client, Pool};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use store::Result;
use tokio::time::{sleep, timeout};
use tokio_postgres::types::PgLsn;

/// Default of [`Setup::replica_behind_max`](super::Setup::replica_behind_max).
pub const BEHIND_MAX: Duration = Duration::from_secs(1);
/// How long an unreachable or lagging replica is not used.
const LEFT_ALONE: Duration = Duration::from_secs(5);
/// Polling interval for the position of the replica.
const ASKED_EVERY: Duration = Duration::from_millis(20);

/// A replica and its availability.
pub(super) struct Replica {
    pub(super) pool: Pool,
    pub(super) shares: Shares,
    behind_max: Duration,
    left_at: Mutex<Option<Instant>>,
}

impl Replica {
    pub(super) fn new(pool: Pool, behind_max: Duration) -> Self {
        let shares = Shares::of(pool.status().max_size);
        Self { pool, shares, behind_max, left_at: Mutex::default() }
    }

    /// Whether reads currently go to the primary.
    pub(super) fn is_left_alone(&self) -> bool {
        self.left_at().is_some_and(|at| at.elapsed() < LEFT_ALONE)
    }

    fn left_at(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.left_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Stops using the replica for a while, and logs the first of a series of failures.
    pub(super) fn leave(&self, why: &str) {
        let before = self.left_at().replace(Instant::now());
        // The replica is tried again every few seconds, so a recent failure was logged already.
        if before.is_none_or(|at| at.elapsed() > 2 * LEFT_ALONE) {
            tracing::warn!(why, "replica not used for now; long reads go to the primary");
        }
    }

    /// Returns a connection if the replica replays the WAL up to `known` in time.
    pub(super) async fn get(&self, known: PgLsn) -> Result<Option<Client>> {
        let client = pool::get(&self.pool).await?;
        let sql = "SELECT pg_last_wal_replay_lsn() >= $1";
        let asked = async {
            let statement = client.prepare_cached(sql).await?;
            loop {
                let row = client.query_one(&statement, &[&known]).await?;
                if row.try_get::<_, Option<bool>>(0)? == Some(true) {
                    return Ok::<_, tokio_postgres::Error>(());
                }
                sleep(ASKED_EVERY).await;
            }
        };
        match timeout(self.behind_max, asked).await {
            Ok(asked) => asked.map(|()| Some(client)).map_err(database),
            Err(_) => Ok(None),
        }
    }
}
