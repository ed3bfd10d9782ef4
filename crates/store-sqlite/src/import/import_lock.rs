//! The import lock: one import at a time. Does not access the database.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};
use store::columns::database_error;
use store::{Result, StoreError};

/// How long an import waits for the previous one to end.
const WAIT_MAX: Duration = Duration::from_mins(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Waits for the lock. It is released when the returned file is dropped, or when the process ends.
pub(super) fn acquire(path: &Path) -> Result<File> {
    let lock = open_lock_file(path)?;
    let last = Instant::now() + WAIT_MAX;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < last => {
                std::thread::sleep(POLL_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => {
                let reason = "another import is still running; try again when it has ended";
                return Err(StoreError::Source(reason.to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(database_error(error)),
        }
    }
}

/// Takes the lock if it is free.
pub(super) fn try_acquire(path: &Path) -> Result<Option<File>> {
    let lock = open_lock_file(path)?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(database_error(error)),
    }
}

/// Opens the folder, which is what gets locked, so that no lock file is left behind.
fn open_lock_file(path: &Path) -> Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).map_err(database_error)
}
