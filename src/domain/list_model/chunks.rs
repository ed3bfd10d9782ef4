//! The pages that are known, by where they stand in the list. Rows far from view are let go; what
//! leads back to them stays. Where pages contradict each other, the list has changed meanwhile,
//! and the one that came last is right.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp};

use super::Place;

/// Most pages whose places are kept: beyond them the farthest is forgotten, and found by date.
const PIECES_MAX: usize = 16_384;

/// A page that is known, and stands whole from `start` on.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The index of its first row.
    pub(super) start: usize,
    /// How many of its rows count: it ends where the next one begins.
    pub(super) len: usize,
    /// How many rows its answer held; what leads on from it stands behind them.
    pub(super) full: usize,
    /// Its rows; `None` where they were let go.
    pub(super) rows: Option<Vec<Arc<Submission>>>,
    /// What brings it; `None` where that is refused by now, and only its dates lead there.
    pub(super) place: Option<Place>,
    /// What leads on behind it: a cursor, under the filter that its page was asked for with.
    pub(super) next: Option<Place>,
    /// Its first row.
    pub(super) top: (Timestamp, SubmissionId),
    /// The last row that counts; where it was cut after its rows were let go, of its answer.
    pub(super) bottom: (Timestamp, SubmissionId),
}

impl Piece {
    pub(super) fn end(&self) -> usize {
        self.start + self.len
    }

    /// Returns what leads on from here, and to which row.
    pub(super) fn onward(&self) -> Option<(usize, Place)> {
        Some((self.start + self.full, self.next.clone()?))
    }

    /// Returns what brings it, or brings what stands behind it, to come to a row; and which row
    /// that is about.
    pub(super) fn way_to(&self, wanted: usize) -> (usize, Place) {
        match &self.place {
            Some(place) => (self.start, place.clone()),
            None if wanted < self.end() => (self.start, Place::Before(super::after(self.top.0))),
            None => (self.end() - 1, Place::Before(super::after(self.bottom.0))),
        }
    }

    fn position(&self, id: &SubmissionId) -> Option<usize> {
        let place = self.rows.as_ref()?.iter().position(|row| row.id == *id)?;
        Some(self.start + place)
    }

    /// Returns whether a row can stand in both: they cover some instant in common.
    fn meets(&self, other: &Self) -> bool {
        self.bottom.0 <= other.top.0 && other.bottom.0 <= self.top.0
    }

    /// Whether it is there, or something brings it.
    fn can_come(&self) -> bool {
        self.rows.is_some() || self.place.is_some()
    }

    fn cut(&mut self, end: usize) {
        self.len = self.len.min(end.saturating_sub(self.start));
        // One that is not shortened ends with what was removed of it, if anything was.
        if let Some(rows) = self.rows.as_mut().filter(|rows| rows.len() > self.len) {
            rows.truncate(self.len);
            if let Some(last) = rows.last() {
                self.bottom = super::key(last);
            }
        }
    }
}

