//! Known pages of the list, by the index of their first row. Rows far from view are evicted; the
//! start of their page stays, so that it can be fetched again. If pages contradict each other, the
//! list has changed on the server, and the latest response is right.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp};

use super::PageStart;

/// Maximum number of known pages. Beyond it, the farthest page is dropped and later found by date.
const PAGES_MAX: usize = 16_384;

/// A known page. It covers contiguous rows from `start` on.
#[derive(Debug, Clone)]
pub(super) struct KnownPage {
    /// Index of its first row.
    pub(super) start: usize,
    /// Number of rows that count: the page ends where the next one begins.
    pub(super) len: usize,
    /// Number of rows in its response, less removed ones; `next` begins after them.
    pub(super) response_len: usize,
    /// Its rows; `None` if they were evicted.
    pub(super) rows: Option<Vec<Arc<Submission>>>,
    /// Start to fetch it again; `None` if the server refuses that cursor and only dates lead there.
    pub(super) source: Option<PageStart>,
    /// Start of the next page: a cursor with the filter that this page was requested with.
    pub(super) next: Option<PageStart>,
    /// Key of its first row.
    pub(super) first_key: (Timestamp, SubmissionId),
    /// Key of the last row that counts, or of the last row of the response if the page was cut
    /// after its rows were evicted.
    pub(super) last_key: (Timestamp, SubmissionId),
}

impl KnownPage {
    pub(super) fn end(&self) -> usize {
        self.start + self.len
    }

    /// Returns the index and the start of the next page.
    pub(super) fn next_start(&self) -> Option<(usize, PageStart)> {
        Some((self.start + self.response_len, self.next.clone()?))
    }

    /// Returns a start that leads towards the row `index`, and the index it leads to: the start of
    /// this page, or an instant derived from its first or last row.
    pub(super) fn start_towards(&self, index: usize) -> (usize, PageStart) {
        match &self.source {
            Some(source) => (self.start, source.clone()),
            None if index < self.end() => {
                (self.start, PageStart::Before(super::next_instant(self.first_key.0)))
            }
            None => (self.end() - 1, PageStart::Before(super::next_instant(self.last_key.0))),
        }
    }

    fn position(&self, id: &SubmissionId) -> Option<usize> {
        let offset = self.rows.as_ref()?.iter().position(|row| row.id == *id)?;
        Some(self.start + offset)
    }

    /// Returns whether both pages can contain the same row: their time ranges overlap.
    fn overlaps(&self, other: &Self) -> bool {
        self.last_key.0 <= other.first_key.0 && other.last_key.0 <= self.first_key.0
    }

    /// Whether its rows are loaded, or can be fetched again.
    fn is_reachable(&self) -> bool {
        self.rows.is_some() || self.source.is_some()
    }

    fn truncate(&mut self, end: usize) {
        self.len = self.len.min(end.saturating_sub(self.start));
        // Without truncation `last_key` stays, even if that row has been removed since.
        if let Some(rows) = self.rows.as_mut().filter(|rows| rows.len() > self.len) {
            rows.truncate(self.len);
            if let Some(last) = rows.last() {
                self.last_key = super::row_key(last);
            }
        }
    }
}

/// The known pages, ordered by start and without overlaps.
#[derive(Debug, Default)]
pub(super) struct KnownPages(Vec<KnownPage>);

impl KnownPages {
    pub(super) fn iter(&self) -> impl Iterator<Item = &KnownPage> {
        self.0.iter()
    }

    /// Returns the last page that begins at or before `index`.
    pub(super) fn page_at(&self, index: usize) -> Option<&KnownPage> {
        let behind = self.0.partition_point(|piece| piece.start <= index);
        behind.checked_sub(1).map(|slot| &self.0[slot])
    }

    /// Returns the first page that begins after `index`.
    pub(super) fn page_after(&self, index: usize) -> Option<&KnownPage> {
        self.0.get(self.0.partition_point(|piece| piece.start <= index))
    }

    pub(super) fn row(&self, index: usize) -> Option<&Arc<Submission>> {
        let piece = self.page_at(index)?;
        piece.rows.as_ref()?.get(index - piece.start)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &Arc<Submission>)> {
        self.0.iter().flat_map(|piece| {
            piece.rows.iter().flatten().enumerate().map(|(offset, row)| (piece.start + offset, row))
        })
    }

    pub(super) fn position(&self, id: &SubmissionId) -> Option<usize> {
        self.0.iter().find_map(|piece| piece.position(id))
    }

    /// Inserts a page after aligning it with the loaded ones. Returns the first index of the pages
    /// that moved, and by how many rows they moved.
    pub(super) fn insert(&mut self, mut new: KnownPage) -> (usize, isize) {
        let shift = self.align_rows(&mut new);
        self.drop_contradictions(&new);
        let slot = self.0.partition_point(|piece| piece.start < new.start);
        if let Some(before) = slot.checked_sub(1).map(|slot| &mut self.0[slot]) {
            // A loaded page covers the new one completely.
            if before.rows.is_some() && before.end() >= new.start + new.len {
                return shift;
            }
            before.truncate(new.start);
        }
        let end = new.start + new.len;
        // Pages that the new one covers completely are redundant.
        self.0.retain(|piece| piece.start < new.start || piece.end() > end);
        if let Some(existing) = self.0.get(slot).filter(|piece| piece.start == new.start) {
            if existing.rows.is_some() {
                return shift;
            }
            self.0.remove(slot);
        }
        if let Some(behind) = self.0.get(slot) {
            new.truncate(behind.start);
        }
        self.0.insert(slot, new);
        shift
    }

