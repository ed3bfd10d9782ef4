//! Limits the length of the write-ahead log, under any load.
//!
//! SQLite restarts the log only when no reader uses it, which under load never happens.

use super::connect::{busy_handler, log_busy_handler, short_busy_handler};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Delay before the next attempt, after readers or another process prevented one.
pub(super) const RETRY_DELAY: Duration = Duration::from_secs(1);

/// A busy handler: returns whether to wait longer, given the number of calls so far.
pub(super) type BusyHandler = fn(i32) -> bool;

/// Returns the path of the log of a database.
pub(super) fn log_path(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// A log that is emptied when it becomes long.
pub(super) struct LogLimiter {
    path: PathBuf,
    bytes_max: u64,
    /// Time of the next attempt to empty it.
    next_attempt_at: Instant,
    /// Whether the last attempt to empty the long log failed.
    has_failed: bool,
}

impl LogLimiter {
    /// As [`LogLimiter::new`], for the database of a connection.
    pub(super) fn of(conn: &Connection, bytes_max: u64) -> Self {
        Self::new(Path::new(conn.path().unwrap_or_default()), bytes_max)
    }

    /// Returns the log of a database, to be emptied when it reaches `bytes_max`.
    pub(super) fn new(database: &Path, bytes_max: u64) -> Self {
        Self {
            path: log_path(database),
            bytes_max,
            next_attempt_at: Instant::now(),
            has_failed: false,
        }
    }

    /// Empties the log if it is long. `empty` does so with the given busy handler, and returns
    /// whether it succeeded.
    pub(super) fn empty_if_long(&mut self, empty: impl FnOnce(BusyHandler) -> bool) {
        let length = std::fs::metadata(&self.path).map_or(0, |log| log.len());
        if length < self.bytes_max || self.next_attempt_at > Instant::now() {
            return;
        }
        // After a failure, for example during a backup, the next attempts delay writes only
        // briefly.
        let emptied = empty(if self.has_failed { short_busy_handler } else { log_busy_handler });
        self.has_failed = !emptied;
        self.next_attempt_at = Instant::now() + if emptied { Duration::ZERO } else { RETRY_DELAY };
    }
}

/// Empties the log; returns whether it succeeded. `handler` decides how long to wait for readers
/// that still need the log. Logs a failure, since the next attempt can do the work.
pub(super) fn empty_log(conn: &mut Connection, handler: BusyHandler) -> bool {
    let done = conn.busy_handler(Some(handler)).and_then(|()| run_checkpoints(conn));
    conn.busy_handler(Some(busy_handler)).and(done).unwrap_or_else(|error| {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) {
            tracing::warn!(%error, "could not empty the write-ahead log");
        }
        false
    })
}

/// Runs a passive checkpoint first, which does not block writers and leaves little work for the
/// second one.
fn run_checkpoints(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
    Ok(busy == 0)
}
