//! The values that summaries count, for every submission of a form, in memory and ordered by time.
//!
//! Each value of each property has a number, and a row is the list of its numbers. So a summary of
//! a million rows only counts numbers. Rows contain no texts, and other answers are not stored.

use super::utm::UtmValues;
use super::{ApplyChange, Change};
use contract::summary::{CountedFields, Counts, Day, for_each_value};
use contract::{Submission, Timestamp};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Maximum number of rows per chunk. An insertion moves at most this many rows.
const CHUNK_MAX: usize = 1024;
/// The property numbers of source, medium and campaign in [`for_each_value`].
const UTM_PROPERTIES: [usize; 3] = [6, 7, 8];

/// Sort key of a row: its instant and a hash of its id. The hash has a random seed per index, so
/// ids with equal hashes cannot be constructed. An accidental collision within one microsecond is
/// less likely than a memory error.
type SpotKey = (i64, u64);

/// The counted values of one form.
pub(crate) struct SummaryIndex {
    charted: CountedFields,
    hasher: RandomState,
    /// Sorted chunks. No chunk is empty, and each starts at or after the end of the previous one.
    chunks: Vec<Chunk>,
    numbers: ValueNumbers,
    /// A row could not be added, so the index is incomplete.
    is_incomplete: bool,
}

#[derive(Default)]
struct Chunk {
    spots: Vec<SpotKey>,
    /// End offset of each row in `numbers`.
    ends: Vec<u32>,
    /// The numbers of all rows. The first number of a row is its sentiment.
    numbers: Vec<u16>,
}

/// Maps values to numbers, and numbers to values.
#[derive(Default)]
struct ValueNumbers {
    by_property: Vec<PropertyNumbers>,
    values: Vec<(usize, Option<Box<str>>)>,
    text_bytes: usize,
}

/// The numbers of one property: for a missing value, and for each value.
#[derive(Default)]
struct PropertyNumbers {
    missing: Option<u16>,
    values: HashMap<Box<str>, u16>,
}

/// Parameters of a count.
pub(crate) struct CountRequest<'a> {
    /// Microseconds since the epoch, UTC: first inclusive, second exclusive.
    pub(crate) span: (i64, i64),
    /// The required UTM values.
    pub(crate) utm: UtmValues,
    /// Keys of the rows that a search found, in any order; `None` without a search.
    pub(crate) found: Option<Vec<(i64, String)>>,
    /// Returns the day of an instant.
    pub(crate) day_of: &'a dyn Fn(Timestamp) -> Day,
    /// Whether the caller has cancelled.
    pub(crate) is_abandoned: &'a (dyn Fn() -> bool + Sync),
}

impl SummaryIndex {
    /// Returns an empty index that counts these fields.
    pub(crate) fn new(charted: CountedFields) -> Self {
        Self {
            charted,
            hasher: RandomState::new(),
            chunks: Vec::new(),
            numbers: ValueNumbers::default(),
            is_incomplete: false,
        }
    }

    /// Returns the counted fields.
    pub(crate) fn charted(&self) -> &CountedFields {
        &self.charted
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let of_chunk = |chunk: &Chunk| {
            size_of::<Chunk>()
                + chunk.spots.capacity() * size_of::<SpotKey>()
                + chunk.ends.capacity() * size_of::<u32>()
                + chunk.numbers.capacity() * size_of::<u16>()
        };
        let values = self.numbers.values.len() * 128 + self.numbers.text_bytes;
        values + self.chunks.iter().map(of_chunk).sum::<usize>()
    }

    /// Inserts a row. Rows may be inserted in any order.
    pub(crate) fn insert(&mut self, at: i64, id: &str, json: &str) {
        let Some(numbers) = self.read_numbers(json) else {
            self.is_incomplete = true;
            return;
        };
        let spot = (at, self.hasher.hash_one(id));
        let last = self.chunks.len().saturating_sub(1);
        let place = self.find_chunk(spot).min(last);
        if self.chunks.is_empty() {
            self.chunks.push(Chunk::default());
        }
        let chunk = &mut self.chunks[place];
        if chunk.spots.len() < CHUNK_MAX {
            let row = chunk.spots.partition_point(|it| *it < spot);
            chunk.insert(row, spot, &numbers);
        } else if place == last && chunk.spots.last().is_some_and(|newest| *newest <= spot) {
            // Usually rows are inserted in order, so full chunks are left behind, not split.
            let mut next = Chunk::default();
            next.insert(0, spot, &numbers);
            self.chunks.push(next);
        } else {
            let mut upper = chunk.split();
            let half = if upper.spots[0] < spot { &mut upper } else { chunk };
            half.insert(half.spots.partition_point(|it| *it < spot), spot, &numbers);
            self.chunks.insert(place + 1, upper);
        }
    }

