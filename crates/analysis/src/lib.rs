//! Insights: sentiment, language and categories of submissions, added by a background worker.
//!
//! A [`Worker`] takes queued submissions from the store in small batches, passes their prose to an
//! [`Analyst`], and stores the result. [`BuiltIn`] is an analyst without external services.
//! Requests never wait for an insight. An analyst that is not sure returns no label.
//!
//! Reading order: [`prose`], the analysed text; `language`, `sentiment` and `categories`;
//! [`BuiltIn`]; [`Worker`].

mod backoff;
mod built_in;
mod categories;
mod language;
pub mod prose;
mod sentiment;
mod worker;

pub use backoff::StepResult;
pub use built_in::BuiltIn;
pub use worker::Worker;

use async_trait::async_trait;
use contract::Insight;
use contract::insight::Categories;
use prose::Prose;
use std::sync::Arc;
use std::time::Duration;

/// Submissions of one form to analyse.
#[derive(Debug, Clone)]
pub struct AnalysisBatch {
    /// The form's categories.
    pub categories: Arc<Categories>,
    /// Prose of each submission.
    pub texts: Vec<Prose>,
}

/// Failure of an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnalysisError {
    /// The analyst has no result for this text. The worker retries later.
    Text {
        /// Reason for the log. It never contains the text.
        reason: String,
        /// Number of actions spent without a result.
        actions: u64,
    },
    /// The analyst cannot be reached, or asks for a pause. No action was spent.
    Unavailable {
        /// Reason for the log.
        why: String,
        /// Pause that the analyst asks for, if any.
        retry_after: Option<Duration>,
    },
}

/// Service that analyses the prose of submissions.
#[async_trait]
pub trait Analyst: Send + Sync + 'static {
    /// Returns the maximum number of submissions per batch.
    fn batch_max(&self) -> usize;
    /// Analyses a batch and returns one result per text, in the same order. An insight costs one
    /// action.
    async fn analyse(&self, batch: AnalysisBatch) -> Vec<Result<Insight, AnalysisError>>;
}
