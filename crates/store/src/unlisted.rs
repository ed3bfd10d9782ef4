//! Submissions that a form keeps and does not list: spam and trash.
//!
//! No list, export, count, search or summary sees them. Each move is one transaction. The age of a
//! row counts from its move, so an old submission that is moved today stays as long as a new one.

use super::{Position, Result};
use async_trait::async_trait;
use contract::filter::Search;
use contract::{BatchId, Filter, FormId, SpamReason, SubmissionId, Timestamp};
use std::time::Duration;

/// Most spam of intake that a form keeps; the oldest rows make room.
pub const SPAM_ROWS_MAX: usize = 1000;
/// The age at which spam is deleted.
pub const SPAM_AGE_MAX: Duration = Duration::from_hours(30 * 24);
/// Most rows that one write removes for their age.
pub const PURGE_ROWS_MAX: i64 = 500;

/// The reason for which a submission is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is spam.
    Spam,
    /// The owner deleted it.
    Trash,
}

impl State {
    /// Returns the name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spam => "spam",
            Self::Trash => "trash",
        }
    }
}

/// Which listed submissions of a form are moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Those of these ids that the form lists.
    Ids(Vec<SubmissionId>),
    /// All that match the filter, if they are exactly so many. Of more than
    /// [`MOVED_MAX`](contract::trash::MOVED_MAX), the newest.
    Matching {
        /// The filter.
        filter: Filter,
        /// How many must match.
        count: u64,
    },
}

/// A move of listed submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The form.
    pub form: FormId,
    /// Which of its submissions.
    pub selection: Selection,
    /// What they become.
    pub state: State,
    /// The name of the move.
    pub batch: BatchId,
    /// When.
    pub at: Timestamp,
    /// Whether a form that keeps no trash may delete them.
    pub is_permanent: bool,
}

/// What a [`Move`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveOutcome {
    /// It moved `count` submissions; `remaining` match and were not moved. `is_kept` is whether
    /// they can be restored: a form that keeps no trash deletes them permanently.
    Moved {
        /// How many were moved.
        count: u64,
        /// How many match and were not moved.
        remaining: u64,
        /// Whether they can be restored.
        is_kept: bool,
    },
    /// Another number of submissions matches now: this one. Nothing was moved.
    Changed(u64),
    /// The form keeps no trash, and the move may not delete. Nothing was moved.
    NotKept,
}

/// Which unlisted submissions of a form and a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// All.
    All,
    /// Those of these ids.
    Ids(Vec<SubmissionId>),
    /// Those of one move.
    Batch(BatchId),
}

/// Which page of a form's trash.
#[derive(Debug, Clone)]
pub struct TrashQuery {
    /// The form.
    pub form: FormId,
    /// Only submissions with this text in an answer.
    pub search: Option<Search>,
    /// Rows that the form does not keep at this instant are left out.
    pub now: Timestamp,
    /// Only rows behind this place.
    pub behind: Option<Position>,
    /// Most rows.
    pub rows_max: usize,
}

/// A submission that is spam.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpamRow {
    /// Where it stands.
    pub position: Position,
    /// Why it is spam.
    pub reason: SpamReason,
    /// The submission object of §2.
    pub json: String,
}

/// A page of a form's spam, the newest submissions first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpamPage {
    /// The rows: at most as many as asked for, or as many as have 2 MiB and one more.
    pub rows: Vec<SpamRow>,
    /// How many there are in all.
    pub total: u64,
}

/// A submission in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashRow {
    /// Where it stands.
    pub position: Position,
    /// When it was moved.
    pub moved_at: Timestamp,
    /// The move.
    pub batch: BatchId,
    /// The submission object of §2.
    pub json: String,
}

/// A page of a form's trash, the newest submissions first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrashRows {
    /// The rows: at most as many as asked for, or as many as have 2 MiB and one more.
    pub rows: Vec<TrashRow>,
    /// How many there are in all.
    pub total: u64,
}

/// The part of the store that keeps spam and trash.
#[async_trait]
pub trait UnlistedStore: Send + Sync + 'static {
    /// Moves listed submissions of a form; `None` if there is no such form. A submission that is in
    /// the trash or spam already, with the same id and instant, is replaced.
    async fn move_submissions(&self, request: Move) -> Result<Option<MoveOutcome>>;
    /// Lists at most `rows_max` of a form's spam that were moved after an instant, behind a place.
    async fn list_spam(
        &self,
        form: &FormId,
        after: Timestamp,
        behind: Option<&Position>,
        rows_max: usize,
    ) -> Result<SpamPage>;
    /// Lists a page of a form's trash; an empty one if there is no such form.
    async fn list_trash(&self, query: TrashQuery) -> Result<TrashRows>;
    /// Lists submissions again that were moved, each at its own instant, with the owner's
    /// correction of its insight; returns how many. Fields that intake set aside with spam are
    /// added to the form.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) if the id of one is taken again; nothing
    /// is restored then.
    async fn restore(&self, form: &FormId, state: State, chosen: Chosen) -> Result<u64>;
    /// Deletes unlisted submissions permanently; returns how many.
    async fn delete_unlisted(&self, form: &FormId, state: State, chosen: Chosen) -> Result<u64>;
    /// Sets how many days a form keeps its trash; `false` if there is no such form. Rows that are
    /// older are left out of the list at once.
    async fn set_trash_days(&self, form: &FormId, days: u8) -> Result<bool>;
    /// Deletes permanently what is older than its form, or spam, is kept, in pieces; returns how
    /// many rows. Several processes may do so at once.
    async fn purge(&self, now: Timestamp) -> Result<u64>;
}
