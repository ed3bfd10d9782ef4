//! Read state: the submissions that a member has read.
//!
//! Stores have a mark for each submission that differs from the default of a [`Reader`]. Marks
//! belong to the key of a submission, listed or not, so that they survive moves.

use super::Result;
use async_trait::async_trait;
use contract::triage::{Reader, UnreadCount};
use contract::{AccountId, FormId, PersonId, SubmissionId};

/// Read state of the store. [`TriageStore::update_triage`](super::triage::TriageStore) changes it.
#[async_trait]
pub trait ReadStateStore: Send + Sync + 'static {
    /// Returns a member with their default; `None` if there is no such member.
    async fn find_reader(&self, person: &PersonId) -> Result<Option<Reader>>;
    /// Returns those of a form's listed submissions that a member has read, in any order. Unknown
    /// ids are ignored.
    async fn list_read(
        &self,
        form: &FormId,
        ids: &[SubmissionId],
        reader: &Reader,
    ) -> Result<Vec<SubmissionId>>;
    /// Counts the listed submissions that a member has not read, of each form of an account that
    /// has any, in any order.
    async fn count_unread(&self, account: &AccountId, reader: &Reader) -> Result<Vec<UnreadCount>>;
}
