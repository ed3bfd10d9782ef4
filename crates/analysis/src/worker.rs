//! When submissions are analysed: behind everything else, a few at a time, within the day's limit.
//!
//! All that it knows is in the database: it may be killed at any moment, and another one goes on. A
//! submission for which there is no answer stays pending; it is never filled with a guess.

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

/// So many older submissions are looked through at once: some three milliseconds of writing.
const SWEEP_ROWS: usize = 1000;
/// How often somebody looks whether anything waits.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long it rests after a step: as long as the step took, within these bounds. So it never has
/// more than half of a processor, nor of the writer.
const REST_MIN: Duration = Duration::from_millis(2);
const REST_MAX: Duration = Duration::from_secs(1);
/// After trouble, the first pause and the longest; each is twice the one before. An analyst that
/// asks for more gets up to an hour.
const TROUBLE_FIRST: Duration = Duration::from_secs(2);
const TROUBLE_MAX: Duration = Duration::from_mins(5);
const RETRY_AFTER_MAX: Duration = Duration::from_hours(1);
/// How often the store hears that a slow analyst is still at it: thrice before it would give the
/// work to somebody else.
const HOLD_EVERY: Duration = Duration::from_secs(10);

/// Why the analyst could answer nothing, and how long it asked to be left alone.
struct Unavailable {
    why: String,
    retry_after: Option<Duration>,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// So many insights were written; there may be more to do.
    Worked(u64),
    /// There is nothing to do, or nothing more today.
    Idle,
    /// The analyst is to be left alone for so long.
    Wait(Duration),
}

/// Works off what waits for the analysis.
pub struct Worker {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    analyst: Arc<dyn Analyst>,
    limits: Limits,
    turn: Turn,
    troubles: u32,
}

impl Worker {
    /// Returns a worker that has done nothing yet.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        analyst: Arc<dyn Analyst>,
        limits: Limits,
    ) -> Self {
        Self { store, clock, analyst, limits, turn: Turn::default(), troubles: 0 }
    }

    /// Works until it is dropped, which may be at any moment.
    pub async fn run(mut self) {
        loop {
            let begin = Instant::now();
            let rest = match self.step().await {
                Ok(Step::Worked(_)) => begin.elapsed().clamp(REST_MIN, REST_MAX),
                Ok(Step::Idle) => LOOK_EVERY,
                Ok(Step::Wait(pause)) => pause,
                Err(error) => {
                    tracing::warn!(%error, "the analysis cannot use the database; it tries again");
                    self.pause()
                }
            };
            tokio::time::sleep(rest).await;
        }
    }

    /// Does one piece of work.
    ///
    /// # Errors
    /// A store that fails. Nothing is lost.
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
        // Said once it is so: whoever reads it may end this process, and finds nothing held.
        tracing::warn!(why, seconds = pause.as_secs(), "the analysis rests");
        Ok(Step::Wait(pause))
    }

    /// Keeps what is being analysed from everybody else, for as long as it takes.
    async fn hold(&self) -> Infallible {
        loop {
            tokio::time::sleep(HOLD_EVERY).await;
            if let Err(error) = self.store.hold_pending().await {
                tracing::warn!(%error, "what is being analysed may be analysed twice");
            }
        }
    }

    /// Returns what came of a batch, and the trouble that the analyst had of its own. What it did
    /// not get to is left out, and goes on waiting.
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
                    tracing::error!(%error, %id, "a submission cannot be read");
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
                    tracing::warn!(%id, why, "could not be analysed; it is tried later");
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

/// The insight into a submission that says nothing in words: it was looked at, and is no longer
/// pending.
fn nothing() -> Insight {
    Insight { sentiment: None, sentiment_score: None, categories: Vec::new(), language: None }
}
