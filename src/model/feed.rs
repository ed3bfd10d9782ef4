//! The browser's growing list of pages: a pure reducer from answers to rows.
//!
//! It never fetches. Whoever does asks it what to fetch ([`Feed::request`]) and brings back what
//! came ([`Feed::arrive`], [`Feed::fail`]) under the epoch of the asking, so that an answer to a
//! question that nobody asks any more is dropped.

use contract::{Page, Submission, SubmissionId};
use std::collections::HashSet;
use std::sync::Arc;

/// What to fetch next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The time of asking; to be brought back with the answer.
    pub epoch: u32,
    /// The place of the page; `None` is the first.
    pub cursor: Option<String>,
}

/// Where the feed stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is under way.
    #[default]
    Idle,
    /// A page is being fetched.
    Loading,
    /// The last fetch failed; nothing more is asked until [`Feed::retry`].
    Failed,
}

/// The rows that have come so far under one filter.
#[derive(Debug, Default)]
pub struct Feed {
    epoch: u32,
    rows: Vec<Arc<Submission>>,
    seen: HashSet<SubmissionId>,
    cursor: Option<String>,
    total: Option<u64>,
    phase: Phase,
    /// Whether the last page has come.
    ended: bool,
    /// Whether the rows are those of the filter before, shown until the first page comes.
    stale: bool,
}

impl Feed {
    /// Begins anew under another filter. The rows of the one before stay until the first page
    /// replaces them, so that typing does not make the list flicker.
    pub fn reset(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let stale = !rows.is_empty();
        let (epoch, total) = (self.epoch.wrapping_add(1), self.total);
        *self = Self { epoch, rows, total, stale, ..Self::default() };
    }

    /// Begins anew with nothing: the rows were another form's.
    pub fn clear(&mut self) {
        *self = Self { epoch: self.epoch.wrapping_add(1), ..Self::default() };
    }

    /// Asks for the next page. `None` while one is under way, after a failure, and at the end.
    pub fn request(&mut self) -> Option<Request> {
        if self.phase != Phase::Idle || self.ended {
            return None;
        }
        self.phase = Phase::Loading;
        Some(Request { epoch: self.epoch, cursor: self.cursor.clone() })
    }

    /// Takes a page in, and returns whether it was still wanted. Rows that came before, and rows
    /// that were removed here, are not shown again.
    pub fn arrive(&mut self, epoch: u32, page: Page<Submission>) -> bool {
        if epoch != self.epoch {
            return false;
        }
        if self.stale {
            self.rows.clear();
            self.stale = false;
        }
        let next = page.pagination.next().map(str::to_owned);
        // A foreign server that hands out the same place twice would be walked for ever.
        self.ended = next.is_none() || next == self.cursor;
        self.cursor = next;
        self.total = Some(page.pagination.total);
        let seen = &mut self.seen;
        let fresh = page.data.into_iter().filter(|row| seen.insert(row.id.clone())).map(Arc::new);
        self.rows.extend(fresh);
        self.phase = Phase::Idle;
        true
    }

    /// Takes a failure in, and returns whether its answer was still wanted.
    pub fn fail(&mut self, epoch: u32) -> bool {
        let wanted = epoch == self.epoch;
        if wanted {
            self.phase = Phase::Failed;
        }
        wanted
    }

    /// Lets the feed ask again after a failure.
    pub fn retry(&mut self) {
        if self.phase == Phase::Failed {
            self.phase = Phase::Idle;
        }
    }

    /// Goes on with a feed that was kept. A page that was on its way to it will not come, and one
    /// on its way to this one is dropped.
    pub fn resume(&mut self, kept: Self) {
        let phase = if kept.phase == Phase::Loading { Phase::Idle } else { kept.phase };
        *self = Self { epoch: self.epoch.wrapping_add(1), phase, ..kept };
    }

    /// Takes a deleted row out, and returns where it stood. The total goes down also where the row
    /// had not come yet, since the list holds it no more.
    pub fn remove(&mut self, id: &SubmissionId) -> Option<usize> {
        self.total = self.total.map(|total| total.saturating_sub(1));
        self.seen.insert(id.clone());
        let index = self.position(id)?;
        self.rows.remove(index);
        Some(index)
    }

    /// Returns how many rows have come.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether no row has come.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns a row.
    pub fn row(&self, index: usize) -> Option<&Arc<Submission>> {
        self.rows.get(index)
    }

    /// Iterates over the rows that have come, newest first.
    pub fn rows(&self) -> impl Iterator<Item = &Submission> {
        self.rows.iter().map(Arc::as_ref)
    }

    /// Returns where a submission stands among the rows.
    pub fn position(&self, id: &SubmissionId) -> Option<usize> {
        self.rows.iter().position(|row| row.id == *id)
    }

    /// Returns the time of asking, which each [`Feed::reset`] moves on.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Returns how many submissions match in all, once known.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// Returns where the feed stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether every matching submission has come.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns whether the rows are those of the filter before.
    pub fn is_stale(&self) -> bool {
        self.stale
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Answers, Metadata, Pagination, Timestamp};
    use proptest::prelude::*;

    fn submission(number: u32) -> Submission {
        Submission {
            id: format!("sub_{number}").parse().expect("sound"),
            form_id: "frm_1".parse().expect("sound"),
            answers: Answers::default(),
            metadata: Metadata::at(Timestamp::parse("2026-03-01").expect("sound")),
            ai_insights: None,
        }
    }