/// The pages, by where they begin; none runs into the next.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.0.iter()
    }

    /// Returns the last page that begins at `index` or before.
    pub(super) fn at(&self, index: usize) -> Option<&Piece> {
        let behind = self.0.partition_point(|piece| piece.start <= index);
        behind.checked_sub(1).map(|place| &self.0[place])
    }

    /// Returns the first page that begins behind `index`.
    pub(super) fn behind(&self, index: usize) -> Option<&Piece> {
        self.0.get(self.0.partition_point(|piece| piece.start <= index))
    }

    pub(super) fn row(&self, index: usize) -> Option<&Arc<Submission>> {
        let piece = self.at(index)?;
        piece.rows.as_ref()?.get(index - piece.start)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &Arc<Submission>)> {
        self.0.iter().flat_map(|piece| {
            piece.rows.iter().flatten().enumerate().map(|(place, row)| (piece.start + place, row))
        })
    }

    pub(super) fn position(&self, id: &SubmissionId) -> Option<usize> {
        self.0.iter().find_map(|piece| piece.position(id))
    }

    /// Takes a page in, and returns from where on, and by how far, those behind it had to move,
    /// since rows that it has in common with them stood elsewhere.
    pub(super) fn insert(&mut self, mut new: Piece) -> (usize, isize) {
        let moved = self.align(&mut new);
        self.forget_contradictions(&new);
        let place = self.0.partition_point(|piece| piece.start < new.start);
        if let Some(before) = place.checked_sub(1).map(|place| &mut self.0[place]) {
            if before.rows.is_some() && before.end() >= new.start + new.len {
                return moved;
            }
            before.cut(new.start);
        }
        let end = new.start + new.len;
        // Those that it holds whole say nothing that it does not.
        self.0.retain(|piece| piece.start < new.start || piece.end() > end);
        if let Some(same) = self.0.get(place).filter(|piece| piece.start == new.start) {
            if same.rows.is_some() {
                return moved;
            }
            self.0.remove(place);
        }
        if let Some(behind) = self.0.get(place) {
            new.cut(behind.start);
        }
        self.0.insert(place, new);
        moved
    }

    /// Brings a page and the held ones to agree on where a row that they share stands.
    fn align(&mut self, new: &mut Piece) -> (usize, isize) {
        // Most pages meet no other: their rows are not compared.
        let beside: Vec<_> = self.0.iter().filter(|piece| piece.meets(new)).collect();
        let shared = new.rows.iter().flatten().enumerate().find_map(|(place, row)| {
            let index = beside.iter().find_map(|piece| piece.position(&row.id))?;
            Some((new.start + place, index))
        });
        let Some((here, there)) = shared.filter(|(here, there)| here != there) else {
            return (usize::MAX, 0);
        };
        let held = self.at(there).map_or(0, |piece| piece.start);
        let by = here.cast_signed() - there.cast_signed();
        match held.cmp(&new.start) {
            Ordering::Greater => {
                self.shift(held, by);
                (held, by)
            }
            Ordering::Less => {
                self.shift(held + 1, -by);
                new.start = new.start.saturating_add_signed(-by);
                (held + 1, -by)
            }
            Ordering::Equal => (usize::MAX, 0),
        }
    }

    /// Moves every page from `start` on. Of two that would begin in the wrong order the one before
    /// is forgotten.
    pub(super) fn shift(&mut self, start: usize, by: isize) {
        for piece in self.0.iter_mut().filter(|piece| piece.start >= start) {
            piece.start = piece.start.saturating_add_signed(by);
        }
        let mut first = usize::MAX;
        for place in (0..self.0.len()).rev() {
            if self.0[place].start >= first {
                self.0.remove(place);
            } else {
                self.0[place].cut(first);
                first = self.0[place].start;
            }
        }
        self.0.retain(|piece| piece.len > 0);
    }

    /// Forgets held pages that have a row of this one elsewhere, or another row in its place.
    fn forget_contradictions(&mut self, new: &Piece) {
        let Some(rows) = &new.rows else { return };
        let end = new.start + rows.len();
        self.0.retain(|piece| {
            let is_apart = piece.end() <= new.start || piece.start >= end;
            if is_apart && !piece.meets(new) {
                return true;
            }
            piece.rows.iter().flatten().enumerate().all(|(place, row)| {
                let index = piece.start + place;
                match index.checked_sub(new.start).and_then(|place| rows.get(place)) {
                    Some(same) => same.id == row.id,
                    None => rows.iter().all(|other| other.id != row.id),
                }
            })
        });
    }

    /// Takes a row out. Where it is not held, its instant tells which rows it stood before.
    pub(super) fn remove(&mut self, key: &(Timestamp, SubmissionId)) {
        let held = self.position(&key.1);
        let behind = match held {
            Some(index) => self.0.partition_point(|piece| piece.start <= index),
            None => self.0.partition_point(|piece| piece.top >= *key),
        };
        if let Some(piece) = behind.checked_sub(1).map(|place| &mut self.0[place]) {
            if let (Some(index), Some(rows)) = (held, &mut piece.rows) {
                rows.remove(index - piece.start);
            }
            // What is held whole and has it not, never had it.
            if held.is_some() || (piece.rows.is_none() && piece.bottom <= *key) {
                piece.len = piece.len.saturating_sub(1);
                piece.full = piece.full.saturating_sub(1);
            }
        }
        for piece in &mut self.0[behind..] {
            piece.start = piece.start.saturating_sub(1);
        }
        self.0.retain(|piece| piece.len > 0);
    }

    /// Lets go the rows of pages outside of `kept`.
    pub(super) fn evict(&mut self, kept: &Range<usize>) {
        for piece in &mut self.0 {
            if piece.end() <= kept.start || piece.start >= kept.end {
                piece.rows = None;
            }
        }
        self.0.retain(Piece::can_come);
        while self.0.len() > PIECES_MAX {
            let last = self.0.len() - 1;
            let before = kept.start.saturating_sub(self.0[0].end());
            let far = self.0[last].start.saturating_sub(kept.end) > before;
            self.0.remove(if far { last } else { 0 });
        }
    }

    /// Forgets all that cursors led to, but for what is held.
    pub(super) fn forget_cursors(&mut self) {
        for piece in &mut self.0 {
            piece.next = None;
            piece.place.take_if(|place| matches!(place, Place::After { .. }));
        }
        self.0.retain(Piece::can_come);
    }

    /// Forgets what stands behind the end of the list.
    pub(super) fn end_at(&mut self, total: usize) {
        self.0.retain(|piece| piece.start < total);
        if let Some(last) = self.0.last_mut() {
            last.cut(total);
        }
    }
}
