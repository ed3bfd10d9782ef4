//! A connection of a quick read, with the snapshot that it keeps from one visit to the next.
//!
//! To take and end a snapshot costs SQLite locks of the whole file, for which its readers queue; so
//! one is kept for a moment, as long as nothing is written. What a visit sees is never older than
//! its beginning.

use super::super::super::Result;
use super::super::super::row::database;
use super::known::Known;
use super::mark::{Log, Mark};
use rusqlite::{Connection, ErrorCode};
use std::time::{Duration, Instant};

/// How long a snapshot is kept at most: what empties the log waits for it.
pub(super) const KEPT_MAX: Duration = Duration::from_millis(2);

/// A connection and what it read before.
pub(super) struct Visitor {
    conn: Connection,
    known: Known,
    kept: Option<Kept>,
}

/// A snapshot that is open.
struct Kept {
    mark: Mark,
    since: Instant,
}

impl Visitor {
    pub(super) fn new(conn: Connection) -> Self {
        Self { conn, known: Known::default(), kept: None }
    }

    /// Works on a snapshot of the present state; `None` where that would have to wait. Afterwards
    /// the snapshot is kept; without a log, there is none.
    pub(super) fn look<T>(
        &mut self,
        log: Option<&Log>,
        work: impl FnOnce(&Connection, &mut Known) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        if !self.is_present(log) {
            self.leave()?;
            let mark = log.and_then(|log| log.mark(&self.conn));
            if !self.enter()? {
                return Ok(None);
            }
            self.kept = mark.map(|mark| Kept { mark, since: Instant::now() });
        }
        let result = work(&self.conn, &mut self.known);
        if self.kept.is_none() {
            self.leave()?;
        }
        result
    }

    /// Whether a snapshot is open.
    pub(super) fn keeps_a_snapshot(&self) -> bool {
        self.kept.is_some()
    }

    /// Ends a snapshot that was kept long enough.
    pub(super) fn rest(&mut self) -> Result<()> {
        if self.kept.as_ref().is_some_and(|kept| kept.since.elapsed() >= KEPT_MAX) {
            self.leave()?;
        }
        Ok(())
    }

    /// Whether the snapshot that is kept shows the present state.
    fn is_present(&self, log: Option<&Log>) -> bool {
        let (Some(kept), Some(log)) = (&self.kept, log) else { return false };
        kept.since.elapsed() < KEPT_MAX && log.ends_at(&kept.mark)
    }

    /// Takes a snapshot, and forgets what was known of another state of the file; `false` where
    /// that would have to wait.
    fn enter(&mut self) -> Result<bool> {
        self.run("BEGIN")?;
        let version = self
            .conn
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut ask| ask.query_row([], |row| row.get(0)));
        match version {
            Ok(version) => self.known.keep_only(Some(version)),
            Err(error) => {
                self.leave()?;
                let is_busy = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
                return if is_busy { Ok(false) } else { Err(database(error)) };
            }
        }
        Ok(true)
    }

    /// Ends the snapshot, if one is open.
    pub(super) fn leave(&mut self) -> Result<()> {
        self.kept = None;
        if self.conn.is_autocommit() { Ok(()) } else { self.run("COMMIT") }
    }

    fn run(&self, sql: &str) -> Result<()> {
        self.conn.prepare_cached(sql).and_then(|mut it| it.execute([])).map_err(database)?;
        Ok(())
    }
}
