//! The audit log of the store: one hash chain of entries for each account.
//!
//! An entry is never changed. The entry of a write is in the transaction of that write; a write
//! without effect has no entry.

pub mod chain;
pub(crate) mod rate_limiter;
mod report;

pub use chain::AuditRow;
pub use rate_limiter::{AuditRateLimiter, QUEUE_MAX};
pub use report::ChainVerifier;
pub use report::{AuditReport, ChainReport};

use super::mail::{LeasedAccountMail, MailBatch};
use super::outbox::LeasedBatch;
use super::unlisted::MoveOutcome;
use super::{Hash, Result, Store};
use async_trait::async_trait;
use contract::audit::{AuditEntry, AuditEvent, AuditFilter};
use contract::{AccountId, DeliveryId, Field, PersonId};
use std::sync::Arc;

/// Minimum retention of an entry in seconds: 400 days.
pub const RETENTION_S: i64 = 400 * 24 * 3600;
/// Maximum number of expired entries that the writing of one entry drops.
pub const EXPIRED_PER_WRITE_MAX: i64 = 1_000;

/// Selects a chain of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditScope<'a> {
    /// Entries of an account.
    Account(&'a AccountId),
    /// Entries without a known account.
    System,
}

/// A page of entries that match a filter, newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditPage {
    /// The entries.
    pub entries: Vec<AuditEntry>,
    /// Number of all matches.
    pub total: u64,
}

/// The audit log of the store.
#[async_trait]
pub trait AuditStore: Send + Sync + 'static {
    /// Returns the same store, but its next write also writes an audit entry in the same
    /// transaction. A write without effect writes no entry.
    fn with_audit(&self, event: AuditEvent) -> Arc<dyn Store>;
    /// Writes an audit entry in a transaction of its own.
    async fn write_audit(&self, event: AuditEvent) -> Result<()>;
    /// Queues an audit event without waiting. Each actor has at most one entry a minute for each
    /// kind of refusal, and each account at most 60. A further entry counts the omitted refusals:
    /// with the next refusal in another minute, or when the account's entries are listed. If the
    /// queue is full, the event is dropped and a log message is written.
    fn enqueue_audit(&self, event: AuditEvent);
    /// Lists at most `rows_max` matching entries with a number below `before`, newest first.
    async fn list_audit_entries(
        &self,
        scope: AuditScope<'_>,
        filter: &AuditFilter,
        before: Option<u64>,
        rows_max: usize,
    ) -> Result<AuditPage>;
}

impl<'a> AuditScope<'a> {
    /// Returns the account; `None` for entries without one.
    pub fn account(self) -> Option<&'a AccountId> {
        match self {
            Self::Account(account) => Some(account),
            Self::System => None,
        }
    }

    /// Returns the name of the chain.
    pub fn chain_name(&self) -> &str {
        match self {
            Self::Account(account) => account.as_str(),
            Self::System => "",
        }
    }
}

/// Effect of a write, for its audit entry.
pub enum AffectedRows {
    /// No effect, so there is no entry.
    Nothing,
    /// The whole request was carried out.
    All,
    /// This number of objects changed.
    Count(u64),
}

impl AffectedRows {
    /// Returns the effect of an import. Fields that it adds to its form are an effect, too.
    pub fn of_import(inserted: u64, fields: &[Field]) -> Self {
        match inserted {
            0 if fields.is_empty() => Self::Nothing,
            count => Self::Count(count),
        }
    }
}

/// Return values of writes that have an audit entry.
pub trait CountAffected {
    /// Returns the effect of the write.
    fn affected_rows(&self) -> AffectedRows;
}

impl CountAffected for () {
    fn affected_rows(&self) -> AffectedRows {
        AffectedRows::All
    }
}

impl CountAffected for bool {
    fn affected_rows(&self) -> AffectedRows {
        if *self { AffectedRows::All } else { AffectedRows::Nothing }
    }
}

impl CountAffected for u64 {
    fn affected_rows(&self) -> AffectedRows {
        if *self > 0 { AffectedRows::Count(*self) } else { AffectedRows::Nothing }
    }
}

impl CountAffected for Option<MoveOutcome> {
    fn affected_rows(&self) -> AffectedRows {
        match self {
            Some(MoveOutcome::Moved { count, .. }) => count.affected_rows(),
            Some(MoveOutcome::Changed(_) | MoveOutcome::TrashDisabled) | None => {
                AffectedRows::Nothing
            }
        }
    }
}

impl CountAffected for Option<DeliveryId> {
    fn affected_rows(&self) -> AffectedRows {
        if self.is_some() { AffectedRows::All } else { AffectedRows::Nothing }
    }
}

/// Leases are the work of the server, which has no audit entry.
impl CountAffected for Vec<LeasedBatch> {
    fn affected_rows(&self) -> AffectedRows {
        AffectedRows::Nothing
    }
}

impl CountAffected for Vec<MailBatch> {
    fn affected_rows(&self) -> AffectedRows {
        AffectedRows::Nothing
    }
}

impl CountAffected for Vec<LeasedAccountMail> {
    fn affected_rows(&self) -> AffectedRows {
        AffectedRows::Nothing
    }
}

impl CountAffected for Option<PersonId> {
    fn affected_rows(&self) -> AffectedRows {
        if self.is_some() { AffectedRows::All } else { AffectedRows::Nothing }
    }
}

/// Return value of clean-up writes, which have no audit entry.
pub struct Unaudited;

impl CountAffected for Unaudited {
    fn affected_rows(&self) -> AffectedRows {
        AffectedRows::Nothing
    }
}

impl CountAffected for Hash {
    fn affected_rows(&self) -> AffectedRows {
        AffectedRows::All
    }
}
