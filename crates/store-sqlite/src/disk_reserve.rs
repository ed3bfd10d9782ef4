//! A disk reserve: a file that is deleted when the disk is full, and created again later.
//!
//! A full disk rejects deletions too, because they are written to the log first. So a file next to
//! the database reserves space. When a write finds the disk full, the file is deleted. The freed
//! space is for deletions, sign-ins and similar writes only. Writes that make the database grow are
//! rejected until there is space again.

use super::disk::{DatabaseDisk, allocate};
use rusqlite::Connection;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Size of the reserve: enough to delete some ten thousand submissions, log included.
pub(super) const RESERVE_BYTES: u64 = 32 << 20;
/// Minimum space, in the file and on the disk together, for the database to grow again.
const GROWTH_BYTES_MIN: u64 = RESERVE_BYTES + (8 << 20);
/// Minimum part of [`GROWTH_BYTES_MIN`] that must be free on the disk, for the log.
const LOG_BYTES_MIN: u64 = RESERVE_BYTES / 2;
/// Disk space that intake must not use, or a fraction of the disk if that is less. Senders are
/// strangers, and must not use up the space that owners and the machine need.
const INTAKE_RESERVE_BYTES: u64 = 256 << 20;
const INTAKE_RESERVE_PART: u64 = 50;
/// Minimum free space to create the reserve again.
const REFILL_BYTES_MIN: u64 = 2 * RESERVE_BYTES;
/// Interval between checks of the free space.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Tracks the free space, and owns the reserve.
pub(super) struct DiskReserve {
    disk: DatabaseDisk,
    path: PathBuf,
    /// Space ran out, and there has been no space for a new reserve since.
    is_scarce: bool,
    /// While space is scarce: when it was checked, and whether the database may grow.
    growth_check: Option<(Instant, bool)>,
    /// When the space for intake was checked, and whether submissions are accepted.
    intake_check: Option<(Instant, bool)>,
}

impl DiskReserve {
    /// Returns the state at the start of the process. Space is scarce if the previous process
    /// deleted the reserve and the disk is still full.
    pub(super) fn new(database: &Path) -> Self {
        let mut room = Self {
            disk: DatabaseDisk::of(database),
            path: reserve_path(database),
            is_scarce: false,
            growth_check: None,
            intake_check: None,
        };
        room.is_scarce = !room.path.exists() && room.disk.free_bytes() < GROWTH_BYTES_MIN;
        room
    }

    /// Creates the reserve when a server starts; logs a warning if there is no space for it.
    pub(super) fn create_at_start(&mut self) {
        if self.is_scarce {
            self.log_scarcity();
        } else if !self.refill() {
            let needed = REFILL_BYTES_MIN >> 20;
            let folder = self.disk.folder().display();
            tracing::warn!(
                "no disk reserve: `{folder}` has less than {needed} MB of free space, so deletions \
                 will fail on a full disk; free some disk space"
            );
        }
    }

    /// Whether space ran out, so that [`DiskReserve::refill`] must be called.
    pub(super) fn is_scarce(&self) -> bool {
        self.is_scarce
    }

    /// Whether the database may grow.
    pub(super) fn allows_growth(&mut self, conn: &Connection) -> bool {
        if !self.is_scarce {
            if self.disk.bytes_below_size_limit() >= GROWTH_BYTES_MIN {
                return true;
            }
            // Stop before the limit: at the limit, the log could not be checkpointed, and nothing
            // could be deleted.
            self.log_scarcity();
            self.is_scarce = true;
        }
        if let Some((at, allows)) = self.growth_check
            && at.elapsed() < CHECK_INTERVAL
        {
            return allows;
        }
        let missing = GROWTH_BYTES_MIN.saturating_sub(free_bytes_in_file(conn));
        let allows = self.disk.bytes_below_size_limit() >= missing
            && self.disk.can_allocate(missing.max(LOG_BYTES_MIN));
        self.growth_check = Some((Instant::now(), allows));
        allows
    }

    /// Whether intake may insert submissions, which must leave the reserved part of the disk free.
    /// Free pages of the file count as free space.
    pub(super) fn allows_intake(&mut self, conn: &Connection) -> bool {
        let before = self.intake_check;
        if let Some((at, allows)) = before
            && at.elapsed() < CHECK_INTERVAL
        {
            return allows;
        }
        let missing = bytes_needed_for_intake(&self.disk, conn);
        let allows = self.disk.free_bytes() >= missing;
        let needed = missing >> 20;
        let folder = self.disk.folder().display();
        match (before.is_none_or(|(_, allowed)| allowed), allows) {
            (true, false) => tracing::error!(
                "the disk is nearly full: submissions are refused until `{folder}` has {needed} MB \
                 of free space; free some disk space, or delete data"
            ),
            (false, true) => {
                tracing::info!("disk space available: submissions are accepted again");
            }
            _ => {}
        }
        self.intake_check = Some((Instant::now(), allows));
        allows
    }

