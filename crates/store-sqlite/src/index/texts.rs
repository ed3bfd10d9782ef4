//! The searched texts of a form in memory, in list order.
//!
//! Rows are stored in blocks. A signature selects the blocks that may contain the needle, and these
//! are searched. Counts are cached and updated by every change, so the next page of the same search
//! is not counted again.

use super::block::{Block, ROWS_MAX, RowKey};
use super::signature::Signature;
use super::text_search::TextSearch;
use super::{ApplyChange, Change, IndexedRow, TextQuery, UtmValues};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum number of cached counts.
const COUNTS_MAX: usize = 64;
/// Maximum number of blocks without a signature. Up to here, searching all blocks is as fast as a
/// signature, which needs more memory.
const UNSIGNED_BLOCKS_MAX: usize = 1024;

/// The texts of one form.
#[derive(Debug, Default)]
pub(crate) struct TextIndex {
    pub(super) blocks: Vec<Block>,
    /// Indexes of the non-empty blocks, in the order of their rows.
    pub(super) order: Vec<usize>,
    free: Vec<usize>,
    pub(super) signature: Signature,
    pub(super) utms: Vec<UtmValues>,
    utm_numbers: HashMap<UtmValues, u16>,
    bytes: usize,
    counts: Mutex<Vec<(TextQuery, u64)>>,
    /// A row could not be added, so the index is incomplete.
    is_incomplete: bool,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextMatches {
    /// Keys of the rows of one page, newest first.
    pub(crate) keys: Vec<(i64, String)>,
    /// Total number of matches.
    pub(crate) total: u64,
}

/// Error: the form has more combinations of UTM values than there are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyUtmValues;

impl TextIndex {
    /// Appends a row that is newer than all others, as when a form is loaded in order.
    pub(crate) fn push(&mut self, row: &IndexedRow) -> Result<(), TooManyUtmValues> {
        let utm = self.utm_number(&row.utm)?;
        let last = self.order.last().copied();
        let room = last.filter(|last| self.blocks[*last].len() < ROWS_MAX);
        let number = room.unwrap_or_else(|| self.append_block());
        self.add_to_signature(number, &row.text);
        self.change_block(number, |block| block.insert(block.len(), row, utm));
        Ok(())
    }

    /// Returns the size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
            + self.blocks.capacity() * size_of::<Block>()
            + self.signature.bytes()
            + self.order.capacity() * size_of::<usize>()
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.order.iter().map(|number| self.blocks[*number].len()).sum()
    }

    /// Returns a page of matches after `after`, and the total. Returns `None` if cancelled.
    pub(crate) fn search(
        &self,
        query: &TextQuery,
        after: Option<RowKey<'_>>,
        rows_max: usize,
        is_abandoned: &(dyn Fn() -> bool + Sync),
    ) -> Option<TextMatches> {
        let search = TextSearch::new(self, query);
        let total = if let Some(total) = self.cached_count(query) {
            total
        } else {
            let total = search.count_matches(is_abandoned)?;
            self.cache_count(query, total);
            total
        };
        let places = if total == 0 {
            Vec::new()
        } else {
            search.find_page(after, rows_max, is_abandoned)?
        };
        Some(TextMatches { keys: places, total })
    }

