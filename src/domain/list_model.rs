//! Model of the list of submissions: a pure reducer from responses to rows.
//!
//! It sends no requests. The caller asks for the next one ([`ListModel::next_request`]) and passes
//! the response ([`ListModel::apply_page`], [`ListModel::mark_failed`]) with the ticket of the
//! request. Responses to outdated requests are dropped.
//!
//! From the first response on, the list has its true length and each row its true index, loaded or
//! not. Only rows near the visible ones stay loaded ([`ListModel::set_view`]). Submissions received
//! after the first page are not part of the list: they are counted, and shown after a refresh.

mod pages;
mod remove;
mod responses;
mod seek;
#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod sorted_tests;
#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use contract::{Submission, SubmissionId, Timestamp, page::LIMIT_MAX};

pub use remove::SubmissionKey;

use pages::{KnownPage, KnownPages};
use seek::{GUESSES_MAX, InstantIndex, SeekState};

/// Rows that stay loaded before and after the visible ones.
pub const ROWS_AROUND_VIEW: usize = 500;
/// Minimum read-ahead, in rows after the visible ones.
const READ_AHEAD_ROWS: usize = 40;
/// Read-ahead after scrolling, in multiples of the last step.
const READ_AHEAD_STEPS: usize = 8;
/// Maximum read-ahead after scrolling, in rows.
const READ_AHEAD_ROWS_MAX: usize = 160;
/// Maximum number of cursors that the server may refuse without progress. The next one makes the
/// model fail.
const REFUSALS_MAX: u32 = 8;

/// Order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListOrder {
    /// Newest first. Each row can be requested directly, because its instant can be guessed.
    Newest {
        /// Lower bound of the filter's dates, if any.
        oldest: Option<Timestamp>,
    },
    /// Sorted by another property. Only cursors lead to later rows, so loaded rows are not evicted.
    Sorted,
}

impl Default for ListOrder {
    fn default() -> Self {
        Self::Newest { oldest: None }
    }
}

/// Start of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageStart {
    /// The first row of the list.
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

impl PageStart {
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
pub struct PageQuery {
    /// Start of the page.
    pub start: PageStart,
    /// Maximum rows; 1 if only the total is needed.
    pub limit: u16,
}

/// A request for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Identifies the request; pass it back with the response.
    pub ticket: u32,
    /// Page to fetch.
    pub query: PageQuery,
}

/// State of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListPhase {
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
    /// Generation of the list; see [`ListModel::generation`].
    epoch: u32,
    /// Ticket of the latest request.
    ticket: u32,
    pages: KnownPages,
    /// Instants whose row index is known.
    points: InstantIndex,
    /// Indexes of the visible rows.
    view: Range<usize>,
    /// Rows scrolled forward by the last change of `view`; 0 after a jump.
    scroll_step: usize,
    /// Number of rows; `None` before the first response.
    total: Option<usize>,
    /// Key of the newest row when the list was loaded; `None` if the list is sorted.
    newest: Option<(Timestamp, SubmissionId)>,
    order: ListOrder,
    /// Ids of rows removed by this client.
    removed: HashSet<SubmissionId>,
    /// If all rows of a page were removed: start of the next page, with the index of its first row.
    next_after_removed: Option<(usize, PageStart)>,
    phase: ListPhase,
    /// Page requested and not yet answered.
    in_flight: Option<PageQuery>,
    /// Instant to scroll to.
    jump_target: Option<Timestamp>,
    /// Whether to load the oldest row.
    needs_end: bool,
    /// Guesses made so far at the instant of the first missing row.
    guesses: u32,
    /// Responses so far that contradicted the known rows.
    contradictions: u32,
    /// Refused cursors since the last progress.
    refusals: u32,
    /// Whether the rows are from before the last refresh, because the first page of the
    /// new list is still missing.
    stale: bool,
}

impl ListModel {
    /// Reloads the list with the same filter, or with another one of the same form. The current rows
    /// stay until the first page replaces them, so that typing does not make the list flicker.
    pub fn refresh(&mut self, order: ListOrder) {
        let before = std::mem::take(self);
        let stale = before.pages.iter().next().is_some();
        *self = Self {
            epoch: before.epoch.wrapping_add(1),
            // Tickets continue to count, so that responses to earlier requests are recognised as
            // outdated.
            ticket: before.ticket,
            pages: before.pages,
            view: before.view,
            total: before.total.filter(|_| stale),
            order,
            stale,
            ..Self::default()
        };
    }

    /// Starts over without rows, because the current rows belong to another form.
    pub fn clear(&mut self, order: ListOrder) {
        let epoch = self.epoch.wrapping_add(1);
        let ticket = self.ticket;
        *self = Self { epoch, ticket, order, ..Self::default() };
    }

