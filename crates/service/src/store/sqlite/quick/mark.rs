//! Where the write-ahead log ended, and whether anything was written behind that since.
//!
//! Asks the file itself, which needs none of SQLite's locks. It may say that something was written
//! where nothing was committed; never the other way around: see ADR 0013.

use rusqlite::Connection;
use rustix::io::pread;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

/// Length of the log's header, and of what stands before each page in it.
const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: u64 = 24;
/// Where the header has the size of a page, and the salts that each frame repeats.
const PAGE_BYTES_AT: std::ops::Range<usize> = 8..12;
const SALTS_AT: std::ops::Range<usize> = 16..24;
/// Where a frame repeats them.
const FRAME_SALTS_AT: u64 = 8;

/// The log's file. SQLite takes no lock on this one, so that it may be opened beside it.
pub(super) struct Log(File);

/// A place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// The header, with salts that are new each time that the log begins anew; `None` where the log
    /// is empty.
    header: Option<[u8; HEADER_BYTES]>,
    /// Where the next frame will begin.
    next_at: u64,
}

impl Log {
    /// Opens the log of a database that SQLite has open.
    pub(super) fn open(database: &Path) -> io::Result<Self> {
        let mut name = OsString::from(database);
        name.push("-wal");
        File::open(name).map(Self)
    }

    /// Marks the end of the log; `None` where that cannot be told. A snapshot that `conn` takes
    /// afterwards has all that stands before the mark.
    pub(super) fn mark(&self, conn: &Connection) -> Option<Mark> {
        // In this order: should the log begin anew in between, the header tells.
        let header = self.header().ok()?;
        let Some(known) = header else { return Some(Mark { header, next_at: 0 }) };
        let frames = conn
            .prepare_cached("PRAGMA wal_checkpoint = NOOP")
            .and_then(|mut ask| ask.query_row([], |row| row.get::<_, i64>(1)))
            .ok()?;
        let page_bytes = u32::from_be_bytes(known[PAGE_BYTES_AT].try_into().ok()?);
        let frame_bytes = FRAME_HEADER_BYTES + u64::from(page_bytes);
        let next_at = HEADER_BYTES as u64 + u64::try_from(frames).ok()? * frame_bytes;
        Some(Mark { header, next_at })
    }

    /// Whether nothing was written behind a mark.
    pub(super) fn ends_at(&self, mark: &Mark) -> bool {
        if !self.header().is_ok_and(|header| header == mark.header) {
            return false;
        }
        let Some(header) = &mark.header else { return true };
        let mut salts = [0; 8];
        match pread(&self.0, &mut salts, mark.next_at + FRAME_SALTS_AT) {
            Ok(0) => true,
            Ok(8) => salts != header[SALTS_AT],
            Ok(_) | Err(_) => false,
        }
    }

    fn header(&self) -> io::Result<Option<[u8; HEADER_BYTES]>> {
        let mut header = [0; HEADER_BYTES];
        match pread(&self.0, &mut header, 0)? {
            0 => Ok(None),
            HEADER_BYTES => Ok(Some(header)),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::connect;
    use super::*;

    struct World {
        _folder: tempfile::TempDir,
        log: Log,
        writer: Connection,
        reader: Connection,
    }

    fn world() -> World {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let writer = connect::first(&path).unwrap();
        writer.execute_batch("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)").unwrap();
        let reader = connect::visitor(&path).unwrap();
        World { log: Log::open(&path).unwrap(), _folder: folder, writer, reader }
    }

    impl World {
        fn mark(&self) -> Mark {
            self.log.mark(&self.reader).unwrap()
        }

        fn write(&self) {
            self.writer.execute_batch("UPDATE t SET n = n + 1").unwrap();
        }

        fn checkpoint(&self, mode: &str) {
            let sql = format!("PRAGMA wal_checkpoint({mode})");
            let busy = self.writer.query_row(&sql, [], |row| row.get::<_, i64>(0));
            assert_eq!(busy.unwrap(), 0, "{mode}");
        }
    }

    #[test]
    fn a_commit_moves_the_end() {
        let world = world();
        for _ in 0..3 {
            let mark = world.mark();
            assert!(world.log.ends_at(&mark) && world.log.ends_at(&mark));
            world.write();
            assert!(!world.log.ends_at(&mark));
        }
    }

    #[test]
    fn a_log_that_begins_anew_is_another() {
        for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
            let world = world();
            for _ in 0..5 {
                world.write();
            }
            let mark = world.mark();
            world.checkpoint(mode);
            // As many frames as before, or fewer: neither length nor place would tell.
            for _ in 0..6 {
                world.write();
                assert!(!world.log.ends_at(&mark), "{mode}");
            }
            let mark = world.mark();
            assert!(world.log.ends_at(&mark), "{mode}");
            world.write();
            assert!(!world.log.ends_at(&mark), "{mode}");
        }
    }

    #[test]
    fn an_empty_log_ends_where_it_begins() {
        let world = world();
        world.checkpoint("TRUNCATE");
        let mark = world.mark();
        assert_eq!(mark, Mark { header: None, next_at: 0 });
        assert!(world.log.ends_at(&mark));
        world.write();
        assert!(!world.log.ends_at(&mark));
    }

    #[test]
    fn where_old_frames_stand_behind_the_end_a_commit_is_seen() {
        let world = world();
        for _ in 0..9 {
            world.write();
        }
        world.checkpoint("FULL");
        world.write();
        let mark = world.mark();
        assert!(world.log.ends_at(&mark), "what stands behind it is of the last round");
        world.write();
        assert!(!world.log.ends_at(&mark));
    }
}
