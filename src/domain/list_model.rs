//! Model of the list of submissions: a pure reducer from responses to rows.
//!
//! It sends no requests. The caller asks for the next one ([`ListModel::request`]) and passes the
//! response ([`ListModel::arrive`], [`ListModel::fail`]) with the ticket of the request. Responses
//! to outdated requests are dropped.
//!
//! From the first response on, the list has its true length and each row its true index, loaded or
//! not. Only rows near the visible ones stay loaded ([`ListModel::look`]). Submissions received
//! after the first page are not part of the list: they are counted, and shown after a refresh.

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

/// Rows that stay loaded before and after the visible ones.
pub const ROWS_KEPT: usize = 500;
/// Minimum read-ahead, in rows after the visible ones.
const AHEAD_ROWS: usize = 40;
/// Read-ahead after scrolling, in multiples of the last step.
const AHEAD_STEPS: usize = 8;
/// Maximum read-ahead after scrolling, in rows.
const AHEAD_ROWS_MAX: usize = 160;
/// Maximum number of consecutively refused cursors before the model fails.
const REFUSALS_MAX: u32 = 8;

/// Start of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The newest submission.
    First,
    /// The newest submission that is older than an instant.
    Before(Timestamp),
    /// A cursor into the list of submissions older than an instant.
    After {
        /// The instant; `None` is the whole list.
        before: Option<Timestamp>,
        /// The cursor.
        cursor: String,
    },
}

impl Place {
    /// Returns the instant that all rows of the page are older than.
    pub fn before(&self) -> Option<Timestamp> {
        match self {
            Self::First => None,
            Self::Before(at) => Some(*at),
            Self::After { before, .. } => *before,
        }
    }
}

/// A page to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// Start of the page.
    pub place: Place,
    /// Maximum rows; 1 if only the total is needed.
    pub limit: u16,
}

/// A request for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Identifies the request; pass it back with the response.
    pub ticket: u32,
    /// Page to fetch.
    pub want: Want,
}

/// State of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// No request is in flight.
    #[default]
    Idle,
    /// A page is being fetched.
    Loading,
    /// The last request failed. No further request is made until [`ListModel::retry`].
    Failed,
}

/// The rows that match a filter.
#[derive(Debug, Default)]
pub struct ListModel {
    epoch: u32,
    ticket: u32,
    pieces: Pieces,
    points: Points,
    /// Indexes of the visible rows.
    view: Range<usize>,
    /// Rows scrolled forward by the last change of `view`; 0 after a jump.
    step: usize,
    total: Option<usize>,
    /// Key of the newest row when the list was loaded.
    newest: Option<(Timestamp, SubmissionId)>,
    /// Lower bound of the filter's dates, if any.
    oldest: Option<Timestamp>,
    /// Ids of rows removed by this client.
    gone: HashSet<SubmissionId>,
    /// If all rows of a page were removed: start of the next page, with the index of its first row.
    onward: Option<(usize, Place)>,
    phase: Phase,
    /// Page requested and not yet answered.
    asked: Option<Want>,
    /// Instant to scroll to.
    jump: Option<Timestamp>,
    /// Whether to load the oldest row.
    to_end: bool,
    /// Guesses made so far to find the current missing row.
    guesses: u32,
    /// Responses so far that contradicted the known rows.
    contradictions: u32,
    /// Refused cursors since the last progress.
    refusals: u32,
    /// Whether the rows belong to the previous filter and the first page is still missing.
    stale: bool,
}

impl ListModel {
    /// Starts over with another filter. `oldest` is the lower bound of its dates. The rows of the
    /// previous filter stay until the first page replaces them, so that typing does not make the
    /// list flicker.
    pub fn reset(&mut self, oldest: Option<Timestamp>) {
        self.refresh(oldest);
    }

    /// Reloads the list. The current rows stay until the first page replaces them.
    pub fn refresh(&mut self, oldest: Option<Timestamp>) {
        let before = std::mem::take(self);
        let stale = before.pieces.iter().next().is_some();
        *self = Self {
            epoch: before.epoch.wrapping_add(1),
            // Tickets continue to count, so that responses to earlier requests are recognised as
            // outdated.
            ticket: before.ticket,
            pieces: before.pieces,
            view: before.view,
            total: before.total.filter(|_| stale),
            oldest,
            stale,
            ..Self::default()
        };
    }

    /// Starts over without rows, because the current rows belong to another form.
    pub fn clear(&mut self, oldest: Option<Timestamp>) {
        let (epoch, ticket) = (self.epoch.wrapping_add(1), self.ticket);
        *self = Self { epoch, ticket, oldest, ..Self::default() };
    }