    fn cached_count(&self, query: &TextQuery) -> Option<u64> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let found = counts.iter().position(|(counted_query, _)| counted_query == query)?;
        // Moves the count to the front: the list is ordered by last use.
        counts[..=found].rotate_right(1);
        Some(counts[0].1)
    }

    fn cache_count(&self, query: &TextQuery, total: u64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.retain(|(counted_query, _)| counted_query != query);
        counts.insert(0, (query.clone(), total));
        counts.truncate(COUNTS_MAX);
    }

    fn update_counts(&mut self, row: &IndexedRow, is_insert: bool) {
        let counts = self.counts.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, total) in counts.iter_mut().filter(|(query, _)| query.matches(row)) {
            *total = if is_insert { *total + 1 } else { total.saturating_sub(1) };
        }
    }

    fn utm_number(&mut self, utm: &UtmValues) -> Result<u16, TooManyUtmValues> {
        if let Some(number) = self.utm_numbers.get(utm) {
            return Ok(*number);
        }
        let number = u16::try_from(self.utms.len()).map_err(|_| TooManyUtmValues)?;
        self.utms.push(utm.clone());
        self.utm_numbers.insert(utm.clone(), number);
        Ok(number)
    }

    /// Appends an empty block, and shrinks the last one, which gets no more rows.
    fn append_block(&mut self) -> usize {
        if let Some(full) = self.order.last().copied() {
            self.change_block(full, Block::shrink);
        }
        let number = self.allocate_block();
        self.order.push(number);
        number
    }

    fn allocate_block(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.blocks.push(Block::default());
            if self.blocks.len() == UNSIGNED_BLOCKS_MAX + 1 {
                for (number, block) in self.blocks.iter().enumerate() {
                    self.signature.add(number, block.all_text());
                }
            }
            self.blocks.len() - 1
        })
    }

    fn add_to_signature(&mut self, number: usize, text: &[u8]) {
        if self.blocks.len() > UNSIGNED_BLOCKS_MAX {
            self.signature.add(number, text);
        }
    }

    fn change_block<T>(&mut self, number: usize, change: impl FnOnce(&mut Block) -> T) -> T {
        let block = &mut self.blocks[number];
        let before = block.bytes();
        let result = change(block);
        self.bytes = self.bytes - before + block.bytes();
        result
    }

    /// Returns the position in `order` of the block that contains the key, or would contain it.
    fn find_block(&self, place: RowKey<'_>) -> usize {
        let not_behind = |number: &usize| self.blocks[*number].key(0) <= place;
        self.order.partition_point(not_behind).saturating_sub(1)
    }

    fn insert(&mut self, row: &IndexedRow) -> Result<(), TooManyUtmValues> {
        let place = (row.at, row.id.as_str());
        let position = self.find_block(place);
        let Some(&number) = self.order.get(position) else { return self.push(row) };
        let block = &self.blocks[number];
        if block.len() == ROWS_MAX {
            if position + 1 == self.order.len() && block.key(ROWS_MAX - 1) < place {
                return self.push(row);
            }
            self.split_block(position);
            return self.insert(row);
        }
        let utm = self.utm_number(&row.utm)?;
        self.add_to_signature(number, &row.text);
        self.change_block(number, |block| {
            if let Err(at) = block.find(place) {
                block.insert(at, row, utm);
            }
        });
        Ok(())
    }

    fn split_block(&mut self, position: usize) {
        let upper = self.change_block(self.order[position], Block::split);
        let number = self.allocate_block();
        self.add_to_signature(number, upper.all_text());
        self.change_block(number, |block| *block = upper);
        self.order.insert(position + 1, number);
    }

    /// Removes a row, and returns it.
    fn remove(&mut self, place: RowKey<'_>) -> Option<IndexedRow> {
        let position = self.find_block(place);
        let number = *self.order.get(position)?;
        let block = &self.blocks[number];
        let row = block.find(place).ok()?;
        let removed = IndexedRow {
            at: place.0,
            id: place.1.to_owned(),
            utm: self.utms[usize::from(block.utm(row))].clone(),
            text: block.text(row).to_vec(),
            ..IndexedRow::default()
        };
        self.change_block(number, |block| block.remove(row));
        if self.blocks[number].len() == 0 {
            self.order.remove(position);
            self.signature.clear(number);
            self.free.push(number);
        }
        Some(removed)
    }
}

impl ApplyChange for TextIndex {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Insert(row) => match self.insert(row) {
                Ok(()) => self.update_counts(row, true),
                Err(TooManyUtmValues) => self.is_incomplete = true,
            },
            Change::Rewrite { .. } | Change::Triage { .. } | Change::Read { .. } => {}
            Change::Delete(row) => {
                if let Some(row) = self.remove((row.at, &row.id)) {
                    self.update_counts(&row, false);
                }
            }
        }
    }

    fn is_complete(&self) -> bool {
        !self.is_incomplete
    }
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
