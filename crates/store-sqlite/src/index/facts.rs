//! The values that summaries count and filters compare, for every submission of a form, in memory
//! and ordered by time.
//!
//! Each value of each property has a number, and a row is the list of its numbers. So a summary of
//! a million rows only counts numbers. Rows contain no texts, and other answers are not stored. The
//! rows that match recent conditions are cached, so that a page or a count does not scan the rows
//! again.

mod answers;
mod chunk;
mod column_state;
mod condition_bits;
mod match_page;
mod matcher;
mod numbers;
mod read_marks;
mod running_counts;
mod sorted_matches;
#[cfg(test)]
mod test_rows;
mod triage_values;

use super::{ApplyChange, Change};
use chunk::{CHUNK_MAX, Chunk, HashedKey, RowValues, TriageTimes};
use column_state::ColumnState;
use condition_bits::ConditionCache;
use contract::summary::{CountedFields, Counts, Day};
use contract::{Submission, Timestamp};
use matcher::{RowContext, RowMatcher};
use numbers::ValueNumbers;
use read_marks::ReadMarks;
use running_counts::RunningCounts;
use std::hash::{BuildHasher, RandomState};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use store::triage::StoredTriage;

pub(crate) use answers::ReadAnswers;
pub(crate) use match_page::{MatchPage, MatchRequest};
pub(crate) use matcher::PropertyFilter;
pub(crate) use sorted_matches::{SortedMatches, SortedRequest};

/// The counted values of one form.
pub(crate) struct SummaryIndex {
    charted: CountedFields,
    hasher: RandomState,
    /// Sorted chunks. No chunk is empty, and each starts at or after the end of the previous one.
    chunks: Vec<Chunk>,
    numbers: ValueNumbers,
    marks: ReadMarks,
    /// The columns of answers. Each chunk has one for each of them.
    columns: Vec<ColumnState>,
    /// Number of changes so far: the version of the last changed chunk.
    changes: u64,
    conditions: RwLock<ConditionCache>,
    /// A row could not be added, so the index is incomplete.
    is_incomplete: bool,
}

/// Numbers of the values of a triage, and its times.
type TriageValues = (Vec<u16>, TriageTimes);

