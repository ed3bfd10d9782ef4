//! Removal of rows from the list: deleted, moved to the trash or marked as spam.

use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp};

use super::{ListModel, Place, key};

/// Sort key of a row: it identifies the row and orders the list.
pub type Key = (Timestamp, SubmissionId);

impl ListModel {
    /// Removes a row, and returns its index if it was loaded. The total decreases even if the row
    /// is not loaded, unless the row is newer than the list.
    pub fn remove(&mut self, id: &SubmissionId, at: Timestamp) -> Option<usize> {
        let key = (at, id.clone());
        let held = self.pieces.position(id);
        let fresh = self.gone.insert(id.clone());
        self.ask_anew();
        let later = self.newest.as_ref().is_none_or(|newest| key > *newest);
        if !fresh || (later && held.is_none()) {
            return None;
        }
        self.take_out(&key);
        held
    }

    /// Returns the rows of a page without the removed ones.
    pub(super) fn sift(&self, rows: Vec<Submission>) -> Vec<Arc<Submission>> {
        let stays = |row: &Submission| !self.gone.contains(&row.id);
        rows.into_iter().filter(stays).map(Arc::new).collect()
    }

    /// Removes a row from the pages, the known indexes and the total.
    fn take_out(&mut self, key: &Key) {
        self.pieces.remove(key);
        self.points.remove(key.0);
        self.total = self.total.map(|total| total.saturating_sub(1));
        (self.guesses, self.onward) = (0, None);
    }

    /// Cancels the request in flight, so that it is sent again. Its response may or may not count
    /// the row that is being removed. Cursors are not affected.
    fn ask_anew(&mut self) {
        if self.asked.take_if(|asked| !matches!(asked.place, Place::After { .. })).is_some() {
            self.phase = super::Phase::Idle;
        }
    }

    /// Returns the keys of the rows between two, both inclusive, if all of them are loaded.
    pub fn between(&self, one: &Key, other: &Key) -> Option<Vec<Key>> {
        let (one, other) = (self.position(&one.1)?, self.position(&other.1)?);
        (one.min(other)..=one.max(other)).map(|index| self.row(index).map(|row| key(row))).collect()
    }

    /// Returns the instant right after the newest row when the list was loaded.
    pub fn bound(&self) -> Option<Timestamp> {
        self.newest.as_ref().map(|newest| super::after(newest.0))
    }
}
