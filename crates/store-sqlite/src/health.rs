//! Metrics and health checks of the store.
//!
//! They change nothing in the file, and no metric names an account or a form.

use super::{IndexStats, SqliteStore, disk_reserve, query};
use rusqlite::Connection;
use std::path::Path;
use store::Result;

/// Metrics at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreMetrics {
    /// Writes that are queued or running.
    pub writes_waiting: usize,
    /// Submissions accepted since the store was opened, spam included, repeated requests excluded.
    pub submissions_taken: u64,
    /// Submissions refused since then because the disk was full.
    pub submissions_refused: u64,
    /// Size of the database, in bytes.
    pub database_bytes: u64,
    /// Size of the write-ahead log, in bytes.
    pub log_bytes: u64,
    /// Statistics of the in-memory indexes.
    pub index_stats: IndexStats,
}

impl SqliteStore {
    /// Returns the current metrics, without a query.
    pub fn metrics(&self) -> StoreMetrics {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        StoreMetrics {
            writes_waiting: self.writer.waiting_count(),
            submissions_taken: self.writer.accepted_count(),
            submissions_refused: self.writer.refused_count(),
            database_bytes: file_length(&self.path),
            log_bytes: file_length(Path::new(&log)),
            index_stats: self.index_stats(),
        }
    }

    /// Counts the submissions that are queued for analysis.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn count_pending_insights(&self) -> Result<u64> {
        let count = "SELECT count(*) FROM insight_queue";
        let read = move |conn: &Connection| query::one(conn, count, [], |row| row.get(0));
        let waiting: i64 = self.readers.read(read).await?;
        Ok(u64::try_from(waiting).unwrap_or_default())
    }

    /// Returns the free space of the disk, in bytes, if it is nearly full, so that submissions are
    /// refused; otherwise `None`.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn find_nearly_full_disk(&self) -> Result<Option<u64>> {
        let path = self.path.clone();
        let find = move |conn: &Connection| Ok(disk_reserve::find_nearly_full_disk(&path, conn));
        self.readers.read(find).await
    }

    /// Checks that the database can be read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn check_readable(&self) -> Result<()> {
        let sql = "SELECT count(*) FROM sqlite_schema";
        self.readers.read(move |conn| query::one(conn, sql, [], |_| Ok(()))).await
    }

    /// Checks that the database can be written, and may grow. Runs an empty job on the writer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn check_writable(&self) -> Result<()> {
        self.writer.write(|_| Ok(())).await
    }
}

/// Returns the length of a file, or 0 if it does not exist.
fn file_length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn health_checks_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let store = SqliteStore::open(&path).unwrap();
        let before = std::fs::read(&path).unwrap();
        store.check_readable().await.unwrap();
        store.check_writable().await.unwrap();
        assert_eq!(store.count_pending_insights().await.unwrap(), 0);
        let metrics = store.metrics();
        assert_eq!(metrics.database_bytes, before.len() as u64);
        assert_eq!((metrics.writes_waiting, metrics.submissions_taken), (0, 0));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[tokio::test]
    async fn write_check_waits_for_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let store = SqliteStore::open(&path).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let timeout = std::time::Duration::from_millis(200);
        let result = tokio::time::timeout(timeout, store.check_writable()).await;
        assert!(result.is_err(), "the write succeeded during another transaction");
        assert_eq!(store.metrics().writes_waiting, 1);
        store.check_readable().await.unwrap();
        other.execute_batch("ROLLBACK").unwrap();
        store.check_writable().await.unwrap();
    }
}
