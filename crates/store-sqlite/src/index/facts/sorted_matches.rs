//! The rows of a page that is sorted by a value in memory, and the number of all matches.

use super::SummaryIndex;
use super::chunk::{Chunk, HashedKey};
use super::condition_bits::MatchingRows;
use super::matcher::PropertyFilter;
use contract::sort::SORTED_MATCHES_MAX;
use contract::{Sort, SortBy, SortKey, SortPlace, SortValue};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::PoisonError;
use store::answers::ColumnKey;

/// Parameters of a sorted page.
pub(crate) struct SortedRequest<'a> {
    /// The filter.
    pub(crate) filter: &'a PropertyFilter,
    /// Microseconds since the epoch, UTC: first inclusive, second exclusive.
    pub(crate) span: (i64, i64),
    /// The order.
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

/// Rank of rows without a value, which come last.
const MISSING: u64 = u64::MAX;
/// Sign bit of instants and numbers.
const SIGN: u64 = 1 << 63;
/// Minimum number of rows that are collected before those that are not first are dropped.
const COLLECTED_MIN: usize = 4096;

impl SortedMatches {
    fn new(
        matches: &MatchingRows<'_>,
        request: &SortedRequest<'_>,
        index: &SummaryIndex,
    ) -> Option<Self> {
        let SortedRequest { sort, .. } = *request;
        let total = matches.count(request.span.0, request.span.1);
        let keys = if sort.is_by_field() {
            if total > SORTED_MATCHES_MAX {
                return Some(Self { total, keys: HashSet::new(), hasher: index.hasher.clone() });
            }
            let column = index.ready_column(&ColumnKey::of_sort(sort)?)?;
            let place = |chunk: &Chunk, row: usize| {
                sort.place(sort.value_of_texts(chunk.answers[column].texts(row)))
            };
            keys_of_page(matches, request, place, SortPlace::clone)
        } else {
            let rank = |chunk: &Chunk, row: usize| rank_of_row(sort, chunk, row);
            keys_of_page(matches, request, rank, |place| rank_of_value(sort, place.value()))
        };
        Some(Self { total, keys, hasher: index.hasher.clone() })
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
    /// Returns the matches of a sorted page, and counts all matches; no keys if there are more than
    /// [`SORTED_MATCHES_MAX`] to sort by a field. Returns `None` if the answers to the field are
    /// not in memory.
    pub(crate) fn find_sorted(&self, request: &SortedRequest<'_>) -> Option<SortedMatches> {
        let known = self.read_conditions();
        if let Some(matches) = known.find_matches(request.filter, &self.chunks, self.changes) {
            return SortedMatches::new(&matches, request, self);
        }
        drop(known);
        let mut conditions = self.conditions.write().unwrap_or_else(PoisonError::into_inner);
        let rows = self.row_context();
        let matches = conditions.compute_matches(request.filter, &self.chunks, rows, self.changes);
        SortedMatches::new(&matches, request, self)
    }
}

/// Returns the keys of the first rows after the cursor, and of all rows that have the same value
/// and instant as the last of them or as the cursor. Only hashes of ids are known, so the order of
/// rows with the same instant is not.
fn keys_of_page<P: Ord + Clone>(
    matches: &MatchingRows<'_>,
    request: &SortedRequest<'_>,
    place_of_row: impl Fn(&Chunk, usize) -> P,
    place_of_cursor: impl Fn(&SortPlace) -> P,
) -> HashSet<HashedKey> {
    let (from, to) = request.span;
    let place_in_time = |place: P, at: i64| (place, Reverse(at));
    let after = request
        .after
        .map(|key| place_in_time(place_of_cursor(key.place()), key.submitted_at().micros()));
    let mut keys = HashSet::new();
    let mut first = FirstRows::new(request.rows_max);
    let add = |(chunk, row): (&Chunk, usize)| {
        let key = chunk.row_keys[row];
        let place = place_in_time(place_of_row(chunk, row), key.0);
        match after.as_ref().map(|after| place.cmp(after)) {
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) => {
                keys.insert(key);
            }
            Some(Ordering::Greater) | None => first.add(place, key),
        }
    };
    // Rows in the order of the list seldom replace others.
    if *request.sort.by() == SortBy::SubmittedAt {
        matches.newest_rows(from, to).rev().for_each(add);
    } else {
        matches.newest_rows(from, to).for_each(add);
    }
    keys.extend(first.into_keys());
    keys
}

/// Collects the first rows by their places, in any order, with all rows that have the place of the
/// last.
struct FirstRows<P> {
    rows_max: usize,
    rows: Vec<(P, HashedKey)>,
    /// Rows after this place are not among the first.
    last: Option<P>,
    /// When this many rows are collected, the others are dropped.
    collected_max: usize,
}

impl<P: Ord + Clone> FirstRows<P> {
    fn new(rows_max: usize) -> Self {
        Self { rows_max, rows: Vec::new(), last: None, collected_max: COLLECTED_MIN }
    }

    fn add(&mut self, place: P, key: HashedKey) {
        if self.last.as_ref().is_some_and(|last| place > *last) {
            return;
        }
        self.rows.push((place, key));
        if self.rows.len() >= self.collected_max {
            self.drop_others();
            self.collected_max = COLLECTED_MIN.max(self.rows.len() * 2);
        }
    }

    fn drop_others(&mut self) {
        if self.rows.len() <= self.rows_max {
            return;
        }
        let index = self.rows_max.saturating_sub(1);
        let (_, (last, _), _) = self.rows.select_nth_unstable_by(index, |a, b| a.0.cmp(&b.0));
        let last = last.clone();
        self.rows.retain(|(place, _)| *place <= last);
        self.last = Some(last);
    }

    fn into_keys(mut self) -> impl Iterator<Item = HashedKey> {
        self.drop_others();
        self.rows.into_iter().map(|(_, key)| key)
    }
}

/// Returns the rank of a row's value, which is not an answer.
fn rank_of_row(sort: &Sort, chunk: &Chunk, row: usize) -> u64 {
    let at = chunk.row_keys[row].0;
    match sort.by() {
        SortBy::SubmittedAt => rank_of_instant(sort, at),
        SortBy::CompletionTime => rank_of_number(sort, chunk.seconds(row)),
        SortBy::SentimentScore => rank_of_number(sort, chunk.score(row)),
        SortBy::UpdatedAt => rank_of_instant(sort, chunk.times(row).updated_at().unwrap_or(at)),
        SortBy::Field(_) => MISSING,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_rows_include_all_ties_of_the_last() {
        for (rows_max, distinct) in [(1, 50), (100, 7), (100, 9973), (6000, 9973)] {
            let rows: Vec<(i64, HashedKey)> =
                (0..20_000).map(|n| (n * 7919 % distinct, (n, 0))).collect();
            let mut first = FirstRows::new(rows_max);
            for (place, key) in &rows {
                first.add(*place, *key);
            }
            assert!(first.last.is_some(), "rows were dropped");
            let mut places: Vec<i64> = rows.iter().map(|(place, _)| *place).collect();
            places.sort_unstable();
            let is_first = |(place, _): &&(i64, HashedKey)| *place <= places[rows_max - 1];
            let expected: HashSet<HashedKey> =
                rows.iter().filter(is_first).map(|(_, key)| *key).collect();
            assert_eq!(first.into_keys().collect::<HashSet<_>>(), expected, "{rows_max}");
        }
    }
}
