//! Steps to the next and the previous unread submission of the list: among the loaded rows, or else
//! by requests.

use std::cmp::Ordering;

use contract::page::LIMIT_MAX;
use contract::{Filter, ListQuery, Page, Submission, SubmissionId, Timestamp};
use leptos::{prelude::*, task::spawn_local, wasm_bindgen::JsCast};
use web_sys::HtmlElement;

use crate::{
    api::ApiError,
    components::page::explain_error,
    domain::list_model::{ListPhase, SubmissionKey, next_instant, row_key},
    i18n,
    pages::submissions::{
        list::ListSource,
        list_state::ListState,
        open_submission::{OpenSubmission, in_table},
        row_marks::{FocusRequest, RowMarks},
    },
    state::{toasts::Toasts, triage::TriageState},
};

/// Length of the first time span that is searched for a newer submission, in microseconds: a day.
const SPAN_FIRST_US: i64 = 86_400_000_000;
/// Minimum length of such a span, in microseconds.
const SPAN_MIN_US: i64 = 1_000;
/// Factor between the lengths of such spans.
const SPAN_FACTOR: i64 = 4;

/// Steps to unread submissions. Cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct UnreadSteps {
    pub(super) list: ListState,
    pub(super) opened: OpenSubmission,
    pub(super) triage: TriageState,
    pub(super) marks: RowMarks,
    pub(super) toasts: Toasts,
    pub(super) running: RunningSearch,
}

/// Start of the running search; `None` without one. Cheap to copy.
#[derive(Clone, Copy, Default)]
pub(super) struct RunningSearch(StoredValue<Option<SearchStart>>);

/// Result of a search among the loaded rows.
enum ScannedRow {
    /// Index of an unread row.
    Unread(usize),
    /// All rows to the end of the list are read.
    AllRead,
    /// The state of a row is unknown.
    Unknown,
}

/// Where a search starts.
#[derive(Clone, PartialEq)]
struct SearchStart {
    source: ListSource,
    key: SubmissionKey,
    /// Whether the submission at `key` itself counts.
    includes_key: bool,
}

impl SearchStart {
    /// Returns a query for unread submissions in a time span. `from` is inclusive.
    fn query(&self, from: Option<Timestamp>, to: Timestamp) -> ListQuery {
        let filter = &self.source.filter;
        let filter = Filter {
            read: Some(false),
            date_from: filter.date_from.max(from),
            date_to: Some(filter.date_to.map_or(to, |end| end.min(to))),
            ..filter.clone()
        };
        ListQuery { filter, limit: LIMIT_MAX, cursor: None, sort: None }
    }
}

impl UnreadSteps {
    /// Goes to the next or previous unread submission: opens it if a submission is open, or else
    /// moves the focus. A message reports that there is none. Does nothing while an earlier step is
    /// not finished: a held key must not send a request for each of its repetitions.
    pub(super) fn go(self, forward: bool) {
        // The user may have left the page while the code was loaded.
        if self.running.0.is_disposed() || self.is_stepping() {
            return;
        }
        match self.scan_rows(forward) {
            ScannedRow::Unread(index) => self.go_to_row(index),
            ScannedRow::AllRead => self.toasts.show_success(i18n::triage().no_more_unread),
            ScannedRow::Unknown => {
                let Some(start) = self.search_start() else { return };
                self.running.0.set_value(Some(start.clone()));
                spawn_local(self.search(start, forward));
            }
        }
    }

    /// Returns whether a search or the row that it found is being loaded, and the user has not gone
    /// elsewhere since.
    fn is_stepping(self) -> bool {
        let is_failed = self.list.rows.phase().get_untracked() == ListPhase::Failed;
        let is_focusing = self.marks.focus_request.with_untracked(|request| {
            request.as_ref().is_some_and(|request| *request == self.focus_request(&request.id))
        });
        let start = self.running.0.get_value();
        (is_focusing && !is_failed) || start.is_some_and(|start| self.is_current(&start))
    }