    /// Counts the values of the selected rows. Returns `None` if cancelled.
    pub(crate) fn count(&self, asked: &CountRequest<'_>) -> Option<Counts> {
        let mut sums = RunningCounts::new(&self.numbers, asked.day_of);
        let wanted = self.required_numbers(&asked.utm);
        if let (Some(wanted), Some(found)) = (&wanted, &asked.found) {
            self.count_found(found, wanted, asked, &mut sums)?;
        } else if let Some(wanted) = &wanted {
            let first = self.find_chunk((asked.span.0, 0));
            for chunk in &self.chunks[first..] {
                if chunk.spots[0].0 >= asked.span.1 {
                    break;
                }
                if (asked.is_abandoned)() {
                    return None;
                }
                let from = chunk.spots.partition_point(|spot| spot.0 < asked.span.0);
                let to = chunk.spots.partition_point(|spot| spot.0 < asked.span.1);
                (from..to).for_each(|row| sums.add_row(chunk, row, wanted));
            }
        }
        let mut counts = Counts::new(self.charted.clone());
        sums.write_to(&mut counts);
        Some(counts)
    }

    fn count_found(
        &self,
        found: &[(i64, String)],
        wanted: &[u16],
        asked: &CountRequest<'_>,
        sums: &mut RunningCounts<'_>,
    ) -> Option<()> {
        for some in found.chunks(CHUNK_MAX) {
            if (asked.is_abandoned)() {
                return None;
            }
            for (at, id) in some {
                let spot = (*at, self.hasher.hash_one(id.as_str()));
                let chunk = self.chunks.get(self.find_chunk(spot))?;
                let row = chunk.spots.binary_search(&spot).ok()?;
                sums.add_row(chunk, row, wanted);
            }
        }
        Some(())
    }

    /// Returns the numbers that a row must have, or `None` if no row has them.
    fn required_numbers(&self, utm: &UtmValues) -> Option<Vec<u16>> {
        let pairs = UTM_PROPERTIES.iter().zip(&utm.0).filter(|(_, value)| value.is_some());
        pairs.map(|(property, value)| self.numbers.find(*property, value.as_deref())).collect()
    }

    fn read_numbers(&mut self, json: &str) -> Option<Vec<u16>> {
        let submission: Submission = serde_json::from_str(json).ok()?;
        let mut row = Vec::with_capacity(16);
        let mut is_whole = true;
        let numbers = &mut self.numbers;
        for_each_value(&submission, &self.charted, &mut |property, value| match numbers
            .find_or_assign(property, value)
        {
            Some(number) => row.push(number),
            None => is_whole = false,
        });
        is_whole.then_some(row)
    }

    fn remove(&mut self, at: i64, id: &str) -> bool {
        let spot = (at, self.hasher.hash_one(id));
        let place = self.find_chunk(spot);
        let Some(chunk) = self.chunks.get_mut(place) else { return false };
        let Ok(row) = chunk.spots.binary_search(&spot) else { return false };
        chunk.remove(row);
        if chunk.spots.is_empty() {
            self.chunks.remove(place);
        }
        true
    }

    /// Returns the index of the first chunk that ends at or after `spot`.
    fn find_chunk(&self, spot: SpotKey) -> usize {
        self.chunks.partition_point(|chunk| chunk.spots.last().is_some_and(|last| *last < spot))
    }
}

impl ApplyChange for SummaryIndex {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Insert(row) => self.insert(row.at, &row.id, &row.json),
            Change::Delete(row) => {
                self.remove(row.at, &row.id);
            }
            Change::Rewrite { at, id, json } => {
                if self.remove(*at, id) {
                    self.insert(*at, id, json);
                }
            }
        }
    }

    fn is_complete(&self) -> bool {
        !self.is_incomplete
    }
}