    /// Deletes the reserve because a write found the disk full.
    pub(super) fn release(&mut self) {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::error!(%error, "could not delete the disk reserve");
            }
            _ => {}
        }
        if !self.is_scarce {
            self.log_scarcity();
        }
        self.is_scarce = true;
        self.growth_check = None;
    }

    fn log_scarcity(&self) {
        let needed = GROWTH_BYTES_MIN >> 20;
        let folder = self.disk.folder().display();
        if self.disk.bytes_below_size_limit() < GROWTH_BYTES_MIN {
            tracing::error!(
                "files are close to the limit on file size: new submissions are refused until \
                 files in `{folder}` may grow by {needed} MB; raise the limit (`LimitFSIZE`, \
                 `ulimit -f`), or delete data"
            );
        } else if self.disk.free_bytes() < GROWTH_BYTES_MIN {
            tracing::error!(
                "the disk is full: new submissions are refused until `{folder}` has {needed} MB \
                 of free space; free some disk space, or delete data"
            );
        } else {
            tracing::error!(
                "a quota is used up: new submissions are refused until it allows `{folder}` \
                 {needed} MB more; raise the quota, or delete data"
            );
        }
    }

    /// Creates the reserve if it is missing. Returns `false` if there is no space, so the caller
    /// tries again later.
    pub(super) fn refill(&mut self) -> bool {
        if !self.is_scarce && self.path.exists() {
            return true;
        }
        if self.disk.bytes_below_size_limit() < REFILL_BYTES_MIN
            || !self.disk.can_allocate(REFILL_BYTES_MIN)
        {
            return false;
        }
        if let Err(error) = create_reserve(&self.path) {
            let _ = std::fs::remove_file(&self.path);
            tracing::warn!(%error, "could not create the disk reserve: deletions will fail on a \
                                    full disk");
            return false;
        }
        if self.is_scarce {
            tracing::info!("disk reserve created again: new submissions are accepted");
        }
        self.is_scarce = false;
        true
    }
}

/// Returns the free bytes of a database's disk if submissions are refused because it is nearly
/// full; otherwise `None`.
pub(super) fn find_nearly_full_disk(database: &Path, conn: &Connection) -> Option<u64> {
    let disk = DatabaseDisk::of(database);
    let free_bytes = disk.free_bytes();
    (free_bytes < bytes_needed_for_intake(&disk, conn)).then_some(free_bytes)
}

/// Returns the bytes that must be free on the disk for intake to insert submissions.
fn bytes_needed_for_intake(disk: &DatabaseDisk, conn: &Connection) -> u64 {
    let reserved = INTAKE_RESERVE_BYTES.min(disk.total_bytes() / INTAKE_RESERVE_PART);
    reserved.saturating_sub(free_bytes_in_file(conn))
}

/// Returns the path of the reserve.
fn reserve_path(database: &Path) -> PathBuf {
    database.with_extension("reserve")
}

/// Returns the bytes of free pages in the file.
fn free_bytes_in_file(conn: &Connection) -> u64 {
    let sql = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size";
    let bytes = conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    bytes.ok().and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0)
}

fn create_reserve(reserve: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(reserve)?;
    allocate(&mut file, RESERVE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect;

    #[test]
    fn disk_is_not_nearly_full_while_intake_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let conn = connect::open_or_create(&path).unwrap();
        let allows = DiskReserve::new(&path).allows_intake(&conn);
        assert_eq!(find_nearly_full_disk(&path, &conn).is_none(), allows);
        // The free space of a missing folder is unknown.
        let missing = Path::new("/nowhere/sheaf.db");
        assert_eq!(bytes_needed_for_intake(&DatabaseDisk::of(missing), &conn), 0);
    }

    #[test]
    fn reserve_is_deleted_and_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let conn = connect::open_or_create(&path).unwrap();
        let mut room = DiskReserve::new(&path);
        let reserve_bytes =
            || std::fs::metadata(reserve_path(&path)).map(|reserve| reserve.len()).ok();
        assert!(room.allows_growth(&conn) && reserve_bytes().is_none());
        assert!(room.refill() && reserve_bytes() == Some(RESERVE_BYTES));
        room.release();
        assert!(room.is_scarce() && reserve_bytes().is_none());
        room.release();
        assert!(
            room.refill()
                && !room.is_scarce()
                && room.allows_growth(&conn)
                && reserve_bytes() == Some(RESERVE_BYTES)
        );
    }
}