    /// Sets the indexes of the visible rows, end exclusive. Rows far from them are evicted.
    pub fn set_view(&mut self, view: Range<usize>) {
        // After a far jump another row is missing, so the guesses for it start over.
        if self.view.start.abs_diff(view.start) > ROWS_AROUND_VIEW {
            self.guesses = 0;
        }
        // A jump of more than one view says nothing about scrolling, so it adds no read-ahead.
        self.scroll_step = view.start.saturating_sub(self.view.start);
        self.scroll_step = if self.scroll_step > view.len() { 0 } else { self.scroll_step };
        self.view = view;
        self.evict();
    }

    /// Requests to scroll to the first row older than an instant.
    pub fn jump_to(&mut self, before: Timestamp) {
        self.jump_target = Some(before);
    }

    /// Requests to load the oldest row, to learn its date.
    pub fn request_end(&mut self) {
        self.needs_end = true;
    }

    /// Returns the page that is missing now, even while a request is in flight or after a failure.
    pub fn missing_page(&self) -> Option<PageQuery> {
        let Some(total) = self.total.filter(|_| !self.stale) else {
            return Some(PageQuery { start: PageStart::First, limit: LIMIT_MAX });
        };
        if let Some(at) = self.jump_target {
            return Some(PageQuery { start: PageStart::Before(at), limit: LIMIT_MAX });
        }
        let (first, oldest, guesses) = match self.order {
            // Not `PageStart::First`: submissions received since then would shift all indexes.
            ListOrder::Newest { oldest } => {
                (PageStart::Before(next_instant(self.newest.as_ref()?.0)), oldest, self.guesses)
            }
            ListOrder::Sorted => (PageStart::First, None, GUESSES_MAX),
        };
        let known = SeekState {
            pages: &self.pages,
            points: &self.points,
            total,
            first: &first,
            next_after_removed: self.next_after_removed.as_ref(),
            oldest,
            guesses,
        };
        Some(known.next_query(self.first_missing_row(total)?))
    }

    /// Returns the index of the first row that is needed and not loaded: in the view, in the
    /// read-ahead, or the oldest row after [`ListModel::request_end`].
    fn first_missing_row(&self, total: usize) -> Option<usize> {
        let by_steps = self.scroll_step.saturating_mul(READ_AHEAD_STEPS).min(READ_AHEAD_ROWS_MAX);
        let end = self.view.end.saturating_add(by_steps.max(READ_AHEAD_ROWS)).min(total);
        let missing = |index: &usize| self.pages.row(*index).is_none();
        let last = || self.needs_end.then(|| total.checked_sub(1)).flatten();
        (self.view.start..end)
            .find(missing)
            .or_else(|| last().filter(|_| self.last_instant().is_none()))
    }

    /// Creates the next request. Returns `None` while a request is in flight, after a failure, and
    /// if no page is missing.
    pub fn next_request(&mut self) -> Option<PageRequest> {
        if self.phase != ListPhase::Idle {
            return None;
        }
        let query = self.missing_page()?;
        self.phase = ListPhase::Loading;
        self.in_flight = Some(query.clone());
        self.ticket = self.ticket.wrapping_add(1);
        Some(PageRequest { ticket: self.ticket, query })
    }

    fn evict(&mut self) {
        if self.is_sorted() {
            return;
        }
        let from = self.view.start;
        let to = self.view.end.saturating_add(ROWS_AROUND_VIEW);
        self.pages.evict(&(from.saturating_sub(ROWS_AROUND_VIEW)..to));
    }

    /// Records a failed request, and returns whether it was still current.
    pub fn mark_failed(&mut self, ticket: u32) -> bool {
        let is_current = self.in_flight.take_if(|_| ticket == self.ticket).is_some();
        if is_current {
            self.phase = ListPhase::Failed;
        }
        is_current
    }

    /// Records that the server refused a request as invalid (status 400), and returns whether it
    /// was still current.
    ///
    /// If a cursor was refused, the others may be outdated too: all are dropped, and their rows are
    /// located by date. A sorted list starts over. Without a cursor, or after more than
    /// `REFUSALS_MAX` refusals, the model fails.
    pub fn mark_refused(&mut self, ticket: u32) -> bool {
        let Some(query) = self.in_flight.take_if(|_| ticket == self.ticket) else { return false };
        self.refusals += 1;
        let by_cursor = matches!(query.start, PageStart::After { .. });
        if by_cursor && self.is_sorted() {
            self.pages = KnownPages::default();
        }
        if by_cursor {
            self.pages.drop_cursors();
            self.next_after_removed = None;
        }
        let can_continue = by_cursor && self.refusals <= REFUSALS_MAX;
        self.phase = if can_continue { ListPhase::Idle } else { ListPhase::Failed };
        true
    }

