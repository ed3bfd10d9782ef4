//! Sorts the rows of a file by time before they are inserted.
//!
//! The B-trees of the store are ordered by time. Rows in this order fill page after page; rows in
//! another order touch pages all over the trees and leave them half empty. The pass that checks a
//! file therefore records the position of each row, and the pass that inserts reads the rows in
//! sorted order. This module does not interpret the rows.

use contract::Timestamp;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of rows to sort, which takes 160 MB of memory. Longer files are inserted in their
/// own order.
pub(super) const SORTED_ROWS_MAX: usize = 10_000_000;
/// Bits for the length of a row, and for its offset in the file.
const LENGTH_BITS: u32 = 24;
const OFFSET_BITS: u32 = 64 - LENGTH_BITS;

/// Position of a row: its timestamp, then its offset and length in one number. Rows with the same
/// timestamp keep the order of the file.
type RowKey = (i64, u64);

/// Positions of the rows, recorded in the order of the file.
#[derive(Debug)]
pub(super) struct RowPositions {
    /// `None` if the file is too large to be sorted.
    positions: Option<Vec<RowKey>>,
    rows: i64,
    is_ascending: bool,
    rows_max: usize,
}

impl RowPositions {
    pub(super) fn new(rows_max: usize) -> Self {
        Self { positions: Some(Vec::new()), rows: 0, is_ascending: true, rows_max }
    }

    /// Records the next row with its byte range. Rows without a timestamp are inserted after all
    /// others, the last of the file first: each gets a timestamp before that of the row above it.
    pub(super) fn record(&mut self, at: Option<Timestamp>, bytes: &Range<u64>) {
        // The key `i64::MAX - row` sorts after every timestamp, in descending order of rows.
        let instant = at.map_or(i64::MAX - self.rows, Timestamp::micros);
        self.rows += 1;
        let Some(positions) = &mut self.positions else { return };
        match pack_range(bytes).filter(|_| positions.len() < self.rows_max) {
            Some(packed) => {
                self.is_ascending &= positions.last().is_none_or(|(last, _)| *last <= instant);
                positions.push((instant, packed));
            }
            None => self.positions = None,
        }
    }

    /// Returns the sorted rows; `None` to insert in the order of the file.
    pub(super) fn into_sorted(self) -> Option<SortedRows> {
        let mut positions = self.positions.filter(|_| !self.is_ascending)?;
        let first = positions.iter().map(|(_, packed)| unpack_range(*packed).start).min()?;
        positions.sort_unstable();
        Some(SortedRows { header_bytes: first, positions: positions.into() })
    }
}

fn pack_range(bytes: &Range<u64>) -> Option<u64> {
    let length = bytes.end.checked_sub(bytes.start)?;
    let fits = bytes.start < 1 << OFFSET_BITS && length < 1 << LENGTH_BITS;
    fits.then_some(bytes.start << LENGTH_BITS | length)
}

fn unpack_range(packed: u64) -> Range<u64> {
    let start = packed >> LENGTH_BITS;
    start..start + (packed & ((1 << LENGTH_BITS) - 1))
}

/// Rows of a file, oldest first.
#[derive(Debug, Clone)]
pub(super) struct SortedRows {
    /// Number of bytes before the first row of the file.
    header_bytes: u64,
    positions: Arc<[RowKey]>,
}

impl SortedRows {
    /// Returns a reader of the header and the sorted rows, without the oldest `skipped` rows.
    pub(super) fn read<F: Read + Seek>(&self, file: F, skipped: u64) -> Reordered<F> {
        let next = usize::try_from(skipped).unwrap_or(usize::MAX);
        let head = Some(0..self.header_bytes);
        Reordered { file, sorted: self.clone(), head, next, part: Vec::new(), given: 0 }
    }

