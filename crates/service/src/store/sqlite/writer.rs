//! The writer: one thread, one connection, one transaction for all that waits.
//!
//! What arrives while a transaction is being made durable goes together into the next one, so that
//! one wait for the disk serves many. Each job stands in a savepoint of its own: one that fails is
//! undone alone. Nobody is answered before the transaction is on disk.

use super::super::row::database;
use super::super::{Result, StoreError};
use super::held::Held;
use super::tidy::tidy;
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How many jobs may wait; one more is refused.
const QUEUE_MAX: usize = 1024;
/// How many jobs share a transaction.
const BATCH_MAX: usize = 256;
/// Where readers stood in the way of tidying, it is tried again after this time.
const TIDY_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Does its work, or is told why it cannot, and returns how it went.
type Job = Box<dyn FnOnce(Result<&Connection>) -> Ran + Send>;

/// Answers; with a reason where the transaction failed as a whole.
type Reply = Box<dyn FnOnce(Option<&str>) + Send>;

/// A job that has run and waits for its transaction's end.
struct Ran {
    keep: bool,
    reply: Reply,
}

/// The handle of the writer thread. Dropping it waits until all that was asked for is written.
pub(super) struct Writer {
    queue: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    ///
    /// So long after a write, the file is tidied. What jobs note is handed on when it is on disk.
    pub(super) fn start(
        mut conn: Connection,
        tidy_after: Duration,
        held: Arc<Held>,
    ) -> Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE_MAX);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || run(&mut conn, &jobs, tidy_after, &held))
            .map_err(database)?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Writes, and returns once it is on disk.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        self.send(Box::new(move |conn| {
            let result = conn.and_then(work);
            let keep = result.is_ok();
            let reply = move |failed: Option<&str>| {
                let result = match failed {
                    Some(why) if keep => Err(database(why.to_owned())),
                    _ => result,
                };
                // Whoever asked may have gone; what was asked for is done all the same.
                let _ = answer.send(result);
            };
            Ran { keep, reply: Box::new(reply) }
        }))?;
        answered.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Writes with whatever is written next; nobody waits for it.
    pub(super) fn write_later(
        &self,
        work: impl FnOnce(&Connection) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        self.send(Box::new(move |conn| {
            let result = conn.and_then(work);
            let keep = result.is_ok();
            let reply = move |failed: Option<&str>| match (result, failed) {
                (Err(error), _) => tracing::warn!(%error, "a note of use was not written"),
                (_, Some(error)) => tracing::warn!(error, "a note of use was not written"),
                _ => {}
            };
            Ran { keep, reply: Box::new(reply) }
        }))
    }

    fn send(&self, job: Job) -> Result<()> {
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::Busy(QUEUE_MAX),
            TrySendError::Disconnected(_) => stopped(),
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has been reported to everyone who waited for it.
            let _ = thread.join();
        }
    }
}

fn stopped() -> StoreError {
    database("the writer ended without an answer")
}

fn run(conn: &mut Connection, jobs: &Receiver<Job>, tidy_after: Duration, held: &Held) {
    let mut tidy_at: Option<Instant> = None;
    loop {
        let wait = tidy_at.map(|at| at.saturating_duration_since(Instant::now()));
        let first = match wait {
            Some(wait) => jobs.recv_timeout(wait),
            None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match first {
            Ok(first) => {
                batch(conn, first, jobs, held);
                tidy_at = tidy_at.or_else(|| Some(Instant::now() + tidy_after));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if tidy_at.is_some_and(|at| at <= Instant::now()) {
            tidy_at = (!tidy(conn)).then(|| Instant::now() + TIDY_AGAIN_AFTER);
        }
    }
    if tidy_at.is_some() {
        tidy(conn);
    }
}

/// Runs a job, and all that wait by then, in one transaction.
fn batch(conn: &Connection, first: Job, jobs: &Receiver<Job>, held: &Held) {
    if let Err(error) = conn.execute_batch("BEGIN IMMEDIATE") {
        (first(Err(database(error))).reply)(None);
        return;
    }
    let mut ran = Vec::new();
    let mut next = Some(first);
    let mut failed = None;
    while let Some(job) = next {
        match run_job(conn, job, held) {
            Ok(done) => ran.extend(done),
            Err(error) => failed = Some(error.to_string()),
        }
        // A full disk, for one, ends the transaction under all of them.
        if failed.is_none() && conn.is_autocommit() {
            failed = Some("the transaction was undone because one of its writes failed".to_owned());
        }
        next = if failed.is_none() && ran.len() < BATCH_MAX { jobs.try_recv().ok() } else { None };
    }
    let staged = held.stage();
    let failed = failed.or_else(|| conn.execute_batch("COMMIT").err().map(|e| e.to_string()));
    staged.end(failed.is_none());
    if failed.is_some() && !conn.is_autocommit() {
        // Fails only where the transaction is gone already, which is what it is for.
        let _ = conn.execute_batch("ROLLBACK");
    }
    for job in ran {
        (job.reply)(failed.as_deref());
    }
}

/// Runs one job in a savepoint. One that panics is undone, and whoever waits for it learns that
/// there is no answer.
fn run_job(conn: &Connection, job: Job, held: &Held) -> rusqlite::Result<Option<Ran>> {
    let noted = held.noted();
    conn.execute_batch("SAVEPOINT job")?;
    let ran = catch_unwind(AssertUnwindSafe(|| job(Ok(conn)))).ok();
    if conn.is_autocommit() {
        return Ok(ran);
    }
    if !ran.as_ref().is_some_and(|ran| ran.keep) {
        held.forget(noted);
        conn.execute_batch("ROLLBACK TO job")?;
    }
    conn.execute_batch("RELEASE job")?;
    Ok(ran)
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
