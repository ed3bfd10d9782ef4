//! What SQLite's errors mean to those who asked, and what a person can do about them.

use super::disk::Disk;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;
use store::StoreError;
use store::columns::database;

/// Returns what a person can do about an error, where it is one of the file or the disk.
pub fn advice(error: &StoreError) -> Option<&'static str> {
    let StoreError::Database(source) = error else { return None };
    match source.downcast_ref::<rusqlite::Error>()?.sqlite_error_code()? {
        ErrorCode::DiskFull => Some("make room on the disk and try again"),
        ErrorCode::SystemIoFailure => {
            Some("check whether the disk is full, over a quota or failing")
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Some("the file is damaged: put a backup in its place")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            Some("another process is using it; try again")
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            Some("check who may write to the data directory")
        }
        _ => None,
    }
}

/// Whether what failed in a connection did so for want of room.
pub(super) fn is_full(conn: &Connection, error: &rusqlite::Error) -> bool {
    // No room for the index of the log.
    let has_no_index = error.sqlite_extended_error_code() == Some(SQLITE_IOERR_SHMSIZE);
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => true,
        Some(ErrorCode::SystemIoFailure) => {
            let path = conn.path().filter(|path| !path.is_empty());
            has_no_index || path.is_some_and(|path| Disk::of(Path::new(path)).is_out_of_room())
        }
        _ => false,
    }
}

/// Returns the error of an insertion; `what` names what is there already, where that is why.
pub(super) fn exists(error: rusqlite::Error, what: impl FnOnce() -> String) -> StoreError {
    use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};
    match error.sqlite_extended_error_code() {
        Some(SQLITE_CONSTRAINT_PRIMARYKEY | SQLITE_CONSTRAINT_UNIQUE) => StoreError::Exists(what()),
        _ => database(error),
    }
}
