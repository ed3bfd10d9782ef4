//! The browser's list of submissions: a pure reducer from answers to rows.
//!
//! It never fetches. The caller asks it what to fetch ([`ListModel::request`]), and hands over the
//! answer ([`ListModel::arrive`], [`ListModel::fail`]) with the ticket of the request. Answers to
//! outdated requests are dropped.
//!
//! The list has its true length from the first answer on, and each row its true index, held or not.
//! Rows are held around the visible part ([`ListModel::look`]). What arrives at the server
//! after the first page is not among them: it is counted, and shown when it is asked for.

mod arrive;
mod chunks;
mod remove;
mod seek;
#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp, page::LIMIT_MAX};

pub use remove::Key;

use chunks::Pieces;
use seek::{Known, Points};

/// How many rows before and behind those that are looked at are held.
pub const ROWS_KEPT: usize = 500;
/// How many rows behind those that are looked at are fetched before they are.
const AHEAD_ROWS: usize = 40;
/// How many of the steps that it was moved by last, and most rows by that.
const AHEAD_STEPS: usize = 8;
const AHEAD_ROWS_MAX: usize = 160;
/// How often in a row another way is looked for where a cursor is refused.
const REFUSALS_MAX: u32 = 8;

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At the newest submission.
    First,
    /// At the newest submission that is older than an instant.
    Before(Timestamp),
    /// Where a cursor says, in the list of what is older than an instant.
    After {
        /// The instant; `None` is the whole list.
        before: Option<Timestamp>,
        /// The cursor.
        cursor: String,
    },
}

impl Place {
    /// Returns the instant that all of its rows are older than.
    pub fn before(&self) -> Option<Timestamp> {
        match self {
            Self::First => None,
            Self::Before(at) => Some(*at),
            Self::After { before, .. } => *before,
        }
    }
}

/// What is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// The place of the page.
    pub place: Place,
    /// Its rows: 1 where only their count is of interest.
    pub limit: u16,
}

/// What to fetch next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What tells it from others; to be brought back with the answer.
    pub ticket: u32,
    /// What to fetch.
    pub want: Want,
}

/// Where the model stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is under way.
    #[default]
    Idle,
    /// A page is being fetched.
    Loading,
    /// The last fetch failed; nothing more is asked until [`ListModel::retry`].
    Failed,
}

/// The rows under one filter.
#[derive(Debug, Default)]
pub struct ListModel {
    epoch: u32,
    ticket: u32,
    pieces: Pieces,
    points: Points,
    /// The rows that are looked at, and by how many they were moved on at last.
    view: Range<usize>,
    step: usize,
    total: Option<usize>,
    /// The newest row, as it was when the list began.
    newest: Option<(Timestamp, SubmissionId)>,
    /// The instant that no row is older than, where the filter says one.
    oldest: Option<Timestamp>,
    gone: HashSet<SubmissionId>,
    /// The place behind a page of which all rows were removed, and the index of the row there.
    onward: Option<(usize, Place)>,
    phase: Phase,
    asked: Option<Want>,
    /// The instant to be led to.
    jump: Option<Timestamp>,
    /// Whether the oldest row is looked for.
    to_end: bool,
    guesses: u32,
    contradictions: u32,
    /// How often cursors were refused since anything new came.
    refusals: u32,
    /// Whether the rows are those of the filter before, shown until the first page comes.
    stale: bool,
}

impl ListModel {
    /// Begins anew under another filter, which may say an instant that no row is older than. The
    /// rows of the one before stay until the first page replaces them, so that typing does not make
    /// the list flicker.
    pub fn reset(&mut self, oldest: Option<Timestamp>) {
        self.refresh(oldest);
    }

    /// Begins the same list anew.
    pub fn refresh(&mut self, oldest: Option<Timestamp>) {
        let before = std::mem::take(self);
        let stale = before.pieces.iter().next().is_some();
        *self = Self {
            epoch: before.epoch.wrapping_add(1),
            ticket: before.ticket,
            pieces: before.pieces,
            view: before.view,
            total: before.total.filter(|_| stale),
            oldest,
            stale,
            ..Self::default()
        };
    }

    /// Begins anew with nothing: the rows were another form's.
    pub fn clear(&mut self, oldest: Option<Timestamp>) {
        let (epoch, ticket) = (self.epoch.wrapping_add(1), self.ticket);
        *self = Self { epoch, ticket, oldest, ..Self::default() };
    }

    /// Takes in which rows are looked at, end exclusive. Those far from them are let go.
    pub fn look(&mut self, view: Range<usize>) {
        if self.view.start.abs_diff(view.start) > ROWS_KEPT {
            self.guesses = 0;
        }
        // Who goes further at once will read there, or go elsewhere.
        self.step = view.start.saturating_sub(self.view.start);
        self.step = if self.step > view.len() { 0 } else { self.step };
        self.view = view;
        self.evict();
    }

    /// Wants the first row that is older than an instant.
    pub fn jump(&mut self, before: Timestamp) {
        self.jump = Some(before);
    }

    /// Wants to know how old the oldest row is.
    pub fn find_end(&mut self) {
        self.to_end = true;
    }

    /// Returns what is missing now, whether or not it may be asked for.
    pub fn want(&self) -> Option<Want> {
        let Some(total) = self.total.filter(|_| !self.stale) else {
            return Some(Want { place: Place::First, limit: LIMIT_MAX });
        };
        if let Some(at) = self.jump {
            return Some(Want { place: Place::Before(at), limit: LIMIT_MAX });
        }
        let first = Place::Before(after(self.newest.as_ref()?.0));
        let known = Known {
            pieces: &self.pieces,
            points: &self.points,
            total,
            first: &first,
            onward: self.onward.as_ref(),
            oldest: self.oldest,
            guesses: self.guesses,
        };
        Some(known.seek(self.missing(total)?))
    }

