//! The audit log, as the store keeps it: each account's notes in a chain of their own.
//!
//! A note is never changed. What is noted together with an act is in the act's own transaction; no
//! act that did nothing is noted.

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

/// How long a note is kept at least: 400 days.
pub const KEPT_S: i64 = 400 * 24 * 3600;
/// Most notes that are dropped for their age with one that is written.
pub const DROPPED_MAX: i64 = 1_000;

/// Whose notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose<'a> {
    /// An account's.
    Account(&'a AccountId),
    /// Those of which no account is known.
    Nobody,
}

/// What matches of a chain: at most as many notes as were asked for, newest first, and how many
/// match in all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NotesPage {
    /// The notes.
    pub notes: Vec<Note>,
    /// How many match in all.
    pub total: u64,
}

/// The part of the store that keeps the audit log.
#[async_trait]
pub trait AuditStore: Send + Sync + 'static {
    /// Returns the same store, whose next write notes an act: both are on disk, or neither is.
    /// Where the write finds nothing to do, nothing is noted.
    fn noting(&self, act: Act) -> Arc<dyn Store>;
    /// Notes an act by itself.
    async fn note(&self, act: Act) -> Result<()>;
    /// Notes an act a little later, and never waits. A refusal is noted at most once a minute for
    /// each action and whoever is refused, and each account has at most 60 in a minute. A further
    /// note counts what that bound left out: with the next refusal in another minute, or when the
    /// account's notes are listed. If too much waits, the act is dropped, and that is logged.
    fn note_soon(&self, act: Act);
    /// Lists the notes that fit, newest first, before a place, at most `rows_max`.
    async fn list_notes(
        &self,
        whose: Whose<'_>,
        filter: &AuditFilter,
        before: Option<u64>,
        rows_max: usize,
    ) -> Result<NotesPage>;
}

impl<'a> Whose<'a> {
    /// The account; `None` for the notes of nobody.
    pub fn account(self) -> Option<&'a AccountId> {
        match self {
            Self::Account(account) => Some(account),
            Self::Nobody => None,
        }
    }

    /// The name of the chain.
    pub fn chain(&self) -> &str {
        match self {
            Self::Account(account) => account.as_str(),
            Self::Nobody => "",
        }
    }
}

/// What a write did, as far as a note tells of it.
pub enum Done {
    /// Nothing, so there is nothing to note.
    Nothing,
    /// What it was asked for.
    All,
    /// So much.
    Count(u64),
}

/// Something that a write gives.
pub trait Did {
    /// Says what was done.
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

/// Nothing that anybody did: what is cleared away beside an act.
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