    fn focus_request(self, id: &SubmissionId) -> FocusRequest {
        let from = self.list.rows.table.active().get_untracked();
        FocusRequest { id: id.clone(), epoch: self.list.rows.model_epoch(), from }
    }

    /// Returns whether the focused row itself counts: not if it has the focus already.
    fn includes_active_row(self) -> bool {
        self.opened.id.with_untracked(Option::is_none) && !in_table()
    }

    fn scan_rows(self, forward: bool) -> ScannedRow {
        let is_open = self.opened.id.with_untracked(Option::is_some);
        let active = self.list.rows.table.active().get_untracked();
        let start = if is_open { self.opened.index.get_untracked() } else { Some(active) };
        let Some(start) = start.filter(|_| !self.list.rows.is_stale()) else {
            return ScannedRow::Unknown;
        };
        let count = self.list.rows.count().get_untracked();
        let skipped = usize::from(!self.includes_active_row());
        let mut indexes: Box<dyn Iterator<Item = usize>> = if forward {
            Box::new(start + skipped..count)
        } else {
            Box::new((0..(start + 1 - skipped).min(count)).rev())
        };
        let state_of = |index: usize| {
            let row = untrack(|| self.list.rows.loaded_row(index))?;
            untrack(|| self.triage.read_state(&row.id))
        };
        indexes
            .find_map(|index| match state_of(index) {
                Some(true) => None,
                Some(false) => Some(ScannedRow::Unread(index)),
                None => Some(ScannedRow::Unknown),
            })
            .unwrap_or(ScannedRow::AllRead)
    }

    /// Requests the next or previous unread submission, and goes there.
    async fn search(self, start: SearchStart, forward: bool) {
        let found = match (start.source.filter.read, forward) {
            (Some(true), _) => Ok(None),
            _ if start.source.sort.is_some() => self.find_sorted(&start, forward).await,
            (_, true) => self.find_older(&start).await,
            (_, false) => self.find_newer(&start).await,
        };
        // Otherwise the user has gone elsewhere, perhaps with another search.
        let is_current = self.is_current(&start);
        self.running.0.try_update_value(|running| running.take_if(|running| *running == start));
        if !is_current {
            return;
        }
        match found {
            Ok(Some(found)) => self.go_to_submission(&found),
            Ok(None) => self.toasts.show_success(i18n::triage().no_more_unread),
            Err(error) => {
                self.triage.session().handle_error(&error);
                let reason = explain_error(&error);
                self.toasts.show_error((i18n::triage().unread_failed)(&reason));
            }
        }
    }

    fn search_start(self) -> Option<SearchStart> {
        // Fails if the page is not shown any more.
        let source = self.list.source.try_get_untracked()??;
        let row = if let Some(id) = self.opened.id.get_untracked() {
            self.opened.submission.get_untracked().filter(|shown| shown.id == id)
        } else {
            let active = self.list.rows.table.active().get_untracked();
            untrack(|| self.list.rows.loaded_row(active))
        };
        Some(SearchStart { source, key: row_key(&*row?), includes_key: self.includes_active_row() })
    }

    /// Returns whether the list and the open or active submission are still those of the search.
    fn is_current(self, start: &SearchStart) -> bool {
        self.search_start().as_ref() == Some(start)
    }

    /// Returns whether a row of a response is unread. The response may be older than a change.
    fn is_unread(self, row: &Submission) -> bool {
        untrack(|| self.triage.read_state(&row.id)) != Some(true)
    }

    async fn fetch(
        self,
        start: &SearchStart,
        query: &ListQuery,
    ) -> Result<Page<Submission>, ApiError> {
        Ok(self.list.rows.fetch_page(&start.source, query, None).await?.body)
    }

