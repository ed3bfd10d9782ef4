//! How the store is: figures for whoever watches over it, and whether it can be read and written.
//!
//! Looking changes nothing in the file, and no figure names an account or a form.

use super::{Holds, SqliteStore};
use std::path::Path;
use store::Result;
use store::columns::database;

/// Figures of a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Vitals {
    /// Writes that wait for the writer, or are under way.
    pub writes_waiting: usize,
    /// Submissions that forms took in since the store was opened, those set aside among them;
    /// repeated ones are not.
    pub submissions_taken: u64,
    /// Submissions that were refused since then for want of room on the disk.
    pub submissions_refused: u64,
    /// Size of the database, in bytes.
    pub database_bytes: u64,
    /// Size of its log, in bytes.
    pub log_bytes: u64,
    /// What is held in memory.
    pub holds: Holds,
}

impl SqliteStore {
    /// Returns the figures of this moment, without asking the database.
    pub fn vitals(&self) -> Vitals {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        Vitals {
            writes_waiting: self.writer.waiting(),
            submissions_taken: self.writer.taken(),
            submissions_refused: self.writer.refused(),
            database_bytes: length(&self.path),
            log_bytes: length(Path::new(&log)),
            holds: self.holds(),
        }
    }

    /// Counts the submissions that wait for their insight.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub async fn insights_waiting(&self) -> Result<u64> {
        let count = "SELECT count(*) FROM insight_queue";
        let waiting = self.readers.read(move |conn| {
            conn.query_row(count, [], |row| row.get::<_, i64>(0)).map_err(database)
        });
        Ok(u64::try_from(waiting.await?).unwrap_or_default())
    }

    /// Finds out whether the database can be read.
    ///
    /// # Errors
    /// Why not.
    pub async fn try_to_read(&self) -> Result<()> {
        let look = "SELECT count(*) FROM sqlite_schema";
        self.readers.read(move |conn| conn.query_row(look, [], |_| Ok(())).map_err(database)).await
    }

    /// Finds out whether the database can be written, and may grow: as a write would that comes
    /// now, but without a change.
    ///
    /// # Errors
    /// Why not.
    pub async fn try_to_write(&self) -> Result<()> {
        self.writer.write(|_| Ok(())).await
    }
}

/// A file that is not there has no length.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_look_tells_how_the_store_is_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let store = SqliteStore::open(&path).unwrap();
        let before = std::fs::read(&path).unwrap();
        store.try_to_read().await.unwrap();
        store.try_to_write().await.unwrap();
        assert_eq!(store.insights_waiting().await.unwrap(), 0);
        let vitals = store.vitals();
        assert_eq!(vitals.database_bytes, before.len() as u64);
        assert_eq!((vitals.writes_waiting, vitals.submissions_taken), (0, 0));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[tokio::test]
    async fn a_write_is_tried_in_earnest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let store = SqliteStore::open(&path).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let soon = std::time::Duration::from_millis(200);
        let tried = tokio::time::timeout(soon, store.try_to_write()).await;
        assert!(tried.is_err(), "it came through while another writes");
        assert_eq!(store.vitals().writes_waiting, 1);
        store.try_to_read().await.unwrap();
        other.execute_batch("ROLLBACK").unwrap();
        store.try_to_write().await.unwrap();
    }
}
