//! Opens the store, and starts the background checks of a server.

use super::disk_reserve::DiskReserve;
use super::memory_index::{IndexLimits, IndexStats, MemoryIndex};
use super::read_gate::ReadGate;
use super::readers::ReadPool;
use super::writer::Writer;
use super::{SqliteStore, check, connect, import, migrate};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::Result;
use store::columns::database_error;

/// Delay between a write and the clean-up, which erases the last traces of deleted data from the
/// files.
const ERASE_DELAY: Duration = Duration::from_secs(30);

impl SqliteStore {
    /// Opens a database file. Creates the file and its folder, accessible only to the owner, if
    /// they do not exist.
    ///
    /// # Errors
    /// [`Unusable`] if the file cannot be created or is not a Sheaf database; the text names the
    /// cause and the remedy. [`Database`] if it is damaged or stays locked.
    ///
    /// [`Unusable`]: store::StoreError::Unusable
    /// [`Database`]: store::StoreError::Database
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with_limits(path, IndexLimits::default())
    }

    /// As [`SqliteStore::open`], with limits for the in-memory indexes.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_with_limits(path: &Path, limits: IndexLimits) -> Result<Self> {
        Self::open_with_options(path, limits, ERASE_DELAY)
    }

    /// As [`SqliteStore::open`], with another delay than 30 s between a write and the clean-up of
    /// deleted data.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_with_erase_delay(path: &Path, erase_delay: Duration) -> Result<Self> {
        Self::open_with_options(path, IndexLimits::default(), erase_delay)
    }

    fn open_with_options(path: &Path, limits: IndexLimits, erase_delay: Duration) -> Result<Self> {
        let mut conn = connect::open_or_create(path)?;
        // Before the migration, which could spread damage.
        check::check_at_open(path)?;
        migrate::migrate(path, &mut conn, migrate::MIGRATIONS)?;
        // The rows are hidden, so a failed removal does not prevent the store from opening.
        if let Err(error) = import::sweep_at_open(path, &mut conn) {
            tracing::warn!(%error, "rows of a killed import are not removed yet");
        }
        let index = MemoryIndex::new(path.to_owned(), limits)?;
        let gate = Arc::<ReadGate>::default();
        Ok(Self {
            path: path.to_owned(),
            writer: Writer::start(conn, erase_delay, Arc::clone(&index), Arc::clone(&gate))?,
            readers: ReadPool::new(path.to_owned(), gate),
            memory_index: index,
            audit_limiter: Arc::default(),
        })
    }

    /// Starts a thread that creates the disk reserve, and checks a large file for damage. Results
    /// are logged. Only a server calls this: commands are too short for it.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start_background_checks(&self) -> Result<()> {
        let path = self.path.clone();
        let run_checks = move || {
            DiskReserve::new(&path).create_at_start();
            check::check_large_file(&path);
        };
        std::thread::Builder::new()
            .name("store-watch".to_owned())
            .spawn(run_checks)
            .map(drop)
            .map_err(database_error)
    }

    /// Returns statistics of the in-memory indexes.
    pub fn index_stats(&self) -> IndexStats {
        self.memory_index.stats()
    }
}
