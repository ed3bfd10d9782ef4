//! Rows that match a filter, as one bit for each row of a chunk.
//!
//! A filter is a conjunction of conditions, and many filters share a condition. So the bits of each
//! recent condition and of each recent filter are cached, and the bits of a filter are the
//! intersection of its conditions. The bits of a changed chunk are computed again when they are next
//! read.

use super::chunk::{CHUNK_MAX, Chunk, HashedKey};
use super::matcher::{PropertyFilter, RowMatcher};
use super::numbers::ValueNumbers;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of cached filters of a form, including conditions.
const FILTERS_MAX: usize = 256;
/// Maximum bytes of the cached filters of a form. One needs 0.14 bytes per row.
const FILTER_BYTES_MAX: usize = 32 << 20;
const WORD_BITS: usize = u64::BITS as usize;
const WORDS: usize = CHUNK_MAX / WORD_BITS;

/// One bit for each row of a chunk.
type Words = [u64; WORDS];

/// The cached filters of a form.
#[derive(Default)]
pub(super) struct ConditionCache {
    filters: Vec<CachedFilter>,
    /// Number of reads so far.
    reads: AtomicU64,
}

/// The rows that match a filter.
struct CachedFilter {
    filter: PropertyFilter,
    chunks: Arc<Vec<ChunkBits>>,
    /// Number of changes of the index when `chunks` was last updated.
    changes: u64,
    /// The read that used it last.
    last_read: AtomicU64,
}

/// The rows of a chunk that match a filter.
#[derive(Clone)]
struct ChunkBits {
    /// Version of the chunk that the bits belong to.
    version: u64,
    /// Number of matches.
    count: u32,
    words: Words,
}

impl ConditionCache {
    /// Returns the approximate size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let chunks = self.filters.iter().map(|cached| cached.chunks.len());
        chunks.sum::<usize>() * size_of::<ChunkBits>()
    }

    /// Returns the rows that match a filter, or `None` unless its bits belong to the state of the
    /// index that is numbered `changes`.
    pub(super) fn find_matches<'a>(
        &self,
        filter: &PropertyFilter,
        chunks: &'a [Chunk],
        changes: u64,
    ) -> Option<MatchingRows<'a>> {
        let cached = self.filters.iter().find(|cached| cached.filter == *filter)?;
        let read = self.reads.fetch_add(1, Ordering::Relaxed) + 1;
        cached.last_read.store(read, Ordering::Relaxed);
        let bits = (cached.changes == changes).then(|| Arc::clone(&cached.chunks))?;
        Some(MatchingRows { chunks, bits })
    }

    /// As [`ConditionCache::find_matches`], but computes the bits that are missing or outdated.
    pub(super) fn compute_matches<'a>(
        &mut self,
        filter: &PropertyFilter,
        chunks: &'a [Chunk],
        numbers: &ValueNumbers,
        changes: u64,
    ) -> MatchingRows<'a> {
        let read = *self.reads.get_mut() + 1;
        *self.reads.get_mut() = read;
        let mut conditions = filter.conditions();
        if conditions.len() < 2 {
            conditions = vec![filter.clone()];
        }
        let compute = |condition| {
            let cached = self.get_or_insert(condition, read);
            let matcher = RowMatcher::new(condition, numbers);
            cached.update(chunks, changes, |chunk| ChunkBits::compute(&chunks[chunk], &matcher))
        };
        let parts: Vec<_> = conditions.iter().map(compute).collect();
        let bits = match &*parts {
            [bits] => Arc::clone(bits),
            parts => self.get_or_insert(filter, read).update(chunks, changes, |chunk| {
                ChunkBits::intersect(parts.iter().map(|bits| &bits[chunk]))
            }),
        };
        self.evict(read);
        MatchingRows { chunks, bits }
    }

    fn get_or_insert(&mut self, filter: &PropertyFilter, read: u64) -> &mut CachedFilter {
        let known = self.filters.iter().position(|cached| cached.filter == *filter);
        let index = known.unwrap_or_else(|| {
            self.filters.push(CachedFilter {
                filter: filter.clone(),
                chunks: Arc::default(),
                changes: 0,
                last_read: AtomicU64::new(0),
            });
            self.filters.len() - 1
        });
        let cached = &mut self.filters[index];
        *cached.last_read.get_mut() = read;
        cached
    }

    /// Drops the least recently used filters beyond the limits, but not those of this read.
    fn evict(&mut self, read: u64) {
        while self.filters.len() > FILTERS_MAX || self.bytes() > FILTER_BYTES_MAX {
            let last_reads = self.filters.iter_mut().map(|cached| *cached.last_read.get_mut());
            match last_reads.enumerate().min_by_key(|(_, last_read)| *last_read) {
                Some((index, oldest)) if oldest < read => {
                    self.filters.swap_remove(index);
                }
                _ => break,
            }
        }
    }
}

