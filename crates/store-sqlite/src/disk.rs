//! Disk space for the database files: free space, quota, and the limit on file size.
//!
//! Opens no file of SQLite: closing it would release SQLite's POSIX locks.

use super::write_ahead_log;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Bytes to allocate when checking for a full disk. Larger than any single write of SQLite.
const PROBE_BYTES: u64 = 1 << 20;

/// The paths of a database on its disk.
pub(super) struct DatabaseDisk {
    folder: PathBuf,
    database: PathBuf,
    log: PathBuf,
}

impl DatabaseDisk {
    /// Returns the paths of a database.
    pub(super) fn of(database: &Path) -> Self {
        let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            database: database.to_owned(),
            log: write_ahead_log::log_path(database),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the free bytes of the disk for this process, or 0 if unknown. Ignores quotas.
    pub(super) fn free_bytes(&self) -> u64 {
        statvfs(&self.folder).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Returns the size of the disk in bytes, or 0 if unknown.
    pub(super) fn total_bytes(&self) -> u64 {
        statvfs(&self.folder).map_or(0, |disk| disk.f_blocks.saturating_mul(disk.f_frsize))
    }

    /// Returns the bytes that the database may grow before it reaches the limit on file size.
    /// Counts the log too, because its contents move into the database.
    pub(super) fn bytes_below_size_limit(&self) -> u64 {
        let Some(limit) = getrlimit(Resource::Fsize).current else { return u64::MAX };
        limit.saturating_sub(file_size(&self.database) + file_size(&self.log))
    }

    /// Whether `bytes` can be allocated. Allocates and releases them.
    pub(super) fn can_allocate(&self, bytes: u64) -> bool {
        self.free_bytes() >= bytes && self.probe_allocation(bytes).is_ok()
    }

    /// Whether a failed write failed for lack of space. SQLite reports a full disk as such, but a
    /// quota or a limit as an I/O error.
    pub(super) fn is_out_of_space(&self) -> bool {
        let largest =
            file_size(&self.database).max(file_size(&self.log)).saturating_add(PROBE_BYTES);
        let is_limited = getrlimit(Resource::Fsize).current.is_some_and(|limit| limit < largest);
        is_limited
            || self.probe_allocation(PROBE_BYTES).is_err_and(|error| is_out_of_space_error(&error))
    }

    /// Allocates `bytes` in an unnamed temporary file, and releases them.
    fn probe_allocation(&self, bytes: u64) -> io::Result<()> {
        allocate(&mut tempfile::tempfile_in(&self.folder)?, bytes)
    }
}

fn file_size(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

/// Allocates `bytes` for a file.
pub(super) fn allocate(file: &mut File, bytes: u64) -> io::Result<()> {
    match fallocate(&*file, FallocateFlags::empty(), 0, bytes) {
        // The file system does not support `fallocate`: write the bytes instead.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
        done => return Ok(done?),
    }
    let block = vec![0x5a; 1 << 20];
    for _ in 0..bytes >> 20 {
        file.write_all(&block)?;
    }
    file.sync_all()
}

fn is_out_of_space_error(error: &io::Error) -> bool {
    use ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_space_errors_are_recognised() {
        for errno in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG] {
            assert!(is_out_of_space_error(&errno.into()), "{errno}");
        }
        for errno in [Errno::IO, Errno::ROFS, Errno::ACCESS, Errno::NOMEM, Errno::INTR] {
            assert!(!is_out_of_space_error(&errno.into()), "{errno}");
        }
    }

    #[test]
    fn probed_space_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DatabaseDisk::of(&folder.path().join("sheaf.db"));
        assert!(
            disk.can_allocate(PROBE_BYTES)
                && !disk.can_allocate(u64::MAX)
                && !disk.is_out_of_space()
        );
        assert_eq!(std::fs::read_dir(disk.folder()).unwrap().count(), 0);
    }
}
