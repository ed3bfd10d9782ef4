//! A replica that reads what may take long, as long as it knows all that the primary knew when it
//! was asked.
//!
//! Nothing that the primary has acknowledged before is ever missing in what it answers: before each
//! read the primary says how far its log has come, and the replica must have come as far.

use super::fair_share::Shares;
use super::pool;
use crate::errors::database;
use deadpool_postgres::{Client, Pool};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use store::Result;
use tokio::time::{sleep, timeout};
use tokio_postgres::types::PgLsn;

/// The default of [`Setup::replica_behind_max`](super::Setup::replica_behind_max).
pub const BEHIND_MAX: Duration = Duration::from_secs(1);
/// How long a replica that was behind or gone is left alone.
const LEFT_ALONE: Duration = Duration::from_secs(5);
/// How often it is asked how far it has come.
const ASKED_EVERY: Duration = Duration::from_millis(20);

/// A replica, and whether it is of use at the moment.
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

    /// Whether reads go to the primary for now.
    pub(super) fn is_left_alone(&self) -> bool {
        self.left_at().is_some_and(|at| at.elapsed() < LEFT_ALONE)
    }

    fn left_at(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.left_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Has it left alone for a while, and says so where that is new.
    pub(super) fn leave(&self, why: &str) {
        let before = self.left_at().replace(Instant::now());
        // One that is tried every few seconds in vain is told of once in a while.
        if before.is_none_or(|at| at.elapsed() > 2 * LEFT_ALONE) {
            tracing::warn!(why, "the replica is left alone; the primary reads in its place");
        }
    }

    /// Returns a connection, if the replica knows all up to a place of the log.
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
