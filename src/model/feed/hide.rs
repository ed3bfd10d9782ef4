//! Rows that wait to be deleted: out of the list, its indexes and its count, until they are gone at
//! the server or come back in their places. The server still has them, so what it counts is put
//! right here.

use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp};

use super::{Feed, Place, key};

/// What tells a row from others, and where it stands.
pub type Key = (Timestamp, SubmissionId);

/// The rows above and below another in its page.
pub(super) type Beside = [Option<SubmissionId>; 2];

/// A row that is hidden.
#[derive(Debug, Default)]
struct Waits {
    /// Whether it is known to be of this list, and not counted in it.
    counted: bool,
    /// The row, once it was held.
    row: Option<Arc<Submission>>,
    /// The rows above and below it in its page: of one instant, servers order rows as they like.
    beside: Beside,
}

/// The rows that are hidden, newest first, as they mostly come.
#[derive(Debug, Default)]
pub(super) struct Hidden(Vec<(Key, Waits)>);

impl Hidden {
    fn place(&self, key: &Key) -> Result<usize, usize> {
        self.0.binary_search_by(|(one, _)| key.cmp(one))
    }

    fn get(&self, key: &Key) -> Option<&Waits> {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    fn get_mut(&mut self, key: &Key) -> Option<&mut Waits> {
        self.place(key).ok().map(|place| &mut self.0[place].1)
    }

    fn put(&mut self, key: &Key, waits: Waits) {
        match self.place(key) {
            Ok(place) => self.0[place].1 = waits,
            Err(place) => self.0.insert(place, (key.clone(), waits)),
        }
    }

    fn take(&mut self, key: &Key) -> Option<Waits> {
        self.place(key).ok().map(|place| self.0.remove(place).1)
    }

    /// Returns how many are known to be of this list, of those older than an instant.
    pub(super) fn counted(&self, before: Option<Timestamp>) -> usize {
        let of = |(key, one): &&(Key, Waits)| one.counted && before.is_none_or(|at| key.0 < at);
        self.0.iter().filter(of).count()
    }

    /// Returns the same keys, none of which is known to be of the list that begins.
    pub(super) fn forgotten(mut self) -> Self {
        self.0.iter_mut().for_each(|(_, one)| *one = Waits::default());
        self
    }

    #[cfg(all(test, not(target_arch = "wasm32")))]
    pub(super) fn is_counted(&self, key: &Key) -> bool {
        self.get(key).is_some_and(|one| one.counted)
    }
}

impl Feed {
    /// Takes a row out that waits to be deleted. `sure` says that it is of this list; else that is
    /// found out when its page comes.
    pub fn hide(&mut self, key: &Key, sure: bool) {
        if self.gone.contains(&key.1) || self.hidden.get(key).is_some_and(|one| one.counted) {
            return;
        }
        let (row, beside) = self.pieces.with_beside(&key.1);
        let begun = self.has_begun();
        let listed = sure && self.newest.as_ref().is_some_and(|newest| key <= newest);
        if row.is_some() || (begun && listed) {
            self.take_out(key);
        }
        let counted = if begun { row.is_some() || listed } else { sure };
        self.hidden.put(key, Waits { counted, row, beside });
    }

    /// Takes a hidden row back in, in its place.
    pub fn restore(&mut self, key: &Key) {
        let Some(Waits { counted: true, row, beside }) = self.hidden.take(key) else { return };
        // Else the first page brings it.
        if self.has_begun() {
            self.pieces.restore(key, row, &beside);
            self.points.restore(key.0);
            self.total = self.total.map(|total| total + 1);
            (self.guesses, self.onward) = (0, None);
        }
    }

    /// Takes in that a row is gone at the server. `sure` says that it was of this list.
    pub fn deleted(&mut self, key: &Key, sure: bool) {
        if let Some(Waits { counted, .. }) = self.hidden.take(key) {
            self.gone.insert(key.1.clone());
            self.ask_anew();
            // Where any may be of another list, it is asked for once, at the end.
            let asks = !counted && self.has_begun() && (sure || !self.is_hiding());
            if asks && self.newest.as_ref().is_some_and(|newest| key.0 <= newest.0) {
                self.doubt = Some(key.clone());
            }
        } else if sure || self.pieces.position(&key.1).is_some() {
            self.remove(&key.1, key.0);
        } else {
            self.gone.insert(key.1.clone());
        }
    }

    /// Returns whether any row is hidden.
    pub fn is_hiding(&self) -> bool {
        !self.hidden.0.is_empty()
    }

    /// Takes the hidden rows of a page aside, and the removed ones out. Hidden ones that were not
    /// known to be of this list are so now.
    pub(super) fn sift(&mut self, rows: Vec<Submission>) -> Vec<Arc<Submission>> {
        let mut kept = Vec::with_capacity(rows.len());
        for row in rows.into_iter().map(Arc::new) {
            let key = key(&row);
            match self.hidden.get_mut(&key) {
                None if self.gone.contains(&key.1) => {}
                None => kept.push(row),
                Some(one) => {
                    one.beside =
                        [kept.last().map(|above: &Arc<Submission>| above.id.clone()), None];
                    one.row = Some(row);
                    if !std::mem::replace(&mut one.counted, true) {
                        self.take_out(&key);
                    }
                }
            }
        }
        kept
    }

    /// Takes a row out of all that is known of places and counts.
    pub(super) fn take_out(&mut self, key: &Key) {
        self.pieces.remove(key);
        self.points.remove(key.0);
        self.total = self.total.map(|total| total.saturating_sub(1));
        (self.guesses, self.onward) = (0, None);
    }

    /// What is on its way may count a row that goes just now, or not: it is asked for again.
    pub(super) fn ask_anew(&mut self) {
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
