//! The audit log of the store: one hash chain of entries for each account.
//!
//! An entry is never changed. The entry of a write is in the transaction of that write; a write
//! without effect has no entry.

pub mod chain;
pub(crate) mod rate_limiter;
mod report;

pub use chain::Line;
pub use rate_limiter::{Calm, WAITING_MAX};
pub use report::Look;
pub use report::{AuditReport, Chain};

use super::unlisted::MoveOutcome;
use super::{Hash, Result, Store};
use async_trait::async_trait;
use contract::audit::{Act, AuditFilter, Note};
use contract::{AccountId, PersonId};
use std::sync::Arc;

/// Minimum retention of an entry in seconds: 400 days.
pub const KEPT_S: i64 = 400 * 24 * 3600;
/// Maximum number of expired entries that the writing of one entry drops.
pub const DROPPED_MAX: i64 = 1_000;

/// Selects a chain of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose<'a> {
    /// Entries of an account.
    Account(&'a AccountId),
    /// Entries without a known account.
    Nobody,
}

/// A page of entries that match a filter, newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NotesPage {
    /// The entries.
    pub notes: Vec<Note>,
    /// Number of all matches.
    pub total: u64,
}

/// The audit log of the store.
#[async_trait]
pub trait AuditStore: Send + Sync + 'static {
    /// Returns the same store, but its next write also writes an audit entry in the same
    /// transaction. A write without effect writes no entry.
    fn noting(&self, act: Act) -> Arc<dyn Store>;
    /// Writes an audit entry in a transaction of its own.
    async fn note(&self, act: Act) -> Result<()>;
    /// Queues an audit event without waiting. Each actor has at most one entry a minute for each
    /// kind of refusal, and each account at most 60. A further entry counts the omitted refusals:
    /// with the next refusal in another minute, or when the account's entries are listed. If the
    /// queue is full, the event is dropped and a log message is written.
    fn note_soon(&self, act: Act);
    /// Lists at most `rows_max` matching entries with a number below `before`, newest first.
    async fn list_notes(
        &self,
        whose: Whose<'_>,
        filter: &AuditFilter,
        before: Option<u64>,
        rows_max: usize,
    ) -> Result<NotesPage>;
}

impl<'a> Whose<'a> {
    /// Returns the account; `None` for entries without one.
    pub fn account(self) -> Option<&'a AccountId> {
        match self {
            Self::Account(account) => Some(account),
            Self::Nobody => None,
        }
    }

    /// Returns the name of the chain.
    pub fn chain(&self) -> &str {
        match self {
            Self::Account(account) => account.as_str(),
            Self::Nobody => "",
        }
    }
}

/// Effect of a write, for its audit entry.
pub enum Done {
    /// No effect, so there is no entry.
    Nothing,
    /// The whole request was carried out.
    All,
    /// This number of objects changed.
    Count(u64),
}

/// Return values of writes that have an audit entry.
pub trait Did {
    /// Returns the effect of the write.
    fn did(&self) -> Done;
}

impl Did for () {
    fn did(&self) -> Done {
        Done::All
    }
}

impl Did for bool {
    fn did(&self) -> Done {
        if *self { Done::All } else { Done::Nothing }
    }
}

impl Did for u64 {
    fn did(&self) -> Done {
        if *self > 0 { Done::Count(*self) } else { Done::Nothing }
    }
}

impl Did for Option<MoveOutcome> {
    fn did(&self) -> Done {
        match self {
            Some(MoveOutcome::Moved { count, .. }) => count.did(),
            Some(MoveOutcome::Changed(_) | MoveOutcome::NotKept) | None => Done::Nothing,
        }
    }
}

impl Did for Option<PersonId> {
    fn did(&self) -> Done {
        if self.is_some() { Done::All } else { Done::Nothing }
    }
}

/// Return value of clean-up writes, which have no audit entry.
pub struct Cleared;

impl Did for Cleared {
    fn did(&self) -> Done {
        Done::Nothing
    }
}

impl Did for Hash {
    fn did(&self) -> Done {
        Done::All
    }
}
