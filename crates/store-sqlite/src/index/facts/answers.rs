//! The answers that filters compare: columns that are added when a filter first needs them.
//!
//! The caller begins a column, reads the answers from a snapshot of the file, sets them, applies
//! all changes up to this snapshot, and finishes the column. Rows that are inserted after the begin
//! have their answers already. An answer never changes, so its row may have been read at any time.

use super::SummaryIndex;
use super::chunk::Chunk;
use super::column_state::{ColumnState, find_ready};
use std::sync::atomic::Ordering;
use store::answers::{AnswerColumn, ColumnKey};

/// The answers of a row in the order of the columns: instant, id, and texts with
/// [`END_OF_VALUE`](store::columns::END_OF_VALUE).
pub(crate) type ReadAnswers = (i64, String, Vec<Vec<u8>>);

impl SummaryIndex {
    /// Returns whether columns are ready, and notes that `use_number` reads them.
    pub(crate) fn has_columns(&self, keys: &[ColumnKey], use_number: u64) -> bool {
        let found = |key: &ColumnKey| self.columns.iter().find(|it| it.is_ready && it.key == *key);
        keys.iter().all(|key| found(key).inspect(|it| it.set_last_use(use_number)).is_some())
    }

    /// Returns the index of a column that is ready.
    pub(super) fn ready_column(&self, key: &ColumnKey) -> Option<usize> {
        find_ready(&self.columns, key)
    }

    /// Adds columns without answers, and removes columns of the same keys.
    pub(crate) fn begin_columns(&mut self, keys: &[ColumnKey]) {
        for key in keys {
            self.drop_column(key);
            self.columns.push(ColumnState::new(key.clone(), u64::MAX));
            for chunk in &mut self.chunks {
                chunk.answers.push(AnswerColumn::unread(chunk.row_keys.len()));
            }
        }
    }

    /// Sets the answers of rows for columns that were begun. Ignores rows that are missing.
    pub(crate) fn set_answers(&mut self, keys: &[ColumnKey], rows: &[ReadAnswers]) {
        let columns: Vec<Option<usize>> = keys.iter().map(|key| self.column(key)).collect();
        for (at, id, answers) in rows {
            let Some((place, row)) = self.locate(*at, id) else { continue };
            for (column, texts) in columns.iter().zip(answers) {
                if let Some(column) = column {
                    self.chunks[place].answers[*column].set(row, texts);
                }
            }
        }
    }

    /// Makes columns ready. `false` if answers are missing; then the columns are removed.
    pub(crate) fn finish_columns(&mut self, keys: &[ColumnKey], use_number: u64) -> bool {
        let is_whole = |index: &mut Self, key: &ColumnKey| {
            let column = index.column(key)?;
            let mut chunks = index.chunks.iter_mut();
            index.columns[column].is_ready = chunks.all(|chunk| chunk.answers[column].finish());
            index.columns[column].set_last_use(use_number);
            index.columns[column].is_ready.then_some(())
        };
        let all_are_whole = keys.iter().all(|key| is_whole(self, key).is_some());
        if !all_are_whole {
            for key in keys {
                self.drop_column(key);
            }
        }
        all_are_whole
    }

    /// Removes a column.
    pub(crate) fn drop_column(&mut self, key: &ColumnKey) {
        let Some(column) = self.column(key) else { return };
        self.columns.remove(column);
        for chunk in &mut self.chunks {
            chunk.answers.remove(column);
        }
    }

    /// Returns the size of the columns in memory, in bytes.
    pub(crate) fn answer_bytes(&self) -> usize {
        let bytes = |chunk: &Chunk| chunk.answers.iter().map(AnswerColumn::bytes).sum::<usize>();
        self.chunks.iter().map(bytes).sum()
    }

    /// Returns the least recently used column that is ready, with the number of its use.
    pub(crate) fn least_used_column(&self) -> Option<(u64, ColumnKey)> {
        let ready = self.columns.iter().filter(|it| it.is_ready);
        let uses = ready.map(|it| (it.last_use.load(Ordering::Relaxed), it.key.clone()));
        uses.min_by_key(|(last_use, _)| *last_use)
    }

    /// Returns the number of columns that are ready.
    pub(crate) fn columns_ready(&self) -> usize {
        self.columns.iter().filter(|it| it.is_ready).count()
    }

    fn column(&self, key: &ColumnKey) -> Option<usize> {
        self.columns.iter().position(|it| it.key == *key)
    }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
