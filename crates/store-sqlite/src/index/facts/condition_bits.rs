//! Rows that match a condition, as one bit for each row of a chunk.
//!
//! A filter is a conjunction of conditions, and many filters share a condition. So the bits of each
//! recent condition are cached, and a filter intersects them. The bits of a changed chunk are
//! computed again when they are next read.

use super::chunk::{CHUNK_MAX, Chunk, HashedKey};
use super::matcher::{PropertyFilter, RowContext, RowMatcher};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of cached conditions of a form.
const CONDITIONS_MAX: usize = 256;
/// Maximum bytes of the cached conditions of a form. One needs 0.14 bytes per row.
const CONDITION_BYTES_MAX: usize = 32 << 20;
/// Minimum number of chunks per thread. Fewer are computed faster than a thread starts.
const CHUNKS_A_THREAD_MIN: usize = 128;
/// Maximum number of threads that compute a condition.
const THREADS_MAX: usize = 4;
const WORD_BITS: usize = u64::BITS as usize;
const WORDS: usize = CHUNK_MAX / WORD_BITS;

/// One bit for each row of a chunk.
type Words = [u64; WORDS];

/// The cached conditions of a form.
#[derive(Default)]
pub(super) struct ConditionCache {
    conditions: Vec<CachedCondition>,
    /// Number of reads so far.
    reads: AtomicU64,
}

/// The rows that match a condition.
struct CachedCondition {
    /// A filter with a single part.
    condition: PropertyFilter,
    chunks: Vec<ChunkBits>,
    /// Number of changes of the index when `chunks` was last updated.
    changes: u64,
    /// The read that used it last.
    last_read: AtomicU64,
}

/// The rows of a chunk that match a condition.
struct ChunkBits {
    /// Version of the chunk that the bits belong to.
    version: u64,
    /// Number of these rows.
    count: u32,
    words: Words,
}

impl ConditionCache {
    /// Returns the approximate size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let chunks = self.conditions.iter().map(|cached| cached.chunks.len());
        chunks.sum::<usize>() * size_of::<ChunkBits>()
    }

    /// Returns the rows that match a filter, or `None` unless the bits of all its conditions belong
    /// to the state of the index that is numbered `changes`.
    pub(super) fn find_matches<'a>(
        &'a self,
        filter: &PropertyFilter,
        chunks: &'a [Chunk],
        changes: u64,
    ) -> Option<MatchingRows<'a>> {
        let read = self.reads.fetch_add(1, Ordering::Relaxed) + 1;
        let bits = filter.conditions().into_iter().map(|condition| {
            let cached = self.conditions.iter().find(|cached| cached.condition == condition)?;
            cached.last_read.store(read, Ordering::Relaxed);
            (cached.changes == changes).then_some(&*cached.chunks)
        });
        Some(MatchingRows { chunks, bits: bits.collect::<Option<_>>()? })
    }

    /// As [`ConditionCache::find_matches`], but computes the bits that are missing or outdated.
    pub(super) fn compute_matches<'a>(
        &'a mut self,
        filter: &PropertyFilter,
        chunks: &'a [Chunk],
        rows: RowContext<'_>,
        changes: u64,
    ) -> MatchingRows<'a> {
        let read = *self.reads.get_mut() + 1;
        *self.reads.get_mut() = read;
        for condition in filter.conditions() {
            let known = self.conditions.iter().position(|cached| cached.condition == condition);
            let index = known.unwrap_or_else(|| {
                self.conditions.push(CachedCondition::new(condition));
                self.conditions.len() - 1
            });
            let cached = &mut self.conditions[index];
            *cached.last_read.get_mut() = read;
            cached.update(chunks, rows);
            cached.changes = changes;
        }
        self.evict(read);
        let used = self
            .conditions
            .iter_mut()
            .filter_map(|cached| (*cached.last_read.get_mut() == read).then_some(&*cached.chunks));
        MatchingRows { chunks, bits: used.collect() }
    }

    /// Drops the least recently used conditions beyond the limits, but not those of this read.
    fn evict(&mut self, read: u64) {
        while self.conditions.len() > CONDITIONS_MAX || self.bytes() > CONDITION_BYTES_MAX {
            let last_reads = self.conditions.iter_mut().map(|cached| *cached.last_read.get_mut());
            match last_reads.enumerate().min_by_key(|(_, last_read)| *last_read) {
                Some((index, oldest)) if oldest < read => {
                    self.conditions.swap_remove(index);
                }
                _ => break,
            }
        }
    }
}