    /// Returns the nearest row that is wanted and not held.
    fn missing(&self, total: usize) -> Option<usize> {
        let by_steps = self.step.saturating_mul(AHEAD_STEPS).min(AHEAD_ROWS_MAX);
        let end = self.view.end.saturating_add(by_steps.max(AHEAD_ROWS)).min(total);
        let missing = |index: &usize| self.pieces.row(*index).is_none();
        let last = || self.to_end.then(|| total.checked_sub(1)).flatten();
        (self.view.start..end)
            .find(missing)
            .or_else(|| last().filter(|_| self.last_instant().is_none()))
    }

    /// Asks for what is missing. `None` while something is under way, after a failure, and where
    /// nothing is.
    pub fn request(&mut self) -> Option<Request> {
        if self.phase != Phase::Idle {
            return None;
        }
        let want = self.want()?;
        self.phase = Phase::Loading;
        self.asked = Some(want.clone());
        self.ticket = self.ticket.wrapping_add(1);
        Some(Request { ticket: self.ticket, want })
    }

    fn evict(&mut self) {
        let (from, to) = (self.view.start, self.view.end.saturating_add(ROWS_KEPT));
        self.pieces.evict(&(from.saturating_sub(ROWS_KEPT)..to));
    }

    /// Takes a failure in, and returns whether its answer was still wanted.
    pub fn fail(&mut self, ticket: u32) -> bool {
        let wanted = self.asked.take_if(|_| ticket == self.ticket).is_some();
        if wanted {
            self.phase = Phase::Failed;
        }
        wanted
    }

    /// Takes in that the server refused what was asked, and returns whether its answer was still
    /// wanted. A cursor may be too old, and then others are: what they led to is found by date. A
    /// server that refuses whatever it is asked has failed.
    pub fn refuse(&mut self, ticket: u32) -> bool {
        let Some(asked) = self.asked.take_if(|_| ticket == self.ticket) else { return false };
        self.refusals += 1;
        let by_cursor = matches!(asked.place, Place::After { .. });
        if by_cursor {
            self.pieces.forget_cursors();
            self.onward = None;
        }
        let goes_on = by_cursor && self.refusals <= REFUSALS_MAX;
        self.phase = if goes_on { Phase::Idle } else { Phase::Failed };
        true
    }

    /// Lets the model ask again after a failure.
    pub fn retry(&mut self) {
        if self.phase == Phase::Failed {
            self.phase = Phase::Idle;
            self.refusals = 0;
        }
    }

    /// Goes on with a model that was kept. A page that was on its way to it will not come, and one
    /// on its way to this one is dropped.
    pub fn resume(&mut self, kept: Self) {
        let phase = if kept.phase == Phase::Loading { Phase::Idle } else { kept.phase };
        let (epoch, ticket) = (self.epoch.wrapping_add(1), self.ticket.max(kept.ticket));
        *self = Self { epoch, ticket, phase, asked: None, jump: None, ..kept };
    }

    /// Returns how many submissions came since the list began, when the newest is now this one, of
    /// so many in all.
    pub fn news(&self, newest: Option<&Submission>, total: u64) -> u64 {
        let known = self.len() as u64;
        let later =
            |newest: &Submission| self.newest.as_ref().is_none_or(|known| key(newest) > *known);
        match newest {
            Some(newest) if self.total.is_some() && !self.stale && later(newest) => {
                total.saturating_sub(known).max(1)
            }
            _ => 0,
        }
    }

    /// Returns how many rows there are in all, held or not; 0 until that is known.
    pub fn len(&self) -> usize {
        self.total.unwrap_or_default()
    }

    /// Returns whether there is no row, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a row, where it is held.
    pub fn row(&self, index: usize) -> Option<&Arc<Submission>> {
        self.pieces.row(index)
    }

    /// Iterates over the rows that are held, newest first.
    pub fn rows(&self) -> impl Iterator<Item = &Submission> {
        self.pieces.rows().map(|(_, row)| row.as_ref())
    }

    /// Returns where a submission stands, where it is held.
    pub fn position(&self, id: &SubmissionId) -> Option<usize> {
        self.pieces.position(id)
    }

    /// Returns the index of the first row that is older than an instant, where it was asked for.
    pub fn index_before(&self, at: Timestamp) -> Option<usize> {
        self.points.index(at)
    }

    /// Returns the instant of the newest row, as it was when the list began.
    pub fn first_instant(&self) -> Option<Timestamp> {
        self.newest.as_ref().map(|newest| newest.0)
    }

    /// Returns the instant of the oldest row, once its page has come.
    pub fn last_instant(&self) -> Option<Timestamp> {
        let last = self.pieces.iter().last()?;
        (last.end() == self.len()).then_some(last.bottom.0)
    }

    /// Returns the time of asking, which each [`ListModel::reset`] moves on.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Returns how many submissions match in all, once known.
    pub fn total(&self) -> Option<u64> {
        self.total.map(|total| total as u64)
    }

    /// Returns where the model stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether the first page has come.
    pub fn has_begun(&self) -> bool {
        self.total.is_some() && !self.stale
    }

    /// Returns whether the rows are those of the filter before.
    pub fn is_stale(&self) -> bool {
        self.stale
    }
}

fn key(row: &Submission) -> (Timestamp, SubmissionId) {
    (row.metadata.submitted_at, row.id.clone())
}

/// Returns the instant right after another.
pub fn after(at: Timestamp) -> Timestamp {
    Timestamp::from_micros(at.micros() + 1).unwrap_or(at)
}