    /// Returns the number of rows above each row in the file, for rows without a timestamp.
    pub(super) fn rows_above(&self, skipped: u64) -> impl Iterator<Item = i64> + Send + use<> {
        let positions = Arc::clone(&self.positions);
        let first = usize::try_from(skipped).unwrap_or(usize::MAX);
        // Decodes the key of a row without a timestamp, as recorded by `RowPositions::record`.
        (first..positions.len()).map(move |at| i64::MAX.saturating_sub(positions[at].0))
    }
}

/// A reader of a file with its rows in another order.
pub(super) struct Reordered<F> {
    file: F,
    sorted: SortedRows,
    head: Option<Range<u64>>,
    next: usize,
    /// Bytes of the current row, and the number of bytes already returned.
    part: Vec<u8>,
    given: usize,
}

impl<F: Read + Seek> Reordered<F> {
    /// Returns the byte range of the header, then those of the rows.
    fn next_range(&mut self) -> Option<Range<u64>> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        let (_, packed) = self.sorted.positions.get(self.next)?;
        self.next += 1;
        Some(unpack_range(*packed))
    }

    /// Reads a range of the file. Adds a line end if the last row of the file has no line end.
    fn read_range(&mut self, bytes: &Range<u64>) -> io::Result<()> {
        let length = usize::try_from(bytes.end - bytes.start).map_err(io::Error::other)?;
        self.part.resize(length, 0);
        self.given = 0;
        self.file.seek(SeekFrom::Start(bytes.start))?;
        self.file.read_exact(&mut self.part)?;
        if !matches!(self.part.last(), None | Some(b'\n' | b'\r')) {
            self.part.push(b'\n');
        }
        Ok(())
    }
}

impl<F: Read + Seek> Read for Reordered<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.part.len() {
            let Some(bytes) = self.next_range() else { return Ok(0) };
            self.read_range(&bytes)?;
        }
        let count = buffer.len().min(self.part.len() - self.given);
        buffer[..count].copy_from_slice(&self.part[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn sorted(rows: &[(Option<i64>, Range<u64>)], rows_max: usize) -> Option<SortedRows> {
        let mut positions = RowPositions::new(rows_max);
        let at = |micros: i64| Timestamp::from_micros(micros).unwrap();
        for (micros, bytes) in rows {
            positions.record(micros.map(at), bytes);
        }
        positions.into_sorted()
    }

    fn read(file: &str, rows: &[(Option<i64>, Range<u64>)], skipped: u64) -> String {
        let mut text = String::new();
        let sorted = sorted(rows, 10).unwrap();
        sorted.read(Cursor::new(file), skipped).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn rows_are_sorted_after_header() {
        let rows = [(Some(2), 2..4), (Some(1), 4..6), (Some(2), 6..8), (Some(0), 8..9)];
        assert_eq!(read("h\na\nb\nc\nd", &rows, 0), "h\nd\nb\na\nc\n");
        assert_eq!(read("h\na\nb\nc\nd", &rows, 3), "h\nc\n");
        assert_eq!(read("h\na\nb\nc\nd", &rows, 4), "h\n");
    }

    #[test]
    fn rows_without_timestamp_are_last_and_reversed() {
        let rows = [(None, 0..2), (Some(1), 2..4), (None, 4..5)];
        assert_eq!(read("a\nb\nc", &rows, 0), "b\nc\na\n");
        let above: Vec<_> = sorted(&rows, 3).unwrap().rows_above(1).collect();
        assert_eq!(above, [2, 0]);
    }

    #[test]
    fn sorted_or_large_file_is_not_reordered() {
        assert!(sorted(&[(Some(1), 0..2), (Some(1), 2..4), (Some(3), 4..6)], 10).is_none());
        let two = [(Some(2), 0..2), (Some(1), 2..4)];
        assert!(sorted(&two, 2).is_some() && sorted(&two, 1).is_none());
        assert!(sorted(&[(Some(2), 0..2), (Some(1), 2..2 + (1 << 24))], 10).is_none());
        assert!(sorted(&[(Some(2), 1 << 40..1 << 40), (Some(1), 2..4)], 10).is_none());
        assert!(sorted(&[], 10).is_none());
    }
}
