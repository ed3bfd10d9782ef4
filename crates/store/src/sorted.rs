//! Lists and exports in an order other than newest first.

use super::answers::for_each_answer;
use super::columns::{damaged_row, parse};
use super::triage::StoredTriage;
use super::{Chunk, ListPage, Owner, Page, Position, Result, StoreError, StoredSubmission};
use async_trait::async_trait;
use contract::sort::SORTED_MATCHES_MAX;
use contract::{Filter, FormId, Insight, Metadata, Sort, SortBy, SortKey, SortValue, Timestamp};
use serde::Deserialize;
use std::collections::BinaryHeap;

/// Request for a page of a sorted list.
#[derive(Debug, Clone)]
pub struct SortedRequest {
    /// The required owner of the form.
    pub owner: Owner,
    /// The form.
    pub form: FormId,
    /// Filter of the submissions.
    pub filter: Filter,
    /// Order, with its field resolved.
    pub sort: Sort,
    /// Place of the last submission of the page before.
    pub after: Option<SortKey>,
    /// Maximum number of submissions.
    pub limit: usize,
}

/// Sorted lists of the store.
#[async_trait]
pub trait SortedStore: Send + Sync + 'static {
    /// Lists matching submissions of a form after a place, in the order of [`SortKey`] and at most
    /// 2 MiB, with the number of all matches; `None` if the owner has no such form.
    ///
    /// A submission that changes its place between two pages may be on both or on none.
    ///
    /// # Errors
    /// [`StoreError::TooManyToSort`] with a field and more than [`SORTED_MATCHES_MAX`] matches.
    async fn list_sorted(&self, request: SortedRequest) -> Result<Option<SortedPage>>;

    /// Finds the positions of all matches in the order of [`SortKey`], at one instant; `None` if
    /// the owner has no such form. Ignores `after` and `limit`.
    ///
    /// # Errors
    /// [`StoreError::TooManyToSort`] with more than [`SORTED_MATCHES_MAX`] matches.
    async fn find_sorted_positions(&self, request: SortedRequest) -> Result<Option<Vec<Position>>>;

    /// Fills a chunk with the submissions of a form at at most [`POSITIONS_MAX`] positions, in
    /// their order. Omits those that do not exist any more. Replaces the content of the chunk. If
    /// it is full before the last position, its next position is the last one that it read.
    async fn export_positions(
        &self,
        form: &FormId,
        positions: &[Position],
        chunk: Chunk,
    ) -> Result<Chunk>;
}

/// Maximum number of positions that are read at once. Few chunks have more submissions.
pub const POSITIONS_MAX: usize = 512;

/// One page of a sorted list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedPage {
    /// The page.
    pub page: Page,
    /// Place of its last submission; `None` if it is empty.
    pub last: Option<SortKey>,
}

impl SortedPage {
    /// Returns a page of at most `limit` submissions, with the number of all matches. `rows` are in
    /// order, and one more if there are further ones.
    pub fn new(rows: Vec<(SortKey, String)>, total: u64, limit: usize) -> Self {
        let (mut keys, rows): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .map(|(key, json)| {
                let position = Position { submitted_at: key.submitted_at(), id: key.id().clone() };
                (key, StoredSubmission { position, json })
            })
            .unzip();
        let page = Page::from_list(ListPage { rows, total }, limit);
        keys.truncate(page.rows.len());
        Self { page, last: keys.pop() }
    }
}

/// The parts of a submission that have the numbers of an order.
#[derive(Deserialize)]
struct Numbers {
    metadata: Metadata,
    #[serde(default)]
    ai_insights: Option<Insight>,
}

/// Collects rows, which are added in any order: the first ones of a sorted list after a place, or
/// the positions of all. Counts all rows.
pub struct SortedRows<'a> {
    request: &'a SortedRequest,
    /// The first rows so far; the last of them is the greatest. Without their JSON if only
    /// positions are needed.
    first: BinaryHeap<(SortKey, String)>,
    keeps_json: bool,
    rows_max: usize,
    total: u64,
    total_max: u64,
    /// Whether the total is known before the rows are added.
    knows_total: bool,
}

impl<'a> SortedRows<'a> {
    /// Returns a collector for a page and one row more, which shows that a next page exists.
    pub fn of_page(request: &'a SortedRequest) -> Self {
        let total_max = if request.sort.is_by_field() { SORTED_MATCHES_MAX } else { u64::MAX };
        let rows_max = request.limit.saturating_add(1);
        Self::new(request, true, rows_max, total_max)
    }

    /// Returns a collector for the positions of all rows.
    pub fn of_positions(request: &'a SortedRequest) -> Self {
        let rows_max = usize::try_from(SORTED_MATCHES_MAX).unwrap_or(usize::MAX);
        Self::new(request, false, rows_max, SORTED_MATCHES_MAX)
    }

    fn new(request: &'a SortedRequest, keeps_json: bool, rows_max: usize, total_max: u64) -> Self {
        let first = BinaryHeap::new();
        Self { request, first, keeps_json, rows_max, total: 0, total_max, knows_total: false }
    }