    async fn find_older(self, start: &SearchStart) -> Result<Option<Submission>, ApiError> {
        let mut query = start.query(None, next_instant(start.key.0));
        let is_wanted = |row: &Submission| {
            let key = row_key(row);
            (key < start.key || (start.includes_key && key == start.key)) && self.is_unread(row)
        };
        loop {
            let mut page = self.fetch(start, &query).await?;
            if let Some(index) = page.data.iter().position(is_wanted) {
                return Ok(Some(page.data.swap_remove(index)));
            }
            let next = page.pagination.next().map(str::to_owned);
            // The same cursor twice would cause an endless loop.
            if next.is_none() || next == query.cursor || !self.is_current(start) {
                return Ok(None);
            }
            query.cursor = next;
        }
    }

    /// Searches time spans from the start on. Lists begin with their newest submission, so a span
    /// must be so short that its oldest one is on the first page.
    async fn find_newer(self, start: &SearchStart) -> Result<Option<Submission>, ApiError> {
        let is_wanted = |row: &Submission| {
            let key = row_key(row);
            (key > start.key || (start.includes_key && key == start.key)) && self.is_unread(row)
        };
        let Some(end) = self.list.rows.newest_bound() else { return Ok(None) };
        let (mut from, mut span_us) = (start.key.0, SPAN_FIRST_US);
        while from < end && self.is_current(start) {
            let to = Timestamp::from_micros(from.micros() + span_us).map_or(end, |to| to.min(end));
            let mut page = self.fetch(start, &start.query(Some(from), to)).await?;
            if page.pagination.next().is_some() && span_us > SPAN_MIN_US {
                span_us /= SPAN_FACTOR;
                continue;
            }
            if let Some(index) = page.data.iter().rposition(is_wanted) {
                return Ok(Some(page.data.swap_remove(index)));
            }
            (from, span_us) = (to, span_us.saturating_mul(SPAN_FACTOR));
        }
        Ok(None)
    }

    /// Reads the unread submissions in the order of a sorted list. Those that are not among the
    /// loaded rows follow them.
    async fn find_sorted(
        self,
        start: &SearchStart,
        forward: bool,
    ) -> Result<Option<Submission>, ApiError> {
        let rows = self.list.rows;
        let Some(from) = untrack(|| rows.position(&start.key.1)) else { return Ok(None) };
        let filter = Filter { read: Some(false), ..start.source.filter.clone() };
        let sort = start.source.sort.clone();
        let mut query = ListQuery { filter, limit: LIMIT_MAX, cursor: None, sort };
        let mut before = None;
        loop {
            let page = self.fetch(start, &query).await?;
            let next = page.pagination.next().map(str::to_owned);
            for row in page.data.into_iter().filter(|row| self.is_unread(row)) {
                let index = untrack(|| rows.position(&row.id)).unwrap_or(usize::MAX);
                match index.cmp(&from) {
                    Ordering::Equal if !start.includes_key => {}
                    Ordering::Less => before = Some(row),
                    _ if forward => return Ok(Some(row)),
                    _ => return Ok(before),
                }
            }
            if next.is_none() || next == query.cursor || !self.is_current(start) {
                return Ok(before.filter(|_| !forward));
            }
            query.cursor = next;
        }
    }

    fn go_to_row(self, index: usize) {
        if self.opened.id.with_untracked(Option::is_some) {
            self.list.rows.table.show_row(index);
            self.opened.open_row(index);
        } else {
            self.list.rows.table.focus_row(index);
        }
    }

    fn go_to_submission(self, found: &Submission) {
        let rows = self.list.rows;
        if let Some(index) = untrack(|| rows.position(&found.id)) {
            self.go_to_row(index);
        } else if self.opened.id.with_untracked(Option::is_some)
            || self.list.sort.with_untracked(Option::is_some)
        {
            // In a sorted list, only the pages before it lead to its row.
            self.opened.open_other(&found.id);
        } else {
            if let Some(active) = document().active_element().filter(|_| !in_table()) {
                // The row takes the focus only from the table, or if no element has it.
                _ = active.unchecked_into::<HtmlElement>().blur();
            }
            self.marks.focus_request.set(Some(self.focus_request(&found.id)));
            rows.jump_to(next_instant(found.metadata.submitted_at));
        }
    }
}
