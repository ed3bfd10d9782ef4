//! What the system gives the files of a database: room on the disk, within a quota, and below a
//! limit on the size of files. Opens none of SQLite's own files, whose locks would be lost by it.

use super::write_ahead_log;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A write that was refused is asked for once more, so large: any that SQLite makes is smaller.
const ASKED_BYTES: u64 = 1 << 20;

/// The place of a database.
pub(super) struct Disk {
    folder: PathBuf,
    database: PathBuf,
    log: PathBuf,
}

impl Disk {
    /// Returns the place of a database.
    pub(super) fn of(database: &Path) -> Self {
        let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            database: database.to_owned(),
            log: write_ahead_log::log_of(database),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Room that the disk has for this process, in bytes; none where that is not known. Of quotas
    /// it knows nothing.
    pub(super) fn free(&self) -> u64 {
        statvfs(&self.folder).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Size of the disk, in bytes; 0 where that is not known.
    pub(super) fn size(&self) -> u64 {
        statvfs(&self.folder).map_or(0, |disk| disk.f_blocks.saturating_mul(disk.f_frsize))
    }

    /// By how many bytes the database may grow before it comes to the limit on the size of files.
    /// What stands in the log moves into it.
    pub(super) fn below_limit(&self) -> u64 {
        let Some(limit) = getrlimit(Resource::Fsize).current else { return u64::MAX };
        limit.saturating_sub(size(&self.database) + size(&self.log))
    }

    /// Whether so many bytes would be given: asks for them, and gives them back.
    pub(super) fn gives(&self, bytes: u64) -> bool {
        self.free() >= bytes && self.ask(bytes).is_ok()
    }

    /// Whether a write that failed did so for want of room. SQLite tells a full disk as such, but a
    /// quota or a limit like a disk that is broken.
    pub(super) fn is_out_of_room(&self) -> bool {
        let largest = size(&self.database).max(size(&self.log)).saturating_add(ASKED_BYTES);
        let is_limited = getrlimit(Resource::Fsize).current.is_some_and(|limit| limit < largest);
        is_limited || self.ask(ASKED_BYTES).is_err_and(|error| is_no_room(&error))
    }

    /// Sets room aside in a file without a name, and gives it back.
    fn ask(&self, bytes: u64) -> io::Result<()> {
        set_aside(&mut tempfile::tempfile_in(&self.folder)?, bytes)
    }
}

fn size(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

/// Takes so much room for a file.
pub(super) fn set_aside(file: &mut File, bytes: u64) -> io::Result<()> {
    match fallocate(&*file, FallocateFlags::empty(), 0, bytes) {
        // A file system that cannot set room aside by itself.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
        done => return Ok(done?),
    }
    let block = vec![0x5a; 1 << 20];
    for _ in 0..bytes >> 20 {
        file.write_all(&block)?;
    }
    file.sync_all()
}

fn is_no_room(error: &io::Error) -> bool {
    use ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_want_of_room_or_is_not() {
        for errno in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG] {
            assert!(is_no_room(&errno.into()), "{errno}");
        }
        for errno in [Errno::IO, Errno::ROFS, Errno::ACCESS, Errno::NOMEM, Errno::INTR] {
            assert!(!is_no_room(&errno.into()), "{errno}");
        }
    }

    #[test]
    fn what_is_asked_for_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::of(&folder.path().join("sheaf.db"));
        assert!(disk.gives(ASKED_BYTES) && !disk.gives(u64::MAX) && !disk.is_out_of_room());
        assert_eq!(std::fs::read_dir(disk.folder()).unwrap().count(), 0);
    }
}