    fn page(numbers: &[u32], total: u64, next: Option<&str>) -> Page<Submission> {
        Page {
            data: numbers.iter().copied().map(submission).collect(),
            pagination: Pagination {
                total,
                limit: 20,
                has_more: next.is_some(),
                next_cursor: next.map(str::to_owned),
            },
        }
    }

    fn ids(feed: &Feed) -> String {
        feed.rows().map(|row| &row.id.as_str()[4..]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pages_are_appended_until_the_end() {
        let mut feed = Feed::default();
        let first = feed.request().unwrap();
        assert_eq!(first.cursor, None);
        assert_eq!(feed.request(), None, "one at a time");
        assert!(feed.arrive(first.epoch, page(&[9, 8], 3, Some("c"))));
        let second = feed.request().unwrap();
        assert_eq!(second.cursor.as_deref(), Some("c"));
        assert!(feed.arrive(second.epoch, page(&[7], 3, None)));
        assert_eq!((ids(&feed).as_str(), feed.total(), feed.has_ended()), ("9 8 7", Some(3), true));
        assert_eq!(feed.request(), None, "nothing behind the end");
    }

    #[test]
    fn a_late_answer_is_dropped() {
        let mut feed = Feed::default();
        let old = feed.request().unwrap();
        feed.reset();
        let new = feed.request().unwrap();
        assert!(!feed.arrive(old.epoch, page(&[1], 1, None)));
        assert!(!feed.fail(old.epoch));
        assert_eq!((feed.len(), feed.phase()), (0, Phase::Loading));
        assert!(feed.arrive(new.epoch, page(&[2], 1, None)));
        assert_eq!(ids(&feed), "2");
    }

    #[test]
    fn rows_stay_on_view_until_the_next_filter_has_answered() {
        let mut feed = Feed::default();
        let first = feed.request().unwrap();
        feed.arrive(first.epoch, page(&[3, 2, 1], 3, None));
        feed.reset();
        assert_eq!((ids(&feed).as_str(), feed.is_stale()), ("3 2 1", true));
        let next = feed.request().unwrap();
        feed.arrive(next.epoch, page(&[2], 1, None));
        assert_eq!((ids(&feed).as_str(), feed.is_stale(), feed.total()), ("2", false, Some(1)));
        feed.clear();
        assert_eq!((feed.len(), feed.total()), (0, None));
    }

    #[test]
    fn overlapping_pages_show_no_row_twice() {
        let mut feed = Feed::default();
        let first = feed.request().unwrap();
        feed.arrive(first.epoch, page(&[5, 4], 4, Some("c")));
        let second = feed.request().unwrap();
        feed.arrive(second.epoch, page(&[4, 3, 3], 4, None));
        assert_eq!(ids(&feed), "5 4 3");
    }

    #[test]
    fn a_server_that_repeats_its_cursor_is_not_walked_for_ever() {
        let mut feed = Feed::default();
        for numbers in [[5, 4], [3, 2]] {
            let request = feed.request().unwrap();
            feed.arrive(request.epoch, page(&numbers, 4, Some("same")));
        }
        assert!(feed.has_ended());
    }

    #[test]
    fn a_failure_waits_for_a_retry() {
        let mut feed = Feed::default();
        let first = feed.request().unwrap();
        assert!(feed.fail(first.epoch));
        assert_eq!(feed.request(), None);
        feed.retry();
        assert_eq!(feed.request(), Some(first));
    }

    #[test]
    fn a_kept_feed_goes_on_where_it_was() {
        let mut kept = Feed::default();
        let first = kept.request().unwrap();
        kept.arrive(first.epoch, page(&[5, 4], 4, Some("c")));
        let lost = kept.request().unwrap();
        let mut feed = Feed::default();
        let other = feed.request().unwrap();
        feed.resume(kept);
        for late in [lost, other] {
            assert!(!feed.arrive(late.epoch, page(&[3], 4, None)));
        }
        assert_eq!(feed.request().unwrap().cursor.as_deref(), Some("c"));
        assert_eq!(ids(&feed), "5 4");
    }

    #[test]
    fn a_removed_row_does_not_come_back() {
        let mut feed = Feed::default();
        let first = feed.request().unwrap();
        feed.arrive(first.epoch, page(&[5, 4], 4, Some("c")));
        assert_eq!(feed.remove(&submission(5).id), Some(0));
        assert_eq!((ids(&feed).as_str(), feed.total()), ("4", Some(3)));
        assert_eq!(feed.remove(&submission(2).id), None);
        let second = feed.request().unwrap();
        feed.arrive(second.epoch, page(&[5, 3, 2], 2, None));
        assert_eq!((ids(&feed).as_str(), feed.total()), ("4 3", Some(2)));
    }

    proptest! {
        #[test]
        fn ids_stay_unique_whatever_comes(pages in prop::collection::vec(prop::collection::vec(0u32..30, 0..8), 0..8)) {
            let mut feed = Feed::default();
            for (number, rows) in pages.iter().enumerate() {
                let Some(request) = feed.request() else { break };
                feed.arrive(request.epoch, page(rows, 30, Some(&number.to_string())));
            }
            let unique: HashSet<_> = feed.rows().map(|row| row.id.clone()).collect();
            prop_assert_eq!(unique.len(), feed.len());
        }
    }
}
