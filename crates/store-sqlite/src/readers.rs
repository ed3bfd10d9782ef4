//! The pool of read-only connections.
//!
//! Short reads run on the calling thread, all other reads on the runtime's blocking threads. No
//! snapshot outlives a call, so each read sees the writes of other processes.

use super::connect;
use super::read_gate::ReadGate;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::columns::database_error;
use store::{Result, StoreError};
use tokio::sync::Semaphore;
use tokio::task::{consume_budget, spawn_blocking};

/// Maximum number of concurrent reads on blocking threads. Further ones wait.
const READERS_MAX: usize = 8;
/// Maximum number of these that may scan a whole form, so that short reads are not blocked.
const SCANS_MAX: usize = 4;

/// The pool.
pub(super) struct ReadPool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    gate: Arc<ReadGate>,
    permits: Arc<Semaphore>,
    scan_permits: Arc<Semaphore>,
}

/// Cancellation flag of a long read: set when the caller no longer waits.
pub(super) struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Returns a flag that is never set.
    pub(super) fn never() -> Self {
        Self(Arc::default())
    }

    /// Returns an error if the read was cancelled.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(cancelled_error());
        }
        Ok(())
    }
}

/// Returns the error of a cancelled read.
pub(super) fn cancelled_error() -> StoreError {
    database_error("the read was cancelled")
}

/// Sets the flag when dropped, so also when the calling future is cancelled.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl ReadPool {
    /// Returns a pool that opens connections on demand. Reads on blocking threads pass `gate`
    /// first.
    pub(super) fn new(path: PathBuf, gate: Arc<ReadGate>) -> Arc<Self> {
        Arc::new(Self {
            path,
            gate,
            idle: Mutex::new(Vec::new()),
            permits: Arc::new(Semaphore::new(READERS_MAX)),
            scan_permits: Arc::new(Semaphore::new(SCANS_MAX)),
        })
    }

    /// Runs `work` on a blocking thread, within one snapshot.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(database_error)?;
        let readers = Arc::clone(self);
        let run = move || {
            let _permit = permit;
            readers.gate.wait_until_open();
            readers.with_connection(|conn| with_snapshot(conn, work))
        };
        spawn_blocking(run).await.map_err(database_error)?
    }

    /// As [`ReadPool::read`], on the calling thread. For reads of some microseconds, which take
    /// less time than a switch of threads.
    pub(super) async fn read_here<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.read_statement(|conn| with_snapshot(conn, work)).await
    }

    /// As [`ReadPool::read_here`], for `work` of one statement, which needs no transaction.
    pub(super) async fn read_statement<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        // The read never yields, so a task that only reads would starve the other tasks of its
        // thread.
        consume_budget().await;
        self.with_connection(work)
    }

    fn with_connection<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => connect::open_reader(&self.path)?,
        };
        let result = work(&conn);
        // A connection with an open transaction is not used again. After a panic in `work`, this is
        // not reached.
        if conn.is_autocommit() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
        }
        result
    }

    /// As [`ReadPool::read`], for reads that may scan a whole form.
    pub(super) async fn scan<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection, &CancelFlag) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let scan = Arc::clone(&self.scan_permits).acquire_owned().await.map_err(database_error)?;
        let waiting = CancelOnDrop(Arc::default());
        let abandoned = CancelFlag(Arc::clone(&waiting.0));
        self.read(move |conn| {
            let _scan = scan;
            work(conn, &abandoned)
        })
        .await
    }
}

/// Runs `work` in one read transaction.
fn with_snapshot<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    let run = |sql: &str| conn.prepare_cached(sql).and_then(|mut it| it.execute([]));
    run("BEGIN").map_err(database_error)?;
    let result = work(conn);
    run("COMMIT").map_err(database_error)?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn readers() -> (tempfile::TempDir, Arc<ReadPool>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        drop(connect::open_or_create(&path).unwrap());
        (folder, ReadPool::new(path, Arc::default()))
    }

    #[tokio::test]
    async fn panicking_read_frees_its_permit() {
        let (_folder, readers) = readers();
        for _ in 0..=READERS_MAX {
            let panics = |_: &Connection| -> Result<()> {
                std::panic::panic_any("deliberate panic of a read")
            };
            assert!(readers.read(panics).await.is_err());
        }
        assert_eq!(readers.read(|_| Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn scan_ends_when_caller_is_dropped() {
        let (_folder, readers) = readers();
        let (end_sender, end) = tokio::sync::oneshot::channel();
        let scan = readers.scan(move |_, cancel_flag| -> Result<()> {
            while cancel_flag.check().is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = end_sender.send(());
            Ok(())
        });
        assert!(tokio::time::timeout(Duration::from_millis(50), scan).await.is_err());
        tokio::time::timeout(Duration::from_secs(10), end).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn scans_do_not_block_short_reads() {
        let (_folder, readers) = readers();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let scans: Vec<_> = (0..READERS_MAX * 2)
            .map(|_| {
                let readers = Arc::clone(&readers);
                let wait = Arc::clone(&wait);
                tokio::spawn(async move {
                    readers
                        .scan(move |_, _| wait.lock().unwrap().recv().map_err(database_error))
                        .await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        let short_read = tokio::time::timeout(Duration::from_secs(10), readers.read(|_| Ok(7)));
        assert_eq!(short_read.await.unwrap().unwrap(), 7);
        // One message per scan: any of them may receive the first.
        for _ in &scans {
            go.send(()).unwrap();
        }
        for scan in scans {
            scan.await.unwrap().unwrap();
        }
    }
}
