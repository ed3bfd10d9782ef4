//! Rows that are taken out of the list: deleted, moved to the trash or marked as spam.

use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp};

use super::{ListModel, Place, key};

/// What tells a row from others, and where it stands.
pub type Key = (Timestamp, SubmissionId);

impl ListModel {
    /// Takes a row out, and returns where it stood. The total goes down also where the row is not
    /// held, since the list has it no more.
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

    /// Returns the rows of a page without those that were removed.
    pub(super) fn sift(&self, rows: Vec<Submission>) -> Vec<Arc<Submission>> {
        let stays = |row: &Submission| !self.gone.contains(&row.id);
        rows.into_iter().filter(stays).map(Arc::new).collect()
    }

    /// Takes a row out of all that is known of places and counts.
    fn take_out(&mut self, key: &Key) {
        self.pieces.remove(key);
        self.points.remove(key.0);
        self.total = self.total.map(|total| total.saturating_sub(1));
        (self.guesses, self.onward) = (0, None);
    }

    /// A request that is under way may count a row that goes just now, or not: it is sent again.
    fn ask_anew(&mut self) {
        if self.asked.take_if(|asked| !matches!(asked.place, Place::After { .. })).is_some() {
            self.phase = super::Phase::Idle;
        }
    }

    /// Returns the keys of the rows between two, both included, where all of them are held.
    pub fn between(&self, one: &Key, other: &Key) -> Option<Vec<Key>> {
        let (one, other) = (self.position(&one.1)?, self.position(&other.1)?);
        (one.min(other)..=one.max(other)).map(|index| self.row(index).map(|row| key(row))).collect()
    }

    /// Returns the instant right after the newest row, as it was when the list began.
    pub fn bound(&self) -> Option<Timestamp> {
        self.newest.as_ref().map(|newest| super::after(newest.0))
    }
}
