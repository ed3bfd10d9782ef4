//! Submissions and forms as a store returns them, and the limits of a page in rows and bytes.

use contract::{AccountId, Environment, Form, FormId, SubmissionId, Timestamp};

/// Maximum size of a page's submissions in bytes. A page has at least one submission of any size.
pub const PAGE_BYTES_MAX: usize = 2 << 20;

/// Returns how many rows fit on a page, given their lengths in bytes. The first row always fits.
pub fn count_fitting(lengths: impl IntoIterator<Item = usize>) -> usize {
    let mut bytes = 0_usize;
    let fitting = lengths.into_iter().enumerate().take_while(|(index, length)| {
        bytes = bytes.saturating_add(*length);
        *index == 0 || bytes <= PAGE_BYTES_MAX
    });
    fitting.count()
}

/// A position in a list of submissions, which is newest first. As a cursor, it means the place just
/// after this submission. A newer position is greater.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Time of the submission.
    pub submitted_at: Timestamp,
    /// Id of the submission, which orders submissions with the same time.
    pub id: SubmissionId,
}

/// A submission as stored: its position and its JSON as sent to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSubmission {
    /// Position in its form.
    pub position: Position,
    /// JSON of the submission object (specification, section 2).
    pub json: String,
}

/// A submission with its account and environment, for access checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedSubmission {
    /// The account of its form.
    pub account_id: AccountId,
    /// The environment of its form.
    pub environment: Environment,
    /// Its form.
    pub form_id: FormId,
    /// The submission.
    pub submission: StoredSubmission,
}

/// A position in an account's list of forms, which is oldest first. As a cursor, it means the place
/// just after this form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormPosition {
    /// Creation time of the form.
    pub created_at: Timestamp,
    /// Id of the form, which orders forms with the same time.
    pub id: FormId,
}

/// One page of an account's forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormsPage {
    /// The forms, oldest first.
    pub forms: Vec<Form>,
    /// Number of all forms in the list.
    pub total: u64,
}

/// The rows of a list query and the exact total, read at one instant. [`Page::from_list`] makes a
/// page of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage {
    /// The submissions, newest first. There is one more than the page can have if further ones
    /// match.
    pub rows: Vec<StoredSubmission>,
    /// Number of all matches.
    pub total: u64,
}

/// Collects the rows of a list query, up to a number of rows and bytes.
#[derive(Debug)]
pub struct PageBuilder<T = StoredSubmission> {
    rows: Vec<T>,
    rows_max: usize,
    bytes: usize,
}

impl<T> PageBuilder<T> {
    /// Returns an empty page. It is full at `rows_max` submissions, or at more than
    /// [`PAGE_BYTES_MAX`] bytes.
    ///
    /// A caller collects one submission more than the page can have, to detect further ones. So the
    /// page accepts a second submission even if the first alone is longer than that.
    pub fn new(rows_max: usize) -> Self {
        Self { rows: Vec::new(), rows_max, bytes: 0 }
    }

    /// Whether the page is full.
    pub fn is_full(&self) -> bool {
        let is_long = self.bytes > PAGE_BYTES_MAX && self.rows.len() > 1;
        is_long || self.rows.len() >= self.rows_max
    }

    /// Returns how many more rows fit.
    pub fn remaining_rows(&self) -> usize {
        self.rows_max.saturating_sub(self.rows.len())
    }

    /// Adds a row of a length in bytes.
    pub fn push_row(&mut self, row: T, bytes: usize) {
        self.bytes += bytes;
        self.rows.push(row);
    }

    /// Returns the rows.
    pub fn into_rows(self) -> Vec<T> {
        self.rows
    }
}

impl PageBuilder {
    /// Adds a submission.
    pub fn push(&mut self, row: StoredSubmission) {
        let bytes = row.json.len();
        self.push_row(row, bytes);
    }
}

/// One page of submissions, as in a list response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The submissions, newest first.
    pub rows: Vec<StoredSubmission>,
    /// Whether there are further matches.
    pub has_more: bool,
    /// Number of all matches.
    pub total: u64,
}

impl Page {
    /// Returns a page of at most `limit` submissions and [`PAGE_BYTES_MAX`] bytes from a list that
    /// may have one more submission.
    pub fn from_list(page: ListPage, limit: usize) -> Self {
        let ListPage { mut rows, total } = page;
        let count = count_fitting(rows.iter().take(limit).map(|row| row.json.len()));
        let has_more = rows.len() > count;
        rows.truncate(count);
        Self { rows, has_more, total }
    }

    /// Returns the page of two forms together, given the pages of both from the same position on.
    /// It has at most `limit` submissions and [`PAGE_BYTES_MAX`] bytes, and `total` is the sum.
    #[must_use]
    pub fn merge(self, other: Self, limit: usize) -> Self {
        let total = self.total + other.total;
        let further = [&self, &other].into_iter().filter(|page| page.has_more);
        // A page does not show what follows its last row, so the result ends there at the latest.
        let end = further.filter_map(|page| page.rows.last()).max_by_key(|row| &row.position);
        let end = end.map(|row| row.position.clone());
        let mut rows = self.rows;
        rows.extend(other.rows);
        rows.sort_by(|a, b| b.position.cmp(&a.position));
        if let Some(end) = &end {
            rows.retain(|row| row.position >= *end);
        }
        let page = Self::from_list(ListPage { rows, total }, limit);
        Self { has_more: page.has_more || end.is_some(), ..page }
    }
}

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;
