//! Writes exactly the filtered list to a file, by walking its pages at the pace that the rate limit
//! allows. The writers are the server's own, so the bytes are the same.
//!
//! A walk that fails goes on from where it was: the cursor is the checkpoint.

use std::collections::HashSet;
use std::time::Duration;

use contract::{
    Columns, Environment, ExportFormat, ExportQuery, Field, FormId, ListQuery, Plan, RateLimit,
    Submission, SubmissionId, Timestamp, csv::CsvWriter, json::JsonWriter, page::LIMIT_MAX,
};
use gloo_timers::future::sleep;
use js_sys::Date;
use web_sys::{AbortSignal, Blob};

use super::save::Pieces;
use crate::{
    api::{self, ApiError},
    model::{
        answers,
        pace::{Pace, refused_wait_s},
    },
};

/// How long a wait lasts before it is looked whether it was given up.
const SLICE_MS: u64 = 250;

/// What is walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// Its fields; `None` where the server tells none, and the answers must.
    pub fields: Option<Vec<Field>>,
    /// Which submissions, as what.
    pub query: ExportQuery,
    /// The plan whose burst is kept.
    pub plan: Plan,
}

/// How far a walk is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Rows written.
    pub written: u64,
    /// Rows in all, once known.
    pub total: Option<u64>,
    /// About how long the rest takes, once known.
    pub left_ms: Option<u64>,
    /// How long the rate limit makes it wait, in seconds, while it does.
    pub waits_s: Option<u64>,
}

/// A walk under way.
pub struct Walk {
    task: Task,
    writer: Writer,
    pieces: Pieces,
    cursor: Option<String>,
    ended: bool,
    seen: HashSet<SubmissionId>,
    progress: Progress,
    rate: Option<RateLimit>,
    sent_ms: Option<f64>,
}

/// What turns rows into bytes.
enum Writer {
    Csv(Box<CsvWriter<Vec<u8>>>),
    Json(Box<JsonWriter>),
    /// A CSV whose columns are known only once every row was seen.
    Gathering(Vec<Submission>),
}

/// A writer to memory and of the form's own fields does not fail; were it to, the file is unusable.
fn unwritable<E>(_: E) -> ApiError {
    ApiError::Decode("the file could not be written".to_owned())
}

impl Writer {
    fn new(task: &Task) -> Result<Self, ApiError> {
        let fields = task.fields.as_deref();
        match (task.query.format, fields) {
            (ExportFormat::Json, _) => {
                let (fields, query) = (fields.unwrap_or_default(), &task.query);
                let writer = JsonWriter::new(task.form.clone(), fields, query, now());
                Ok(Self::Json(Box::new(writer.map_err(unwritable)?)))
            }
            (ExportFormat::Csv, Some(fields)) => Self::csv(fields, task.query.safe),
            (ExportFormat::Csv, None) => Ok(Self::Gathering(Vec::new())),
        }
    }

    fn csv(fields: &[Field], safe: bool) -> Result<Self, ApiError> {
        let writer = CsvWriter::new(Columns::whole(fields), safe, Vec::new());
        Ok(Self::Csv(Box::new(writer.map_err(unwritable)?)))
    }

