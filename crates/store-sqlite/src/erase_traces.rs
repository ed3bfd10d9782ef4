//! Erases the last traces of deleted data from the files, some time after a write.
//!
//! A deletion overwrites its row, and records in the same transaction that copies may remain.
//! Later, between other writes, the copies are overwritten in small steps and the log is emptied;
//! see ADR
//! 0017.

use super::connect::short_busy_handler;
use super::query;
use super::read_gate::ReadGate;
use super::secure_erase::ScrubPass;
use super::write_ahead_log::{self, BusyHandler, LogLimiter, RETRY_DELAY};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Result;

/// Largest file that is scrubbed before the process ends. The next process scrubs a larger one.
const AT_END_BYTES_MAX: u64 = 64 << 20;
/// A longer log is emptied at once, even if this has to wait for readers.
const LOG_BYTES_MAX: u64 = 32 << 20;

/// Records, in the transaction of a deletion, that copies may remain. The name `vacuum` is from the
/// first schema.
pub(super) fn request_erasure(conn: &Connection) -> Result<()> {
    query::execute(conn, "INSERT OR IGNORE INTO chores (name) VALUES ('vacuum')", []).map(drop)
}

/// The pending clean-up and its time.
pub(super) struct TraceEraser {
    database: PathBuf,
    log: LogLimiter,
    delay: Duration,
    due_at: Option<Instant>,
    scrub: Option<ScrubPass>,
    /// Blocks new long reads while the log is emptied.
    gate: Arc<ReadGate>,
}

impl TraceEraser {
    /// Returns the clean-up state. The clean-up runs `after` a write, or `after` the start if the
    /// last process left work.
    pub(super) fn new(
        conn: &Connection,
        database: &Path,
        after: Duration,
        gate: Arc<ReadGate>,
    ) -> Self {
        let is_left = is_erasure_requested(conn).unwrap_or(false);
        let at = is_left.then(|| Instant::now() + after);
        let log = LogLimiter::new(database, LOG_BYTES_MAX);
        Self { database: database.to_owned(), log, delay: after, due_at: at, scrub: None, gate }
    }

    /// Returns the time until the clean-up is due, or `None` if there is nothing to clean up.
    pub(super) fn time_until_due(&self) -> Option<Duration> {
        self.due_at.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Schedules the clean-up after a write, and empties the log if it is long.
    pub(super) fn schedule_after_write(&mut self, conn: &mut Connection) {
        self.due_at = self.due_at.or_else(|| Some(Instant::now() + self.delay));
        let gate = &self.gate;
        self.log.empty_if_long(|busy_handler| {
            gate.run_closed(|| write_ahead_log::empty_log(conn, busy_handler))
        });
    }

    /// Tries to empty the log; returns whether it is empty.
    fn empty_log(&self, conn: &mut Connection, busy_handler: BusyHandler) -> bool {
        self.gate.run_closed(|| write_ahead_log::empty_log(conn, busy_handler))
    }

    /// Runs the next step if it is due; returns whether the clean-up is complete.
    pub(super) fn run_step(&mut self, conn: &mut Connection) -> bool {
        if self.due_at.is_none_or(|at| at > Instant::now()) {
            return false;
        }
        let done = self.scrub_pages(conn) && self.empty_log(conn, short_busy_handler);
        self.due_at = if done {
            None
        } else if self.scrub.is_some() {
            Some(Instant::now())
        } else {
            Some(Instant::now() + RETRY_DELAY)
        };
        done
    }

    /// Cleans up before the process ends, as far as this is quick.
    pub(super) fn finish_at_shutdown(&mut self, conn: &mut Connection) {
        if self.due_at.is_none() {
            return;
        }
        let length = std::fs::metadata(&self.database).map_or(0, |file| file.len());
        if length <= AT_END_BYTES_MAX {
            while !self.scrub_pages(conn) && self.scrub.is_some() {}
        }
        self.empty_log(conn, short_busy_handler);
    }

    /// Scrubs the next pages if a scrub was requested; returns whether all pages are done.
    fn scrub_pages(&mut self, conn: &Connection) -> bool {
        let gone_on = self.try_scrub_pages(conn);
        if let Err(error) = &gone_on
            && error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy)
        {
            tracing::warn!(%error, "could not overwrite copies of deleted data; retrying later");
            self.scrub = None;
        }
        gone_on.unwrap_or(false)
    }

    fn try_scrub_pages(&mut self, conn: &Connection) -> rusqlite::Result<bool> {
        if self.scrub.is_none() {
            if !is_erasure_requested(conn)? {
                return Ok(true);
            }
            // `scrub` marks the running pass. A deletion during the pass inserts `vacuum` again.
            // The mark of the pass is deleted only when the pass is complete, so a crash repeats
            // it.
            conn.execute_batch(
                "BEGIN IMMEDIATE; INSERT OR IGNORE INTO chores VALUES ('scrub');
                 DELETE FROM chores WHERE name = 'vacuum'; COMMIT",
            )
            .inspect_err(|_| rollback_if_open(conn))?;
            self.scrub = Some(ScrubPass::new(&self.database)?);
        }
        let Some(scrub) = &mut self.scrub else { return Ok(true) };
        if scrub.scrub_next_pages()? {
            return Ok(false);
        }
        tracing::debug!(pages = scrub.pages_cleaned, "overwrote copies of deleted data");
        self.scrub = None;
        conn.execute("DELETE FROM chores WHERE name = 'scrub'", [])?;
        Ok(!is_erasure_requested(conn)?)
    }
}

fn is_erasure_requested(conn: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM chores WHERE name IN ('vacuum', 'scrub'))";
    conn.query_row(sql, [], |row| row.get(0))
}

fn rollback_if_open(conn: &Connection) {
    if !conn.is_autocommit() {
        // Fails only if the transaction has already ended.
        let _ = conn.execute_batch("ROLLBACK");
    }
}

#[cfg(test)]
#[path = "erase_traces_tests.rs"]
mod tests;
