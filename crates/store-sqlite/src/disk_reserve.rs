//! Room on the disk: a reserve that is given up when the disk is full, and made again afterwards.
//!
//! A full disk refuses deletions as well, since even these are written first. So some room is kept
//! in a file beside the database. When a write finds the disk full, that file goes, and what it
//! held is for deletions, sign-ins and the like alone: whatever makes the database grow is refused
//! until there is room again.

use super::disk::{Disk, set_aside};
use rusqlite::Connection;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Size of the reserve: deletions of some ten thousand submissions, log included.
pub(super) const RESERVE_BYTES: u64 = 32 << 20;
/// With so much room, in the file and on the disk, the database may grow again.
const GROWTH_BYTES_MIN: u64 = RESERVE_BYTES + (8 << 20);
/// Of that, so much on the disk, where the log has to stand.
const LOG_BYTES_MIN: u64 = RESERVE_BYTES / 2;
/// So much of the disk, or a part of it if that is less, is not for submissions that come in: their
/// senders are strangers, and must not take the room that owners and the machine need.
const INTAKE_RESERVE_BYTES: u64 = 256 << 20;
const INTAKE_RESERVE_PART: u64 = 50;
/// With so much on the disk, the reserve is made again.
const REFILL_BYTES_MIN: u64 = 2 * RESERVE_BYTES;
/// How often it is looked whether there is room again.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is known of the room.
pub(super) struct Room {
    disk: Disk,
    reserve: PathBuf,
    /// The disk was full, and there has not been room for a new reserve since.
    is_scarce: bool,
    /// While room is scarce: whether the database may grow, and when that was looked at.
    looked: Option<(Instant, bool)>,
    /// Whether submissions may come in, and when that was looked at.
    intake: Option<(Instant, bool)>,
}

impl Room {
    /// Returns what is known of the room for a database at its start. Where the last process gave
    /// the reserve up, room is scarce still.
    pub(super) fn new(database: &Path) -> Self {
        let mut room = Self {
            disk: Disk::of(database),
            reserve: reserve(database),
            is_scarce: false,
            looked: None,
            intake: None,
        };
        room.is_scarce = !room.reserve.exists() && room.disk.free() < GROWTH_BYTES_MIN;
        room
    }

    /// Makes the reserve for a server that starts, and tells the log where there is no room for it.
    pub(super) fn prepare(&mut self) {
        if self.is_scarce {
            self.tell();
        } else if !self.refill() {
            let (needed, folder) = (REFILL_BYTES_MIN >> 20, self.disk.folder().display());
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
            if self.disk.below_limit() >= GROWTH_BYTES_MIN {
                return true;
            }
            // At the limit itself nothing could be moved out of the log any more, and nothing be
            // deleted.
            self.tell();
            self.is_scarce = true;
        }
        if let Some((at, allows)) = self.looked
            && at.elapsed() < LOOK_EVERY
        {
            return allows;
        }
        let missing = GROWTH_BYTES_MIN.saturating_sub(in_file(conn));
        let allows =
            self.disk.below_limit() >= missing && self.disk.gives(missing.max(LOG_BYTES_MIN));
        self.looked = Some((Instant::now(), allows));
        allows
    }

    /// Returns whether submissions may come in: whether they leave what is reserved on the disk.
    /// Room that deletions left in the file counts.
    pub(super) fn allows_intake(&mut self, conn: &Connection) -> bool {
        let before = self.intake;
        if let Some((at, allows)) = before
            && at.elapsed() < LOOK_EVERY
        {
            return allows;
        }
        let reserved = INTAKE_RESERVE_BYTES.min(self.disk.size() / INTAKE_RESERVE_PART);
        let missing = reserved.saturating_sub(in_file(conn));
        let allows = self.disk.free() >= missing;
        let (needed, folder) = (missing >> 20, self.disk.folder().display());
        match (before.is_none_or(|(_, allowed)| allowed), allows) {
            (true, false) => tracing::error!(
                "the disk is nearly full: submissions are refused until `{folder}` has {needed} MB \
                 of room; make room on the disk, or delete what is not needed"
            ),
            (false, true) => {
                tracing::info!("there is room on the disk again; submissions are taken in");
            }
            _ => {}
        }
        self.intake = Some((Instant::now(), allows));
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
        let (needed, folder) = (GROWTH_BYTES_MIN >> 20, self.disk.folder().display());
        if self.disk.below_limit() < GROWTH_BYTES_MIN {
            tracing::error!(
                "files have nearly come to the limit on their size: new submissions are refused \
                 until those in `{folder}` may grow by {needed} MB; raise the limit (`LimitFSIZE`, \
                 `ulimit -f`), or delete what is not needed"
            );
        } else if self.disk.free() < GROWTH_BYTES_MIN {
            tracing::error!(
                "the disk is full: new submissions are refused until `{folder}` has {needed} MB \
                 of room; make room on the disk, or delete what is not needed"
            );
        } else {
            tracing::error!(
                "a quota is used up: new submissions are refused until it leaves `{folder}` \
                 {needed} MB of room; raise it, or delete what is not needed"
            );
        }
    }

    /// Makes the reserve where it is missing and there is room; `false` where there is not, so that
    /// it is worth looking again.
    pub(super) fn refill(&mut self) -> bool {
        if !self.is_scarce && self.reserve.exists() {
            return true;
        }
        if self.disk.below_limit() < REFILL_BYTES_MIN || !self.disk.gives(REFILL_BYTES_MIN) {
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
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(reserve)?;
    set_aside(&mut file, RESERVE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect;

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
