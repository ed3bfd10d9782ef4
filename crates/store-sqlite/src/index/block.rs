//! A block of consecutive rows, with their texts in one buffer.

use super::IndexedRow;
use arrayvec::{ArrayVec, Drain};
use memchr::memmem::Finder;
use std::ops::ControlFlow;

/// Maximum number of rows per block.
pub(super) const ROWS_MAX: usize = 16;

/// Sort key of a row: the instant, then the id.
pub(super) type RowKey<'a> = (i64, &'a str);

/// Rows in ascending order.
#[derive(Debug, Default)]
pub(super) struct Block {
    text: Vec<u8>,
    text_ends: ArrayVec<u32, ROWS_MAX>,
    ats: ArrayVec<i64, ROWS_MAX>,
    /// Numbers of UTM values, as assigned by the form's `TextIndex`.
    utms: ArrayVec<u16, ROWS_MAX>,
    ids: String,
    id_ends: ArrayVec<u32, ROWS_MAX>,
}

impl Block {
    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.ats.len()
    }

    /// Returns the key of a row.
    pub(super) fn key(&self, row: usize) -> RowKey<'_> {
        let (from, to) = byte_range(&self.id_ends, row);
        (self.ats[row], &self.ids[from..to])
    }

    /// Returns the instant of a row.
    pub(super) fn at(&self, row: usize) -> i64 {
        self.ats[row]
    }

    /// Returns the number of a row's UTM values.
    pub(super) fn utm(&self, row: usize) -> u16 {
        self.utms[row]
    }

    /// Returns the text of a row.
    pub(super) fn text(&self, row: usize) -> &[u8] {
        let (from, to) = byte_range(&self.text_ends, row);
        &self.text[from..to]
    }

    /// Returns the text of all rows.
    pub(super) fn all_text(&self) -> &[u8] {
        &self.text
    }

    /// Finds a row: `Ok` with its index, or `Err` with the index where to insert it.
    pub(super) fn find(&self, place: RowKey<'_>) -> Result<usize, usize> {
        let at = self.ats.partition_point(|at| *at < place.0);
        let mut row = at;
        while row < self.len() && self.key(row) < place {
            row += 1;
        }
        if row < self.len() && self.key(row) == place { Ok(row) } else { Err(row) }
    }

    /// Inserts a row at the index that [`Block::find`] returned.
    pub(super) fn insert(&mut self, row: usize, new_row: &IndexedRow, utm: u16) {
        self.ats.insert(row, new_row.at);
        self.utms.insert(row, utm);
        let from = byte_range(&self.id_ends, row).0;
        self.ids.insert_str(from, &new_row.id);
        insert_end(&mut self.id_ends, row, new_row.id.len());
        let from = byte_range(&self.text_ends, row).0;
        self.text.splice(from..from, new_row.text.iter().copied());
        insert_end(&mut self.text_ends, row, new_row.text.len());
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, row: usize) {
        self.ats.remove(row);
        self.utms.remove(row);
        let (from, to) = byte_range(&self.id_ends, row);
        self.ids.replace_range(from..to, "");
        remove_end(&mut self.id_ends, row, to - from);
        let (from, to) = byte_range(&self.text_ends, row);
        self.text.drain(from..to);
        remove_end(&mut self.text_ends, row, to - from);
    }

    /// Splits off the upper half of the rows into a new block.
    pub(super) fn split(&mut self) -> Self {
        let half = self.len() / 2;
        let ids = byte_range(&self.id_ends, half).0;
        let text = byte_range(&self.text_ends, half).0;
        let shift_ends =
            |ends: Drain<'_, u32, ROWS_MAX>, by| ends.map(|end| end - to_u32(by)).collect();
        let upper = Self {
            text: self.text.split_off(text),
            text_ends: shift_ends(self.text_ends.drain(half..), text),
            ats: self.ats.drain(half..).collect(),
            utms: self.utms.drain(half..).collect(),
            ids: self.ids.split_off(ids),
            id_ends: shift_ends(self.id_ends.drain(half..), ids),
        };
        self.shrink();
        upper
    }

    /// Releases unused capacity.
    pub(super) fn shrink(&mut self) {
        self.ids.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    /// Calls `visit` with the index of each row that contains the needle, in ascending order.
    pub(super) fn for_each_match(
        &self,
        finder: &Finder<'_>,
        mut visit: impl FnMut(usize) -> ControlFlow<()>,
    ) {
        let mut from = 0;
        let mut row = 0;
        // After a match, the search continues with the next row.
        while let Some(found) = self.text.get(from..).and_then(|rest| finder.find(rest)) {
            let found = to_u32(from + found);
            while self.text_ends[row] <= found {
                row += 1;
            }
            if visit(row).is_break() {
                return;
            }
            from = self.text_ends[row] as usize;
            row += 1;
        }
    }

    /// Returns the heap bytes of the block.
    pub(super) fn bytes(&self) -> usize {
        self.ids.capacity() + self.text.capacity()
    }
}

/// Returns the byte range of a row, given the end offsets of all rows. `row` may be one past the
/// last.
fn byte_range(ends: &[u32], row: usize) -> (usize, usize) {
    let from = row.checked_sub(1).map_or(0, |before| ends[before]);
    (from as usize, ends.get(row).map_or(from, |end| *end) as usize)
}

fn insert_end(ends: &mut ArrayVec<u32, ROWS_MAX>, row: usize, length: usize) {
    let from = byte_range(ends, row).0;
    ends.insert(row, to_u32(from));
    ends[row..].iter_mut().for_each(|end| *end += to_u32(length));
}

fn remove_end(ends: &mut ArrayVec<u32, ROWS_MAX>, row: usize, length: usize) {
    ends.remove(row);
    ends[row..].iter_mut().for_each(|end| *end -= to_u32(length));
}

/// Converts a length. A block is far shorter than 4 GiB, because answers have a maximum length.
fn to_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
