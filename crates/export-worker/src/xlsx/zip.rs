//! Writer for the ZIP archive of a workbook. It only writes forward and can be resumed: after a
//! full flush, a new deflate stream can continue the previous one.
//!
//! Sizes are written after each entry and in the directory. ZIP64 is not supported: an archive that
//! needs it fails at the end.

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, Status};
use serde::{Deserialize, Serialize};

/// Sizes follow the content; names are in UTF-8.
const FLAGS: u16 = 1 << 3 | 1 << 11;
const VERSION: u16 = 20;
const DEFLATED: u16 = 8;
/// 1 January 1980, the earliest date that ZIP supports. A constant date makes the bytes
/// reproducible.
const DOS_DATE: u16 = 1 << 5 | 1;
/// Output buffer that is reserved at once, in bytes.
const OUTPUT_RESERVE_BYTES: usize = 32 << 10;
/// Compression level, up to 9. Sheets are so repetitive that a higher level gains little and costs
/// much.
const COMPRESSION_LEVEL: u32 = 3;

/// Archive that is being written.
#[derive(Default)]
pub(super) struct Archive {
    output: Vec<u8>,
    /// Number of bytes that were already taken from `output`.
    taken_bytes: u64,
    entries: Vec<Entry>,
    open: Option<OpenEntry>,
}

/// State that is needed to resume an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArchiveState {
    #[serde(rename = "taken")]
    taken_bytes: u64,
    entries: Vec<Entry>,
    open: Option<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    name: String,
    offset: u64,
    crc: u32,
    size: u64,
    packed: u64,
}

struct OpenEntry {
    entry: Entry,
    hasher: Hasher,
    deflate: Compress,
}

impl OpenEntry {
    fn new(entry: Entry) -> Self {
        let hasher = Hasher::new_with_initial_len(entry.crc, entry.size);
        Self { entry, hasher, deflate: Compress::new(Compression::new(COMPRESSION_LEVEL), false) }
    }

    fn push(&mut self, mut bytes: &[u8], output: &mut Vec<u8>, flush: FlushCompress) {
        self.hasher.update(bytes);
        self.entry.size += bytes.len() as u64;
        loop {
            output.reserve(OUTPUT_RESERVE_BYTES);
            let read = self.deflate.total_in();
            let capacity = output.capacity();
            let start = output.len();
            let status = self.deflate.compress_vec(bytes, output, flush);
            let read = usize::try_from(self.deflate.total_in() - read).unwrap_or_default();
            bytes = &bytes[read..];
            self.entry.packed += (output.len() - start) as u64;
            let is_full = output.len() == capacity;
            match status {
                // Our own stream causes no errors; a missing end would show in the size.
                Ok(Status::StreamEnd) | Err(_) => return,
                Ok(_) if bytes.is_empty() && !is_full && flush != FlushCompress::Finish => return,
                Ok(_) => {}
            }
        }
    }
}

impl Archive {
    pub(super) fn resume(state: ArchiveState) -> Self {
        let ArchiveState { taken_bytes, entries, open } = state;
        Self { output: Vec::new(), taken_bytes, entries, open: open.map(OpenEntry::new) }
    }

    /// Flushes all bytes, and returns the state after them.
    pub(super) fn save_state(&mut self) -> ArchiveState {
        if let Some(open) = &mut self.open {
            open.push(&[], &mut self.output, FlushCompress::Full);
            open.entry.crc = open.hasher.clone().finalize();
        }
        let open = self.open.as_ref().map(|open| open.entry.clone());
        // A resumed archive starts a new stream. Start one here too, so that both write the same
        // bytes.
        self.open = open.clone().map(OpenEntry::new);
        ArchiveState { taken_bytes: self.byte_offset(), entries: self.entries.clone(), open }
    }

    fn byte_offset(&self) -> u64 {
        self.taken_bytes + self.output.len() as u64
    }

    pub(super) fn take(&mut self) -> Vec<u8> {
        self.taken_bytes = self.byte_offset();
        std::mem::take(&mut self.output)
    }

    /// Returns the size of the open entry before compression.
    pub(super) fn entry_bytes(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.entry.size)
    }

    pub(super) fn begin_entry(&mut self, name: &str) {
        let name = name.to_owned();
        let offset = self.byte_offset();
        let entry = Entry { name, offset, crc: 0, size: 0, packed: 0 };
        self.output.extend_from_slice(b"PK\x03\x04");
        self.write_shared_fields(&entry, false);
        self.output.extend_from_slice(entry.name.as_bytes());
        self.open = Some(OpenEntry::new(entry));
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        if let Some(open) = &mut self.open {
            open.push(bytes, &mut self.output, FlushCompress::None);
        }
    }

    pub(super) fn end_entry(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        open.push(&[], &mut self.output, FlushCompress::Finish);
        open.entry.crc = open.hasher.finalize();
        self.output.extend_from_slice(b"PK\x07\x08");
        self.write_sizes(&open.entry);
        self.entries.push(open.entry);
    }

    /// Writes the fields that an entry has both before its content and in the directory, from the
    /// version on.
    fn write_shared_fields(&mut self, entry: &Entry, is_known: bool) {
        for word in [VERSION, FLAGS, DEFLATED, 0, DOS_DATE] {
            self.output.extend_from_slice(&word.to_le_bytes());
        }
        if is_known {
            self.write_sizes(entry);
        } else {
            self.output.extend_from_slice(&[0; 12]);
        }
        let name = u16::try_from(entry.name.len()).unwrap_or_default();
        self.output.extend_from_slice(&name.to_le_bytes());
        self.output.extend_from_slice(&[0; 2]);
    }

    fn write_sizes(&mut self, entry: &Entry) {
        for value in [u64::from(entry.crc), entry.packed, entry.size] {
            self.output.extend_from_slice(&value.to_le_bytes()[..4]);
        }
    }

    /// Writes the directory and returns the last bytes; `None` if a size exceeds 32 bits.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        let begin = self.byte_offset();
        let count = u16::try_from(self.entries.len()).ok()?;
        for entry in std::mem::take(&mut self.entries) {
            if entry.size.max(entry.packed) > u64::from(u32::MAX) {
                return None;
            }
            self.output.extend_from_slice(b"PK\x01\x02");
            self.output.extend_from_slice(&VERSION.to_le_bytes());
            self.write_shared_fields(&entry, true);
            // No comment, first disk, no attributes.
            self.output.extend_from_slice(&[0; 10]);
            self.output.extend_from_slice(&u32::try_from(entry.offset).ok()?.to_le_bytes());
            self.output.extend_from_slice(entry.name.as_bytes());
        }
        let begin = u32::try_from(begin).ok()?;
        let end = u32::try_from(self.byte_offset()).ok()?;
        self.output.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        for _ in 0..2 {
            self.output.extend_from_slice(&count.to_le_bytes());
        }
        self.output.extend_from_slice(&(end - begin).to_le_bytes());
        self.output.extend_from_slice(&begin.to_le_bytes());
        self.output.extend_from_slice(&[0; 2]);
        Some(self.output)
    }
}
