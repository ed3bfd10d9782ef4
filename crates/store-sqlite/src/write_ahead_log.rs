//! Limits the length of the write-ahead log, under any load.
//!
//! SQLite restarts the log only when no reader uses it, which under load never happens.

use super::connect::{little_patience, patience, patience_for_log};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Delay before the next attempt, after readers or another process prevented one.
pub(super) const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// A busy handler: returns whether to wait longer, given the number of calls so far.
pub(super) type Patience = fn(i32) -> bool;

/// Returns the path of the log of a database.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// A log that is emptied when it becomes long.
pub(super) struct ShortLog {
    path: PathBuf,
    bytes_max: u64,
    /// Time of the next attempt to empty it.
    at: Instant,
    /// Whether the last attempt to empty the long log failed.
    is_kept: bool,
}

impl ShortLog {
    /// As [`ShortLog::new`], for the database of a connection.
    pub(super) fn of(conn: &Connection, bytes_max: u64) -> Self {
        Self::new(Path::new(conn.path().unwrap_or_default()), bytes_max)
    }

    /// Returns the log of a database, to be emptied when it reaches `bytes_max`.
    pub(super) fn new(database: &Path, bytes_max: u64) -> Self {
        Self { path: log_of(database), bytes_max, at: Instant::now(), is_kept: false }
    }

    /// Empties the log if it is long. `empty` does so with the given busy handler, and returns
    /// whether it succeeded.
    pub(super) fn shorten(&mut self, empty: impl FnOnce(Patience) -> bool) {
        let length = std::fs::metadata(&self.path).map_or(0, |log| log.len());
        if length < self.bytes_max || self.at > Instant::now() {
            return;
        }
        // After a failure, for example during a backup, the next attempts delay writes only
        // briefly.
        let emptied = empty(if self.is_kept { little_patience } else { patience_for_log });
        self.is_kept = !emptied;
        self.at = Instant::now() + if emptied { Duration::ZERO } else { AGAIN_AFTER };
    }
}

/// Empties the log; returns whether it succeeded. `waits` decides how long to wait for readers that
/// still need the log. Logs a failure, since the next attempt can do the work.
pub(super) fn empty(conn: &mut Connection, waits: Patience) -> bool {
    let done = conn.busy_handler(Some(waits)).and_then(|()| try_to_empty(conn));
    conn.busy_handler(Some(patience)).and(done).unwrap_or_else(|error| {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) {
            tracing::warn!(%error, "could not empty the write-ahead log");
        }
        false
    })
}

/// Runs a passive checkpoint first, which does not block writers and leaves little work for the
/// second one.
fn try_to_empty(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
    Ok(busy == 0)
}
