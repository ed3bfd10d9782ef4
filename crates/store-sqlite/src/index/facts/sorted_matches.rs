//! The rows of a page that is sorted by a value in memory, and the number of all matches.

use super::SummaryIndex;
use super::chunk::{Chunk, HashedKey};
use super::condition_bits::MatchingRows;
use super::matcher::PropertyFilter;
use contract::{Sort, SortBy, SortKey, SortValue};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::PoisonError;

/// Parameters of a sorted page.
pub(crate) struct SortedRequest<'a> {
    /// The filter.
    pub(crate) filter: &'a PropertyFilter,
    /// Microseconds since the epoch, UTC: first inclusive, second exclusive.
    pub(crate) span: (i64, i64),
    /// The order; not by a field.
    pub(crate) sort: &'a Sort,
    /// The cursor.
    pub(crate) after: Option<&'a SortKey>,
    /// Maximum number of rows after the cursor.
    pub(crate) rows_max: usize,
}

/// The matches of a sorted page.
pub(crate) struct SortedMatches {
    /// Number of all matches in the span.
    pub(crate) total: u64,
    /// Keys of the page's rows, and of all matches with the same value and instant as its last row
    /// or as the cursor.
    keys: HashSet<HashedKey>,
    hasher: RandomState,
}

/// Place of a row without its id, of which only a hash is known: the rank of its value, and its
/// instant.
type PlaceInTime = (u64, Reverse<i64>);

/// Rank of rows without a value, which come last.
const MISSING: u64 = u64::MAX;
/// Sign bit of instants and numbers.
const SIGN: u64 = 1 << 63;

impl SortedMatches {
    fn new(matches: &MatchingRows<'_>, request: &SortedRequest<'_>, hasher: RandomState) -> Self {
        let (from, to) = request.span;
        let after = request.after.map(|key| {
            (rank_of_value(request.sort, key.place().value()), Reverse(key.submitted_at().micros()))
        });
        let place = |chunk: &Chunk, row: usize| place_of(request.sort, chunk, row);
        let mut first: BinaryHeap<PlaceInTime> = BinaryHeap::new();
        let add = |(chunk, row): (&Chunk, usize)| {
            let place = place(chunk, row);
            let is_before =
                first.len() < request.rows_max || first.peek().is_some_and(|last| place < *last);
            if is_before && after.is_none_or(|after| place > after) {
                first.push(place);
                if first.len() > request.rows_max {
                    first.pop();
                }
            }
        };
        // Rows in the order of the list seldom replace others.
        if *request.sort.by() == SortBy::SubmittedAt {
            matches.newest_rows(from, to).rev().for_each(add);
        } else {
            matches.newest_rows(from, to).for_each(add);
        }
        let is_all = first.len() < request.rows_max;
        let last = first.into_iter().max().filter(|_| !is_all);
        let is_on_page = |place: PlaceInTime| {
            after.is_none_or(|after| place >= after) && last.is_none_or(|last| place <= last)
        };
        let mut keys = HashSet::new();
        matches.newest_rows(from, to).for_each(|(chunk, row)| {
            if is_on_page(place(chunk, row)) {
                keys.insert(chunk.row_keys[row]);
            }
        });
        Self { total: matches.count(from, to), keys, hasher }
    }

    /// Returns the instants of the matches without repetition.
    pub(crate) fn instants(&self) -> BTreeSet<i64> {
        self.keys.iter().map(|key| key.0).collect()
    }

    /// Returns whether the row with this instant and id is one of the matches.
    pub(crate) fn contains(&self, at: i64, id: &str) -> bool {
        self.keys.contains(&(at, self.hasher.hash_one(id)))
    }
}

impl SummaryIndex {
    /// Returns the matches of a sorted page, and counts all matches.
    pub(crate) fn find_sorted(&self, request: &SortedRequest<'_>) -> SortedMatches {
        let known = self.read_conditions();
        if let Some(matches) = known.find_matches(request.filter, &self.chunks, self.changes) {
            return SortedMatches::new(&matches, request, self.hasher.clone());
        }
        drop(known);
        let mut conditions = self.conditions.write().unwrap_or_else(PoisonError::into_inner);
        let rows = self.row_context();
        let matches = conditions.compute_matches(request.filter, &self.chunks, rows, self.changes);
        SortedMatches::new(&matches, request, self.hasher.clone())
    }
}

fn place_of(sort: &Sort, chunk: &Chunk, row: usize) -> PlaceInTime {
    let at = chunk.row_keys[row].0;
    let rank = match sort.by() {
        SortBy::SubmittedAt => rank_of_instant(sort, at),
        SortBy::CompletionTime => rank_of_number(sort, chunk.seconds(row)),
        SortBy::SentimentScore => rank_of_number(sort, chunk.score(row)),
        SortBy::UpdatedAt => rank_of_instant(sort, chunk.times(row).updated_at().unwrap_or(at)),
        SortBy::Field(_) => MISSING,
    };
    (rank, Reverse(at))
}

/// Returns the rank of a value. Ranks have the order of [`contract::SortPlace`].
fn rank_of_value(sort: &Sort, value: Option<&SortValue>) -> u64 {
    match value {
        Some(SortValue::Instant(at)) => rank_of_instant(sort, at.micros()),
        Some(SortValue::Number(number)) => rank_of_number(sort, *number),
        Some(SortValue::Decimal(_) | SortValue::Text(_)) | None => MISSING,
    }
}

fn rank_of_instant(sort: &Sort, at: i64) -> u64 {
    in_direction(sort, at.cast_unsigned() ^ SIGN)
}

fn rank_of_number(sort: &Sort, number: f64) -> u64 {
    if number.is_nan() {
        return MISSING;
    }
    // The sum turns negative zero into zero.
    let bits = (number + 0.0).to_bits();
    in_direction(sort, if bits & SIGN == 0 { bits | SIGN } else { !bits })
}

fn in_direction(sort: &Sort, rank: u64) -> u64 {
    if sort.is_descending() { !rank } else { rank }
}
