//! Submissions and forms as a store returns them.

use contract::{AccountId, Environment, Form, SubmissionId, Timestamp};

/// Most bytes of the submissions on a page. One submission always fits.
pub const PAGE_BYTES_MAX: usize = 2 << 20;

/// Returns how many rows of such lengths, in bytes, fit on a page: one at least, if there is one.
pub fn count_fitting(lengths: impl IntoIterator<Item = usize>) -> usize {
    let mut bytes = 0_usize;
    let fits = lengths.into_iter().enumerate().take_while(|(place, length)| {
        bytes = bytes.saturating_add(*length);
        *place == 0 || bytes <= PAGE_BYTES_MAX
    });
    fits.count()
}

/// A place in a form's submissions: just behind this one, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The submission's instant.
    pub submitted_at: Timestamp,
    /// Its id, which orders those of one instant.
    pub id: SubmissionId,
}

/// A submission as it is kept: its place, and its JSON as it stands on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSubmission {
    /// Where it stands in its form.
    pub position: Position,
    /// The submission object of §2.
    pub json: String,
}

/// A submission with what decides who may have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedSubmission {
    /// The owner of its form.
    pub account_id: AccountId,
    /// The environment of its form.
    pub environment: Environment,
    /// The submission.
    pub submission: StoredSubmission,
}

/// One page of an account's forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormsPage {
    /// The forms, oldest first.
    pub forms: Vec<Form>,
    /// How many the account has in all.
    pub total: u64,
}

/// One page of a form's submissions, read at one instant together with the exact total.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage {
    /// The submissions, newest first.
    pub rows: Vec<StoredSubmission>,
    /// How many match in all.
    pub total: u64,
}

/// Submissions that are read for a page, until there are enough of them or of their bytes.
#[derive(Debug)]
pub struct PageRows {
    rows: Vec<StoredSubmission>,
    rows_max: usize,
    bytes: usize,
    bytes_max: usize,
}

impl PageRows {
    /// Returns none yet. The page is full at `rows_max` submissions, or at more than `bytes_max`
    /// bytes of them: one more than a page has room for tells that there are more. The second
    /// always fits, since the first may be a page of its own.
    pub fn new(rows_max: usize, bytes_max: usize) -> Self {
        Self { rows: Vec::new(), rows_max, bytes: 0, bytes_max }
    }

    /// Whether no more submissions fit.
    pub fn is_full(&self) -> bool {
        let is_long = self.bytes > self.bytes_max && self.rows.len() > 1;
        is_long || self.rows.len() >= self.rows_max
    }

    /// Returns how many more submissions may be on it.
    pub fn missing(&self) -> usize {
        self.rows_max.saturating_sub(self.rows.len())
    }

    /// Adds a submission.
    pub fn push(&mut self, row: StoredSubmission) {
        self.bytes += row.json.len();
        self.rows.push(row);
    }

    /// Returns the submissions.
    pub fn into_rows(self) -> Vec<StoredSubmission> {
        self.rows
    }
}

/// One page of a form's submissions, as it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The submissions, newest first.
    pub rows: Vec<StoredSubmission>,
    /// Whether further ones match.
    pub has_more: bool,
    /// How many match in all.
    pub total: u64,
}

impl Page {
    /// Returns a page of at most `limit` submissions and [`PAGE_BYTES_MAX`] bytes of them, out of
    /// one that may have one more.
    pub fn of(page: ListPage, limit: usize) -> Self {
        let ListPage { mut rows, total } = page;
        let count = count_fitting(rows.iter().take(limit).map(|row| row.json.len()));
        let has_more = rows.len() > count;
        rows.truncate(count);
        Self { rows, has_more, total }
    }
}
