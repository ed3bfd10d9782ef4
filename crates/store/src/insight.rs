//! What the store keeps for the analysis: what waits for it, what was spent, what owners say.
//!
//! Which submissions are pending, and how much of a day's limit is used, is known from the database
//! alone: whoever works it off may be killed at any moment, or be there twice.

use super::{Result, StoredSubmission};
use async_trait::async_trait;
use contract::insight::{Categories, Correction, FormAnalysis, InsightDetail, SetAnalysis, Spent};
use contract::{AccountId, Environment, Field, FormId, Insight, Plan, SubmissionId, Timestamp};
use std::sync::{Arc, LazyLock};

/// Returns the categories of a new form, in English, German, French and Spanish.
pub fn default_categories() -> Arc<Categories> {
    static DEFAULTS: LazyLock<Arc<Categories>> = LazyLock::new(|| {
        let json = include_str!("../data/categories.json");
        serde_json::from_str(json).map(Arc::new).expect("`data/categories.json` is well formed")
    });
    Arc::clone(&DEFAULTS)
}

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// How many submissions are analysed in a day (UTC), by plan. Test forms have the same once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits([u64; Plan::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self(Plan::ALL.map(Plan::insight_actions_per_day))
    }
}

impl Limits {
    /// Returns the limit of a plan.
    pub fn of(&self, plan: Plan) -> u64 {
        Plan::ALL.iter().zip(self.0).find(|(of, _)| **of == plan).map_or(0, |(_, limit)| limit)
    }

    /// Sets the limit of a plan.
    pub fn set(&mut self, plan: Plan, limit: u64) {
        for (of, kept) in Plan::ALL.iter().zip(&mut self.0) {
            if *of == plan {
                *kept = limit;
            }
        }
    }
}

/// The day in which an instant lies, in days of UTC since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// Returns the day of an instant.
    pub fn of(now: Timestamp) -> Self {
        Self(now.micros().div_euclid(DAY_MICROS))
    }

    /// Returns when the next day begins.
    pub fn end(self) -> Timestamp {
        Timestamp::from_micros((self.0 + 1).saturating_mul(DAY_MICROS)).unwrap_or(Timestamp::MAX)
    }
}

/// Whose turn it was last: forms take turns, so that a large one does not hold up the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turn(pub i64);

/// What is asked for of what waits.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Whose turn it was last.
    pub after: Turn,
    /// The daily limits.
    pub limits: Limits,
    /// The present.
    pub now: Timestamp,
    /// Most submissions at once.
    pub rows_max: usize,
}

/// Submissions of one form that wait, and may be analysed today.
#[derive(Debug, Clone)]
pub struct Pending {
    /// Whose turn it is.
    pub turn: Turn,
    /// The form's fields.
    pub fields: Vec<Field>,
    /// Its categories; `None` where it has the usual ones.
    pub categories: Option<Categories>,
    /// The submissions, newest first; those that are tried again last.
    pub submissions: Vec<StoredSubmission>,
}

/// How it went with one submission.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Which.
    pub id: SubmissionId,
    /// What was found; `None` where it is to be tried again later.
    pub insight: Option<Insight>,
    /// How many actions it cost of the day's limit.
    pub actions: u64,
}

/// How long nobody else is listed what a process was listed that says no more of it, in seconds.
pub const HELD_S: i32 = 30;

/// What the analysis needs of the store. Each method is one transaction.
#[async_trait]
pub trait InsightStore: Send + Sync + 'static {
    /// Switches a form's analysis; `false` where there is no such form. What came before is queued
    /// afterwards, by [`InsightStore::queue_insights`].
    async fn set_analysis(&self, form: &FormId, switch: SetAnalysis) -> Result<bool>;
    /// Returns how a form's analysis stands; `None` where there is no such form.
    async fn find_analysis(&self, form: &FormId) -> Result<Option<FormAnalysis>>;
    /// Returns the categories that were set for a form.
    async fn find_categories(&self, form: &FormId) -> Result<Option<Categories>>;
    /// Sets a form's categories; with `None` it has the usual ones again. An unknown form is no
    /// error.
    async fn set_categories(&self, form: &FormId, categories: Option<Categories>) -> Result<()>;

    /// Looks through at most so many submissions of one form whose analysis was switched on, or
    /// into which much was inserted at once, and queues those without insight. Returns whether
    /// there are more to look through that nobody else is at.
    async fn queue_insights(&self, rows_max: usize) -> Result<bool>;
    /// Lists what waits and may be analysed today, of the form whose turn is next; `None` where
    /// there is nothing. Until its outcomes are written, other processes are listed nothing of that
    /// account and environment; where this one dies, for [`HELD_S`] seconds.
    async fn list_pending(&self, wanted: Wanted) -> Result<Option<Pending>>;
    /// Says that what was listed is still being analysed, for another [`HELD_S`] seconds at most.
    async fn hold_pending(&self) -> Result<()>;
    /// Writes down what was found, and counts it. What no longer waits, or would exceed the day's
    /// limit, is left as it is; what was listed and has no outcome goes on waiting. Returns how
    /// many insights were written.
    async fn insert_insights(
        &self,
        outcomes: Vec<Outcome>,
        limits: Limits,
        now: Timestamp,
    ) -> Result<u64>;
    /// Returns what an environment of an account has spent of a day, of the limit given.
    async fn find_spent(
        &self,
        account: &AccountId,
        environment: Environment,
        limit: u64,
        day: Day,
    ) -> Result<Spent>;

    /// Returns what a submission shows, and what of it is the owner's.
    async fn find_insight(&self, id: &SubmissionId) -> Result<Option<InsightDetail>>;
    /// Sets, or with `None` takes back, what the owner says of a submission; `false` where there is
    /// no such submission.
    async fn correct_insight(
        &self,
        id: &SubmissionId,
        correction: Option<Correction>,
        now: Timestamp,
    ) -> Result<bool>;
}
