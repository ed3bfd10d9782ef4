//! Quick reads: some microseconds each, on the thread that asks.
//!
//! To hand a read to another thread costs more than most reads take. Here a connection is taken,
//! asked and put back. With it stands what it read before of keys and forms: SQLite tells each
//! connection, as it takes a snapshot, whether anything was committed since its last one, by this
//! process or another (`PRAGMA data_version`); as long as nothing was, what was read is what would
//! be read. Nothing here ever waits, not even for a lock: what cannot be had at once is left to the
//! readers.

mod known;
mod lobby;
mod mark;
mod visitor;

use super::super::Result;
use super::super::row::database;
use super::connect;
use lobby::own_seat;
use mark::Log;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use visitor::Visitor;

pub(super) use known::Known;
pub(super) use lobby::Lobby;

/// The connections.
pub(super) struct Quick {
    path: PathBuf,
    log: OnceLock<Log>,
    lobby: Arc<Lobby>,
    sweeper: Mutex<Option<JoinHandle<()>>>,
}

impl Quick {
    /// Returns a place whose connections are opened when they are first needed.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, log: OnceLock::new(), lobby: Arc::default(), sweeper: Mutex::default() }
    }

    /// Reads one state of the data. `None` where that would have to wait, or where `work` says that
    /// it is none of the quick ones.
    pub(super) fn visit<T>(
        &self,
        work: impl FnOnce(&Connection, &mut Known) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let seat = own_seat();
        let mut visitor = match self.lobby.take(seat) {
            Some(visitor) => visitor,
            None => Box::new(self.open()?),
        };
        let log = self.log.get().filter(|_| !self.lobby.is_paused());
        let result = visitor.look(log, work);
        // One that failed, or panicked before, is not used again.
        if result.is_ok() && self.lobby.put(seat, visitor) {
            self.start_sweeper()?;
        }
        result
    }

    /// Where snapshots are kept, for whoever empties the log.
    pub(super) fn lobby(&self) -> Arc<Lobby> {
        Arc::clone(&self.lobby)
    }

    fn open(&self) -> Result<Visitor> {
        let conn = connect::visitor(&self.path)?;
        // Without its log, no snapshot is kept; lost where another thread was faster.
        let _ = Log::open(&self.path).map(|log| self.log.set(log));
        Ok(Visitor::new(conn))
    }

    fn start_sweeper(&self) -> Result<()> {
        let lobby = Arc::clone(&self.lobby);
        let thread = std::thread::Builder::new().name("store-sweeper".to_owned());
        let sweeper = thread.spawn(move || lobby.sweep()).map_err(database)?;
        *self.sweeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(sweeper);
        Ok(())
    }
}

impl Drop for Quick {
    fn drop(&mut self) {
        self.lobby.dismiss_sweeper();
        let sweeper = self.sweeper.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // It has nothing to tell, not even that it panicked.
        let _ = sweeper.map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::visitor::KEPT_MAX;
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    fn quick() -> (tempfile::TempDir, Quick, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let conn = connect::first(&path).unwrap();
        conn.execute_batch("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)").unwrap();
        (folder, Quick::new(path), conn)
    }

    fn log_is_emptied(writer: &Connection) -> bool {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        writer.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 0
    }

    fn n(conn: &Connection) -> Result<i64> {
        conn.query_row("SELECT n FROM t", [], |row| row.get(0)).map_err(database)
    }

    #[test]
    fn what_is_known_stays_until_anything_is_committed() {
        let (_folder, quick, writer) = quick();
        let was_known = || {
            let visit = quick.visit(|_, known| Ok(Some(known.is_import_under_way.replace(true))));
            visit.unwrap().unwrap().is_some()
        };
        assert!(!was_known());
        assert!(was_known() && was_known());
        writer.execute_batch("BEGIN; UPDATE t SET n = 2").unwrap();
        assert!(was_known(), "nothing is committed yet");
        writer.execute_batch("COMMIT").unwrap();
        assert!(!was_known());
        assert!(was_known());
    }

    #[test]
    fn a_visit_sees_one_snapshot() {
        let (_folder, quick, writer) = quick();
        let seen = quick.visit(|conn, _| {
            let before = n(conn)?;
            writer.execute_batch("UPDATE t SET n = n + 1").unwrap();
            Ok(Some((before, n(conn)?)))
        });
        assert_eq!(seen.unwrap(), Some((1, 1)));
        assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(2));
    }