impl ValueNumbers {
    fn find(&self, property: usize, value: Option<&str>) -> Option<u16> {
        let of = self.by_property.get(property)?;
        value.map_or(of.missing, |value| of.values.get(value).copied())
    }

    /// Returns the number of a value, and assigns one if needed. Returns `None` if there are too
    /// many values.
    fn find_or_assign(&mut self, property: usize, value: Option<&str>) -> Option<u16> {
        if self.by_property.len() <= property {
            self.by_property.resize_with(property + 1, PropertyNumbers::default);
        }
        let known = self.find(property, value);
        if known.is_some() {
            return known;
        }
        let number = u16::try_from(self.values.len()).ok()?;
        self.text_bytes += 2 * value.map_or(0, str::len);
        self.values.push((property, value.map(Box::from)));
        let of = &mut self.by_property[property];
        match value {
            Some(value) => of.values.insert(Box::from(value), number),
            None => of.missing.replace(number),
        };
        Some(number)
    }
}

impl Chunk {
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[row] as usize
    }

    fn insert(&mut self, row: usize, spot: SpotKey, numbers: &[u16]) {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let length = u32::try_from(numbers.len()).unwrap_or_default();
        self.spots.insert(row, spot);
        self.numbers.splice(start as usize..start as usize, numbers.iter().copied());
        self.ends.insert(row, start);
        self.ends[row..].iter_mut().for_each(|end| *end += length);
    }

    fn remove(&mut self, row: usize) {
        let range = self.range(row);
        let length = u32::try_from(range.len()).unwrap_or_default();
        self.numbers.drain(range);
        self.spots.remove(row);
        self.ends.remove(row);
        self.ends[row..].iter_mut().for_each(|end| *end -= length);
    }

    /// Splits off the upper half of the rows.
    fn split(&mut self) -> Self {
        let row = self.spots.len() / 2;
        let start = self.range(row).start;
        let spots = self.spots.split_off(row);
        let below = u32::try_from(start).unwrap_or_default();
        let ends = self.ends.split_off(row).into_iter().map(|end| end - below).collect();
        Self { spots, ends, numbers: self.numbers.split_off(start) }
    }
}

/// Counters of a running count.
struct RunningCounts<'a> {
    numbers: &'a ValueNumbers,
    day_of: &'a dyn Fn(Timestamp) -> Day,
    of_numbers: Vec<u64>,
    of_days: HashMap<(Day, u16), u64>,
    /// The day and sentiment of the previous row, and the number of consecutive rows with both.
    run: (Option<(Day, u16)>, u64),
}

impl<'a> RunningCounts<'a> {
    fn new(known: &'a ValueNumbers, day_of: &'a dyn Fn(Timestamp) -> Day) -> Self {
        let of_numbers = vec![0; known.values.len()];
        Self { numbers: known, day_of, of_numbers, of_days: HashMap::new(), run: (None, 0) }
    }

    fn add_row(&mut self, chunk: &Chunk, row: usize, wanted: &[u16]) {
        let numbers = &chunk.numbers[chunk.range(row)];
        if !wanted.iter().all(|number| numbers.contains(number)) {
            return;
        }
        for number in numbers {
            self.of_numbers[usize::from(*number)] += 1;
        }
        let at = Timestamp::from_micros(chunk.spots[row].0).unwrap_or(Timestamp::MIN);
        let one = ((self.day_of)(at), numbers[0]);
        if self.run.0 == Some(one) {
            self.run.1 += 1;
        } else {
            self.end_run();
            self.run = (Some(one), 1);
        }
    }

    fn end_run(&mut self) {
        if let (Some(one), count) = self.run {
            *self.of_days.entry(one).or_default() += count;
        }
    }

    fn write_to(mut self, counts: &mut Counts) {
        self.end_run();
        for ((day, sentiment), count) in &self.of_days {
            let label = &self.numbers.values[usize::from(*sentiment)].1;
            counts.add_day(*day, label.as_deref(), *count);
        }
        let counted = self.numbers.values.iter().zip(&self.of_numbers);
        for ((property, value), count) in counted.filter(|(_, count)| **count > 0) {
            counts.add_value(*property, value.as_deref(), *count);
        }
    }
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
