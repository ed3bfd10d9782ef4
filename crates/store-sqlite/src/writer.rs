//! The writer: one thread with one connection, and one transaction for all queued writes.
//!
//! Writes that are queued during a commit share the next transaction, so that one sync serves many.
//! A failed job is rolled back alone. Answers are sent when the transaction is on disk. On a full
//! disk, writes that make the database grow are refused, and writes that free space continue.

mod batch;

use super::audit;
use super::disk_reserve::{LOOK_EVERY, Room};
use super::erase_traces::Tidy;
use super::errors::is_full;
use super::insert_submission::Ready;
use super::memory_index::Held;
use super::read_gate::Gate;
use contract::SubmissionId;
use contract::audit::Act;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use store::audit::Did;
use store::columns::database;
use store::new_submission::Arrived;
use store::{Result, StoreError};
use tokio::sync::oneshot;

/// Maximum number of queued jobs. Further ones are refused.
const QUEUE_MAX: usize = 1024;

/// A queued write.
struct Job {
    /// Whether it is refused when the disk is full.
    grows: bool,
    work: Work,
}

/// The work of a job.
enum Work {
    /// A closure with a savepoint of its own.
    One(Run),
    /// A submission, inserted together with those queued next to it.
    Arrival(Box<Coming>),
}

/// A queued submission, and the recipient of its result.
struct Coming {
    ready: Ready,
    waiter: Waiter,
}

/// Recipient of a submission's result, and the counters to update.
struct Waiter {
    answer: oneshot::Sender<Result<Arrived>>,
    tally: Arc<Tally>,
}

/// Runs a job on the connection, or with the error that prevents it, and returns the result.
type Run = Box<dyn FnOnce(Result<&Connection>) -> Ran + Send>;

/// Sends the answer of a job; with an error if the transaction failed as a whole.
type Reply = Box<dyn FnOnce(Option<&Failure>) + Send>;

/// A job that has run and waits for the commit.
struct Ran {
    keep: bool,
    found_full: bool,
    reply: Reply,
}

impl Ran {
    /// Returns a job with this result. `tell` is called with it when the transaction has ended.
    fn new<T: Send + 'static>(
        result: Result<T>,
        tell: impl FnOnce(Result<T>) + Send + 'static,
    ) -> Self {
        let (keep, found_full) = (result.is_ok(), matches!(result, Err(StoreError::Full)));
        let reply = move |failed: Option<&Failure>| match failed {
            Some(failure) if keep => tell(Err(failure.error())),
            _ => tell(result),
        };
        Self { keep, found_full, reply: Box::new(reply) }
    }

    /// As [`Ran::new`], for a submission. Counts it unless it is a replay of an earlier one.
    fn arrived(result: Result<Arrived>, id: &SubmissionId, coming: Waiter) -> Self {
        let Waiter { answer, tally } = coming;
        let is_new = matches!(&result, Ok(Arrived::Taken(receipt)) if receipt.id == *id);
        Self::new(result, move |result| {
            let taken = u64::from(is_new && result.is_ok());
            tally.taken.fetch_add(taken, Ordering::Relaxed);
            drop(answer.send(result));
        })
    }

    /// As [`Ran::new`], for a caller that waits.
    fn answering<T: Send + 'static>(result: Result<T>, answer: oneshot::Sender<Result<T>>) -> Self {
        // The caller may have been cancelled; the write is done all the same.
        Self::new(result, |result| drop(answer.send(result)))
    }
}

/// The error of a transaction that failed as a whole.
#[derive(Default)]
struct Failure {
    why: String,
    found_full: bool,
}

impl Failure {
    fn of(conn: &Connection, error: &rusqlite::Error) -> Self {
        Self { why: error.to_string(), found_full: is_full(conn, error) }
    }

    fn error(&self) -> StoreError {
        if self.found_full { StoreError::Full } else { database(self.why.clone()) }
    }
}

/// A handle that queues writes. Dropping the last handle waits until all queued writes are done.
pub(super) struct Writer {
    thread: Arc<Thread>,
    /// Audit event that is recorded together with each write.
    act: Option<Act>,
}

/// The writer thread.
struct Thread {
    queue: Option<SyncSender<Job>>,
    handle: Option<JoinHandle<()>>,
    tally: Arc<Tally>,
}

/// Counters of the writer.
#[derive(Default)]
struct Tally {
    /// Jobs that are queued or running.
    waiting: AtomicUsize,
    /// Submissions accepted.
    taken: AtomicU64,
    /// Submissions refused because the disk was full.
    refused: AtomicU64,
}

