//! The state of a column of answers.

use std::sync::atomic::{AtomicU64, Ordering};
use store::answers::ColumnKey;

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

    /// Sets the use counter of a read.
    pub(super) fn set_last_use(&self, last_use: u64) {
        self.last_use.store(last_use, Ordering::Relaxed);
    }
}

/// Returns the index of a column that is ready.
pub(super) fn find_ready(columns: &[ColumnState], key: &ColumnKey) -> Option<usize> {
    columns.iter().position(|it| it.is_ready && it.key == *key)
}