    /// Aligns the index of a row that the new page shares with a loaded one: the page that begins
    /// later moves, along with all pages after it. Returns the first index that moved, and by how
    /// many rows.
    fn align_rows(&mut self, new: &mut KnownPage) -> (usize, isize) {
        // Compare rows only of pages that overlap in time: most pages overlap with no other.
        let overlapping: Vec<_> = self.0.iter().filter(|piece| piece.overlaps(new)).collect();
        let shared = new.rows.iter().flatten().enumerate().find_map(|(offset, row)| {
            let index = overlapping.iter().find_map(|piece| piece.position(&row.id))?;
            Some((new.start + offset, index))
        });
        let Some((old_index, new_index)) =
            shared.filter(|(old_index, new_index)| old_index != new_index)
        else {
            return (usize::MAX, 0);
        };
        let page_start = self.page_at(new_index).map_or(0, |piece| piece.start);
        let by = old_index.cast_signed() - new_index.cast_signed();
        match page_start.cmp(&new.start) {
            Ordering::Greater => {
                self.shift_pages(page_start, by);
                (page_start, by)
            }
            Ordering::Less => {
                self.shift_pages(page_start + 1, -by);
                new.start = new.start.saturating_add_signed(-by);
                (page_start + 1, -by)
            }
            Ordering::Equal => (usize::MAX, 0),
        }
    }

    /// Moves every page that begins at `start` or later by `by` rows. If two pages would then begin
    /// in the wrong order, the earlier one is dropped.
    pub(super) fn shift_pages(&mut self, start: usize, by: isize) {
        for piece in self.0.iter_mut().filter(|piece| piece.start >= start) {
            piece.start = piece.start.saturating_add_signed(by);
        }
        let mut first = usize::MAX;
        for slot in (0..self.0.len()).rev() {
            if self.0[slot].start >= first {
                self.0.remove(slot);
            } else {
                self.0[slot].truncate(first);
                first = self.0[slot].start;
            }
        }
        self.0.retain(|piece| piece.len > 0);
    }

    /// Drops loaded pages that have a row of `new` at another index, or another row at the same
    /// index.
    fn drop_contradictions(&mut self, new: &KnownPage) {
        let Some(rows) = &new.rows else { return };
        let end = new.start + rows.len();
        self.0.retain(|piece| {
            let is_apart = piece.end() <= new.start || piece.start >= end;
            if is_apart && !piece.overlaps(new) {
                return true;
            }
            piece.rows.iter().flatten().enumerate().all(|(offset, row)| {
                let index = piece.start + offset;
                match index.checked_sub(new.start).and_then(|offset| rows.get(offset)) {
                    Some(known) => known.id == row.id,
                    None => rows.iter().all(|other| other.id != row.id),
                }
            })
        });
    }

    /// Removes a row, and returns whether the list of `total` rows had it. If the row is not
    /// loaded, its key determines the pages after it.
    pub(super) fn remove(&mut self, key: &(Timestamp, SubmissionId), total: usize) -> bool {
        let loaded = self.position(&key.1);
        let after = match loaded {
            Some(index) => self.0.partition_point(|piece| piece.start <= index),
            None => self.0.partition_point(|piece| piece.first_key >= *key),
        };
        let next_start = self.0.get(after).map_or(total, |next| next.start);
        let mut piece = after.checked_sub(1).map(|slot| &mut self.0[slot]);
        let end = piece.as_ref().map_or(0, |piece| piece.end());
        // A loaded page without the row never contained it.
        let is_inside = |piece: &KnownPage| piece.rows.is_none() && piece.last_key <= *key;
        if let Some(piece) = piece.as_mut().filter(|piece| loaded.is_some() || is_inside(piece)) {
            if let (Some(index), Some(rows)) = (loaded, &mut piece.rows) {
                rows.remove(index - piece.start);
            }
            piece.len = piece.len.saturating_sub(1);
            piece.response_len = piece.response_len.saturating_sub(1);
        } else if end >= next_start {
            // No row is missing here: another client removed this one before its page was loaded.
            return false;
        }
        for piece in &mut self.0[after..] {
            piece.start = piece.start.saturating_sub(1);
        }
        self.0.retain(|piece| piece.len > 0);
        true
    }

    /// Evicts the rows of pages outside of `retained`, and drops the farthest pages over the
    /// maximum.
    pub(super) fn evict(&mut self, retained: &Range<usize>) {
        for piece in &mut self.0 {
            if piece.end() <= retained.start || piece.start >= retained.end {
                piece.rows = None;
            }
        }
        self.0.retain(KnownPage::is_reachable);
        while self.0.len() > PAGES_MAX {
            let last = self.0.len() - 1;
            let before = retained.start.saturating_sub(self.0[0].end());
            let is_far = self.0[last].start.saturating_sub(retained.end) > before;
            self.0.remove(if is_far { last } else { 0 });
        }
    }

    /// Drops all cursors. Pages that are neither loaded nor reachable by date are dropped too.
    pub(super) fn drop_cursors(&mut self) {
        for piece in &mut self.0 {
            piece.next = None;
            piece.source.take_if(|start| matches!(start, PageStart::After { .. }));
        }
        self.0.retain(KnownPage::is_reachable);
    }

    /// Drops everything after the end of the list.
    pub(super) fn truncate_list(&mut self, total: usize) {
        self.0.retain(|piece| piece.start < total);
        if let Some(last) = self.0.last_mut() {
            last.truncate(total);
        }
    }
}
