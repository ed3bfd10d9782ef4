//! The answers to one field, as a column of a chunk of rows.

use contract::filter::{AnswerMatcher, FieldCriteria};
use contract::{Answers, Sort};
use std::sync::atomic::{AtomicU64, Ordering};
use store::answers::answer_texts;
use store::columns::END_OF_VALUE;

/// Stands for an answer that has not been read yet. Texts never contain this byte.
const UNREAD: &[u8] = &[0xfe];

/// Content of a column: the answers with a key, case-folded or as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ColumnKey {
    /// The key of the answers.
    pub(crate) key: String,
    /// Whether the texts are case-folded.
    pub(crate) is_folded: bool,
}

impl ColumnKey {
    /// Returns the columns that criteria need; `None` if they are not resolved.
    pub(crate) fn of(criteria: &FieldCriteria) -> Option<Vec<Self>> {
        let mut keys: Vec<Self> = criteria.matchers()?.iter().map(Self::of_matcher).collect();
        keys.dedup();
        Some(keys)
    }

    /// Returns the column of an order; `None` if it is not by a field, or not resolved.
    pub(crate) fn of_sort(sort: &Sort) -> Option<Self> {
        Some(Self { key: sort.answer_key()?.to_owned(), is_folded: sort.compares_folded() })
    }

    pub(super) fn of_matcher(matcher: &AnswerMatcher<'_>) -> Self {
        Self { key: matcher.key().to_owned(), is_folded: matcher.compares_folded() }
    }
}

/// A column of all chunks.
pub(super) struct ColumnState {
    pub(super) key: ColumnKey,
    /// Whether all rows have their answers.
    pub(super) is_ready: bool,
    /// The use counter at the last read.
    pub(super) last_use: AtomicU64,
}

impl ColumnState {
    /// Returns a column that is not ready.
    pub(super) fn new(key: ColumnKey, last_use: u64) -> Self {
        Self { key, is_ready: false, last_use: AtomicU64::new(last_use) }
    }

    /// Returns the texts of the column's answer among answers.
    pub(super) fn texts_of(&self, answers: &Answers) -> Vec<u8> {
        let answer = answers.0.get(&self.key.key);
        answer.map(|answer| answer_texts(answer, self.key.is_folded)).unwrap_or_default()
    }

    /// Sets the use counter of a read.
    pub(super) fn set_last_use(&self, last_use: u64) {
        self.last_use.store(last_use, Ordering::Relaxed);
    }
}

/// The texts of the answers of a chunk's rows, each text with [`END_OF_VALUE`].
#[derive(Default)]
pub(super) struct AnswerColumn {
    /// End offset of each row in `texts`.
    ends: Vec<u32>,
    texts: Vec<u8>,
}

impl AnswerColumn {
    /// Returns a column of unread answers.
    pub(super) fn unread(rows: usize) -> Self {
        let ends = (1..=rows).map(|end| u32::try_from(end).unwrap_or_default()).collect();
        Self { ends, texts: UNREAD.repeat(rows) }
    }

    /// Returns the size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.ends.capacity() * size_of::<u32>() + self.texts.capacity()
    }

    /// Returns the texts of a row.
    pub(super) fn texts(&self, row: usize) -> impl Iterator<Item = &str> {
        let texts = &self.texts[self.range(row)];
        let texts = texts.split_inclusive(|byte| *byte == END_OF_VALUE);
        // They were texts when they were added.
        texts.map(|it| std::str::from_utf8(&it[..it.len() - 1]).unwrap_or_default())
    }

    /// Inserts a row at an index.
    pub(super) fn insert(&mut self, row: usize, texts: &[u8]) {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends.insert(row, start);
        self.set(row, texts);
    }

    /// Replaces the texts of a row.
    pub(super) fn set(&mut self, row: usize, texts: &[u8]) {
        let range = self.range(row);
        let before = self.ends[row];
        let end = u32::try_from(range.start + texts.len()).unwrap_or_default();
        self.texts.splice(range, texts.iter().copied());
        self.ends[row..].iter_mut().for_each(|it| *it = *it - before + end);
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, row: usize) {
        self.set(row, &[]);
        self.ends.remove(row);
    }

    /// Splits off the rows from an index on.
    pub(super) fn split_off(&mut self, row: usize) -> Self {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let ends = self.ends.split_off(row).into_iter().map(|end| end - start).collect();
        Self { ends, texts: self.texts.split_off(start as usize) }
    }

    /// Ends the reading. Frees unused memory, and returns whether all answers are read.
    pub(super) fn finish(&mut self) -> bool {
        self.texts.shrink_to_fit();
        (0..self.ends.len()).all(|row| &self.texts[self.range(row)] != UNREAD)
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[row] as usize
    }
}

/// The criteria of a filter, with the index of their columns.
pub(super) struct AnswersMatcher<'a> {
    /// `None` if a column is missing. Then no row matches.
    matchers: Option<Vec<(usize, AnswerMatcher<'a>)>>,
}

impl<'a> AnswersMatcher<'a> {
    /// Finds the columns of criteria.
    pub(super) fn new(criteria: &'a FieldCriteria, columns: &[ColumnState]) -> Self {
        let with_column = |matcher: AnswerMatcher<'a>| {
            let key = ColumnKey::of_matcher(&matcher);
            Some((columns.iter().position(|it| it.is_ready && it.key == key)?, matcher))
        };
        let matchers = criteria.matchers();
        Self { matchers: matchers.and_then(|all| all.into_iter().map(with_column).collect()) }
    }

    /// Returns whether the answers of a row match, given all columns of its chunk.
    pub(super) fn matches(&self, columns: &[AnswerColumn], row: usize) -> bool {
        self.matchers.as_ref().is_some_and(|all| {
            all.iter().all(|(column, it)| it.matches_texts(columns[*column].texts(row)))
        })
    }
}
