//! The turn: one import at a time. Nothing here reads or writes the database.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};
use store::columns::database;
use store::{Result, StoreError};

/// How long an import waits for the one before it to end.
const WAIT_MAX: Duration = Duration::from_mins(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Waits for the turn, which ends with what is returned, or with the process however it ends.
pub(super) fn wait(path: &Path) -> Result<File> {
    let (lock, last) = (lock(path)?, Instant::now() + WAIT_MAX);
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < last => {
                std::thread::sleep(LOOK_EVERY);
            }
            Err(TryLockError::WouldBlock) => {
                let why = "another import is running still; try again when it has ended";
                return Err(StoreError::Source(why.to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(database(error)),
        }
    }
}

/// Takes the turn where nobody has it.
pub(super) fn take(path: &Path) -> Result<Option<File>> {
    let lock = lock(path)?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(database(error)),
    }
}

/// The lock is on the folder, so that no file of it stays behind.
fn lock(path: &Path) -> Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).map_err(database)
}
