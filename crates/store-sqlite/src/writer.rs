//! The writer: one thread with one connection, and one transaction for all queued writes.
//!
//! Writes that are queued during a commit share the next transaction, so that one sync serves many.
//! A failed job is rolled back alone. Answers are sent when the transaction is on disk. On a full
//! disk, writes that make the database grow are refused, and writes that free space continue.

mod batch;

use super::audit;
use super::disk_reserve::{CHECK_INTERVAL, DiskReserve};
use super::erase_traces::TraceEraser;
use super::errors::is_disk_full;
use super::memory_index::MemoryIndex;
use super::read_gate::ReadGate;
use contract::SubmissionId;
use contract::audit::AuditEvent;
use rusqlite::{Connection, ErrorCode};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use store::audit::CountAffected;
use store::columns::database_error;
use store::new_submission::{InsertOutcome, PreparedInsert};
use store::{Result, StoreError};
use tokio::sync::oneshot;

/// Maximum number of queued jobs. Further ones are refused.
const QUEUE_MAX: usize = 1024;

/// A queued write.
struct WriteJob {
    /// Whether it is refused when the disk is full.
    grows: bool,
    work: JobWork,
}

/// The work of a job.
enum JobWork {
    /// A closure with a savepoint of its own.
    Closure(JobClosure),
    /// A submission, inserted together with those queued next to it.
    Submission(Box<QueuedSubmission>),
}

/// A queued submission, and the recipient of its result.
struct QueuedSubmission {
    ready: PreparedInsert,
    waiter: SubmissionWaiter,
}

/// Recipient of a submission's result, and the counters to update.
struct SubmissionWaiter {
    answer: oneshot::Sender<Result<InsertOutcome>>,
    tally: Arc<WriterCounters>,
}

/// Runs a job on the connection, or with the error that prevents it, and returns the result.
type JobClosure = Box<dyn FnOnce(Result<&Connection>) -> FinishedJob + Send>;

/// Sends the answer of a job; with an error if the transaction failed as a whole.
type SendAnswer = Box<dyn FnOnce(Option<&TransactionFailure>) + Send>;

/// A job that has run and waits for the commit.
struct FinishedJob {
    keep: bool,
    found_full: bool,
    reply: SendAnswer,
}

impl FinishedJob {
    /// Returns a job with this result. `on_end` is called with it when the transaction has ended.
    fn new<T: Send + 'static>(
        result: Result<T>,
        on_end: impl FnOnce(Result<T>) + Send + 'static,
    ) -> Self {
        let keep = result.is_ok();
        let found_full = matches!(result, Err(StoreError::DiskFull));
        let reply = move |failed: Option<&TransactionFailure>| match failed {
            Some(failure) if keep => on_end(Err(failure.error())),
            _ => on_end(result),
        };
        Self { keep, found_full, reply: Box::new(reply) }
    }

    /// As [`FinishedJob::new`], for a submission. Counts it unless it is a replay of an earlier
    /// one.
    fn for_submission(
        result: Result<InsertOutcome>,
        id: &SubmissionId,
        waiter: SubmissionWaiter,
    ) -> Self {
        let SubmissionWaiter { answer, tally } = waiter;
        let is_new = matches!(&result, Ok(InsertOutcome::Inserted(receipt)) if receipt.id == *id);
        Self::new(result, move |result| {
            let count = u64::from(is_new && result.is_ok());
            tally.accepted.fetch_add(count, Ordering::Relaxed);
            drop(answer.send(result));
        })
    }

    /// As [`FinishedJob::new`], for a caller that waits.
    fn for_caller<T: Send + 'static>(
        result: Result<T>,
        answer: oneshot::Sender<Result<T>>,
    ) -> Self {
        // The caller may have been cancelled; the write is done all the same.
        Self::new(result, |result| drop(answer.send(result)))
    }
}

/// The error of a transaction that failed as a whole.
#[derive(Default)]
struct TransactionFailure {
    reason: String,
    found_full: bool,
    /// Another process kept the file locked for longer than the busy timeout.
    found_locked: bool,
}

