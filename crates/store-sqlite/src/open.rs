//! Opens the store, and starts its background tasks.

use super::disk_reserve::Room;
use super::memory_index::{Held, Holding, Holds};
use super::read_gate::Gate;
use super::readers::Readers;
use super::writer::Writer;
use super::{SqliteStore, check, connect, import, migrate};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::Result;
use store::columns::database;

/// Delay between a write and the clean-up of deleted data.
const TIDY_AFTER: Duration = Duration::from_secs(30);

impl SqliteStore {
    /// Opens a database file. Creates the file and its folder, accessible only to the owner, if
    /// they do not exist.
    ///
    /// # Errors
    /// [`Unfit`] if the file cannot be created or is not a Sheaf database; the text names the cause
    /// and the remedy. [`Database`] if it is damaged or stays locked.
    ///
    /// [`Unfit`]: store::StoreError::Unfit
    /// [`Database`]: store::StoreError::Database
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_holding(path, Holding::default())
    }

    /// As [`SqliteStore::open`], with limits for the in-memory indexes.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_holding(path: &Path, holding: Holding) -> Result<Self> {
        Self::open_with(path, holding, TIDY_AFTER)
    }

    /// As [`SqliteStore::open`], with another delay between a write and the clean-up than 30 s.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_tidying(path: &Path, tidy_after: Duration) -> Result<Self> {
        Self::open_with(path, Holding::default(), tidy_after)
    }

    fn open_with(path: &Path, holding: Holding, tidy_after: Duration) -> Result<Self> {
        let mut conn = connect::first(path)?;
        check::at_open(path)?;
        migrate::migrate(path, &mut conn, migrate::MIGRATIONS)?;
        if let Err(error) = import::recover(path, &mut conn) {
            tracing::warn!(%error, "rows of a killed import are not removed yet");
        }
        let held = Held::new(path.to_owned(), holding)?;
        let gate = Arc::<Gate>::default();
        Ok(Self {
            path: path.to_owned(),
            writer: Writer::start(conn, tidy_after, Arc::clone(&held), Arc::clone(&gate))?,
            readers: Readers::new(path.to_owned(), gate),
            held,
            calm: Arc::default(),
        })
    }

    /// Starts the background tasks of a server: creates the disk reserve, and checks a large file
    /// for damage. Results are logged.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn keep_watch(&self) -> Result<()> {
        let path = self.path.clone();
        let watch = move || {
            Room::new(&path).prepare();
            check::beside(&path);
        };
        std::thread::Builder::new()
            .name("store-watch".to_owned())
            .spawn(watch)
            .map(drop)
            .map_err(database)
    }

    /// Returns statistics of the in-memory indexes.
    pub fn holds(&self) -> Holds {
        self.held.holds()
    }
}