/// Parameters of a count.
pub(crate) struct CountRequest<'a> {
    /// Microseconds since the epoch, UTC: first inclusive, second exclusive.
    pub(crate) span: (i64, i64),
    /// The filter.
    pub(crate) filter: &'a PropertyFilter,
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
            marks: ReadMarks::default(),
            columns: Vec::new(),
            changes: 0,
            conditions: RwLock::default(),
            is_incomplete: false,
        }
    }

    /// Returns the counted fields.
    pub(crate) fn charted(&self) -> &CountedFields {
        &self.charted
    }

    /// Returns the approximate size in memory without the columns of answers, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(Chunk::bytes).sum();
        self.numbers.bytes() + self.marks.bytes() + chunks + self.read_conditions().bytes()
    }

    /// Inserts a row. Rows may be inserted in any order.
    /// `triage` is JSON; `None` for the default.
    pub(crate) fn insert(&mut self, at: i64, id: &str, json: &str, triage: Option<&str>) {
        let triage = self.triage_values(at, triage);
        self.insert_row(at, id, json, triage);
    }

    /// Returns the numbers of a triage and the times of a submission at `at`. Returns `None` if
    /// there are too many values, or if the JSON is damaged.
    fn triage_values(&mut self, at: i64, json: Option<&str>) -> Option<TriageValues> {
        let Some(json) = json else { return Some((Vec::new(), TriageTimes::NONE)) };
        let stored = StoredTriage::parse(Some(json)).ok()?;
        let times = TriageTimes::of(&stored, Timestamp::from_micros(at)?);
        Some((self.numbers.assign_triage(&stored.triage)?, times))
    }

    fn insert_row(&mut self, at: i64, id: &str, json: &str, triage: Option<TriageValues>) {
        let submission: Option<Submission> = serde_json::from_str(json).ok();
        let columns = &self.columns;
        let values = submission.and_then(|submission| {
            let answers = columns.iter().map(|column| column.key.texts_of(&submission.answers));
            let answers: Vec<Vec<u8>> = answers.collect();
            let mut numbers = self.numbers.assign(&submission, &self.charted)?;
            let (triage, times) = triage?;
            numbers.extend(triage);
            let score = submission.ai_insights.and_then(|insight| insight.sentiment_score);
            Some((numbers, score, submission.metadata.completion_seconds(), times, answers))
        });
        let Some((numbers, score, seconds, times, answers)) = values else {
            self.is_incomplete = true;
            return;
        };
        let row_key = (at, self.hasher.hash_one(id));
        let values = RowValues {
            numbers: &numbers,
            score: score.unwrap_or(f64::NAN),
            seconds: seconds.unwrap_or(f64::NAN),
            times,
        };
        self.insert_values(row_key, values, &answers);
    }

    fn insert_values(&mut self, row_key: HashedKey, values: RowValues<'_>, answers: &[Vec<u8>]) {
        let last = self.chunks.len().saturating_sub(1);
        let place = self.find_chunk(row_key).min(last);
        if self.chunks.is_empty() {
            self.chunks.push(Chunk::new(self.columns.len()));
        }
        self.changes += 2;
        let chunk = &mut self.chunks[place];
        if chunk.row_keys.len() < CHUNK_MAX {
            let row = chunk.row_keys.partition_point(|key| *key < row_key);
            chunk.insert(row, row_key, values);
            chunk.insert_answers(row, answers);
            chunk.version = self.changes;
        } else if place == last && chunk.row_keys.last().is_some_and(|newest| *newest <= row_key) {
            // Usually rows are inserted in order, so full chunks are left behind, not split.
            let mut next = Chunk::new(self.columns.len());
            next.insert(0, row_key, values);
            next.insert_answers(0, answers);
            next.version = self.changes;
            self.chunks.push(next);
        } else {
            let mut upper = chunk.split();
            (chunk.version, upper.version) = (self.changes - 1, self.changes);
            let half = if upper.row_keys[0] < row_key { &mut upper } else { chunk };
            let row = half.row_keys.partition_point(|key| *key < row_key);
            half.insert(row, row_key, values);
            half.insert_answers(row, answers);
            self.chunks.insert(place + 1, upper);
        }
    }

    /// Counts the values of the selected rows. Returns `None` if cancelled.
    pub(crate) fn count(&self, request: &CountRequest<'_>) -> Option<Counts> {
        let mut sums = RunningCounts::new(&self.numbers, request.day_of);
        let matcher = RowMatcher::new(request.filter, self.row_context());
        if matcher.matches_nothing() {
            return Some(Counts::new(self.charted.clone()));
        }
        if let Some(found) = &request.found {
            self.count_found(found, &matcher, request, &mut sums)?;
        } else {
            let first = self.find_chunk((request.span.0, 0));
            for chunk in &self.chunks[first..] {
                if chunk.row_keys[0].0 >= request.span.1 {
                    break;
                }
                if (request.is_abandoned)() {
                    return None;
                }
                let from = chunk.row_keys.partition_point(|row_key| row_key.0 < request.span.0);
                let to = chunk.row_keys.partition_point(|row_key| row_key.0 < request.span.1);
                for row in from..to {
                    if matcher.matches(chunk, row) {
                        sums.add_row(chunk.row_keys[row], chunk.values(row));
                    }
                }
            }
        }
        let mut counts = Counts::new(self.charted.clone());
        sums.write_to(&mut counts);
        Some(counts)
    }

    fn count_found(
        &self,
        found: &[(i64, String)],
        matcher: &RowMatcher<'_>,
        request: &CountRequest<'_>,
        sums: &mut RunningCounts<'_>,
    ) -> Option<()> {
        for chunk in found.chunks(CHUNK_MAX) {
            if (request.is_abandoned)() {
                return None;
            }
            for (at, id) in chunk {
                let (chunk, row) = self.find_row(*at, id)?;
                if matcher.matches(chunk, row) {
                    sums.add_row(chunk.row_keys[row], chunk.values(row));
                }
            }
        }
        Some(())
    }

    /// Returns the newest matches of a filter, and counts all matches. The first use of a condition
    /// scans all rows.
    pub(crate) fn find_matches(&self, request: MatchRequest<'_>) -> MatchPage {
        self.find_matches_now(request).unwrap_or_else(|| {
            let mut conditions = self.conditions.write().unwrap_or_else(PoisonError::into_inner);
            let matches = conditions.compute_matches(
                request.filter,
                &self.chunks,
                self.row_context(),
                self.changes,
            );
            MatchPage::new(&matches, request, self.hasher.clone())
        })
    }

    /// As [`SummaryIndex::find_matches`], but returns `None` if a condition must be compared with
    /// rows, now or by another thread.
    pub(crate) fn find_matches_now(&self, request: MatchRequest<'_>) -> Option<MatchPage> {
        let conditions = self.conditions.try_read().ok()?;
        let matches = conditions.find_matches(request.filter, &self.chunks, self.changes)?;
        Some(MatchPage::new(&matches, request, self.hasher.clone()))
    }

    /// Removes the keys of rows that do not match a filter. Returns `None` if cancelled.
    pub(crate) fn retain_matches(
        &self,
        filter: &PropertyFilter,
        found: Vec<(i64, String)>,
        is_abandoned: &dyn Fn() -> bool,
    ) -> Option<Vec<(i64, String)>> {
        let matcher = RowMatcher::new(filter, self.row_context());
        let mut matching_keys = Vec::new();
        for (number, (at, id)) in found.into_iter().enumerate() {
            if number.is_multiple_of(CHUNK_MAX) && is_abandoned() {
                return None;
            }
            let row = self.find_row(at, &id);
            if row.is_some_and(|(chunk, row)| matcher.matches(chunk, row)) {
                matching_keys.push((at, id));
            }
        }
        Some(matching_keys)
    }

    fn remove(&mut self, at: i64, id: &str) {
        let Some((place, row)) = self.locate(at, id) else { return };
        self.changes += 1;
        let chunk = &mut self.chunks[place];
        chunk.remove(row);
        chunk.version = self.changes;
        if chunk.row_keys.is_empty() {
            self.chunks.remove(place);
        }
    }

    /// Replaces the JSON of a row. The triage stays.
    fn rewrite(&mut self, at: i64, id: &str, json: &str) {
        let Some((chunk, row)) = self.find_row(at, id) else { return };
        let values = chunk.values(row);
        let (triage, _) = self.split_triage(values.numbers);
        let times = values.times;
        self.remove(at, id);
        self.insert_row(at, id, json, Some((triage, times)));
    }

    /// Replaces the triage of a row.
    fn set_triage(&mut self, at: i64, id: &str, triage: Option<&str>) {
        let Some((place, row)) = self.locate(at, id) else { return };
        let Some((triage, times)) = self.triage_values(at, triage) else {
            self.is_incomplete = true;
            return;
        };
        let (_, mut numbers) = self.split_triage(self.chunks[place].values(row).numbers);
        numbers.extend(triage);
        self.changes += 1;
        let chunk = &mut self.chunks[place];
        chunk.set_numbers(row, &numbers);
        chunk.set_times(row, times);
        chunk.version = self.changes;
    }

    /// Sets whether the read state of a row differs from the default of a member. Ignores a missing
    /// row: a moved submission keeps its marks in the file.
    pub(crate) fn set_read_mark(&mut self, at: i64, id: &str, person: &str, is_marked: bool) {
        let row_key = (at, self.hasher.hash_one(id));
        if let Some((place, _)) = self.locate(at, id) {
            self.marks.set(person, row_key, is_marked);
            self.changes += 1;
            self.chunks[place].version = self.changes;
        }
    }

    /// Returns the numbers of the triage, and the other ones.
    fn split_triage(&self, numbers: &[u16]) -> (Vec<u16>, Vec<u16>) {
        let is_triage = |number: &u16| triage_values::is_triage(self.numbers.property(*number));
        numbers.iter().copied().partition(is_triage)
    }

    fn find_row(&self, at: i64, id: &str) -> Option<(&Chunk, usize)> {
        let (place, row) = self.locate(at, id)?;
        Some((&self.chunks[place], row))
    }

    /// Returns the index of a row's chunk, and its index in the chunk.
    fn locate(&self, at: i64, id: &str) -> Option<(usize, usize)> {
        let row_key = (at, self.hasher.hash_one(id));
        let place = self.find_chunk(row_key);
        let row = self.chunks.get(place)?.row_keys.binary_search(&row_key).ok()?;
        Some((place, row))
    }

    /// Returns the index of the first chunk that ends at or after `row_key`.
    fn find_chunk(&self, row_key: HashedKey) -> usize {
        self.chunks
            .partition_point(|chunk| chunk.row_keys.last().is_some_and(|last| *last < row_key))
    }

    fn row_context(&self) -> RowContext<'_> {
        RowContext { numbers: &self.numbers, marks: &self.marks, columns: &self.columns }
    }

    fn read_conditions(&self) -> RwLockReadGuard<'_, ConditionCache> {
        self.conditions.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ApplyChange for SummaryIndex {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Insert(row) => {
                self.insert(row.at, &row.id, &row.json, row.triage.as_deref());
            }
            Change::Delete(row) => {
                self.remove(row.at, &row.id);
                self.marks.remove_row((row.at, self.hasher.hash_one(&row.id)));
            }
            Change::Rewrite { at, id, json } => self.rewrite(*at, id, json),
            Change::Triage { at, id, triage } => self.set_triage(*at, id, triage.as_deref()),
            Change::Read { at, id, person, is_marked } => {
                self.set_read_mark(*at, id, person, *is_marked);
            }
        }
    }

    fn is_complete(&self) -> bool {
        !self.is_incomplete
    }
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
