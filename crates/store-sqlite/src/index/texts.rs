//! The searched texts of a form in memory, in list order.
//!
//! Rows are stored in blocks. A signature selects the blocks that may contain the needle, and these
//! are searched. Counts are cached and updated by every change, so the next page of the same search
//! is not counted again.

use super::block::{Block, Place, ROWS_MAX};
use super::look::Look;
use super::signature::Signature;
use super::{Apply, Change, Query, Row, Utm};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum number of cached counts.
const COUNTS_MAX: usize = 64;
/// Maximum number of blocks without a signature. Up to here, searching all blocks is as fast as a
/// signature, which needs more memory.
const UNSIGNED_MAX: usize = 1024;

/// The texts of one form.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(super) blocks: Vec<Block>,
    /// Indexes of the non-empty blocks, in the order of their rows.
    pub(super) order: Vec<usize>,
    free: Vec<usize>,
    pub(super) signature: Signature,
    pub(super) utms: Vec<Utm>,
    utm_numbers: HashMap<Utm, u16>,
    bytes: usize,
    counts: Mutex<Vec<(Query, u64)>>,
    /// A row could not be added, so the index is incomplete.
    has_a_gap: bool,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matches {
    /// Keys of the rows of one page, newest first.
    pub(crate) places: Vec<(i64, String)>,
    /// Total number of matches.
    pub(crate) total: u64,
}

/// Error: the form has more combinations of UTM values than there are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Texts {
    /// Appends a row that is newer than all others, as when a form is loaded in order.
    pub(crate) fn push(&mut self, row: &Row) -> Result<(), TooMany> {
        let utm = self.number(&row.utm)?;
        let last = self.order.last().copied();
        let room = last.filter(|last| self.blocks[*last].len() < ROWS_MAX);
        let number = room.unwrap_or_else(|| self.next_block());
        self.sign(number, &row.text);
        self.change(number, |block| block.insert(block.len(), row, utm));
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

    /// Returns a page of matches after `behind`, and the total. Returns `None` if cancelled.
    pub(crate) fn search(
        &self,
        query: &Query,
        behind: Option<Place<'_>>,
        rows_max: usize,
        is_abandoned: &(dyn Fn() -> bool + Sync),
    ) -> Option<Matches> {
        let look = Look::new(self, query);
        let total = if let Some(total) = self.counted(query) {
            total
        } else {
            let total = look.count(is_abandoned)?;
            self.keep_count(query, total);
            total
        };
        let places =
            if total == 0 { Vec::new() } else { look.page(behind, rows_max, is_abandoned)? };
        Some(Matches { places, total })
    }

    fn counted(&self, query: &Query) -> Option<u64> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let found = counts.iter().position(|(counted, _)| counted == query)?;
        // Moves the count to the front: the list is ordered by last use.
        counts[..=found].rotate_right(1);
        Some(counts[0].1)
    }

    fn keep_count(&self, query: &Query, total: u64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.retain(|(counted, _)| counted != query);
        counts.insert(0, (query.clone(), total));
        counts.truncate(COUNTS_MAX);
    }

    fn recount(&mut self, row: &Row, is_insert: bool) {
        let counts = self.counts.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, total) in counts.iter_mut().filter(|(query, _)| query.finds(row)) {
            *total = if is_insert { *total + 1 } else { total.saturating_sub(1) };
        }
    }

    fn number(&mut self, utm: &Utm) -> Result<u16, TooMany> {
        if let Some(number) = self.utm_numbers.get(utm) {
            return Ok(*number);
        }
        let number = u16::try_from(self.utms.len()).map_err(|_| TooMany)?;
        self.utms.push(utm.clone());
        self.utm_numbers.insert(utm.clone(), number);
        Ok(number)
    }

    /// Appends an empty block, and shrinks the last one, which gets no more rows.
    fn next_block(&mut self) -> usize {
        if let Some(full) = self.order.last().copied() {
            self.change(full, Block::shrink);
        }
        let number = self.empty_block();
        self.order.push(number);
        number
    }

    fn empty_block(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.blocks.push(Block::default());
            if self.blocks.len() == UNSIGNED_MAX + 1 {
                for (number, block) in self.blocks.iter().enumerate() {
                    self.signature.add(number, block.whole_text());
                }
            }
            self.blocks.len() - 1
        })
    }

    fn sign(&mut self, number: usize, text: &[u8]) {
        if self.blocks.len() > UNSIGNED_MAX {
            self.signature.add(number, text);
        }
    }

    fn change<T>(&mut self, number: usize, change: impl FnOnce(&mut Block) -> T) -> T {
        let block = &mut self.blocks[number];
        let before = block.bytes();
        let result = change(block);
        self.bytes = self.bytes - before + block.bytes();
        result
    }

    /// Returns the position in `order` of the block that contains the key, or would contain it.
    fn stand(&self, place: Place<'_>) -> usize {
        let not_behind = |number: &usize| self.blocks[*number].place(0) <= place;
        self.order.partition_point(not_behind).saturating_sub(1)
    }

    fn insert(&mut self, row: &Row) -> Result<(), TooMany> {
        let place = (row.at, row.id.as_str());
        let stand = self.stand(place);
        let Some(&number) = self.order.get(stand) else { return self.push(row) };
        let block = &self.blocks[number];
        if block.len() == ROWS_MAX {
            if stand + 1 == self.order.len() && block.place(ROWS_MAX - 1) < place {
                return self.push(row);
            }
            self.split(stand);
            return self.insert(row);
        }
        let utm = self.number(&row.utm)?;
        self.sign(number, &row.text);
        self.change(number, |block| {
            if let Err(at) = block.find(place) {
                block.insert(at, row, utm);
            }
        });
        Ok(())
    }

    fn split(&mut self, stand: usize) {
        let upper = self.change(self.order[stand], Block::split);
        let number = self.empty_block();
        self.sign(number, upper.whole_text());
        self.change(number, |block| *block = upper);
        self.order.insert(stand + 1, number);
    }

    /// Removes a row, and returns it.
    fn remove(&mut self, place: Place<'_>) -> Option<Row> {
        let stand = self.stand(place);
        let number = *self.order.get(stand)?;
        let block = &self.blocks[number];
        let row = block.find(place).ok()?;
        let removed = Row {
            at: place.0,
            id: place.1.to_owned(),
            utm: self.utms[usize::from(block.utm(row))].clone(),
            text: block.text(row).to_vec(),
            json: String::new(),
        };
        self.change(number, |block| block.remove(row));
        if self.blocks[number].len() == 0 {
            self.order.remove(stand);
            self.signature.clear(number);
            self.free.push(number);
        }
        Some(removed)
    }
}

impl Apply for Texts {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Insert(row) => match self.insert(row) {
                Ok(()) => self.recount(row, true),
                Err(TooMany) => self.has_a_gap = true,
            },
            Change::Rewrite { .. } => {}
            Change::Delete(row) => {
                if let Some(row) = self.remove((row.at, &row.id)) {
                    self.recount(&row, false);
                }
            }
        }
    }

    fn is_whole(&self) -> bool {
        !self.has_a_gap
    }
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