impl Writer {
    /// Starts the thread.
    ///
    /// The clean-up runs `tidy_after` a write, and closes `gate` while it empties the log. Changes
    /// that jobs record in `held` are published when they are on disk.
    pub(super) fn start(
        mut conn: Connection,
        tidy_after: Duration,
        held: Arc<Held>,
        gate: Arc<Gate>,
    ) -> Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE_MAX);
        let tally = Arc::<Tally>::default();
        let noted = Arc::clone(&tally);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                let path = PathBuf::from(conn.path().unwrap_or_default());
                let tidy = Tidy::new(&conn, &path, tidy_after, gate);
                run(&mut conn, &jobs, tidy, Room::new(&path), &held, &noted);
            })
            .map_err(database)?;
        let thread = Thread { queue: Some(queue), handle: Some(thread), tally };
        Ok(Self { thread: Arc::new(thread), act: None })
    }

    /// Returns a handle of the same writer that records an audit event with each write.
    pub(super) fn noting(&self, act: Act) -> Self {
        Self { thread: Arc::clone(&self.thread), act: Some(act) }
    }

    /// Runs `work` on the writer thread, and returns when its changes are on disk.
    ///
    /// # Errors
    /// [`StoreError::Full`] if the disk is full; [`StoreError::Busy`] if too many writes are
    /// queued.
    pub(super) async fn write<T: Did + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(true, work).await
    }

    /// As [`Writer::write`], for writes that free space, or are needed for that: deletions,
    /// sign-ins. On a full disk they use the reserve.
    pub(super) async fn write_when_full<T: Did + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Clone + Send + 'static,
    ) -> Result<T> {
        match self.ask(false, work.clone()).await {
            // The first write that found the disk full has released the reserve: try once more.
            Err(StoreError::Full) => self.ask(false, work).await,
            other => other,
        }
    }

    async fn ask<T: Did + Send + 'static>(
        &self,
        grows: bool,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let act = self.act.clone();
        let noted = move |conn: &Connection| {
            let done = work(conn)?;
            if let Some(act) = act {
                audit::append(conn, act, &done.did())?;
            }
            Ok(done)
        };
        let run = move |conn: Result<&Connection>| {
            let done = conn.and_then(|conn| noted(conn).map_err(|error| full(conn, error)));
            Ran::answering(done, answer)
        };
        self.send(Job { grows, work: Work::One(Box::new(run)) })?;
        answered.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Inserts a submission, together with those queued next to it.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub(super) async fn take_in(&self, ready: Ready) -> Result<Arrived> {
        let (answer, answered) = oneshot::channel();
        let waiter = Waiter { answer, tally: Arc::clone(&self.thread.tally) };
        let coming = Box::new(Coming { ready, waiter });
        self.send(Job { grows: true, work: Work::Arrival(coming) })?;
        answered.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Queues a write without waiting for it. A failure is logged.
    pub(super) fn write_later(
        &self,
        work: impl FnOnce(&Connection) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let tell = |result: Result<()>| {
            if let Err(error) = result {
                tracing::warn!(%error, "queued write failed");
            }
        };
        let run = move |conn: Result<&Connection>| {
            let done = conn.and_then(|conn| work(conn).map_err(|error| full(conn, error)));
            Ran::new(done, tell)
        };
        self.send(Job { grows: true, work: Work::One(Box::new(run)) })
    }

    fn send(&self, job: Job) -> Result<()> {
        let queue = self.thread.queue.as_ref().ok_or_else(stopped)?;
        // Incremented before the send, because the job may be done before `send` returns.
        self.thread.tally.waiting.fetch_add(1, Ordering::Relaxed);
        queue.try_send(job).map_err(|error| {
            self.thread.tally.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => StoreError::Busy(QUEUE_MAX),
                TrySendError::Disconnected(_) => stopped(),
            }
        })
    }

    /// Returns the number of queued and running jobs.
    pub(super) fn waiting(&self) -> usize {
        self.thread.tally.waiting.load(Ordering::Relaxed)
    }

    /// Returns the number of submissions refused because the disk was full.
    pub(super) fn refused(&self) -> u64 {
        self.thread.tally.refused.load(Ordering::Relaxed)
    }

    /// Returns the number of accepted submissions.
    pub(super) fn taken(&self) -> u64 {
        self.thread.tally.taken.load(Ordering::Relaxed)
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.handle.take() {
            // All callers that wait for a panicked thread get an error.
            let _ = thread.join();
        }
    }
}

fn stopped() -> StoreError {
    database("the writer stopped without an answer")
}

/// Converts a database error caused by a full disk into [`StoreError::Full`].
fn full(conn: &Connection, error: StoreError) -> StoreError {
    if let StoreError::Database(source) = &error
        && let Some(source) = source.downcast_ref::<rusqlite::Error>()
        && is_full(conn, source)
    {
        return StoreError::Full;
    }
    error
}

fn run(
    conn: &mut Connection,
    jobs: &Receiver<Job>,
    mut tidy: Tidy,
    mut room: Room,
    held: &Held,
    tally: &Tally,
) {
    let mut has_reserve = !room.is_scarce();
    loop {
        // Wakes up for the clean-up and, while the reserve is missing, to check for free space.
        let look = (!has_reserve).then_some(LOOK_EVERY);
        let first = match tidy.wait().into_iter().chain(look).min() {
            Some(wait) => jobs.recv_timeout(wait),
            None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match first {
            Ok(first) => {
                has_reserve &= batch::run(conn, first, jobs, held, &mut room, tally);
                tidy.wrote(conn);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if tidy.go_on(conn) || !has_reserve {
            has_reserve = room.refill();
        }
    }
    tidy.finish(conn);
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
