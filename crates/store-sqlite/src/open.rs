//! Opening the store, and what a server does beside all else while it is open.

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

/// So long after a write, what was deleted leaves the last traces in the files.
const TIDY_AFTER: Duration = Duration::from_secs(30);

impl SqliteStore {
    /// Opens a file, or makes it, readable by nobody else, with its folder.
    ///
    /// # Errors
    /// [`Unfit`] where the file cannot be made or is not this store's: why, and what to do.
    /// [`Database`] where it is damaged or stays locked.
    ///
    /// [`Unfit`]: store::StoreError::Unfit
    /// [`Database`]: store::StoreError::Database
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_holding(path, Holding::default())
    }

    /// As [`SqliteStore::open`], with bounds of one's own for what is held in memory.
    ///
    /// # Errors
    /// As there.
    pub fn open_holding(path: &Path, holding: Holding) -> Result<Self> {
        Self::open_with(path, holding, TIDY_AFTER)
    }

    /// As [`SqliteStore::open`]. The files are tidied so long after a write, in place of 30 s.
    ///
    /// # Errors
    /// As there.
    pub fn open_tidying(path: &Path, tidy_after: Duration) -> Result<Self> {
        Self::open_with(path, Holding::default(), tidy_after)
    }

    fn open_with(path: &Path, holding: Holding, tidy_after: Duration) -> Result<Self> {
        let mut conn = connect::first(path)?;
        check::at_open(path)?;
        migrate::migrate(path, &mut conn, migrate::MIGRATIONS)?;
        if let Err(error) = import::recover(path, &mut conn) {
            tracing::warn!(%error, "what a killed import left is removed later; nobody sees it");
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

    /// What a server does beside all else: it reserves room on the disk, and looks for damage in a
    /// file that was not looked through before. What it finds is logged.
    ///
    /// # Errors
    /// Where no thread can be started.
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

    /// Returns what is held in memory at this moment.
    pub fn holds(&self) -> Holds {
        self.held.holds()
    }
}
