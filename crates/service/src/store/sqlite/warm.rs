//! The file in the system's memory, read once and in its order.
//!
//! What is written piece by piece lies there in pieces of 4 KiB, and whoever reads at random waits
//! for each to be found: for the fault that maps it, again after every commit, and for the tables
//! that lead to it. What is read from the disk in order comes in pieces of up to 2 MiB where the
//! system can, and each of these is mapped at once. So a server that begins gives back what lies
//! there of a large file, and reads it anew: beside all else, a stretch at a time.

use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::io::Result;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Instant;

/// Smaller files are mapped in little time, however they lie.
const FILE_BYTES_MIN: u64 = 64 << 20;
/// What is given back at once, so that nearly all of the file can be read meanwhile.
const STRETCH_BYTES: u64 = 64 << 20;
/// What is read at once: less, and the system would read ahead in smaller pieces.
const READ_BYTES: usize = 2 << 20;
/// The part of the memory that is free for it, beyond which a file is left alone: it would not
/// stay, and other files would go.
const MEMORY_PART: u64 = 2;

/// Reads a large file into the memory where it has room, and says so in the log.
pub(super) fn warm(path: &Path) {
    let begin = Instant::now();
    match available_bytes().map_or(Ok(0), |room| read_anew(path, room / MEMORY_PART)) {
        Ok(0) => {}
        Ok(bytes) => {
            let (megabytes, ms) = (bytes >> 20, begin.elapsed().as_millis());
            tracing::info!(megabytes, ms, "the database was read into memory, in its order");
        }
        Err(error) => tracing::warn!(%error, "the database was not read into memory in advance"),
    }
}

/// Reads a file anew whose length lies between the least that is worth it and `bytes_max`, and
/// returns how much was read: 0 where it does not.
fn read_anew(path: &Path, bytes_max: u64) -> Result<u64> {
    // Never closed: with any descriptor of a file that is closed go all locks that the process has
    // on it, those of SQLite among them.
    let file = ManuallyDrop::new(File::open(path)?);
    let length = file.metadata()?.len();
    if length < FILE_BYTES_MIN || length > bytes_max {
        return Ok(0);
    }
    let give_back = |from| fadvise(&*file, from, NonZeroU64::new(STRETCH_BYTES), Advice::DontNeed);
    give_back(0)?;
    let (mut read, mut piece) = (0, vec![0; READ_BYTES]);
    loop {
        if read % STRETCH_BYTES == 0 {
            // One stretch before it is read: the system reads ahead into it.
            give_back(read + STRETCH_BYTES)?;
        }
        match file.read_at(&mut piece, read)? {
            0 => return Ok(read),
            count => read += count as u64,
        }
    }
}

/// What the system could give without taking it from somebody who uses it; `None` where it does
/// not say.
fn available_bytes() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_read_to_its_end_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let length = FILE_BYTES_MIN + STRETCH_BYTES / 2 + 3;
        let file = File::create(&path).unwrap();
        file.set_len(length).unwrap();
        file.write_all_at(b"end", length - 3).unwrap();
        let read = |bytes_max| read_anew(&path, bytes_max).unwrap();
        assert_eq!((read(length - 1), read(length)), (0, length));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
        assert_eq!(&std::fs::read(&path).unwrap()[usize::try_from(length - 3).unwrap()..], b"end");
    }

    #[test]
    fn a_small_file_is_left_alone_and_a_missing_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(read_anew(&path, u64::MAX).is_err());
        std::fs::write(&path, "small").unwrap();
        assert_eq!(read_anew(&path, u64::MAX).unwrap(), 0);
    }

    #[test]
    fn the_system_says_how_much_memory_there_is() {
        assert!(available_bytes().unwrap() > 1 << 20);
    }
}