impl CachedFilter {
    /// Computes the bits of chunks that have changed, and returns those of all. Usually the changed
    /// chunks are next to each other.
    fn update(
        &mut self,
        chunks: &[Chunk],
        changes: u64,
        compute: impl Fn(usize) -> ChunkBits,
    ) -> Arc<Vec<ChunkBits>> {
        self.changes = changes;
        let is_same = |(cached, chunk): &(&ChunkBits, &Chunk)| cached.version == chunk.version;
        let before = self.chunks.iter().zip(chunks).take_while(is_same).count();
        let rest = self.chunks[before..].iter().rev().zip(chunks[before..].iter().rev());
        let after = rest.take_while(is_same).count();
        let outdated = before..self.chunks.len() - after;
        let changed = before..chunks.len() - after;
        if !outdated.is_empty() || !changed.is_empty() {
            Arc::make_mut(&mut self.chunks).splice(outdated, changed.map(compute));
        }
        Arc::clone(&self.chunks)
    }
}

impl ChunkBits {
    fn compute(chunk: &Chunk, matcher: &RowMatcher) -> Self {
        let mut words = [0; WORDS];
        for row in 0..chunk.row_keys.len() {
            if matcher.matches(chunk.values(row)) {
                words[row / WORD_BITS] |= 1 << (row % WORD_BITS);
            }
        }
        Self::new(chunk.version, words)
    }

    /// Returns the rows that match all conditions, given by the bits of the same chunk.
    fn intersect<'a>(conditions: impl Iterator<Item = &'a Self>) -> Self {
        let mut version = 0;
        let mut words = [u64::MAX; WORDS];
        for bits in conditions {
            version = bits.version;
            words.iter_mut().zip(bits.words).for_each(|(word, bits)| *word &= bits);
        }
        Self::new(version, words)
    }

    fn new(version: u64, words: Words) -> Self {
        Self { version, count: words.iter().map(|word| word.count_ones()).sum(), words }
    }
}

/// The rows that match a filter.
pub(super) struct MatchingRows<'a> {
    chunks: &'a [Chunk],
    /// The bits of all chunks.
    bits: Arc<Vec<ChunkBits>>,
}

impl MatchingRows<'_> {
    /// Counts the matches at the instants `from <= at < to`.
    pub(super) fn count(&self, from: i64, to: i64) -> u64 {
        let Range { start, end } = self.chunk_range(from, to);
        // Only the first and the last chunk can have rows outside of the span.
        let count = |chunk: usize| {
            if chunk == start || chunk + 1 == end {
                self.words(chunk, from, to).iter().map(|word| word.count_ones()).sum()
            } else {
                self.bits[chunk].count
            }
        };
        (start..end).map(|chunk| u64::from(count(chunk))).sum()
    }

    /// Iterates over the keys of the matches at the instants `from <= at < to`, newest first.
    pub(super) fn newest(&self, from: i64, to: i64) -> impl Iterator<Item = HashedKey> {
        let has_matches = |chunk: &usize| self.bits[*chunk].count > 0;
        self.chunk_range(from, to).rev().filter(has_matches).flat_map(move |chunk| {
            let words = self.words(chunk, from, to);
            let is_set = move |row: &usize| words[row / WORD_BITS] >> (row % WORD_BITS) & 1 == 1;
            (0..self.chunks[chunk].row_keys.len())
                .rev()
                .filter(is_set)
                .map(move |row| self.chunks[chunk].row_keys[row])
        })
    }

    /// Returns the chunks that may have rows at the instants `from <= at < to`.
    fn chunk_range(&self, from: i64, to: i64) -> Range<usize> {
        let end = self.chunks.partition_point(|chunk| chunk.row_keys[0].0 < to);
        let start = self.chunks[..end]
            .partition_point(|chunk| chunk.row_keys.last().is_some_and(|last| last.0 < from));
        start..end
    }

    /// Returns the matches of a chunk at the instants `from <= at < to`.
    fn words(&self, chunk: usize, from: i64, to: i64) -> Words {
        let row_keys = &self.chunks[chunk].row_keys;
        let mut words = self.bits[chunk].words;
        if row_keys[0].0 < from || row_keys.last().is_some_and(|last| last.0 >= to) {
            let rows = row_keys.partition_point(|row_key| row_key.0 < from)
                ..row_keys.partition_point(|row_key| row_key.0 < to);
            for (n, word) in words.iter_mut().enumerate() {
                let first = n * WORD_BITS;
                *word &= bits_below(rows.end.saturating_sub(first))
                    & !bits_below(rows.start.saturating_sub(first));
            }
        }
        words
    }
}

