//! Insight: what analysis finds in a submission, filled in behind everything else.
//!
//! A [`Worker`] takes what waits from the store in small batches, hands the prose of it to an
//! [`Analyst`] and writes down what that found. [`BuiltIn`] is the analyst that needs nothing but
//! this binary. Nobody waits for any of it, and where an analyst does not know it says nothing:
//! no label is ever a guess.
//!
//! In reading order: [`prose`], what is analysed; `language`, `sentiment` and [`categories`], what
//! is found in it; [`BuiltIn`], who finds it; [`Worker`], when.

mod built_in;
pub mod categories;
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
