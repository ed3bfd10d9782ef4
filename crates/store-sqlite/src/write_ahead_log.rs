//! The log: kept short, whoever reads and however much is written.
//!
//! Left to itself, SQLite begins the log anew only where nobody reads, which under load is never.

use super::connect::{little_patience, patience, patience_for_log};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where readers or another process stood in the way, it is tried again after this time.
pub(super) const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Decides whether to wait on.
pub(super) type Patience = fn(i32) -> bool;

/// Where the log of a database is.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// A log that is emptied whenever it has become long.
pub(super) struct ShortLog {
    path: PathBuf,
    bytes_max: u64,
    /// It is not emptied again before.
    at: Instant,
    /// Whether it could not be emptied the last time that it was long.
    is_kept: bool,
}

impl ShortLog {
    /// As [`ShortLog::new`], for the database that a connection is to.
    pub(super) fn of(conn: &Connection, bytes_max: u64) -> Self {
        Self::new(Path::new(conn.path().unwrap_or_default()), bytes_max)
    }

    /// Returns the log of a database, which is emptied once it has so many bytes.
    pub(super) fn new(database: &Path, bytes_max: u64) -> Self {
        Self { path: log_of(database), bytes_max, at: Instant::now(), is_kept: false }
    }

    /// Empties the log where it has become long; `empty` does it, with the patience that it is
    /// given, and returns whether it is done.
    pub(super) fn shorten(&mut self, empty: impl FnOnce(Patience) -> bool) {
        let length = std::fs::metadata(&self.path).map_or(0, |log| log.len());
        if length < self.bytes_max || self.at > Instant::now() {
            return;
        }
        // Where somebody reads for long, as a copy is made, writes do not wait for that again.
        let emptied = empty(if self.is_kept { little_patience } else { patience_for_log });
        self.is_kept = !emptied;
        self.at = Instant::now() + if emptied { Duration::ZERO } else { AGAIN_AFTER };
    }
}

/// Empties the log, waiting with such patience for those who read what only the log has; returns
/// whether it is done. What fails can as well be done later.
pub(super) fn empty(conn: &mut Connection, waits: Patience) -> bool {
    let done = conn.busy_handler(Some(waits)).and_then(|()| try_to_empty(conn));
    conn.busy_handler(Some(patience)).and(done).unwrap_or_else(|error| {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) {
            tracing::warn!(%error, "the log could not be emptied");
        }
        false
    })
}

/// The first pass lets others write meanwhile, and leaves little to the second.
fn try_to_empty(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
    Ok(busy == 0)
}
