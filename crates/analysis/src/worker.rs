//! Background worker: analyses a few submissions at a time, within the daily limit, with lower
//! priority than requests.
//!
//! All state is in the database: the worker can be killed at any time and another one continues. A
//! submission without a result stays pending; it never gets a guess.

use super::prose::Prose;
use super::{Analyst, Batch, Trouble};
use contract::{Insight, Submission};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::clock::Clock;
use store::insight::default_categories;
use store::insight::{Limits, Outcome, Pending, Turn, Wanted};
use store::{Result, Store};

/// Older submissions examined for queueing at once, which is about 3 ms of writing.
const SWEEP_ROWS: usize = 1000;
/// Interval between checks of an empty queue.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Pause after a step: as long as the step took, within these bounds. So the worker uses at most
/// half of a processor and half of the database writer.
const REST_MIN: Duration = Duration::from_millis(2);
const REST_MAX: Duration = Duration::from_secs(1);
/// First and longest pause after a failure; each is twice the previous one. An analyst can ask for
/// up to [`RETRY_AFTER_MAX`].
const TROUBLE_FIRST: Duration = Duration::from_secs(2);
const TROUBLE_MAX: Duration = Duration::from_mins(5);
const RETRY_AFTER_MAX: Duration = Duration::from_hours(1);
/// Interval of lease renewals during a slow analysis: three per lease period of the store.
const HOLD_EVERY: Duration = Duration::from_secs(10);

/// Reason of an unavailable analyst, and the pause that it asks for.
struct Unavailable {
    why: String,
    retry_after: Option<Duration>,
}

/// Result of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// This number of insights was written; there may be more work.
    Worked(u64),
    /// There is no work, or the daily limit is reached.
    Idle,
    /// The analyst asks for a pause of this length.
    Wait(Duration),
}

/// Processes the queue of submissions to analyse.
pub struct Worker {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    analyst: Arc<dyn Analyst>,
    limits: Limits,
    turn: Turn,
    troubles: u32,
}

impl Worker {
    /// Creates a worker.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        analyst: Arc<dyn Analyst>,
        limits: Limits,
    ) -> Self {
        Self { store, clock, analyst, limits, turn: Turn::default(), troubles: 0 }
    }

    /// Works until the future is dropped, which is safe at any time.
    pub async fn run(mut self) {
        loop {
            let begin = Instant::now();
            let rest = match self.step().await {
                Ok(Step::Worked(_)) => begin.elapsed().clamp(REST_MIN, REST_MAX),
                Ok(Step::Idle) => LOOK_EVERY,
                Ok(Step::Wait(pause)) => pause,
                Err(error) => {
                    tracing::warn!(%error, "analysis: database error, retrying");
                    self.pause()
                }
            };
            tokio::time::sleep(rest).await;
        }
    }

    /// Does one unit of work.
    ///
    /// # Errors
    /// If the store fails. No data are lost.
    pub async fn step(&mut self) -> Result<Step> {
        let has_more_to_queue = self.store.queue_insights(SWEEP_ROWS).await?;
        let wanted = Wanted {
            after: self.turn,
            limits: self.limits,
            now: self.clock.now(),
            rows_max: self.analyst.batch_max(),
        };
        match self.store.list_pending(wanted).await? {
            Some(pending) => self.work(pending).await,
            None if has_more_to_queue => Ok(Step::Worked(0)),
            None => Ok(Step::Idle),
        }
    }

    async fn work(&mut self, pending: Pending) -> Result<Step> {
        self.turn = pending.turn;
        let (outcomes, trouble) = tokio::select! {
            done = self.analyse(pending) => done,
            never = self.hold() => match never {},
        };
        let written = self.store.insert_insights(outcomes, self.limits, self.clock.now()).await?;
        let Some(Unavailable { why, retry_after }) = trouble else {
            self.troubles = 0;
            return Ok(Step::Worked(written));
        };
        let pause = retry_after.unwrap_or_default().min(RETRY_AFTER_MAX).max(self.pause());
        // Log after the leases are released, because an operator may end the process on reading
        // this.
        tracing::warn!(why, seconds = pause.as_secs(), "analysis paused");
        Ok(Step::Wait(pause))
    }

    /// Renews the lease of the submissions in analysis, so that no other worker takes them.
    async fn hold(&self) -> Infallible {
        loop {
            tokio::time::sleep(HOLD_EVERY).await;
            if let Err(error) = self.store.hold_pending().await {
                tracing::warn!(%error, "cannot renew the analysis lease");
            }
        }
    }

    /// Analyses a batch and returns the outcomes, and the reason if the analyst became unavailable.
    ///
    /// Submissions without an answer are left out and stay queued.
    async fn analyse(&self, pending: Pending) -> (Vec<Outcome>, Option<Unavailable>) {
        let Pending { fields, categories, submissions, .. } = pending;
        let (mut outcomes, mut ids, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for submission in submissions {
            let id = submission.position.id;
            match serde_json::from_str::<Submission>(&submission.json) {
                Ok(read) => {
                    let prose = Prose::of(&read.answers, &fields);
                    if prose.is_empty() {
                        outcomes.push(Outcome { id, insight: Some(nothing()), actions: 0 });
                    } else {
                        ids.push(id);
                        texts.push(prose);
                    }
                }
                Err(error) => {
                    tracing::error!(%error, %id, "cannot parse a stored submission");
                    outcomes.push(Outcome { id, insight: None, actions: 0 });
                }
            }
        }
        if texts.is_empty() {
            return (outcomes, None);
        }
        let categories = categories.map_or_else(default_categories, Arc::new);
        let answers = self.analyst.analyse(Batch { categories, texts }).await;
        let mut trouble: Option<Unavailable> = None;
        for (id, answer) in ids.into_iter().zip(answers) {
            match answer {
                Ok(insight) => outcomes.push(Outcome { id, insight: Some(insight), actions: 1 }),
                Err(Trouble::Text { why, actions }) => {
                    tracing::warn!(%id, why, "submission could not be analysed, retrying later");
                    outcomes.push(Outcome { id, insight: None, actions });
                }
                Err(Trouble::Unavailable { why, retry_after }) => {
                    let before = trouble.and_then(|trouble| trouble.retry_after);
                    trouble = Some(Unavailable { why, retry_after: retry_after.max(before) });
                }
            }
        }
        (outcomes, trouble)
    }

    fn pause(&mut self) -> Duration {
        let pause = TROUBLE_FIRST * 2_u32.saturating_pow(self.troubles.min(16));
        self.troubles += 1;
        pause.min(TROUBLE_MAX)
    }
}

/// Returns the empty insight of a submission without prose, which then is no longer pending.
fn nothing() -> Insight {
    Insight { sentiment: None, sentiment_score: None, categories: Vec::new(), language: None }
}
