//! Tidying: some time after a write, what was deleted leaves the last traces in the files.
//!
//! A deletion overwrites its row, and writes down with itself that copies may be left. Later, piece
//! by piece between other writes, the copies are overwritten and the log is emptied: see ADR 0017.

use super::connect::little_patience;
use super::read_gate::Gate;
use super::secure_erase::Scrub;
use super::write_ahead_log::{self, AGAIN_AFTER, Patience, ShortLog};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Up to this size, a file is scrubbed before the process ends; of a larger one, the next process
/// does it.
const AT_END_BYTES_MAX: u64 = 64 << 20;
/// A log that has become so long is emptied at once, even if readers have to be waited for.
const LOG_BYTES_MAX: u64 = 32 << 20;

/// Notes, with the deletion itself, that copies may be left. The name is that of the first schema.
pub(super) fn ask(conn: &Connection) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO chores (name) VALUES ('vacuum')")?.execute([])?;
    Ok(())
}

/// What is to be tidied, and when.
pub(super) struct Tidy {
    database: PathBuf,
    log: ShortLog,
    after: Duration,
    at: Option<Instant>,
    scrub: Option<Scrub>,
    /// Keeps long reads from beginning while the log is emptied.
    gate: Arc<Gate>,
}

impl Tidy {
    /// Returns what is to be tidied so long after a write; where the last process left something,
    /// so long after the start.
    pub(super) fn new(
        conn: &Connection,
        database: &Path,
        after: Duration,
        gate: Arc<Gate>,
    ) -> Self {
        let is_left = is_asked(conn).unwrap_or(false);
        let at = is_left.then(|| Instant::now() + after);
        let log = ShortLog::new(database, LOG_BYTES_MAX);
        Self { database: database.to_owned(), log, after, at, scrub: None, gate }
    }

    /// How long nothing is to be tidied; `None` where there is nothing to tidy.
    pub(super) fn wait(&self) -> Option<Duration> {
        self.at.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Notes that something was written, and keeps the log short.
    pub(super) fn wrote(&mut self, conn: &mut Connection) {
        self.at = self.at.or_else(|| Some(Instant::now() + self.after));
        let gate = &self.gate;
        self.log.shorten(|patience| gate.close(|| write_ahead_log::empty(conn, patience)));
    }

    /// Empties the log, or does not: as can as well be done later. Returns whether it is done.
    fn empty_log(&self, conn: &mut Connection, patience: Patience) -> bool {
        self.gate.close(|| write_ahead_log::empty(conn, patience))
    }

    /// Does the next piece, where it is time; returns whether all is tidy now.
    pub(super) fn go_on(&mut self, conn: &mut Connection) -> bool {
        if self.at.is_none_or(|at| at > Instant::now()) {
            return false;
        }
        let done = self.scrub(conn) && self.empty_log(conn, little_patience);
        self.at = if done {
            None
        } else if self.scrub.is_some() {
            Some(Instant::now())
        } else {
            Some(Instant::now() + AGAIN_AFTER)
        };
        done
    }

    /// Tidies before the end, as far as that is quick.
    pub(super) fn finish(&mut self, conn: &mut Connection) {
        if self.at.is_none() {
            return;
        }
        let length = std::fs::metadata(&self.database).map_or(0, |file| file.len());
        if length <= AT_END_BYTES_MAX {
            while !self.scrub(conn) && self.scrub.is_some() {}
        }
        self.empty_log(conn, little_patience);
    }

    /// Scrubs some pages where that was asked for; returns whether none are left.
    fn scrub(&mut self, conn: &Connection) -> bool {
        let gone_on = self.scrub_some(conn);
        if let Err(error) = &gone_on
            && error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy)
        {
            tracing::warn!(%error, "copies of what was deleted could not be overwritten yet");
            self.scrub = None;
        }
        gone_on.unwrap_or(false)
    }

    fn scrub_some(&mut self, conn: &Connection) -> rusqlite::Result<bool> {
        if self.scrub.is_none() {
            if !is_asked(conn)? {
                return Ok(true);
            }
            // What is deleted during the pass asks anew, and what was asked for is forgotten only
            // when the pass is over.
            conn.execute_batch(
                "BEGIN IMMEDIATE; INSERT OR IGNORE INTO chores VALUES ('scrub');
                 DELETE FROM chores WHERE name = 'vacuum'; COMMIT",
            )
            .inspect_err(|_| undo(conn))?;
            self.scrub = Some(Scrub::new(&self.database)?);
        }
        let Some(scrub) = &mut self.scrub else { return Ok(true) };
        if scrub.go_on()? {
            return Ok(false);
        }
        tracing::debug!(pages = scrub.pages_cleaned, "copies of what was deleted are overwritten");
        self.scrub = None;
        conn.execute("DELETE FROM chores WHERE name = 'scrub'", [])?;
        Ok(!is_asked(conn)?)
    }
}

fn is_asked(conn: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM chores WHERE name IN ('vacuum', 'scrub'))";
    conn.query_row(sql, [], |row| row.get(0))
}

fn undo(conn: &Connection) {
    if !conn.is_autocommit() {
        // Fails only where the transaction is gone already, which is what it is for.
        let _ = conn.execute_batch("ROLLBACK");
    }
}

#[cfg(test)]
#[path = "erase_traces_tests.rs"]
mod tests;
