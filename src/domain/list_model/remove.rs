//! Removal of rows from the list: deleted, moved to the trash or marked as spam.

use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp};

use super::{ListModel, PageStart, row_key};

/// Sort key of a row: it identifies the row and orders the list.
pub type SubmissionKey = (Timestamp, SubmissionId);

impl ListModel {
    /// Removes a row, and returns its index if it was loaded. The total decreases even if the row
    /// is not loaded, unless the list cannot have the row.
    pub fn remove(&mut self, id: &SubmissionId, at: Timestamp) -> Option<usize> {
        let key = (at, id.clone());
        let index = self.pages.position(id);
        let is_new = self.removed.insert(id.clone());
        self.cancel_request();
        let later = self.newest.as_ref().is_none_or(|newest| key > *newest) && !self.is_sorted();
        if !is_new || (later && index.is_none()) {
            return None;
        }
        self.forget_row(&key);
        index
    }

    /// Returns whether a row was removed since the list was loaded.
    pub fn is_removed(&self, id: &SubmissionId) -> bool {
        self.removed.contains(id)
    }

    /// Returns the rows of a page without the removed ones. In a sorted list, also without those
    /// that an earlier page has: their value has changed since.
    pub(super) fn without_removed(&self, rows: Vec<Submission>) -> Vec<Arc<Submission>> {
        let is_repeated =
            |id: &SubmissionId| self.is_sorted() && !self.stale && self.position(id).is_some();
        let is_retained =
            |row: &Submission| !self.removed.contains(&row.id) && !is_repeated(&row.id);
        rows.into_iter().filter(is_retained).map(Arc::new).collect()
    }

    /// Removes a row from the pages, the known indexes and the total.
    fn forget_row(&mut self, key: &SubmissionKey) {
        // The rows of a sorted list that are not loaded follow the loaded ones.
        let is_behind = self.is_sorted() && self.position(&key.1).is_none();
        if is_behind || self.pages.remove(key, self.total.unwrap_or_default()) {
            self.points.remove(key.0);
            self.total = self.total.map(|total| total.saturating_sub(1));
        }
        (self.guesses, self.next_after_removed) = (0, None);
    }

    /// Cancels the request in flight, so that it is sent again. Its response may or may not count
    /// the row that is being removed. Cursors are not affected.
    fn cancel_request(&mut self) {
        if self.in_flight.take_if(|query| !matches!(query.start, PageStart::After { .. })).is_some()
        {
            self.phase = super::ListPhase::Idle;
        }
    }

    /// Returns the keys of the rows between two, both inclusive, if all of them are loaded.
    pub fn keys_between(
        &self,
        first: &SubmissionKey,
        other: &SubmissionKey,
    ) -> Option<Vec<SubmissionKey>> {
        let first = self.position(&first.1)?;
        let other = self.position(&other.1)?;
        (first.min(other)..=first.max(other))
            .map(|index| self.row(index).map(|row| row_key(row)))
            .collect()
    }

    /// Returns the instant right after the newest row when the list was loaded.
    pub fn upper_bound(&self) -> Option<Timestamp> {
        self.newest.as_ref().map(|newest| super::next_instant(newest.0))
    }
}
