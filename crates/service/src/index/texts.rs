//! The searched text of a form in memory, in the order of the list.
//!
//! Rows stand in blocks; a signature tells which blocks may hold what is looked for, and those are
//! looked through. What was counted is kept and follows every change, so that the next page of the
//! same search need not count again.

use super::block::{Block, Place, ROWS_MAX};
use super::signature::{Candidates, Signature};
use super::{Apply, Change, Query, Row, Utm};
use memchr::memmem::Finder;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// So many counts are kept.
const COUNTS_MAX: usize = 64;
/// So many blocks are looked through as quickly as a signature is asked, which takes more memory.
const UNSIGNED_MAX: usize = 512;
/// Fewer blocks are looked through faster than a thread starts.
const BLOCKS_A_THREAD_MIN: usize = 256;
/// More threads than this do not make one search faster.
const THREADS_MAX: usize = 4;
/// After so many blocks, a search asks whether somebody still waits for it.
const BLOCKS_BETWEEN_CHECKS: usize = 64;

/// The texts of one form.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    blocks: Vec<Block>,
    /// The numbers of the blocks that have rows, in the order of their rows.
    order: Vec<usize>,
    free: Vec<usize>,
    signature: Signature,
    utms: Vec<Utm>,
    utm_numbers: HashMap<Utm, u16>,
    bytes: usize,
    counts: Mutex<Vec<(Query, u64)>>,
    /// A row could not be taken in.
    has_a_gap: bool,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matches {
    /// The places of one page, newest first.
    pub(crate) places: Vec<(i64, String)>,
    /// How many there are in all.
    pub(crate) total: u64,
}

/// Something that cannot be held: the form has more combinations of UTM values than have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Texts {
    /// Appends a row that comes behind all others, as when a form is read in its order.
    pub(crate) fn push(&mut self, row: &Row) -> Result<(), TooMany> {
        let utm = self.number(&row.utm)?;
        let last = self.order.last().copied();
        let room = last.filter(|last| self.blocks[*last].len() < ROWS_MAX);
        let number = room.unwrap_or_else(|| self.next_block());
        self.sign(number, &row.text);
        self.change(number, |block| block.insert(block.len(), row, utm));
        Ok(())
    }

    /// Returns how many bytes of memory these texts take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.signature.bytes() + self.order.capacity() * size_of::<usize>()
    }

    /// Returns how many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.order.iter().map(|number| self.blocks[*number].len()).sum()
    }

    /// Finds a page behind a place, and counts all. `None` once nobody waits any more.
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
        // The ones that are asked for stay longest.
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

    /// Begins a block behind all others, of which the last expects nothing more.
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
            self.bytes += size_of::<Block>();
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

    /// Returns where in the order the block stands that has a place, or would have it.
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

    /// Removes a row and returns it as it was.
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

/// One search over the texts.
struct Look<'a> {
    texts: &'a Texts,
    query: &'a Query,
    finder: Finder<'a>,
    candidates: Candidates,
    /// Which numbers of UTM values fit; `None` where all do.
    utms: Option<Vec<bool>>,
}

impl<'a> Look<'a> {
    fn new(texts: &'a Texts, query: &'a Query) -> Self {
        let utms = (!query.utm.is_empty())
            .then(|| texts.utms.iter().map(|utm| utm.fits(&query.utm)).collect());
        let finder = Finder::new(&query.needle);
        let candidates = texts.signature.candidates(&query.needle);
        Self { texts, query, finder, candidates, utms }
    }

    /// The blocks, oldest first, that may have a row of the query before a place.
    fn blocks(&self, behind: Option<Place<'_>>) -> Vec<&'a Block> {
        let (blocks, order) = (&self.texts.blocks, &self.texts.order);
        let begins_before = |number: &usize| {
            let first = blocks[*number].place(0);
            first.0 < self.query.to && behind.is_none_or(|behind| first < behind)
        };
        let ends_too_early = |number: &usize| {
            let block = &blocks[*number];
            block.at(block.len() - 1) < self.query.from
        };
        let from = order.partition_point(ends_too_early);
        let to = order.partition_point(begins_before).max(from);
        let may_hold = order[from..to].iter().filter(|number| self.candidates.has(**number));
        may_hold.map(|number| &blocks[*number]).collect()
    }

    fn fits(&self, block: &Block, row: usize) -> bool {
        (self.query.from..self.query.to).contains(&block.at(row))
            && self.utms.as_ref().is_none_or(|utms| utms[usize::from(block.utm(row))])
    }

    fn count(&self, is_abandoned: &(dyn Fn() -> bool + Sync)) -> Option<u64> {
        let blocks = self.blocks(None);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (blocks.len() / BLOCKS_A_THREAD_MIN).clamp(1, cores.min(THREADS_MAX));
        let share = blocks.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let mut shares = blocks.chunks(share);
            let own = shares.next().unwrap_or_default();
            let others: Vec<_> =
                shares.map(|part| scope.spawn(move || self.count_in(part, is_abandoned))).collect();
            let own = self.count_in(own, is_abandoned);
            let others = others.into_iter().map(|other| other.join().ok().flatten());
            std::iter::once(own).chain(others).sum()
        })
    }

    fn count_in(&self, blocks: &[&Block], is_abandoned: &dyn Fn() -> bool) -> Option<u64> {
        let mut total = 0;
        for some in blocks.chunks(BLOCKS_BETWEEN_CHECKS) {
            if is_abandoned() {
                return None;
            }
            for block in some {
                block.each_found(&self.finder, |row| {
                    total += u64::from(self.fits(block, row));
                    ControlFlow::Continue(())
                });
            }
        }
        Some(total)
    }

    fn page(
        &self,
        behind: Option<Place<'_>>,
        rows_max: usize,
        is_abandoned: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<(i64, String)>> {
        let mut places = Vec::new();
        for (seen, block) in self.blocks(behind).into_iter().rev().enumerate() {
            if places.len() >= rows_max {
                break;
            }
            if seen % BLOCKS_BETWEEN_CHECKS == 0 && is_abandoned() {
                return None;
            }
            let mut found = Vec::new();
            block.each_found(&self.finder, |row| {
                if self.fits(block, row) && behind.is_none_or(|behind| block.place(row) < behind) {
                    found.push(block.place(row));
                }
                ControlFlow::Continue(())
            });
            places.extend(found.into_iter().rev().map(|(at, id)| (at, id.to_owned())));
        }
        places.truncate(rows_max);
        Some(places)
    }
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