    fn row(&mut self, row: Submission) -> Result<(), ApiError> {
        match self {
            Self::Csv(writer) => writer.row(&row).map_err(unwritable)?,
            Self::Json(writer) => writer.row(&row),
            Self::Gathering(rows) => rows.push(row),
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Vec<u8>, ApiError> {
        match self {
            Self::Csv(writer) => writer.take().map_err(unwritable),
            Self::Json(writer) => Ok(writer.take()),
            Self::Gathering(_) => Ok(Vec::new()),
        }
    }

    fn finish(self, safe: bool) -> Result<Vec<u8>, ApiError> {
        match self {
            Self::Csv(writer) => writer.finish().map_err(unwritable),
            Self::Json(writer) => Ok(writer.finish()),
            Self::Gathering(rows) => {
                let mut writer = Self::csv(&answers::fields_of(&rows), safe)?;
                for row in rows {
                    writer.row(row)?;
                }
                writer.finish(safe)
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "`Date` holds whole milliseconds below 2^53")]
fn now() -> Timestamp {
    Timestamp::from_millis(Date::now() as i64).unwrap_or(Timestamp::MIN)
}

impl Walk {
    /// Returns a walk that has not begun.
    ///
    /// # Errors
    /// Columns that cannot be written.
    pub fn new(task: Task) -> Result<Self, ApiError> {
        Ok(Self {
            writer: Writer::new(&task)?,
            task,
            pieces: Pieces::default(),
            cursor: None,
            ended: false,
            seen: HashSet::new(),
            progress: Progress::default(),
            rate: None,
            sent_ms: None,
        })
    }

    /// Walks on to the end, telling how far it is. After a failure it may be called again.
    ///
    /// # Errors
    /// What a page failed with, but for 429, which is waited for.
    pub async fn run(
        &mut self,
        signal: Option<&AbortSignal>,
        tell: impl Fn(Progress),
    ) -> Result<(), ApiError> {
        let pace = Pace::new(self.task.plan);
        while !self.ended {
            let since_last = self.sent_ms.map_or(u64::MAX, |sent| whole(Date::now() - sent));
            self.wait(pace.wait_ms(self.rate, since_last), false, signal, &tell).await?;
            match self.page(signal).await {
                Err(ApiError::Status { status: 429, retry_after_s, .. }) => {
                    let wait_ms = refused_wait_s(retry_after_s) * 1000;
                    self.wait(wait_ms, true, signal, &tell).await?;
                }
                other => other?,
            }
            self.progress.left_ms = self.left_ms(pace);
            tell(self.progress);
        }
        Ok(())
    }

    async fn page(&mut self, signal: Option<&AbortSignal>) -> Result<(), ApiError> {
        let Task { environment, form, query, .. } = &self.task;
        let (filter, cursor) = (query.filter.clone(), self.cursor.clone());
        let query = ListQuery { filter, limit: LIMIT_MAX, cursor };
        self.sent_ms = Some(Date::now());
        let answer = api::list(*environment, form, &query, signal).await?;
        // Answers that carry no headers leave what was known before.
        self.rate = answer.rate.or(self.rate);
        let page = answer.body;
        let next = page.pagination.next().map(str::to_owned);
        self.ended = next.is_none() || next == self.cursor;
        self.cursor = next;
        self.progress.total.get_or_insert(page.pagination.total);
        for row in page.data {
            if self.seen.insert(row.id.clone()) {
                self.writer.row(row)?;
                self.progress.written += 1;
            }
        }
        self.pieces.push(&self.writer.take()?);
        Ok(())
    }

    fn left_ms(&self, pace: Pace) -> Option<u64> {
        let rows = self.progress.total?.saturating_sub(self.progress.written);
        let took_ms = whole(Date::now() - self.sent_ms?);
        Some(pace.left_ms(rows.div_ceil(u64::from(LIMIT_MAX)), self.rate, took_ms))
    }

    /// Waits, in slices, so that giving up is felt at once.
    async fn wait(
        &mut self,
        wait_ms: u64,
        refused: bool,
        signal: Option<&AbortSignal>,
        tell: &impl Fn(Progress),
    ) -> Result<(), ApiError> {
        let end = Date::now() + millis(wait_ms);
        loop {
            if signal.is_some_and(AbortSignal::aborted) {
                return Err(ApiError::Aborted);
            }
            let left_ms = whole(end - Date::now());
            self.progress.waits_s = (refused && left_ms > 0).then(|| left_ms.div_ceil(1000));
            if left_ms == 0 {
                return Ok(());
            }
            if refused {
                tell(self.progress);
            }
            sleep(Duration::from_millis(left_ms.min(SLICE_MS))).await;
        }
    }

    /// Returns the file, and how far the walk came.
    ///
    /// # Errors
    /// The browser has no room for the file.
    pub fn finish(self) -> Result<(Blob, Progress), ApiError> {
        let Task { query: ExportQuery { format, safe, .. }, .. } = self.task;
        self.pieces.push(&self.writer.finish(safe)?);
        let file = self.pieces.finish(format.media_type()).ok_or(()).map_err(unwritable)?;
        Ok((file, self.progress))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and a time that is over is 0"
)]
fn whole(ms: f64) -> u64 {
    ms as u64
}

#[expect(clippy::cast_precision_loss, reason = "waits lie far below 2^53 ms")]
fn millis(ms: u64) -> f64 {
    ms as f64
}
