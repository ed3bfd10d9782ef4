//! One search over the texts: finds candidate blocks by signature, then searches them.

use super::block::{Block, RowKey};
use super::signature::{Candidates, set_bits};
use super::{TextIndex, TextQuery};
use memchr::memmem::Finder;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Minimum number of blocks per thread. Fewer are searched faster than a thread starts.
const BLOCKS_A_THREAD_MIN: usize = 512;
/// Maximum number of threads. More do not make a search faster.
const THREADS_MAX: usize = 4;
/// Number of blocks between two checks for cancellation.
const BLOCKS_BETWEEN_CHECKS: usize = 128;

/// A search over the texts of a form.
pub(super) struct TextSearch<'a> {
    texts: &'a TextIndex,
    query: &'a TextQuery,
    finder: Finder<'a>,
    candidates: Candidates,
    /// Whether each UTM number matches; `None` if all match.
    utms: Option<Vec<bool>>,
}

impl<'a> TextSearch<'a> {
    /// Prepares a search: finds the candidate blocks and the matching UTM numbers.
    pub(super) fn new(texts: &'a TextIndex, query: &'a TextQuery) -> Self {
        let utms = (!query.utm.is_empty())
            .then(|| texts.utms.iter().map(|utm| utm.matches(&query.utm)).collect());
        let finder = Finder::new(&query.needle);
        let candidates = texts.signature.candidates(&query.needle);
        Self { texts, query, finder, candidates, utms }
    }

    /// Returns the range of `order` with the blocks that may have rows of the query before
    /// `after`.
    fn block_range(&self, after: Option<RowKey<'_>>) -> Range<usize> {
        let blocks = &self.texts.blocks;
        let order = &self.texts.order;
        let begins_before = |number: &usize| {
            let first = blocks[*number].key(0);
            first.0 < self.query.to && after.is_none_or(|after| first < after)
        };
        let ends_too_early = |number: &usize| {
            let block = &blocks[*number];
            block.at(block.len() - 1) < self.query.from
        };
        let from = order.partition_point(ends_too_early);
        from..order.partition_point(begins_before).max(from)
    }

    /// Returns the numbers of the blocks that may have a matching row, in any order.
    fn candidate_blocks(&self) -> Vec<usize> {
        let range = self.block_range(None);
        match &self.candidates {
            // There are usually far fewer candidates than blocks, so only the set bits are visited.
            Candidates::Some(bits) if range.len() == self.texts.order.len() => {
                set_bits(bits).collect()
            }
            candidates => {
                let may_hold = |number: &usize| candidates.has(*number);
                self.texts.order[range].iter().copied().filter(may_hold).collect()
            }
        }
    }

    fn matches_row(&self, block: &Block, row: usize) -> bool {
        (self.query.from..self.query.to).contains(&block.at(row))
            && self.utms.as_ref().is_none_or(|utms| utms[usize::from(block.utm(row))])
    }

    /// Counts the matching rows. Returns `None` if cancelled.
    pub(super) fn count_matches(&self, is_abandoned: &(dyn Fn() -> bool + Sync)) -> Option<u64> {
        let numbers = self.candidate_blocks();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (numbers.len() / BLOCKS_A_THREAD_MIN).clamp(1, cores.min(THREADS_MAX));
        let next = AtomicUsize::new(0);
        // Work is shared dynamically, because a thread may start late on a sleeping or busy core.
        let count = || self.count_chunks(&numbers, &next, is_abandoned);
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(count)).collect();
            let own_total = count();
            let helpers = helpers.into_iter().map(|other| other.join().ok().flatten());
            std::iter::once(own_total).chain(helpers).sum()
        })
    }

    /// Counts the matches of the next chunks of blocks until there are no more.
    fn count_chunks(
        &self,
        numbers: &[usize],
        next: &AtomicUsize,
        is_abandoned: &dyn Fn() -> bool,
    ) -> Option<u64> {
        let mut total = 0;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = numbers.chunks(BLOCKS_BETWEEN_CHECKS).nth(index) else {
                return Some(total);
            };
            if is_abandoned() {
                return None;
            }
            for number in chunk {
                let block = &self.texts.blocks[*number];
                block.for_each_match(&self.finder, |row| {
                    total += u64::from(self.matches_row(block, row));
                    ControlFlow::Continue(())
                });
            }
        }
    }

    /// Returns the keys of up to `rows_max` matches after `after`, newest first. Returns `None` if
    /// cancelled.
    pub(super) fn find_page(
        &self,
        after: Option<RowKey<'_>>,
        rows_max: usize,
        is_abandoned: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<(i64, String)>> {
        let mut places = Vec::new();
        let newest_first = self.texts.order[self.block_range(after)].iter().rev();
        let may_hold = newest_first.filter(|number| self.candidates.has(**number));
        for (blocks_read, number) in may_hold.enumerate() {
            let block = &self.texts.blocks[*number];
            if places.len() >= rows_max {
                break;
            }
            if blocks_read % BLOCKS_BETWEEN_CHECKS == 0 && is_abandoned() {
                return None;
            }
            let mut found = Vec::new();
            block.for_each_match(&self.finder, |row| {
                if self.matches_row(block, row) && after.is_none_or(|after| block.key(row) < after)
                {
                    found.push(block.key(row));
                }
                ControlFlow::Continue(())
            });
            places.extend(found.into_iter().rev().map(|(at, id)| (at, id.to_owned())));
        }
        places.truncate(rows_max);
        Some(places)
    }
}
