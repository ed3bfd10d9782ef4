//! The writer: one thread, one connection, one transaction for all that waits.
//!
//! What arrives while a transaction is being made durable goes together into the next one, so that
//! one wait for the disk serves many. One job that fails is undone alone. Nobody is answered before
//! the transaction is on disk. Where the disk is full, what makes the database grow is refused, and
//! what makes it shrink goes on.

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

/// How many jobs may wait; one more is refused.
const QUEUE_MAX: usize = 1024;

/// Something to write.
struct Job {
    /// Whether it is refused where the disk is full.
    grows: bool,
    work: Work,
}

/// What is to be done.
enum Work {
    /// Something by itself.
    One(Run),
    /// A submission, which is taken in together with those that wait beside it.
    Arrival(Box<Coming>),
}

/// A submission that comes in, and who waits for word of it.
struct Coming {
    ready: Ready,
    waiter: Waiter,
}

/// Who waits for word of a submission, and where it is counted.
struct Waiter {
    answer: oneshot::Sender<Result<Arrived>>,
    tally: Arc<Tally>,
}

/// Does its work, or is told why it cannot, and returns how it went.
type Run = Box<dyn FnOnce(Result<&Connection>) -> Ran + Send>;

/// Answers; with a reason where the transaction failed as a whole.
type Reply = Box<dyn FnOnce(Option<&Failure>) + Send>;

/// A job that has run and waits for its transaction's end.
struct Ran {
    keep: bool,
    found_full: bool,
    reply: Reply,
}

impl Ran {
    /// Returns a job that went so, and tells it when the transaction has ended.
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

    /// As [`Ran::new`], for a submission, which is counted where it is none that came before.
    fn arrived(result: Result<Arrived>, id: &SubmissionId, coming: Waiter) -> Self {
        let Waiter { answer, tally } = coming;
        let is_new = matches!(&result, Ok(Arrived::Taken(receipt)) if receipt.id == *id);
        Self::new(result, move |result| {
            let taken = u64::from(is_new && result.is_ok());
            tally.taken.fetch_add(taken, Ordering::Relaxed);
            drop(answer.send(result));
        })
    }

    /// As [`Ran::new`], for one who waits.
    fn answering<T: Send + 'static>(result: Result<T>, answer: oneshot::Sender<Result<T>>) -> Self {
        // Whoever asked may have gone; what was asked for is done all the same.
        Self::new(result, |result| drop(answer.send(result)))
    }
}

/// Why a transaction failed as a whole.
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

/// What is asked to write. When the last of a thread's is dropped, that waits until all that was
/// asked for is written.
pub(super) struct Writer {
    thread: Arc<Thread>,
    /// What is noted together with what is written.
    act: Option<Act>,
}

/// The handle of the writer thread.
struct Thread {
    queue: Option<SyncSender<Job>>,
    handle: Option<JoinHandle<()>>,
    tally: Arc<Tally>,
}

/// What the writer has to do, and did.
#[derive(Default)]
struct Tally {
    /// Jobs that were asked for and are not answered.
    waiting: AtomicUsize,
    /// Submissions that were taken in.
    taken: AtomicU64,
    /// Submissions that were refused for want of room on the disk.
    refused: AtomicU64,
}

impl Writer {
    /// Starts the thread.
    ///
    /// So long after a write, the file is tidied. What jobs note is handed on when it is on disk.
    /// The gate is closed while the log is emptied.
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

    /// Returns the same writer, for what is noted in the audit log within the same transaction.
    pub(super) fn noting(&self, act: Act) -> Self {
        Self { thread: Arc::clone(&self.thread), act: Some(act) }
    }

    /// Writes, and returns once it is on disk.
    ///
    /// # Errors
    /// [`StoreError::Full`] where there is no room for it; [`StoreError::Busy`] where too many
    /// writes are waiting.
    pub(super) async fn write<T: Did + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(true, work).await
    }

    /// As [`Writer::write`], for what frees room, or must be done for that: deletions, sign-ins. On
    /// a full disk it is done from the reserve.
    pub(super) async fn write_when_full<T: Did + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Clone + Send + 'static,
    ) -> Result<T> {
        match self.ask(false, work.clone()).await {
            // The first to find the disk full has given the reserve up, so there is room now.
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

    /// Takes a submission in, together with those that wait beside it.
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

    /// Writes with whatever is written next; nobody waits for it.
    pub(super) fn write_later(
        &self,
        work: impl FnOnce(&Connection) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let tell = |result: Result<()>| {
            if let Err(error) = result {
                tracing::warn!(%error, "a note of use was not written");
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
        // Counted first: it may be done before this goes on.
        self.thread.tally.waiting.fetch_add(1, Ordering::Relaxed);
        queue.try_send(job).map_err(|error| {
            self.thread.tally.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => StoreError::Busy(QUEUE_MAX),
                TrySendError::Disconnected(_) => stopped(),
            }
        })
    }

    /// How many jobs wait, or are under way.
    pub(super) fn waiting(&self) -> usize {
        self.thread.tally.waiting.load(Ordering::Relaxed)
    }

    /// How many submissions were refused for want of room on the disk.
    pub(super) fn refused(&self) -> u64 {
        self.thread.tally.refused.load(Ordering::Relaxed)
    }

    /// How many submissions were taken in.
    pub(super) fn taken(&self) -> u64 {
        self.thread.tally.taken.load(Ordering::Relaxed)
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.handle.take() {
            // A thread that panicked has been reported to everyone who waited for it.
            let _ = thread.join();
        }
    }
}

fn stopped() -> StoreError {
    database("the writer ended without an answer")
}

/// An error of the database that came of want of room, as what it is.
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