impl TransactionFailure {
    fn of(conn: &Connection, error: &rusqlite::Error) -> Self {
        Self {
            reason: error.to_string(),
            found_full: is_disk_full(conn, error),
            found_locked: error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy),
        }
    }

    fn error(&self) -> StoreError {
        if self.found_full {
            StoreError::DiskFull
        } else if self.found_locked {
            StoreError::Unavailable(self.reason.clone().into())
        } else {
            database_error(self.reason.clone())
        }
    }
}

/// A handle that queues writes. Dropping the last handle waits until all queued writes are done.
pub(super) struct Writer {
    thread: Arc<WriterThread>,
    /// Audit event that is recorded together with each write.
    audit_event: Option<AuditEvent>,
}

/// The writer thread.
struct WriterThread {
    queue: Option<SyncSender<WriteJob>>,
    handle: Option<JoinHandle<()>>,
    tally: Arc<WriterCounters>,
}

/// Counters of the writer.
#[derive(Default)]
struct WriterCounters {
    /// Jobs that are queued or running.
    waiting: AtomicUsize,
    /// Submissions accepted.
    accepted: AtomicU64,
    /// Submissions refused because the disk was full.
    refused: AtomicU64,
}

impl Writer {
    /// Starts the thread.
    ///
    /// The clean-up runs `tidy_after` a write, and closes `gate` while it empties the log. Changes
    /// that jobs record in `index` are published when they are on disk.
    pub(super) fn start(
        mut conn: Connection,
        tidy_after: Duration,
        index: Arc<MemoryIndex>,
        gate: Arc<ReadGate>,
    ) -> Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE_MAX);
        let tally = Arc::<WriterCounters>::default();
        let thread_tally = Arc::clone(&tally);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                let path = PathBuf::from(conn.path().unwrap_or_default());
                let tidy = TraceEraser::new(&conn, &path, tidy_after, gate);
                run_writer(&mut conn, &jobs, tidy, DiskReserve::new(&path), &index, &thread_tally);
            })
            .map_err(database_error)?;
        let thread = WriterThread { queue: Some(queue), handle: Some(thread), tally };
        Ok(Self { thread: Arc::new(thread), audit_event: None })
    }

    /// Returns a handle of the same writer that records an audit event with each write.
    pub(super) fn with_audit(&self, event: AuditEvent) -> Self {
        Self { thread: Arc::clone(&self.thread), audit_event: Some(event) }
    }

    /// Returns the audit event, for a write that uses a connection of its own.
    pub(super) fn audit_event(&self) -> Option<AuditEvent> {
        self.audit_event.clone()
    }

    /// Runs `work` on the writer thread, and returns when its changes are on disk.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] if the disk is full; [`StoreError::Busy`] if too many writes are
    /// queued; [`StoreError::Unavailable`] if another process locks the file for too long.
    pub(super) async fn write<T: CountAffected + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.submit(true, work).await
    }

    /// As [`Writer::write`], for writes that free space, or are needed for that: deletions,
    /// sign-ins. On a full disk they use the reserve.
    pub(super) async fn write_when_full<T: CountAffected + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Clone + Send + 'static,
    ) -> Result<T> {
        match self.submit(false, work.clone()).await {
            // The first write that found the disk full has released the reserve: try once more.
            Err(StoreError::DiskFull) => self.submit(false, work).await,
            other => other,
        }
    }

    async fn submit<T: CountAffected + Send + 'static>(
        &self,
        grows: bool,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let event = self.audit_event.clone();
        let run_audited = move |conn: &Connection| {
            let done = work(conn)?;
            if let Some(event) = event {
                audit::append_entry(conn, event, &done.affected_rows())?;
            }
            Ok(done)
        };
        let run = move |conn: Result<&Connection>| {
            let done =
                conn.and_then(|conn| run_audited(conn).map_err(|error| to_full_error(conn, error)));
            FinishedJob::for_caller(done, answer)
        };
        self.enqueue(WriteJob { grows, work: JobWork::Closure(Box::new(run)) })?;
        answered.await.unwrap_or_else(|_| Err(stopped_error()))
    }

    /// Inserts a submission, together with those queued next to it.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub(super) async fn insert_submission(&self, ready: PreparedInsert) -> Result<InsertOutcome> {
        let (answer, answered) = oneshot::channel();
        let waiter = SubmissionWaiter { answer, tally: Arc::clone(&self.thread.tally) };
        let queued = Box::new(QueuedSubmission { ready, waiter });
        self.enqueue(WriteJob { grows: true, work: JobWork::Submission(queued) })?;
        answered.await.unwrap_or_else(|_| Err(stopped_error()))
    }

    /// Queues a write without waiting for it. A failure is logged.
    pub(super) fn write_later(
        &self,
        work: impl FnOnce(&Connection) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let log_failure = |result: Result<()>| {
            if let Err(error) = result {
                tracing::warn!(%error, "queued write failed");
            }
        };
        let run = move |conn: Result<&Connection>| {
            let done = conn.and_then(|conn| work(conn).map_err(|error| to_full_error(conn, error)));
            FinishedJob::new(done, log_failure)
        };
        self.enqueue(WriteJob { grows: true, work: JobWork::Closure(Box::new(run)) })
    }

    fn enqueue(&self, job: WriteJob) -> Result<()> {
        let queue = self.thread.queue.as_ref().ok_or_else(stopped_error)?;
        // Incremented before the send, because the job may be done before `send` returns.
        self.thread.tally.waiting.fetch_add(1, Ordering::Relaxed);
        queue.try_send(job).map_err(|error| {
            self.thread.tally.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => StoreError::Busy(QUEUE_MAX),
                TrySendError::Disconnected(_) => stopped_error(),
            }
        })
    }

    /// Returns the number of queued and running jobs.
    pub(super) fn waiting_count(&self) -> usize {
        self.thread.tally.waiting.load(Ordering::Relaxed)
    }

    /// Returns the number of submissions refused because the disk was full.
    pub(super) fn refused_count(&self) -> u64 {
        self.thread.tally.refused.load(Ordering::Relaxed)
    }

    /// Returns the number of accepted submissions.
    pub(super) fn accepted_count(&self) -> u64 {
        self.thread.tally.accepted.load(Ordering::Relaxed)
    }
}