    /// Allows requests again after a failure.
    pub fn retry(&mut self) {
        if self.phase == ListPhase::Failed {
            self.phase = ListPhase::Idle;
            self.refusals = 0;
        }
    }

    /// Continues with a saved model. Requests in flight, of this model or of the saved one, are
    /// dropped.
    pub fn restore(&mut self, saved: Self) {
        let phase = if saved.phase == ListPhase::Loading { ListPhase::Idle } else { saved.phase };
        let epoch = self.epoch.wrapping_add(1);
        let ticket = self.ticket.max(saved.ticket);
        *self = Self { epoch, ticket, phase, in_flight: None, jump_target: None, ..saved };
    }

    /// Returns the number of submissions received since the list was loaded, given the first
    /// submission and the total on the server now. In a sorted list only the total tells, so
    /// submissions deleted elsewhere hide as many new ones.
    pub fn count_new(&self, first: Option<&Submission>, total: u64) -> u64 {
        let known = self.total.unwrap_or_default() as u64;
        let later =
            |newest: &Submission| self.newest.as_ref().is_none_or(|known| row_key(newest) > *known);
        match first {
            _ if self.is_sorted() && self.has_begun() => total.saturating_sub(known),
            Some(newest) if self.total.is_some() && !self.stale && later(newest) => {
                // At least the newest one, even if as many rows were deleted elsewhere.
                total.saturating_sub(known).max(1)
            }
            _ => 0,
        }
    }

    /// Returns whether rows other than new ones have come or gone, given the first submission and
    /// the total on the server now.
    pub fn is_outdated(&self, first: Option<&Submission>, total: u64) -> bool {
        let is_known = !self.stale && self.total.is_some_and(|known| known as u64 != total);
        is_known && self.count_new(first, total) == 0
    }

    /// Returns the number of rows to scroll through, loaded or not; 0 until the total is known. A
    /// sorted list grows by a page at a time.
    pub fn len(&self) -> usize {
        let total = self.total.unwrap_or_default();
        if !self.is_sorted() || self.stale {
            return total;
        }
        let loaded = self.pages.iter().last().map_or(0, KnownPage::end);
        total.min(loaded + usize::from(LIMIT_MAX))
    }

    fn is_sorted(&self) -> bool {
        self.order == ListOrder::Sorted
    }

    /// Returns whether the list has no rows, or its total is unknown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the row at an index if it is loaded.
    pub fn row(&self, index: usize) -> Option<&Arc<Submission>> {
        self.pages.row(index)
    }

    /// Iterates over the loaded rows in the order of the list.
    pub fn rows(&self) -> impl Iterator<Item = &Submission> {
        self.pages.rows().map(|(_, row)| row.as_ref())
    }

    /// Returns the index of a submission if it is loaded.
    pub fn position(&self, id: &SubmissionId) -> Option<usize> {
        self.pages.position(id)
    }

    /// Returns the index of the first row older than an instant, if it was looked up.
    pub fn index_before(&self, at: Timestamp) -> Option<usize> {
        self.points.index_of(at)
    }

    /// Returns the instant of the newest row when the list was loaded; `None` if it is sorted.
    pub fn first_instant(&self) -> Option<Timestamp> {
        self.newest.as_ref().map(|newest| newest.0)
    }

    /// Returns the instant of the oldest row, once its page has been loaded.
    pub fn last_instant(&self) -> Option<Timestamp> {
        let last = self.pages.iter().last()?;
        (Some(last.end()) == self.total).then_some(last.last_key.0)
    }

    /// Returns the generation of the list. Every refresh, clear and restore increments it,
    /// because an index then means another row.
    pub fn generation(&self) -> u32 {
        self.epoch
    }

    /// Returns the number of matching submissions, once known.
    pub fn total(&self) -> Option<u64> {
        self.total.map(|total| total as u64)
    }

    /// Returns the state of the model.
    pub fn phase(&self) -> ListPhase {
        self.phase
    }

    /// Returns whether the first page of the current list has been loaded.
    pub fn has_begun(&self) -> bool {
        self.total.is_some() && !self.stale
    }

    /// Returns whether the rows are still those from before the last refresh.
    pub fn is_stale(&self) -> bool {
        self.stale
    }
}

/// Returns the key of a submission.
pub fn row_key(row: &Submission) -> SubmissionKey {
    (row.metadata.submitted_at, row.id.clone())
}

/// Returns the next instant, one microsecond later. A page that starts before it includes rows at
/// `at`.
pub fn next_instant(at: Timestamp) -> Timestamp {
    Timestamp::from_micros(at.micros() + 1).unwrap_or(at)
}