impl CachedCondition {
    fn new(condition: PropertyFilter) -> Self {
        Self { condition, chunks: Vec::new(), changes: 0, last_read: AtomicU64::new(0) }
    }

    /// Computes the bits of chunks that have changed. Usually they are next to each other.
    fn update(&mut self, chunks: &[Chunk], rows: RowContext<'_>) {
        let is_same = |(cached, chunk): &(&ChunkBits, &Chunk)| cached.version == chunk.version;
        let before = self.chunks.iter().zip(chunks).take_while(is_same).count();
        let rest = self.chunks[before..].iter().rev().zip(chunks[before..].iter().rev());
        let after = rest.take_while(is_same).count();
        let outdated = before..self.chunks.len() - after;
        let changed = &chunks[before..chunks.len() - after];
        if outdated.is_empty() && changed.is_empty() {
            return;
        }
        let matcher = RowMatcher::new(&self.condition, rows);
        let computed = ChunkBits::compute_all(changed, &matcher);
        self.chunks.splice(outdated, computed);
    }
}

impl ChunkBits {
    /// Computes the bits of chunks, with several threads if there are many.
    fn compute_all(chunks: &[Chunk], matcher: &RowMatcher<'_>) -> Vec<Self> {
        let compute = |part: &[Chunk]| -> Vec<Self> {
            part.iter().map(|chunk| Self::compute(chunk, matcher)).collect()
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (chunks.len() / CHUNKS_A_THREAD_MIN).clamp(1, cores.min(THREADS_MAX));
        let (own, rest) = chunks.split_at(chunks.len() / threads);
        if rest.is_empty() {
            return compute(own);
        }
        std::thread::scope(|scope| {
            let parts = rest.chunks(rest.len().div_ceil(threads - 1));
            let helpers: Vec<_> =
                parts.map(|part| (part, scope.spawn(move || compute(part)))).collect();
            let mut computed = compute(own);
            for (part, helper) in helpers {
                // A panic has been reported already.
                computed.extend(helper.join().unwrap_or_else(|_| compute(part)));
            }
            computed
        })
    }

    fn compute(chunk: &Chunk, matcher: &RowMatcher<'_>) -> Self {
        let mut words = [0; WORDS];
        for row in 0..chunk.row_keys.len() {
            if matcher.matches(chunk, row) {
                words[row / WORD_BITS] |= 1 << (row % WORD_BITS);
            }
        }
        let count = words.iter().map(|word: &u64| word.count_ones()).sum();
        Self { version: chunk.version, count, words }
    }
}

/// The rows that match a filter.
pub(super) struct MatchingRows<'a> {
    chunks: &'a [Chunk],
    /// For each condition the bits of all chunks.
    bits: Vec<&'a [ChunkBits]>,
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
                self.count_chunk(chunk)
            }
        };
        (start..end).map(|chunk| u64::from(count(chunk))).sum()
    }

    /// Counts the matches of a whole chunk.
    fn count_chunk(&self, chunk: usize) -> u32 {
        match &*self.bits {
            [] => u32::try_from(self.chunks[chunk].row_keys.len()).unwrap_or(u32::MAX),
            [bits] => bits[chunk].count,
            // Loops over whole arrays, which the compiler vectorises.
            [first, others @ ..] => {
                let mut words = first[chunk].words;
                for bits in others {
                    for (word, bits) in words.iter_mut().zip(&bits[chunk].words) {
                        *word &= bits;
                    }
                }
                words.iter().map(|word| word.count_ones()).sum()
            }
        }
    }

    /// Iterates over the keys of the matches at the instants `from <= at < to`, newest first.
    pub(super) fn newest(&self, from: i64, to: i64) -> impl Iterator<Item = HashedKey> {
        self.newest_rows(from, to).map(|(chunk, row)| chunk.row_keys[row])
    }

    /// As [`MatchingRows::newest`], but with the chunk of each row and its index there.
    pub(super) fn newest_rows(
        &self,
        from: i64,
        to: i64,
    ) -> impl DoubleEndedIterator<Item = (&Chunk, usize)> {
        let may_match = |chunk: &usize| self.bits.iter().all(|bits| bits[*chunk].count > 0);
        self.chunk_range(from, to).rev().filter(may_match).flat_map(move |chunk| {
            let words = self.words(chunk, from, to);
            let has_rows = move |word: &usize| words[*word] != 0;
            (0..WORDS).rev().filter(has_rows).flat_map(move |word| {
                let is_set = move |bit: &usize| words[word] >> bit & 1 == 1;
                let row = move |bit| (&self.chunks[chunk], word * WORD_BITS + bit);
                (0..WORD_BITS).rev().filter(is_set).map(row)
            })
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
        let mut words: Words =
            std::array::from_fn(|n| bits_below(row_keys.len().saturating_sub(n * WORD_BITS)));
        for bits in &self.bits {
            for (word, bits) in words.iter_mut().zip(bits[chunk].words) {
                *word &= bits;
            }
        }
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
    use crate::index::facts::chunk::{RowValues, TriageTimes};
    use crate::index::facts::numbers::ValueNumbers;
    use crate::index::facts::read_marks::ReadMarks;
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
            let times = TriageTimes::NONE;
            let values = RowValues { numbers: &[], score: f64::NAN, seconds, times };
            chunk.insert(row, (at, 0), values);
        }
        chunk
    }

    /// Computes missing bits, and returns the rows that match.
    fn find<'a>(
        cache: &'a mut ConditionCache,
        filter: &PropertyFilter,
        chunks: &'a [Chunk],
        changes: u64,
    ) -> MatchingRows<'a> {
        let (numbers, marks) = (&ValueNumbers::default(), &ReadMarks::default());
        let rows = RowContext { numbers, marks, columns: &[] };
        cache.compute_matches(filter, chunks, rows, changes)
    }

    fn cached(cache: &ConditionCache) -> Vec<&PropertyFilter> {
        cache.conditions.iter().map(|cached| &cached.condition).collect()
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
        let expected = ["seconds_min=150", "score_min=0", "seconds_max=99"].map(filter);
        assert_eq!(cached(&cache), expected.iter().collect::<Vec<_>>());
        assert_eq!(cache.bytes(), 6 * size_of::<ChunkBits>());
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
        chunks[0] = chunk(4, 16..17);
        assert_eq!(count(&chunks), 12);
    }

    #[test]
    fn least_recently_used_condition_is_dropped() {
        let mut cache = ConditionCache::default();
        let chunks = [chunk(1, 0..10)];
        for n in 0..CONDITIONS_MAX {
            find(&mut cache, &filter(&format!("seconds_min={n}")), &chunks, 1);
        }
        assert!(cache.find_matches(&filter("seconds_min=0"), &chunks, 1).is_some());
        find(&mut cache, &filter("score_min=0"), &chunks, 1);
        assert_eq!(cache.conditions.len(), CONDITIONS_MAX);
        assert!(cached(&cache).contains(&&filter("seconds_min=0")));
        assert!(!cached(&cache).contains(&&filter("seconds_min=1")));
    }
}