    #[test]
    fn a_visit_never_waits_for_a_lock() {
        let (folder, quick, writer) = quick();
        drop(writer);
        let path = folder.path().join("sheaf.db");
        let alone = Connection::open(&path).unwrap();
        alone.execute_batch("PRAGMA locking_mode = EXCLUSIVE; UPDATE t SET n = 3").unwrap();
        let seen = quick.visit(|conn, _| n(conn).map(Some));
        assert!(!matches!(seen, Ok(Some(_))), "{seen:?}");
        drop(alone);
        assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(3));
    }

    #[test]
    fn a_visit_that_panics_harms_no_other() {
        let (_folder, quick, _writer) = quick();
        let panics = std::panic::AssertUnwindSafe(|| {
            quick.visit(|_, _| -> Result<Option<()>> {
                std::panic::panic_any("a visit panics, as this test wants it to")
            })
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(1));
    }
    #[test]
    fn a_snapshot_is_kept_and_shows_what_is_written_at_once() {
        let (_folder, quick, writer) = quick();
        let keeps = || quick.lobby.keeps_a_snapshot();
        for expected in 1..50 {
            assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(expected));
            writer.execute_batch("UPDATE t SET n = n + 1").unwrap();
        }
        // Kept by a visit, and ended by nobody's.
        while !keeps() {
            quick.visit(|conn, _| n(conn).map(Some)).unwrap();
        }
        while keeps() {
            std::thread::sleep(KEPT_MAX);
        }
        assert!(log_is_emptied(&writer));
    }

    #[test]
    fn whoever_comes_as_the_sweeper_falls_asleep_wakes_it() {
        let (_folder, quick, _writer) = quick();
        for _ in 0..100 {
            std::thread::scope(|threads| {
                for _ in 0..3 {
                    threads.spawn(|| quick.visit(|conn, _| n(conn).map(Some)).unwrap());
                }
            });
            while quick.lobby.keeps_a_snapshot() {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_kept_snapshot_does_not_keep_the_log_from_being_emptied() {
        let (_folder, quick, writer) = quick();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        quick.visit(|conn, _| n(conn).map(Some)).unwrap();
                    }
                });
            }
            for _ in 0..5 {
                writer.execute_batch("UPDATE t SET n = n + 1").unwrap();
                // It may take several tries while others read. With a snapshot that nobody ends, no
                // try would succeed.
                while !log_is_emptied(&writer) {}
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn no_snapshot_is_kept_while_the_lobby_is_emptied() {
        let (_folder, quick, writer) = quick();
        let visit = || quick.visit(|conn, _| n(conn).map(Some)).unwrap();
        let keeps = || quick.lobby.keeps_a_snapshot();
        visit();
        quick.lobby.empty(|| {
            assert!(!keeps());
            for expected in 2..5 {
                writer.execute_batch("UPDATE t SET n = n + 1").unwrap();
                assert_eq!((visit(), keeps()), (Some(expected), false));
            }
            assert!(log_is_emptied(&writer));
        });
        visit();
        assert!(!quick.lobby.is_paused());
    }

    #[test]
    fn a_visit_that_began_before_keeps_none_either() {
        let (_folder, quick, _writer) = quick();
        let visit = || quick.visit(|conn, _| n(conn).map(Some)).unwrap();
        visit();
        let (tell_paused, paused) = mpsc::channel();
        let (tell_back, back) = mpsc::channel();
        std::thread::scope(|threads| {
            let lobby = quick.lobby();
            let seen = quick.visit(|conn, _| {
                threads.spawn(move || {
                    lobby.empty(|| {
                        tell_paused.send(()).unwrap();
                        back.recv().unwrap();
                    });
                });
                paused.recv().unwrap();
                n(conn).map(Some)
            });
            let keeps = quick.lobby.keeps_a_snapshot();
            tell_back.send(()).unwrap();
            assert_eq!((seen.unwrap(), keeps), (Some(1), false));
        });
    }

    #[test]
    fn a_long_read_begins_when_the_lobby_was_emptied() {
        let lobby = Lobby::default();
        lobby.wait_outside();
        let is_emptied = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let read = lobby.empty(|| {
                let read = threads.spawn(|| {
                    lobby.wait_outside();
                    is_emptied.load(Ordering::SeqCst)
                });
                std::thread::sleep(KEPT_MAX);
                is_emptied.store(true, Ordering::SeqCst);
                read
            });
            assert!(read.join().unwrap(), "it began while the lobby was emptied");
        });
    }

    #[test]
    fn a_visit_that_fails_leaves_no_snapshot() {
        let (_folder, quick, writer) = quick();
        let fails = quick.visit(|conn, _| {
            n(conn)?;
            conn.query_row("SELECT no_such", [], |_| Ok(Some(()))).map_err(database)
        });
        assert!(fails.is_err());
        assert!(log_is_emptied(&writer));
        assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(1));
    }
}
