//! Storage of the analysis: the queue, the usage of daily limits, and the corrections of owners.
//!
//! Queue and usage are only in the database, because a worker may be killed at any moment, and
//! several workers may run at once.

use super::daily_limits::{DailyLimits, UtcDay};
use super::{Result, StoredSubmission};
use async_trait::async_trait;
use contract::insight::{
    Categories, FormAnalysis, InsightCorrection, InsightDetail, InsightQuota, SetAnalysis,
};
use contract::{AccountId, Environment, Field, FormId, Insight, SubmissionId, Timestamp};
use std::sync::{Arc, LazyLock};

/// Returns the default categories of a form, in English, German, French and Spanish.
pub fn default_categories() -> Arc<Categories> {
    static DEFAULTS: LazyLock<Arc<Categories>> = LazyLock::new(|| {
        let json = include_str!("../data/categories.json");
        serde_json::from_str(json).map(Arc::new).expect("`data/categories.json` is valid")
    });
    Arc::clone(&DEFAULTS)
}

/// Round-robin position: identifies the form that was served last. Forms take turns, so that a
/// large form does not delay other forms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoundRobin(pub i64);

/// Query for pending submissions.
#[derive(Debug, Clone, Copy)]
pub struct PendingQuery {
    /// Position of the form that was served last.
    pub after: RoundRobin,
    /// The daily limits.
    pub limits: DailyLimits,
    /// The present.
    pub now: Timestamp,
    /// Maximum number of submissions.
    pub rows_max: usize,
}

/// Pending submissions of one form, within the limit of the day.
#[derive(Debug, Clone)]
pub struct PendingBatch {
    /// Position of this form.
    pub turn: RoundRobin,
    /// The form's fields.
    pub fields: Vec<Field>,
    /// Categories of the form; `None` for the default ones.
    pub categories: Option<Categories>,
    /// The submissions, newest first; retries come last.
    pub submissions: Vec<StoredSubmission>,
}

/// Result of the analysis of one submission.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisOutcome {
    /// The submission.
    pub id: SubmissionId,
    /// The insight; `None` to retry later.
    pub insight: Option<Insight>,
    /// Cost in actions of the daily limit.
    pub actions: u64,
}

/// Lifetime of a process's lease on pending submissions, in seconds, unless it is renewed.
pub const LEASE_S: i32 = 30;

/// Storage of the analysis. Each method is one transaction.
#[async_trait]
pub trait InsightStore: Send + Sync + 'static {
    /// Turns a form's analysis on or off; `false` if there is no such form.
    /// [`InsightStore::queue_insights`] queues existing submissions afterwards.
    async fn set_analysis(&self, form: &FormId, switch: SetAnalysis) -> Result<bool>;
    /// Returns the state of a form's analysis; `None` if there is no such form.
    async fn find_analysis(&self, form: &FormId) -> Result<Option<FormAnalysis>>;
    /// Returns the categories of a form; `None` if it uses the default ones.
    async fn find_categories(&self, form: &FormId) -> Result<Option<Categories>>;
    /// Sets a form's categories; `None` restores the default ones. An unknown form is not an error.
    async fn set_categories(&self, form: &FormId, categories: Option<Categories>) -> Result<()>;

    /// Scans at most `rows_max` submissions of one form and queues the ones without an insight.
    /// Takes a form after its analysis was turned on, or after a bulk insertion. Returns whether
    /// there is more to scan that no other process is scanning.
    async fn queue_insights(&self, rows_max: usize) -> Result<bool>;
    /// Lists pending submissions of the next form in turn, within the limit of the day; `None` if
    /// there are no such submissions. Leases the account and environment: other processes get no
    /// submissions of it until the outcomes are written, or for [`LEASE_S`] seconds if this process
    /// dies.
    async fn list_pending(&self, wanted: PendingQuery) -> Result<Option<PendingBatch>>;
    /// Renews the lease on the listed submissions for another [`LEASE_S`] seconds.
    async fn renew_lease(&self) -> Result<()>;
    /// Writes the insights and counts their cost; returns the number of written insights. Skips
    /// submissions that are not pending any more or would exceed the limit of the day. Listed
    /// submissions without an outcome stay pending.
    async fn insert_insights(
        &self,
        outcomes: Vec<AnalysisOutcome>,
        limits: DailyLimits,
        now: Timestamp,
    ) -> Result<u64>;
    /// Returns the usage of an environment of an account on a day, with the given limit.
    async fn find_usage(
        &self,
        account: &AccountId,
        environment: Environment,
        limit: u64,
        day: UtcDay,
    ) -> Result<InsightQuota>;

    /// Returns the insight of a submission, with the owner's correction.
    async fn find_insight(&self, id: &SubmissionId) -> Result<Option<InsightDetail>>;
    /// Sets or, with `None`, removes the owner's correction of a submission; `false` if there is no
    /// such submission.
    async fn correct_insight(
        &self,
        id: &SubmissionId,
        correction: Option<InsightCorrection>,
        now: Timestamp,
    ) -> Result<bool>;
}
