//! Background worker: analyses a few submissions at a time, within the daily limit, with lower
//! priority than requests.
//!
//! All state is in the database: the worker can be killed at any time and another one continues. A
//! submission without a result stays pending; it never gets a guess.

use super::backoff::{Backoff, StepResult};
use super::prose::Prose;
use super::{AnalysisBatch, AnalysisError, Analyst};
use contract::{Insight, Submission};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::clock::Clock;
use store::daily_limits::DailyLimits;
use store::insight::default_categories;
use store::insight::{AnalysisOutcome, PendingBatch, PendingQuery, RoundRobin};
use store::{Result, Store};

/// Older submissions examined for queueing at once, which is about 3 ms of writing.
const QUEUE_BATCH_ROWS: usize = 1000;
/// Longest pause that an analyst can ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_hours(1);
/// Interval of lease renewals during a slow analysis: three per lease period of the store.
const LEASE_RENEWAL_INTERVAL: Duration = Duration::from_secs(10);

/// The analyst is unavailable: the reason for the log, and the pause that it asks for.
struct Unavailable {
    reason: String,
    retry_after: Option<Duration>,
}

/// Processes the queue of submissions to analyse.
pub struct Worker {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    analyst: Arc<dyn Analyst>,
    limits: DailyLimits,
    /// Form that was served last.
    turn: RoundRobin,
    backoff: Backoff,
}

impl Worker {
    /// Creates a worker.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        analyst: Arc<dyn Analyst>,
        limits: DailyLimits,
    ) -> Self {
        let turn = RoundRobin::default();
        Self { store, clock, analyst, limits, turn, backoff: Backoff::default() }
    }

    /// Works until the future is dropped, which is safe at any time.
    pub async fn run(mut self) {
        loop {
            let started_at = Instant::now();
            let step = self.step().await;
            if let Err(error) = &step {
                tracing::warn!(%error, "analysis: database error, retrying");
            }
            tokio::time::sleep(self.backoff.pause_after(&step, started_at.elapsed())).await;
        }
    }

    /// Does one unit of work: queues some existing submissions, and analyses one batch.
    ///
    /// # Errors
    /// If the store fails. The submissions stay pending.
    pub async fn step(&mut self) -> Result<StepResult> {
        let has_more_to_queue = self.store.queue_insights(QUEUE_BATCH_ROWS).await?;
        let query = PendingQuery {
            after: self.turn,
            limits: self.limits,
            now: self.clock.now(),
            rows_max: self.analyst.batch_max(),
        };
        match self.store.list_pending(query).await? {
            Some(pending) => self.process_pending(pending).await,
            None if has_more_to_queue => Ok(StepResult::Worked(0)),
            None => Ok(StepResult::Idle),
        }
    }

    /// Analyses a batch and writes its insights.
    async fn process_pending(&mut self, pending: PendingBatch) -> Result<StepResult> {
        self.turn = pending.turn;
        let (outcomes, unavailable) = tokio::select! {
            done = self.analyse_pending(pending) => done,
            // Runs during the analysis. It never ends.
            never = self.renew_lease() => match never {},
        };
        let written = self.store.insert_insights(outcomes, self.limits, self.clock.now()).await?;
        let Some(Unavailable { reason, retry_after }) = unavailable else {
            self.backoff.record_success();
            return Ok(StepResult::Worked(written));
        };
        let pause = self.backoff.record_failure();
        let pause = pause.max(retry_after.unwrap_or_default().min(RETRY_AFTER_MAX));
        // Log only now that `insert_insights` has released the lease: an operator who reads this
        // may end the process.
        tracing::warn!(reason, seconds = pause.as_secs(), "analysis paused");
        Ok(StepResult::Wait(pause))
    }

    /// Keeps renewing the lease of the submissions in analysis, so that no other worker takes them.
    async fn renew_lease(&self) -> Infallible {
        loop {
            tokio::time::sleep(LEASE_RENEWAL_INTERVAL).await;
            if let Err(error) = self.store.renew_lease().await {
                tracing::warn!(%error, "cannot renew the analysis lease");
            }
        }
    }

    /// Analyses a batch, and returns the outcomes, and the reason if the analyst was unavailable.
    ///
    /// Submissions for which it was unavailable have no outcome and stay pending.
    async fn analyse_pending(
        &self,
        pending: PendingBatch,
    ) -> (Vec<AnalysisOutcome>, Option<Unavailable>) {
        let PendingBatch { fields, categories, submissions, .. } = pending;
        let mut outcomes = Vec::new();
        let mut ids = Vec::new();
        let mut texts = Vec::new();
        for submission in submissions {
            let id = submission.position.id;
            match serde_json::from_str::<Submission>(&submission.json) {
                Ok(parsed) => {
                    let prose = Prose::from_answers(&parsed.answers, &fields);
                    if prose.is_empty() {
                        outcomes.push(AnalysisOutcome {
                            id,
                            insight: Some(empty_insight()),
                            actions: 0,
                        });
                    } else {
                        ids.push(id);
                        texts.push(prose);
                    }
                }
                Err(error) => {
                    tracing::error!(%error, %id, "cannot parse a stored submission");
                    outcomes.push(AnalysisOutcome { id, insight: None, actions: 0 });
                }
            }
        }
        if texts.is_empty() {
            return (outcomes, None);
        }
        let categories = categories.map_or_else(default_categories, Arc::new);
        let results = self.analyst.analyse(AnalysisBatch { categories, texts }).await;
        let mut unavailable: Option<Unavailable> = None;
        for (id, result) in ids.into_iter().zip(results) {
            match result {
                Ok(insight) => {
                    outcomes.push(AnalysisOutcome { id, insight: Some(insight), actions: 1 });
                }
                Err(AnalysisError::Text { reason: why, actions }) => {
                    tracing::warn!(%id, why, "submission could not be analysed, retrying later");
                    outcomes.push(AnalysisOutcome { id, insight: None, actions });
                }
                Err(AnalysisError::Unavailable { why, retry_after }) => {
                    let before = unavailable.and_then(|earlier| earlier.retry_after);
                    unavailable =
                        Some(Unavailable { reason: why, retry_after: retry_after.max(before) });
                }
            }
        }
        (outcomes, unavailable)
    }
}

/// Returns the insight of a submission without prose. It is stored, so that the submission does not
/// stay pending.
fn empty_insight() -> Insight {
    Insight { sentiment: None, sentiment_score: None, categories: Vec::new(), language: None }
}
