//! Overwrites the copies of deleted rows that SQLite leaves inside pages.
//!
//! When SQLite splits a page, moved rows remain as unused bytes: in the gap between a page's cell
//! pointers and its cells. `secure_delete` overwrites a row in its current location only, and
//! misses these copies. So after deletions, every page is read, some per transaction, and gaps with
//! data are overwritten. Live data does not change, and every change goes through SQLite's log, so
//! a crash is harmless.

use super::connect;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// Number of pages per transaction, which takes one or two milliseconds.
pub(super) const PAGES_PER_STEP: u32 = 128;
/// Last page that is scrubbed. From here on, the first byte of an overflow or free-list page, which
/// starts with a page number, could equal the type byte of a B-tree page.
const PAGES_MAX: u32 = 2 << 24;

const HEADER_BYTES: usize = 100;
const INTERIOR_PAGE_TYPES: [u8; 2] = [2, 5];
const LEAF_PAGE_TYPES: [u8; 2] = [10, 13];

/// One pass over all pages of a file.
pub(super) struct ScrubPass {
    conn: Connection,
    next: u32,
    /// Number of pages that contained leftover data.
    pub(super) pages_cleaned: u64,
}

impl ScrubPass {
    /// Starts a pass.
    pub(super) fn new(database: &Path) -> rusqlite::Result<Self> {
        Ok(Self { conn: connect::open_scrubber(database)?, next: 1, pages_cleaned: 0 })
    }

    /// Scrubs the next pages; returns whether there are more.
    pub(super) fn scrub_next_pages(&mut self) -> rusqlite::Result<bool> {
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let count: u32 = tx.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let end = self.next.saturating_add(PAGES_PER_STEP).min(count.min(PAGES_MAX) + 1);
        {
            let mut read = tx.prepare_cached("SELECT data FROM sqlite_dbpage WHERE pgno = ?")?;
            let mut write =
                tx.prepare_cached("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?")?;
            for page in self.next..end {
                let mut bytes: Vec<u8> = read.query_row([page], |row| row.get(0))?;
                if scrub_page(&mut bytes, if page == 1 { HEADER_BYTES } else { 0 }) {
                    write.execute((&bytes, page))?;
                    self.pages_cleaned += 1;
                }
            }
        }
        tx.commit()?;
        self.next = end;
        Ok(end <= count.min(PAGES_MAX))
    }
}

/// Overwrites the gaps of a B-tree page; returns whether they contained data. Does not change other
/// pages, nor a page with an invalid structure.
fn scrub_page(page: &mut [u8], header: usize) -> bool {
    find_gaps(page, header).is_some_and(|gaps| {
        let mut found = false;
        for (from, to) in gaps {
            let Some(gap) = page.get_mut(from..to) else { continue };
            if gap.iter().any(|byte| *byte != 0) {
                gap.fill(0);
                found = true;
            }
        }
        found
    })
}

/// Returns the unused ranges of a page, as defined by SQLite's file format: between the cell
/// pointers and the first cell, and in each free block after its four-byte header. Returns `None`
/// if the page is not a valid B-tree page.
fn find_gaps(page: &[u8], header: usize) -> Option<Vec<(usize, usize)>> {
    let number = |at: usize| {
        let bytes = page.get(at..at + 2)?;
        Some(usize::from(u16::from_be_bytes([bytes[0], bytes[1]])))
    };
    let kind = page.get(header)?;
    let head_bytes = match kind {
        kind if LEAF_PAGE_TYPES.contains(kind) => 8,
        kind if INTERIOR_PAGE_TYPES.contains(kind) => 12,
        _ => return None,
    };
    let rows = number(header + 3)?;
    let list_end = header + head_bytes + 2 * rows;
    // The file format stores 65,536 as 0.
    let rows_begin = match number(header + 5)? {
        0 => 65_536,
        begin => begin,
    };
    if list_end > rows_begin || rows_begin > page.len() {
        return None;
    }
    let mut gaps = vec![(list_end, rows_begin)];
    let mut block = number(header + 1)?;
    while block != 0 {
        let next = number(block)?;
        let length = number(block + 2)?;
        let is_sound = block >= rows_begin && length >= 4 && block + length <= page.len();
        if !is_sound || (next != 0 && next < block + length) {
            return None;
        }
        gaps.push((block + 4, block + length));
        block = next;
    }
    Some(gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(kind: u8) -> Vec<u8> {
        let mut page = vec![0xee; 512];
        // One row at 400, a free block of 20 bytes at 420, and more row data after it.
        page[..8].copy_from_slice(&[
            kind,
            420_u16.to_be_bytes()[0],
            420_u16.to_be_bytes()[1],
            0,
            1,
            1,
            0x90,
            0,
        ]);
        page[420..424].copy_from_slice(&[0, 0, 0, 20]);
        page
    }

    #[test]
    fn only_gaps_are_overwritten() {
        let mut leaf = page(10);
        assert!(scrub_page(&mut leaf, 0));
        let is_retained = |at: usize| !(10..400).contains(&at) && !(424..440).contains(&at);
        let before = page(10);
        for at in 0..512 {
            assert_eq!(leaf[at], if is_retained(at) { before[at] } else { 0 }, "byte {at}");
        }
        assert!(!scrub_page(&mut leaf, 0), "a second run changed the page");
        let mut interior = page(5);
        assert!(scrub_page(&mut interior, 0));
        assert_eq!((interior[13], interior[14]), (0xee, 0), "an interior header has 12 bytes");
    }

    #[test]
    fn invalid_page_is_unchanged() {
        let check = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut page = page(13);
            change(&mut page);
            let before = page.clone();
            assert!(!scrub_page(&mut page, 0));
            assert_eq!(page, before);
        };
        check(&|page| page[0] = 0);
        check(&|page| page[0] = 7);
        check(&|page| page[3] = 0x7f);
        check(&|page| page[5] = 0x7f);
        check(&|page| page[422] = 0x7f);
        check(&|page| page[420] = 1);
        check(&|page| page.truncate(421));
        check(&Vec::clear);
    }
}
