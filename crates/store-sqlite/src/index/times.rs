//! A sorted multiset of instants that counts a range without scanning it.

/// Maximum number of instants per chunk. An insertion moves at most this many.
const CHUNK_MAX: usize = 1024;

/// A sorted multiset of instants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SortedInstants {
    /// Sorted chunks. No chunk is empty, and each starts at or after the end of the previous one.
    chunks: Vec<Vec<i64>>,
}

impl SortedInstants {
    /// Returns the multiset of these instants, in any order.
    pub(super) fn new(mut instants: Vec<i64>) -> Self {
        instants.sort_unstable();
        Self { chunks: instants.chunks(CHUNK_MAX).map(<[i64]>::to_vec).collect() }
    }

    /// Inserts an instant.
    pub(super) fn insert(&mut self, at: i64) {
        let Some(last) = self.chunks.len().checked_sub(1) else {
            self.chunks.push(vec![at]);
            return;
        };
        let place = self.find_chunk(at).min(last);
        let chunk = &mut self.chunks[place];
        if chunk.len() < CHUNK_MAX {
            chunk.insert(chunk.partition_point(|instant| *instant <= at), at);
        } else if place == last && chunk.last().is_some_and(|newest| *newest <= at) {
            // Usually instants are inserted in order, so full chunks are left behind, not split.
            self.chunks.push(vec![at]);
        } else {
            let upper = chunk.split_off(CHUNK_MAX / 2);
            self.chunks.insert(place + 1, upper);
            self.insert(at);
        }
    }

    /// Removes one instant equal to `at`; returns whether there was one.
    pub(super) fn remove(&mut self, at: i64) -> bool {
        let place = self.find_chunk(at);
        let Some(chunk) = self.chunks.get_mut(place) else { return false };
        let Ok(found) = chunk.binary_search(&at) else { return false };
        chunk.remove(found);
        if chunk.is_empty() {
            self.chunks.remove(place);
        }
        true
    }

    /// Counts the instants in `from <= at < to`.
    pub(super) fn count(&self, from: i64, to: i64) -> u64 {
        self.count_before(to).saturating_sub(self.count_before(from)) as u64
    }

    /// Iterates over the instants in `from <= at < to`, newest first, at most `max`.
    pub(super) fn newest(&self, from: i64, to: i64, max: usize) -> impl Iterator<Item = i64> + '_ {
        let last = self.chunks.partition_point(|chunk| chunk[0] < to);
        let instants = self.chunks[..last].iter().rev().flat_map(|chunk| chunk.iter().rev());
        instants
            .copied()
            .skip_while(move |at| *at >= to)
            .take_while(move |at| *at >= from)
            .take(max)
    }

    fn count_before(&self, at: i64) -> usize {
        let place = self.find_chunk(at);
        let in_full_chunks: usize = self.chunks[..place].iter().map(Vec::len).sum();
        let in_last_chunk = self
            .chunks
            .get(place)
            .map_or(0, |chunk| chunk.partition_point(|instant| *instant < at));
        in_full_chunks + in_last_chunk
    }

    /// Returns the index of the first chunk that ends at or after `at`.
    fn find_chunk(&self, at: i64) -> usize {
        self.chunks.partition_point(|chunk| chunk.last().is_some_and(|last| *last < at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_count_like_plain_list(
            start in proptest::collection::vec(0_i64..400, 0..3000),
            changes in proptest::collection::vec((any::<bool>(), 0_i64..400), 0..3000),
            bounds in proptest::collection::vec((-1_i64..402, -1_i64..402), 8),
        ) {
            let mut list = start.clone();
            let mut times = SortedInstants::new(start);
            for (is_insert, at) in changes {
                if is_insert {
                    list.push(at);
                    times.insert(at);
                } else {
                    let found = list.iter().position(|instant| *instant == at);
                    prop_assert_eq!(times.remove(at), found.is_some());
                    if let Some(found) = found {
                        list.swap_remove(found);
                    }
                }
            }
            list.sort_unstable();
            for (from, to) in bounds {
                let inside: Vec<i64> =
                    list.iter().copied().filter(|at| (from..to).contains(at)).collect();
                prop_assert_eq!(times.count(from, to), inside.len() as u64);
                let newest: Vec<i64> = times.newest(from, to, 7).collect();
                let expected: Vec<i64> = inside.iter().rev().take(7).copied().collect();
                prop_assert_eq!(newest, expected);
            }
            prop_assert!(times.chunks.iter().all(|chunk| (1..=CHUNK_MAX).contains(&chunk.len())));
        }
    }
}
