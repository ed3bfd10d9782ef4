//! Insights: sentiment, language and categories of submissions, filled in by a background worker.
//!
//! A [`Worker`] takes queued submissions from the store in small batches, passes their prose to an
//! [`Analyst`], and stores the result. [`BuiltIn`] is the analyst that needs nothing but this
//! binary. No request waits for an insight. An analyst that is not sure returns no label.
//!
//! In reading order: [`prose`], the analysed text; `language`, `sentiment` and `categories`;
//! [`BuiltIn`]; [`Worker`].

mod built_in;
mod categories;
mod language;
pub mod prose;
mod sentiment;
mod worker;

pub use built_in::BuiltIn;
pub use worker::{Step, Worker};

use async_trait::async_trait;
use contract::Insight;
use contract::insight::Categories;
use prose::Prose;
use std::sync::Arc;
use std::time::Duration;

/// Submissions of one form to analyse.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The form's categories.
    pub categories: Arc<Categories>,
    /// What each submission says.
    pub texts: Vec<Prose>,
}

/// Why an analyst gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// It has no answer for this text; it is asked again later.
    Text {
        /// Why, for the log. Never the text.
        why: String,
        /// How many actions were spent in vain.
        actions: u64,
    },
    /// It cannot be reached, or wants to be left alone. Nothing was spent.
    Unavailable {
        /// Why, for the log.
        why: String,
        /// How long it wants to be left alone, where it said so.
        retry_after: Option<Duration>,
    },
}

/// Who finds out what submissions say.
#[async_trait]
pub trait Analyst: Send + Sync + 'static {
    /// How many submissions it takes at once.
    fn batch_max(&self) -> usize;
    /// Analyses a batch, and returns an answer for each text, in their order. An insight costs one
    /// action.
    async fn analyse(&self, batch: Batch) -> Vec<Result<Insight, Trouble>>;
}
