//! A chunk of consecutive rows, as columns.

use contract::Timestamp;
use store::answers::AnswerColumn;
use store::triage::StoredTriage;

/// Maximum number of rows per chunk. An insertion moves at most this many rows.
pub(super) const CHUNK_MAX: usize = 1024;

/// Stands for a row that is not done, or has no known time.
const NOT_DONE: u32 = u32::MAX;

/// Times of the triage of a row. Few rows have any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TriageTimes {
    /// Time of the last change, in microseconds since the epoch; the smallest number if there was
    /// none.
    updated_at: i64,
    /// The seconds from the submission to its last change to `done`; or [`NOT_DONE`].
    done_seconds: u32,
}

impl TriageTimes {
    /// The times of a row without a change.
    pub(super) const NONE: Self = Self { updated_at: i64::MIN, done_seconds: NOT_DONE };

    /// Returns the times of a submission at `at`.
    pub(super) fn of(stored: &StoredTriage, at: Timestamp) -> Self {
        Self {
            updated_at: stored.updated_at().map_or(i64::MIN, Timestamp::micros),
            done_seconds: stored.seconds_to_done(at).unwrap_or(NOT_DONE),
        }
    }

    /// Returns the time of the last change, in microseconds since the epoch.
    pub(super) fn updated_at(self) -> Option<i64> {
        (self.updated_at != i64::MIN).then_some(self.updated_at)
    }

    /// Returns the seconds from the submission to its last change to `done`.
    pub(super) fn done_seconds(self) -> Option<u32> {
        (self.done_seconds != NOT_DONE).then_some(self.done_seconds)
    }
}

/// Sort key of a row: its instant and a hash of its id. The hash has a random seed per index, so
/// ids with equal hashes cannot be constructed. An accidental collision within one microsecond is
/// less likely than a memory error.
pub(super) type HashedKey = (i64, u64);

/// The values of one row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowValues<'a> {
    /// The numbers of its values: the first is the sentiment's, the last ones are the triage's.
    pub(super) numbers: &'a [u16],
    /// The sentiment score; NaN without a score.
    pub(super) score: f64,
    /// The completion time in seconds; NaN without a time.
    pub(super) seconds: f64,
    /// The times of its triage.
    pub(super) times: TriageTimes,
}

/// Rows in ascending order of their keys.
#[derive(Default)]
pub(super) struct Chunk {
    /// Changes with the rows. Different chunks have different versions.
    pub(super) version: u64,
    pub(super) row_keys: Vec<HashedKey>,
    /// End offset of each row in `numbers`.
    ends: Vec<u32>,
    /// The numbers of all rows.
    numbers: Vec<u16>,
    scores: Vec<f64>,
    seconds: Vec<f64>,
    /// Empty if no row has a time, so that new submissions need no memory for it.
    times: Vec<TriageTimes>,
    /// The answers of all rows, for each column of the index.
    pub(super) answers: Vec<AnswerColumn>,
}

impl Chunk {
    /// Returns an empty chunk with a number of columns of answers.
    pub(super) fn new(columns: usize) -> Self {
        let answers = (0..columns).map(|_| AnswerColumn::default()).collect();
        Self { answers, ..Self::default() }
    }

    /// Returns the size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.row_keys.capacity() * size_of::<HashedKey>()
            + self.ends.capacity() * size_of::<u32>()
            + self.numbers.capacity() * size_of::<u16>()
            + self.times.capacity() * size_of::<TriageTimes>()
            + (self.scores.capacity() + self.seconds.capacity()) * size_of::<f64>()
    }

    /// Returns the sentiment score of a row; NaN without one.
    pub(super) fn score(&self, row: usize) -> f64 {
        self.scores[row]
    }

    /// Returns the completion time of a row in seconds; NaN without one.
    pub(super) fn seconds(&self, row: usize) -> f64 {
        self.seconds[row]
    }

    /// Returns the times of the triage of a row.
    pub(super) fn times(&self, row: usize) -> TriageTimes {
        self.times.get(row).copied().unwrap_or(TriageTimes::NONE)
    }

    /// Returns the values of a row.
    pub(super) fn values(&self, row: usize) -> RowValues<'_> {
        RowValues {
            numbers: &self.numbers[self.range(row)],
            score: self.score(row),
            seconds: self.seconds(row),
            times: self.times(row),
        }
    }

    /// Inserts a row at an index. The caller adds its answers.
    pub(super) fn insert(&mut self, row: usize, row_key: HashedKey, values: RowValues<'_>) {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let length = u32::try_from(values.numbers.len()).unwrap_or_default();
        self.row_keys.insert(row, row_key);
        self.numbers.splice(start as usize..start as usize, values.numbers.iter().copied());
        self.ends.insert(row, start);
        self.ends[row..].iter_mut().for_each(|end| *end += length);
        self.scores.insert(row, values.score);
        self.seconds.insert(row, values.seconds);
        if self.times.is_empty() {
            self.set_times(row, values.times);
        } else {
            self.times.insert(row, values.times);
        }
    }

    /// Inserts the answers of a row at an index, for each column.
    pub(super) fn insert_answers(&mut self, row: usize, answers: &[Vec<u8>]) {
        for (column, texts) in self.answers.iter_mut().zip(answers) {
            column.insert(row, texts);
        }
    }

    /// Replaces the times of a row.
    pub(super) fn set_times(&mut self, row: usize, times: TriageTimes) {
        if self.times.is_empty() && times != TriageTimes::NONE {
            self.times.resize(self.row_keys.len(), TriageTimes::NONE);
        }
        if let Some(stored) = self.times.get_mut(row) {
            *stored = times;
        }
    }

    /// Replaces the numbers of a row.
    pub(super) fn set_numbers(&mut self, row: usize, numbers: &[u16]) {
        let range = self.range(row);
        let start = u32::try_from(range.start).unwrap_or_default();
        let before = self.ends[row];
        let end = start + u32::try_from(numbers.len()).unwrap_or_default();
        self.numbers.splice(range, numbers.iter().copied());
        self.ends[row..].iter_mut().for_each(|it| *it = *it - before + end);
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, row: usize) {
        let range = self.range(row);
        let length = u32::try_from(range.len()).unwrap_or_default();
        self.numbers.drain(range);
        self.row_keys.remove(row);
        self.ends.remove(row);
        self.ends[row..].iter_mut().for_each(|end| *end -= length);
        self.scores.remove(row);
        self.seconds.remove(row);
        if !self.times.is_empty() {
            self.times.remove(row);
        }
        self.answers.iter_mut().for_each(|column| column.remove(row));
    }

    /// Splits off the upper half of the rows.
    pub(super) fn split(&mut self) -> Self {
        let row = self.row_keys.len() / 2;
        let start = self.range(row).start;
        let row_keys = self.row_keys.split_off(row);
        let below = u32::try_from(start).unwrap_or_default();
        let ends = self.ends.split_off(row).into_iter().map(|end| end - below).collect();
        Self {
            version: 0,
            row_keys,
            ends,
            numbers: self.numbers.split_off(start),
            scores: self.scores.split_off(row),
            seconds: self.seconds.split_off(row),
            times: self.times.split_off(row.min(self.times.len())),
            answers: self.answers.iter_mut().map(|column| column.split_off(row)).collect(),
        }
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[row] as usize
    }
}
