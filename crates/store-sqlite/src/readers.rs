//! The pool of connections that only read.
//!
//! Short reads run on the thread that asks, all others on the runtime's blocking threads. Nothing
//! is kept from one call to the next, so each read sees what other processes wrote.

use super::connect;
use super::read_gate::Gate;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::columns::database;
use store::{Result, StoreError};
use tokio::sync::Semaphore;
use tokio::task::{consume_budget, spawn_blocking};

/// How many read at once; others wait for their turn.
const READERS_MAX: usize = 8;
/// How many of these may look through the text of a whole form, so that short reads find a place.
const SCANS_MAX: usize = 4;

/// The pool.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    gate: Arc<Gate>,
    permits: Arc<Semaphore>,
    scan_permits: Arc<Semaphore>,
}

/// Tells a long read that nobody waits for it any more.
pub(super) struct Abandoned(Arc<AtomicBool>);

impl Abandoned {
    /// For a read that is done to its end.
    pub(super) fn never() -> Self {
        Self(Arc::default())
    }

    /// Returns an error once nobody waits.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(abandoned());
        }
        Ok(())
    }
}

/// The error of a read that nobody waits for any more.
pub(super) fn abandoned() -> StoreError {
    database("nobody waits for this read any more")
}

/// Sets the flag when the future that holds it ends, however it ends.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Readers {
    /// Returns a pool whose connections are opened when they are first needed. Reads on
    /// blocking threads wait at the gate.
    pub(super) fn new(path: PathBuf, gate: Arc<Gate>) -> Arc<Self> {
        Arc::new(Self {
            path,
            gate,
            idle: Mutex::new(Vec::new()),
            permits: Arc::new(Semaphore::new(READERS_MAX)),
            scan_permits: Arc::new(Semaphore::new(SCANS_MAX)),
        })
    }

    /// Reads one state of the data: all that `work` asks is of the same instant.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(database)?;
        let readers = Arc::clone(self);
        let run = move || {
            let _permit = permit;
            readers.gate.pass();
            readers.run(|conn| snapshot(conn, work))
        };
        spawn_blocking(run).await.map_err(database)?
    }

    /// As [`Readers::read`], on the thread that asks: for reads of some microseconds. To hand one
    /// over to another thread would take longer.
    pub(super) async fn read_here<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.find(|conn| snapshot(conn, work)).await
    }

    /// As [`Readers::read_here`], for `work` of one statement, which is a state of the data by
    /// itself.
    pub(super) async fn find<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        // It never waits, so a task that only reads would keep its thread from all others.
        consume_budget().await;
        self.run(work)
    }

    fn run<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => connect::reader(&self.path)?,
        };
        let result = work(&conn);
        // One that could not end its transaction, or panicked before, is not used again.
        if conn.is_autocommit() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
        }
        result
    }

    /// As [`Readers::read`], for what may look through a whole form.
    pub(super) async fn scan<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection, &Abandoned) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let scan = Arc::clone(&self.scan_permits).acquire_owned().await.map_err(database)?;
        let waiting = Waiting(Arc::default());
        let abandoned = Abandoned(Arc::clone(&waiting.0));
        self.read(move |conn| {
            let _scan = scan;
            work(conn, &abandoned)
        })
        .await
    }
}

/// Works on one state of the data.
fn snapshot<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    let run = |sql: &str| conn.prepare_cached(sql).and_then(|mut it| it.execute([]));
    run("BEGIN").map_err(database)?;
    let result = work(conn);
    run("COMMIT").map_err(database)?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn readers() -> (tempfile::TempDir, Arc<Readers>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        drop(connect::first(&path).unwrap());
        (folder, Readers::new(path, Arc::default()))
    }

    #[tokio::test]
    async fn a_read_that_panics_harms_no_other() {
        let (_folder, readers) = readers();
        for _ in 0..=READERS_MAX {
            let panics = |_: &Connection| -> Result<()> {
                std::panic::panic_any("a read panics, as this test wants it to")
            };
            assert!(readers.read(panics).await.is_err());
        }
        assert_eq!(readers.read(|_| Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_scan_ends_when_nobody_waits_for_it() {
        let (_folder, readers) = readers();
        let (ended, end) = tokio::sync::oneshot::channel();
        let scan = readers.scan(move |_, waits| -> Result<()> {
            while waits.check().is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = ended.send(());
            Ok(())
        });
        assert!(tokio::time::timeout(Duration::from_millis(50), scan).await.is_err());
        tokio::time::timeout(Duration::from_secs(10), end).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn scans_leave_room_for_quick_reads() {
        let (_folder, readers) = readers();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let scans: Vec<_> = (0..READERS_MAX * 2)
            .map(|_| {
                let (readers, wait) = (Arc::clone(&readers), Arc::clone(&wait));
                tokio::spawn(async move {
                    readers.scan(move |_, _| wait.lock().unwrap().recv().map_err(database)).await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        let quick = tokio::time::timeout(Duration::from_secs(10), readers.read(|_| Ok(7)));
        assert_eq!(quick.await.unwrap().unwrap(), 7);
        // Any of them may be the one that hears the first word.
        for _ in &scans {
            go.send(()).unwrap();
        }
        for scan in scans {
            scan.await.unwrap().unwrap();
        }
    }
}
