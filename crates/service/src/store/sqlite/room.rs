//! Room on the disk: a reserve that is given up when the disk is full, and made again afterwards.
//!
//! A full disk refuses deletions as well, since even these are written first. So some room is kept
//! in a file beside the database. When a write finds the disk full, that file goes, and what it
//! held is for deletions, sign-ins and the like alone: whatever makes the database grow is refused
//! until there is room again.

use rusqlite::Connection;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Size of the reserve: deletions of some ten thousand submissions, log included.
pub(super) const RESERVE_BYTES: u64 = 32 << 20;
/// With so much room, in the file and on the disk, the database may grow again.
const GROWTH_BYTES_MIN: u64 = RESERVE_BYTES + (8 << 20);
/// Of that, so much on the disk, where the log has to stand.
const LOG_BYTES_MIN: u64 = RESERVE_BYTES / 2;
/// With so much on the disk, the reserve is made again.
const REFILL_BYTES_MIN: u64 = 2 * RESERVE_BYTES;
/// How often it is looked whether there is room again.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is known of the room.
pub(super) struct Room {
    folder: PathBuf,
    reserve: PathBuf,
    /// The disk was full, and the reserve has not been made again since.
    is_scarce: bool,
    /// While room is scarce: whether the database may grow, and when that was looked at.
    looked: Option<(Instant, bool)>,
}

impl Room {
    /// Returns what is known of the room for a database at its start. Where the last process gave
    /// the reserve up, room is scarce still.
    pub(super) fn new(database: &Path) -> Self {
        let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut room = Self {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            reserve: reserve(database),
            is_scarce: false,
            looked: None,
        };
        room.is_scarce = !room.reserve.exists() && room.on_disk() < GROWTH_BYTES_MIN;
        room
    }

    /// Makes the reserve for a server that starts, and tells the log where there is no room for it.
    pub(super) fn prepare(&mut self) {
        if self.is_scarce {
            self.tell();
        } else if !self.refill() {
            let (needed, folder) = (REFILL_BYTES_MIN >> 20, self.folder.display());
            tracing::warn!(
                "`{folder}` has less than {needed} MB of room, so none is reserved: once the disk \
                 is full, nothing can be deleted either; make room on the disk"
            );
        }
    }

    /// Returns whether the reserve is to be made again.
    pub(super) fn is_scarce(&self) -> bool {
        self.is_scarce
    }

    /// Returns whether the database may grow.
    pub(super) fn allows_growth(&mut self, conn: &Connection) -> bool {
        if !self.is_scarce {
            return true;
        }
        if let Some((at, allows)) = self.looked
            && at.elapsed() < LOOK_EVERY
        {
            return allows;
        }
        let on_disk = self.on_disk();
        let allows =
            on_disk >= LOG_BYTES_MIN && on_disk.saturating_add(in_file(conn)) >= GROWTH_BYTES_MIN;
        self.looked = Some((Instant::now(), allows));
        allows
    }

    /// Gives the reserve up, because a write found the disk full.
    pub(super) fn give_up(&mut self) {
        match std::fs::remove_file(&self.reserve) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::error!(%error, "the reserve could not be given up");
            }
            _ => {}
        }
        if !self.is_scarce {
            self.tell();
        }
        self.is_scarce = true;
        self.looked = None;
    }

    fn tell(&self) {
        let (needed, folder) = (GROWTH_BYTES_MIN >> 20, self.folder.display());
        tracing::error!(
            "the disk is full: new submissions are refused until `{folder}` has {needed} MB of \
             room; make room on the disk, or delete what is not needed"
        );
    }

    /// Makes the reserve where it is missing and there is room; `false` where there is not, so that
    /// it is worth looking again.
    pub(super) fn refill(&mut self) -> bool {
        if !self.is_scarce && self.reserve.exists() {
            return true;
        }
        if self.on_disk() < REFILL_BYTES_MIN {
            return false;
        }
        if let Err(error) = fill(&self.reserve) {
            let _ = std::fs::remove_file(&self.reserve);
            tracing::warn!(%error, "no room could be reserved; when the disk is full, nothing can \
                                    be deleted either");
            return false;
        }
        if self.is_scarce {
            tracing::info!("there is room on the disk again; new submissions are taken in");
        }
        self.is_scarce = false;
        true
    }

    /// Room for this process on the disk, in bytes; none where that is not known.
    fn on_disk(&self) -> u64 {
        statvfs(&self.folder).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
    }
}

/// Where the reserve is.
fn reserve(database: &Path) -> PathBuf {
    database.with_extension("reserve")
}

/// Room that deletions left in the file, in bytes.
fn in_file(conn: &Connection) -> u64 {
    let sql = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size";
    let bytes = conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    bytes.ok().and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0)
}

fn fill(reserve: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file: File =
        options.write(true).create(true).truncate(true).mode(0o600).open(reserve)?;
    if fallocate(&file, FallocateFlags::empty(), 0, RESERVE_BYTES).is_ok() {
        return Ok(());
    }
    // A file system that cannot set room aside by itself.
    let block = vec![0x5a; 1 << 20];
    for _ in 0..RESERVE_BYTES >> 20 {
        file.write_all(&block)?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::super::connect;
    use super::*;

    #[test]
    fn the_reserve_is_given_up_once_and_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let conn = connect::first(&path).unwrap();
        let mut room = Room::new(&path);
        let held = || std::fs::metadata(reserve(&path)).map(|reserve| reserve.len()).ok();
        assert!(room.allows_growth(&conn) && held().is_none());
        assert!(room.refill() && held() == Some(RESERVE_BYTES));
        room.give_up();
        assert!(room.is_scarce() && held().is_none());
        room.give_up();
        assert!(
            room.refill()
                && !room.is_scarce()
                && room.allows_growth(&conn)
                && held() == Some(RESERVE_BYTES)
        );
    }
}