/// Returns a word with the lowest `count` bits set.
fn bits_below(count: usize) -> u64 {
    if count >= WORD_BITS { u64::MAX } else { (1 << count) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::facts::chunk::RowValues;
    use contract::ListQuery;

    fn filter(query: &str) -> PropertyFilter {
        PropertyFilter::of(&ListQuery::parse(query).unwrap().filter).unwrap()
    }

    /// A chunk of rows that completed in the seconds of their instants.
    fn chunk(version: u64, instants: Range<i64>) -> Chunk {
        let mut chunk = Chunk::default();
        chunk.version = version;
        for (row, at) in instants.enumerate() {
            let seconds = f64::from(i32::try_from(at).unwrap());
            let values = RowValues { numbers: &[], score: f64::NAN, seconds };
            chunk.insert(row, (at, 0), values);
        }
        chunk
    }

    /// Computes what is missing, and returns the rows that match.
    fn find<'a>(
        cache: &'a mut ConditionCache,
        filter: &PropertyFilter,
        chunks: &'a [Chunk],
        changes: u64,
    ) -> MatchingRows<'a> {
        cache.compute_matches(filter, chunks, &ValueNumbers::default(), changes)
    }

    fn cached(cache: &ConditionCache) -> Vec<&PropertyFilter> {
        cache.filters.iter().map(|cached| &cached.filter).collect()
    }

    #[test]
    fn conditions_are_shared_by_filters() {
        let mut cache = ConditionCache::default();
        let chunks = [chunk(1, 0..100), chunk(2, 100..1000)];
        for (query, count) in [
            ("seconds_min=150", 850),
            ("seconds_min=150&score_min=0", 0),
            ("seconds_max=99", 100),
            ("seconds_min=150", 850),
        ] {
            let rows = find(&mut cache, &filter(query), &chunks, 1);
            assert_eq!(rows.count(i64::MIN, i64::MAX), count, "{query}");
        }
        let rows = find(&mut cache, &filter("seconds_min=150"), &chunks, 1);
        assert_eq!(rows.count(149, 152), 2);
        assert_eq!(rows.newest(0, 153).collect::<Vec<_>>(), [(152, 0), (151, 0), (150, 0)]);
        let expected =
            ["seconds_min=150", "score_min=0", "seconds_min=150&score_min=0", "seconds_max=99"];
        assert_eq!(cached(&cache), expected.map(filter).iter().collect::<Vec<_>>());
        assert_eq!(cache.bytes(), 8 * size_of::<ChunkBits>());
    }

    #[test]
    fn changed_chunks_are_computed_again() {
        let mut cache = ConditionCache::default();
        let mut changes = 0;
        let mut chunks = vec![chunk(1, 0..10), chunk(2, 10..20), chunk(3, 20..30)];
        let slow = filter("seconds_min=15");
        let mut count = |chunks: &[Chunk]| {
            changes += 1;
            assert!(cache.find_matches(&slow, chunks, changes).is_none());
            find(&mut cache, &slow, chunks, changes).count(i64::MIN, i64::MAX)
        };
        assert_eq!(count(&chunks), 15);
        chunks[1] = chunk(4, 10..16);
        assert_eq!(count(&chunks), 11);
        chunks.insert(2, chunk(5, 16..18));
        assert_eq!(count(&chunks), 13);
        chunks.remove(0);
        assert_eq!(count(&chunks), 13);
        // A chunk with a known version is not computed again.
        chunks[0] = chunk(4, 0..6);
        assert_eq!(count(&chunks), 13);
    }

    #[test]
    fn least_recently_used_condition_is_dropped() {
        let mut cache = ConditionCache::default();
        let chunks = [chunk(1, 0..10)];
        for n in 0..FILTERS_MAX {
            find(&mut cache, &filter(&format!("seconds_min={n}")), &chunks, 1);
        }
        assert!(cache.find_matches(&filter("seconds_min=0"), &chunks, 1).is_some());
        find(&mut cache, &filter("score_min=0"), &chunks, 1);
        assert_eq!(cache.filters.len(), FILTERS_MAX);
        assert!(cached(&cache).contains(&&filter("seconds_min=0")));
        assert!(!cached(&cache).contains(&&filter("seconds_min=1")));
    }
}