    /// Sets the indexes of the visible rows, end exclusive. Rows far from them are evicted.
    pub fn look(&mut self, view: Range<usize>) {
        if self.view.start.abs_diff(view.start) > ROWS_KEPT {
            self.guesses = 0;
        }
        // A jump of more than one view says nothing about scrolling, so it adds no read-ahead.
        self.step = view.start.saturating_sub(self.view.start);
        self.step = if self.step > view.len() { 0 } else { self.step };
        self.view = view;
        self.evict();
    }

    /// Requests to scroll to the first row older than an instant.
    pub fn jump(&mut self, before: Timestamp) {
        self.jump = Some(before);
    }

    /// Requests to load the oldest row, to learn its date.
    pub fn find_end(&mut self) {
        self.to_end = true;
    }

    /// Returns the page that is missing now, even while a request is in flight or after a failure.
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

    /// Returns the index of the first row that is needed and not loaded.
    fn missing(&self, total: usize) -> Option<usize> {
        let by_steps = self.step.saturating_mul(AHEAD_STEPS).min(AHEAD_ROWS_MAX);
        let end = self.view.end.saturating_add(by_steps.max(AHEAD_ROWS)).min(total);
        let missing = |index: &usize| self.pieces.row(*index).is_none();
        let last = || self.to_end.then(|| total.checked_sub(1)).flatten();
        (self.view.start..end)
            .find(missing)
            .or_else(|| last().filter(|_| self.last_instant().is_none()))
    }

    /// Creates the next request. Returns `None` while a request is in flight, after a failure, and
    /// if no page is missing.
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

    /// Records a failed request, and returns whether it was still current.
    pub fn fail(&mut self, ticket: u32) -> bool {
        let wanted = self.asked.take_if(|_| ticket == self.ticket).is_some();
        if wanted {
            self.phase = Phase::Failed;
        }
        wanted
    }

    /// Records that the server refused a request, and returns whether it was still current. If a
    /// cursor was refused, the others may be outdated too: all are dropped, and their rows are
    /// located by date. After more than `REFUSALS_MAX` refusals the model fails.
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

    /// Allows requests again after a failure.
    pub fn retry(&mut self) {
        if self.phase == Phase::Failed {
            self.phase = Phase::Idle;
            self.refusals = 0;
        }
    }

    /// Continues with a saved model. Requests in flight, of this model or of the saved one, are
    /// dropped.
    pub fn resume(&mut self, kept: Self) {
        let phase = if kept.phase == Phase::Loading { Phase::Idle } else { kept.phase };
        let (epoch, ticket) = (self.epoch.wrapping_add(1), self.ticket.max(kept.ticket));
        *self = Self { epoch, ticket, phase, asked: None, jump: None, ..kept };
    }

    /// Returns the number of submissions received since the list was loaded, given the newest
    /// submission and the total on the server now.
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

    /// Returns the number of rows of the list, loaded or not; 0 until the total is known.
    pub fn len(&self) -> usize {
        self.total.unwrap_or_default()
    }

    /// Returns whether the list has no rows, or its total is unknown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the row at an index if it is loaded.
    pub fn row(&self, index: usize) -> Option<&Arc<Submission>> {
        self.pieces.row(index)
    }

    /// Iterates over the loaded rows, newest first.
    pub fn rows(&self) -> impl Iterator<Item = &Submission> {
        self.pieces.rows().map(|(_, row)| row.as_ref())
    }

    /// Returns the index of a submission if it is loaded.
    pub fn position(&self, id: &SubmissionId) -> Option<usize> {
        self.pieces.position(id)
    }

    /// Returns the index of the first row older than an instant, if it was looked up.
    pub fn index_before(&self, at: Timestamp) -> Option<usize> {
        self.points.index(at)
    }

    /// Returns the instant of the newest row when the list was loaded.
    pub fn first_instant(&self) -> Option<Timestamp> {
        self.newest.as_ref().map(|newest| newest.0)
    }

    /// Returns the instant of the oldest row, once its page has been loaded.
    pub fn last_instant(&self) -> Option<Timestamp> {
        let last = self.pieces.iter().last()?;
        (last.end() == self.len()).then_some(last.bottom.0)
    }

    /// Returns the generation of the list. [`ListModel::reset`] and reloads increment it.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Returns the number of matching submissions, once known.
    pub fn total(&self) -> Option<u64> {
        self.total.map(|total| total as u64)
    }

    /// Returns the state of the model.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether the first page has been loaded.
    pub fn has_begun(&self) -> bool {
        self.total.is_some() && !self.stale
    }

    /// Returns whether the rows belong to the previous filter.
    pub fn is_stale(&self) -> bool {
        self.stale
    }
}

fn key(row: &Submission) -> (Timestamp, SubmissionId) {
    (row.metadata.submitted_at, row.id.clone())
}

/// Returns the next instant, one microsecond later.
pub fn after(at: Timestamp) -> Timestamp {
    Timestamp::from_micros(at.micros() + 1).unwrap_or(at)
}
