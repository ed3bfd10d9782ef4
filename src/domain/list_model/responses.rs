//! Handling of responses: determines the index of a page's first row, updates the total, and
//! recovers when a response contradicts the known rows.

use std::sync::Arc;

use contract::{Page, Submission, page::LIMIT_MAX};

use super::{
    ListModel, ListPhase, PageQuery, PageStart, SubmissionKey, next_instant,
    pages::{KnownPage, KnownPages},
    row_key,
    seek::InstantIndex,
};

/// Maximum number of contradicting responses before the list is cut short.
const CONTRADICTIONS_MAX: u32 = 8;

impl ListModel {
    /// Adds a page, and returns whether its request was still current. Rows removed by this client
    /// are not shown again.
    pub fn apply_page(&mut self, ticket: u32, page: Page<Submission>) -> bool {
        let Some(query) = self.in_flight.take_if(|_| ticket == self.ticket) else { return false };
        self.phase = ListPhase::Idle;
        let missing = |model: &Self| model.total.and_then(|total| model.first_missing_row(total));
        let missing_before = missing(self);
        let Some(start) = self.resolve_start(&query, &page) else { return true };
        let next = page.pagination.next().map(str::to_owned);
        // A foreign server may return the same cursor again. Following it would never end.
        let origin = &query.start;
        let repeat =
            |next: &String| matches!(origin, PageStart::After { cursor, .. } if cursor == next);
        let next = next.filter(|next| !repeat(next) && !page.data.is_empty());
        let ends = page.data.first().map(row_key).zip(page.data.last().map(row_key));
        let rows = self.without_removed(page.data);
        if query.limit == LIMIT_MAX {
            self.insert_page(start, query.start.clone(), (ends, rows), next);
        }
        // A guess made progress only if the missing row changed.
        let missing_now = missing(self);
        self.guesses = if missing_now == missing_before { self.guesses + 1 } else { 0 };
        self.refusals = if missing_now == missing_before { self.refusals } else { 0 };
        // The next request would be the same one again: the response contradicts the known rows.
        if self.missing_page() == Some(query) {
            self.handle_contradiction(missing_now);
        }
        self.evict();
        true
    }

    /// Handles a response that contradicts the known rows, because other clients removed rows. All
    /// pages are dropped and fetched again. After `CONTRADICTIONS_MAX` the list ends at the
    /// missing row, so that a server that always contradicts itself is not asked endlessly.
    fn handle_contradiction(&mut self, missing: Option<usize>) {
        self.contradictions += 1;
        if self.contradictions > CONTRADICTIONS_MAX {
            self.end_at(missing.unwrap_or_default());
        } else {
            (self.pages, self.points) = (KnownPages::default(), InstantIndex::default());
            self.next_after_removed = None;
        }
    }

    /// Returns the index of a page's first row, and updates the total from its count.
    fn resolve_start(&mut self, query: &PageQuery, page: &Page<Submission>) -> Option<usize> {
        let count = usize::try_from(page.pagination.total).unwrap_or(usize::MAX);
        match (&query.start, self.total) {
            (PageStart::Before(at), Some(total)) => {
                // If this start was requested before, its index is known. A different count then
                // means that other clients removed rows after it.
                let known =
                    self.pages.iter().find(|piece| piece.source.as_ref() == Some(&query.start));
                let known = known.map(|piece| piece.start).or_else(|| self.points.index_of(*at));
                // The newest row has index 0, even if other clients removed rows.
                let known = if self.upper_bound() == Some(*at) { Some(0) } else { known };
                let start = known.unwrap_or_else(|| total.saturating_sub(count));
                self.end_at(start.saturating_add(count));
                self.points.record(*at, start);
                if self.jump_target.take_if(|jump| jump == at).is_some() {
                    self.view = start..start + self.view.len();
                }
                Some(start)
            }
            (PageStart::After { .. }, Some(_)) => self.index_of_cursor(&query.start),
            _ => {
                let newest = page.data.first().filter(|_| !self.is_sorted());
                let known_start = newest.map(row_key);
                (self.pages, self.points) = (KnownPages::default(), InstantIndex::default());
                (self.newest, self.total, self.stale) = (known_start, Some(count), false);
                self.next_after_removed = None;
                self.view = 0..self.view.len();
                Some(0)
            }
        }
    }

    /// Returns the index that a cursor leads to: it continues a known page, or fetches one again.
    fn index_of_cursor(&self, page_start: &PageStart) -> Option<usize> {
        let removed = self.next_after_removed.as_ref().filter(|onward| onward.1 == *page_start);
        removed.map(|onward| onward.0).or_else(|| {
            self.pages.iter().find_map(|piece| {
                let onward = piece.next_start().filter(|(_, onward)| onward == page_start);
                let piece_start =
                    (piece.source.as_ref() == Some(page_start)).then_some(piece.start);
                piece_start.or(onward.map(|(index, _)| index))
            })
        })
    }

    /// Adds the rows of a page, and corrects the total: the last page ends the list, and a page
    /// with a successor proves at least one more row.
    fn insert_page(
        &mut self,
        start: usize,
        page_start: PageStart,
        (ends, rows): (Option<(SubmissionKey, SubmissionKey)>, Vec<Arc<Submission>>),
        next: Option<String>,
    ) {
        let full = rows.len();
        let is_last = next.is_none();
        self.next_after_removed = None;
        let first = rows.first().map(|row| row.id.clone());
        let mut end = start + full;
        if let (Some((top, bottom)), Some(id)) = (ends, first) {
            // A cursor is valid only for the filter that it was issued for.
            let before = page_start.before();
            let next = next.map(|cursor| PageStart::After { before, cursor });
            let page_start = match page_start {
                // Start the first page at its newest row: later submissions are newer and not part
                // of the list.
                PageStart::First if !self.is_sorted() => PageStart::Before(next_instant(top.0)),
                page_start => page_start,
            };
            let piece = KnownPage {
                start,
                len: full,
                response_len: full,
                rows: Some(rows),
                source: Some(page_start),
                next,
                first_key: top,
                last_key: bottom,
            };
            let (from, by) = self.pages.insert(piece);
            self.points.shift_after(from.saturating_sub(1), by);
            self.total = self.total.map(|total| total.saturating_add_signed(by));
            end = self.pages.position(&id).unwrap_or(start) + full;
        } else if let Some(cursor) = next {
            self.next_after_removed =
                Some((start, PageStart::After { before: page_start.before(), cursor }));
        }
        let total = self.total.unwrap_or_default();
        if is_last {
            self.end_at(end);
        } else if end >= total {
            self.total = Some(end + 1);
        }
    }

    fn end_at(&mut self, total: usize) {
        self.total = Some(total);
        self.pages.truncate_list(total);
        self.points.drop_after(total);
    }
}