impl Drop for WriterThread {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.handle.take() {
            // All callers that wait for a panicked thread get an error.
            let _ = thread.join();
        }
    }
}

fn stopped_error() -> StoreError {
    database_error("the writer stopped without an answer")
}

/// Converts a database error caused by a full disk into [`StoreError::DiskFull`].
fn to_full_error(conn: &Connection, error: StoreError) -> StoreError {
    if let StoreError::Database(source) = &error
        && let Some(source) = source.downcast_ref::<rusqlite::Error>()
        && is_disk_full(conn, source)
    {
        return StoreError::DiskFull;
    }
    error
}

fn run_writer(
    conn: &mut Connection,
    jobs: &Receiver<WriteJob>,
    mut tidy: TraceEraser,
    mut room: DiskReserve,
    index: &MemoryIndex,
    tally: &WriterCounters,
) {
    let mut has_reserve = !room.is_scarce();
    loop {
        // Wakes up for the clean-up and, while the reserve is missing, to check for free space.
        let space_check = (!has_reserve).then_some(CHECK_INTERVAL);
        let first = match tidy.time_until_due().into_iter().chain(space_check).min() {
            Some(wait) => jobs.recv_timeout(wait),
            None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match first {
            Ok(first) => {
                has_reserve &= batch::run_batch(conn, first, jobs, index, &mut room, tally);
                tidy.schedule_after_write(conn);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if tidy.run_step(conn) || !has_reserve {
            has_reserve = room.refill();
        }
    }
    tidy.finish_at_shutdown(conn);
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