    /// Returns the request.
    pub fn request(&self) -> &'a SortedRequest {
        self.request
    }

    /// Returns the place after which rows are collected.
    pub fn after(&self) -> Option<&'a SortKey> {
        self.request.after.as_ref().filter(|_| self.keeps_json)
    }

    /// Returns the maximum number of rows that are collected.
    pub fn rows_max(&self) -> usize {
        self.rows_max
    }

    /// Sets the number of all rows, if only the first ones are added.
    ///
    /// # Errors
    /// [`StoreError::TooManyToSort`].
    pub fn set_total(&mut self, total: u64) -> Result<()> {
        (self.total, self.knows_total) = (total, true);
        self.check_total()
    }

    fn check_total(&self) -> Result<()> {
        if self.total > self.total_max { Err(StoreError::TooManyToSort) } else { Ok(()) }
    }

    /// Adds a row by its instant in microseconds since the epoch, its id, its JSON and that of its
    /// triage.
    ///
    /// # Errors
    /// [`StoreError::TooManyToSort`]; if the row is damaged.
    pub fn add(&mut self, at: i64, id: &str, json: &str, triage: Option<&str>) -> Result<()> {
        let sort = &self.request.sort;
        if !self.knows_total {
            self.total += 1;
            self.check_total()?;
        }
        let at = Timestamp::from_micros(at).ok_or_else(|| damaged_row(format!("instant {at}")))?;
        let key = SortKey::new(sort.place(value_of(sort, at, json, triage)?), at, parse(id)?);
        if self.after().is_some_and(|after| key <= *after) {
            return Ok(());
        }
        let json = if self.keeps_json { json } else { "" };
        if self.first.len() < self.rows_max {
            self.first.push((key, json.to_owned()));
        } else if let Some(mut last) = self.first.peek_mut()
            && key < last.0
        {
            *last = (key, json.to_owned());
        }
        Ok(())
    }

    /// Returns the page, with the number of all rows.
    pub fn into_page(self) -> SortedPage {
        SortedPage::new(self.first.into_sorted_vec(), self.total, self.request.limit)
    }

    /// Returns the positions of the rows in their order.
    pub fn into_positions(self) -> Vec<Position> {
        let rows = self.first.into_sorted_vec().into_iter();
        let position = |(key, _): (SortKey, _)| Position {
            submitted_at: key.submitted_at(),
            id: key.id().clone(),
        };
        rows.map(position).collect()
    }
}

/// Returns the value of a submission in an order, as [`Sort::key_of`]. Parses only the parts that
/// it needs.
fn value_of(
    sort: &Sort,
    at: Timestamp,
    json: &str,
    triage: Option<&str>,
) -> Result<Option<SortValue>> {
    let numbers = || serde_json::from_str(json).map_err(|error| damaged_row(error.to_string()));
    match sort.by() {
        SortBy::SubmittedAt => Ok(Some(SortValue::Instant(at))),
        SortBy::UpdatedAt => {
            let updated_at = StoredTriage::parse(triage)?.updated_at();
            Ok(Some(SortValue::Instant(updated_at.unwrap_or(at))))
        }
        SortBy::CompletionTime => {
            let Numbers { metadata, .. } = numbers()?;
            Ok(SortValue::of_number(metadata.completion_seconds()))
        }
        SortBy::SentimentScore => {
            let Numbers { ai_insights, .. } = numbers()?;
            Ok(SortValue::of_number(ai_insights.and_then(|insight| insight.sentiment_score)))
        }
        SortBy::Field(_) => {
            let mut value = None;
            let is_wanted = |key: &str| sort.answer_key() == Some(key);
            for_each_answer(json, is_wanted, |_, answer| value = sort.answer_value(answer))?;
            Ok(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Environment;

    #[test]
    fn matches_to_sort_by_a_field_or_to_export_are_limited() {
        for (sort, exports, is_limited) in
            [("fld_1", false, true), ("+submitted_at", false, false), ("+submitted_at", true, true)]
        {
            let request = SortedRequest {
                owner: Owner {
                    account_id: "acc_1".parse().unwrap(),
                    environment: Environment::Live,
                },
                form: "frm_1".parse().unwrap(),
                filter: Filter::default(),
                sort: Sort::parse(sort).unwrap().unwrap(),
                after: None,
                limit: 1,
            };
            let new_rows = if exports { SortedRows::of_positions } else { SortedRows::of_page };
            let mut rows = new_rows(&request);
            for _ in 0..SORTED_MATCHES_MAX {
                rows.add(0, "sub_1", "{}", None).unwrap();
            }
            let result = rows.add(0, "sub_1", "{}", None);
            assert_eq!(matches!(result, Err(StoreError::TooManyToSort)), is_limited, "{sort}");
            let result = new_rows(&request).set_total(SORTED_MATCHES_MAX + 1);
            assert_eq!(matches!(result, Err(StoreError::TooManyToSort)), is_limited, "{sort}");
        }
    }
}
