//! The newest rows that match a filter, and their number.

use super::chunk::HashedKey;
use super::condition_bits::MatchingRows;
use super::matcher::PropertyFilter;
use std::hash::{BuildHasher, RandomState};

/// Parameters of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchRequest<'a> {
    /// The filter.
    pub(crate) filter: &'a PropertyFilter,
    /// Microseconds since the epoch, UTC: first inclusive, second exclusive.
    pub(crate) span: (i64, i64),
    /// Instant of the cursor, in microseconds since the epoch, UTC.
    pub(crate) after: Option<i64>,
    /// Maximum number of rows after the cursor.
    pub(crate) rows_max: usize,
}

/// The matches of a page.
pub(crate) struct MatchPage {
    /// Number of all matches in the span.
    pub(crate) total: u64,
    /// Keys of the newest matches at or before the cursor's instant, newest first: at least the
    /// rows of the page, and all matches at each of their instants.
    keys: Vec<HashedKey>,
    hasher: RandomState,
}

impl MatchPage {
    /// Takes a page from all matches. `hasher` hashes the ids of the keys.
    pub(super) fn new(
        matches: &MatchingRows<'_>,
        request: MatchRequest<'_>,
        hasher: RandomState,
    ) -> Self {
        let (from, to) = request.span;
        let end = request.after.map_or(to, |at| to.min(at.saturating_add(1)));
        // The keys are not in the order of ids, so matches at the cursor's instant may be before or
        // after the cursor.
        let ties = request.after.map_or(0, |at| matches.count(at.max(from), end));
        let rows = request.rows_max.saturating_add(usize::try_from(ties).unwrap_or(usize::MAX));
        let mut keys: Vec<HashedKey> = Vec::new();
        for key in matches.newest(from, end) {
            if keys.len() >= rows && keys.last().is_none_or(|last| last.0 != key.0) {
                break;
            }
            keys.push(key);
        }
        Self { total: matches.count(from, to), keys, hasher }
    }

    /// Iterates over the instants of the matches without repetition, newest first.
    pub(crate) fn instants(&self) -> impl Iterator<Item = i64> {
        self.keys.chunk_by(|a, b| a.0 == b.0).map(|of_instant| of_instant[0].0)
    }

    /// Returns whether the row with this instant and id is one of the matches.
    pub(crate) fn contains(&self, at: i64, id: &str) -> bool {
        let key = (at, self.hasher.hash_one(id));
        self.keys.binary_search_by(|known| key.cmp(known)).is_ok()
    }
}
