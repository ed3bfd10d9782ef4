//! Unlisted submissions of a form: spam and trash.
//!
//! Lists, exports, counts, searches and summaries ignore them. Each move is one transaction. The
//! age of a row counts from its move, so an old submission that is moved today stays as long as a
//! new one.

use super::{Position, Result};
use async_trait::async_trait;
use contract::filter::Search;
use contract::{BatchId, Filter, FormId, SpamReason, SubmissionId, Timestamp};
use std::time::Duration;

/// Maximum number of spam rows from intake per form; the oldest are dropped.
pub const SPAM_ROWS_MAX: usize = 1000;
/// Maximum age of spam; older rows are deleted.
pub const SPAM_AGE_MAX: Duration = Duration::from_hours(30 * 24);
/// Maximum number of expired rows that one transaction deletes.
pub const PURGE_ROWS_MAX: i64 = 500;

/// State of an unlisted submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnlistedState {
    /// Marked as spam.
    Spam,
    /// Deleted by the owner.
    Trash,
}

impl UnlistedState {
    /// Returns the name of the state in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spam => "spam",
            Self::Trash => "trash",
        }
    }
}

/// Listed submissions of a form to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The listed submissions with these ids.
    Ids(Vec<SubmissionId>),
    /// All submissions that match the filter, if their number is `count`. Beyond
    /// [`MOVE_MAX`](contract::trash::MOVE_MAX), only the newest are moved.
    Matching {
        /// The filter.
        filter: Box<Filter>,
        /// Expected number of matches.
        count: u64,
    },
}

impl Selection {
    /// Selects all submissions that match a filter, if their number is `count`.
    pub fn matching(filter: Filter, count: u64) -> Self {
        Self::Matching { filter: Box::new(filter), count }
    }
}

/// Request to move listed submissions to spam or trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistRequest {
    /// The form.
    pub form: FormId,
    /// Submissions to move.
    pub selection: Selection,
    /// New state of the submissions.
    pub state: UnlistedState,
    /// Id of the move.
    pub batch: BatchId,
    /// Time of the move.
    pub at: Timestamp,
    /// Whether the submissions may be deleted permanently if the form has no trash.
    pub is_permanent: bool,
}

/// Result of a [`UnlistRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveOutcome {
    /// The submissions were moved, or were deleted permanently if the form has no trash.
    Moved {
        /// Number of moved submissions.
        count: u64,
        /// Number of matches that were not moved.
        remaining: u64,
        /// Whether the submissions can be restored.
        is_restorable: bool,
    },
    /// The number of matches has changed to this value. Nothing was moved.
    Changed(u64),
    /// The form has no trash, and the move may not delete permanently. Nothing was moved.
    TrashDisabled,
}

/// Unlisted submissions of a form and a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnlistedSelection {
    /// All of them.
    All,
    /// The ones with these ids.
    Ids(Vec<SubmissionId>),
    /// The ones of one move.
    Batch(BatchId),
}

/// Query for a page of a form's trash.
#[derive(Debug, Clone)]
pub struct TrashQuery {
    /// The form.
    pub form: FormId,
    /// Only submissions with this text in an answer.
    pub search: Option<Search>,
    /// The present. Rows that have expired by then are excluded.
    pub now: Timestamp,
    /// Only rows after this position.
    pub after: Option<Position>,
    /// Maximum number of rows.
    pub rows_max: usize,
}

/// A submission that is spam.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpamRow {
    /// Position in the list.
    pub position: Position,
    /// Reason of the spam mark.
    pub reason: SpamReason,
    /// The submission object of §2.
    pub json: String,
}

/// A page of a form's spam, newest submissions first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpamPage {
    /// At most the requested number of rows; with long rows, 2 MiB of them and one more.
    pub rows: Vec<SpamRow>,
    /// Number of all rows.
    pub total: u64,
}

/// A submission in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashRow {
    /// Position in the list.
    pub position: Position,
    /// Time of the move.
    pub moved_at: Timestamp,
    /// The move.
    pub batch: BatchId,
    /// The submission object of §2.
    pub json: String,
}

/// A page of a form's trash, newest submissions first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrashPage {
    /// At most the requested number of rows; with long rows, 2 MiB of them and one more.
    pub rows: Vec<TrashRow>,
    /// Number of all rows.
    pub total: u64,
}

/// Spam and trash of the store.
#[async_trait]
pub trait UnlistedStore: Send + Sync + 'static {
    /// Moves listed submissions of a form; `None` if there is no such form. Replaces a spam or
    /// trash row with the same id and instant.
    async fn move_submissions(&self, request: UnlistRequest) -> Result<Option<MoveOutcome>>;
    /// Lists at most `rows_max` of a form's spam rows that were moved after an instant, after a
    /// position.
    async fn list_spam(
        &self,
        form: &FormId,
        moved_after: Timestamp,
        after: Option<&Position>,
        rows_max: usize,
    ) -> Result<SpamPage>;
    /// Lists a page of a form's trash; the page is empty if there is no such form.
    async fn list_trash(&self, query: TrashQuery) -> Result<TrashPage>;
    /// Moves unlisted submissions back to the list and returns their number. Each keeps its instant
    /// and the owner's correction of its insight. Adds the fields that intake stored with spam to
    /// the form.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) if the id of a submission is taken again;
    /// nothing is restored in this case.
    async fn restore_submissions(
        &self,
        form: &FormId,
        state: UnlistedState,
        chosen: UnlistedSelection,
    ) -> Result<u64>;
    /// Deletes unlisted submissions permanently; returns their number.
    async fn delete_unlisted(
        &self,
        form: &FormId,
        state: UnlistedState,
        chosen: UnlistedSelection,
    ) -> Result<u64>;
    /// Sets the retention of a form's trash in days; `false` if there is no such form. The list
    /// excludes older rows at once.
    async fn set_trash_days(&self, form: &FormId, days: u8) -> Result<bool>;
    /// Permanently deletes the rows with expired retention, in batches; returns their number.
    /// Several processes may call it at once.
    async fn purge_expired(&self, now: Timestamp) -> Result<u64>;
}
