//! Classifies errors of SQLite, and suggests remedies.

use super::disk::DatabaseDisk;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;
use store::StoreError;
use store::columns::database_error;

/// Returns a remedy if the error is about the file or the disk.
pub fn advice(error: &StoreError) -> Option<&'static str> {
    let StoreError::Database(source) = error else { return None };
    match source.downcast_ref::<rusqlite::Error>()?.sqlite_error_code()? {
        ErrorCode::DiskFull => Some("free some disk space and try again"),
        ErrorCode::SystemIoFailure => {
            Some("check whether the disk is full, over a quota or failing")
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Some("the file is damaged: restore a backup")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            Some("another process is using it; try again")
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            Some("check the permissions of the data directory")
        }
        _ => None,
    }
}

/// Whether an error of a connection means that the disk is full.
pub(super) fn is_disk_full(conn: &Connection, error: &rusqlite::Error) -> bool {
    // There was no space for the shared-memory index of the log.
    let has_no_index = error.sqlite_extended_error_code() == Some(SQLITE_IOERR_SHMSIZE);
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => true,
        Some(ErrorCode::SystemIoFailure) => {
            let path = conn.path().filter(|path| !path.is_empty());
            has_no_index
                || path.is_some_and(|path| DatabaseDisk::of(Path::new(path)).is_out_of_space())
        }
        _ => false,
    }
}

/// Converts the error of an insertion. A violated unique constraint becomes
/// [`StoreError::Exists`] with the name that `object` returns.
pub(super) fn insertion_error(
    error: rusqlite::Error,
    object: impl FnOnce() -> String,
) -> StoreError {
    use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};
    match error.sqlite_extended_error_code() {
        Some(SQLITE_CONSTRAINT_PRIMARYKEY | SQLITE_CONSTRAINT_UNIQUE) => {
            StoreError::Exists(object())
        }
        _ => database_error(error),
    }
}
