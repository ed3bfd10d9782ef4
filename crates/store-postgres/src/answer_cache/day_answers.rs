//! The answers of the submissions of a day.

use super::DayVersion;
use contract::filter::FieldCriteria;
use std::sync::Arc;
use store::answers::{AnswerColumn, ColumnKey, ColumnMatchers};

/// Key of a submission: its instant, in microseconds since the epoch, and a hash of its id. The
/// hash has a random seed, so ids with equal hashes cannot be constructed.
pub(crate) type RowKey = (i64, u64);

/// A submission that was read from the database.
pub(super) struct ReadRow {
    pub(super) key: RowKey,
    /// Version of the row (`xmin`). Another submission with the same id has another version.
    pub(super) version: u32,
    /// The texts of its answers, in the order of the columns.
    pub(super) texts: Vec<Vec<u8>>,
}

impl ReadRow {
    /// Returns the size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| size_of::<Vec<u8>>() + text.len()).sum();
        size_of::<Self>() + texts
    }
}

/// The answers of the submissions of a day, as columns.
pub(crate) struct DayAnswers {
    version: DayVersion,
    /// In ascending order.
    keys: Vec<RowKey>,
    row_versions: Vec<u32>,
    column_keys: Arc<[ColumnKey]>,
    columns: Vec<AnswerColumn>,
}

impl DayAnswers {
    /// Makes columns of rows, which may have any order.
    pub(super) fn new(
        version: DayVersion,
        column_keys: Arc<[ColumnKey]>,
        mut rows: Vec<ReadRow>,
    ) -> Self {
        rows.sort_unstable_by_key(|row| row.key);
        let mut columns: Vec<_> = column_keys.iter().map(|_| AnswerColumn::default()).collect();
        for (index, row) in rows.iter().enumerate() {
            for (column, texts) in columns.iter_mut().zip(&row.texts) {
                column.insert(index, texts);
            }
        }
        for column in &mut columns {
            column.finish();
        }
        let keys = rows.iter().map(|row| row.key).collect();
        let row_versions = rows.iter().map(|row| row.version).collect();
        Self { version, keys, row_versions, column_keys, columns }
    }

    /// Returns the version of the day.
    pub(crate) fn version(&self) -> &DayVersion {
        &self.version
    }

    /// Returns the size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(AnswerColumn::bytes).sum();
        size_of::<Self>() + self.keys.len() * size_of::<(RowKey, u32)>() + columns
    }

    /// Returns the keys of all rows, in ascending order.
    pub(crate) fn keys(&self) -> &[RowKey] {
        &self.keys
    }

    /// Returns the keys of the columns.
    pub(super) fn column_keys(&self) -> &Arc<[ColumnKey]> {
        &self.column_keys
    }

    /// Whether the day has all these columns.
    pub(super) fn has_columns(&self, columns: &[ColumnKey]) -> bool {
        columns.iter().all(|column| self.column_keys.contains(column))
    }

    /// Returns the index of a row.
    pub(crate) fn find(&self, key: RowKey) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// Returns the index of a row if the database still has this version of it.
    pub(super) fn find_version(&self, key: RowKey, version: u32) -> Option<usize> {
        self.find(key).filter(|row| self.row_versions[*row] == version)
    }

    /// Returns a row.
    pub(super) fn row(&self, row: usize) -> ReadRow {
        let texts = self.columns.iter().map(|column| column.row(row).to_vec()).collect();
        ReadRow { key: self.keys[row], version: self.row_versions[row], texts }
    }

    /// Finds the columns of criteria.
    pub(crate) fn matchers<'a>(&self, criteria: &'a FieldCriteria) -> ColumnMatchers<'a> {
        ColumnMatchers::new(criteria, |key| self.column_keys.iter().position(|it| it == key))
    }

    /// Returns whether a row matches the criteria of [`DayAnswers::matchers`].
    pub(crate) fn matches(&self, matchers: &ColumnMatchers<'_>, row: usize) -> bool {
        matchers.matches(&self.columns, row)
    }
}
