//! One transaction of the writer: runs the queued jobs, commits, then answers all of them.
//!
//! Each job has a savepoint of its own. Consecutive submissions share one. If one of them fails,
//! all of these are rolled back and inserted again one by one.

use super::{Coming, Failure, Job, Ran, Run, Tally, Work, full, stopped};
use crate::disk_reserve::Room;
use crate::insert_submission::{self, Ready};
use crate::memory_index::Held;
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use store::new_submission::Arrived;
use store::{Result, StoreError};

/// Maximum number of jobs per transaction.
const BATCH_MAX: usize = 256;

/// Runs a job, and all that are queued by then, in one transaction. Returns `false` if disk space
/// is scarce.
pub(super) fn run(
    conn: &Connection,
    first: Job,
    jobs: &Receiver<Job>,
    held: &Held,
    room: &mut Room,
    tally: &Tally,
) -> bool {
    let allows_growth = room.allows_growth(conn);
    let mut batch = Batch::begin(conn, held, allows_growth);
    batch.allows_intake = room.allows_intake(conn);
    let (mut next, mut jobs_done) = (Some(first), 0);
    while let Some(job) = next {
        batch.take(job);
        jobs_done += 1;
        next = batch.next(jobs).or_else(|| {
            // More jobs may be queued while these submissions are inserted.
            batch.take_in();
            batch.next(jobs)
        });
    }
    let Batch { ran, failed, .. } = batch;
    let staged = held.stage();
    let failed = failed.or_else(|| command(conn, "COMMIT").err());
    staged.end(failed.is_none());
    if failed.is_some() && !conn.is_autocommit() {
        // Fails only if the transaction has already ended.
        let _ = conn.execute_batch("ROLLBACK");
    }
    let found_full = failed.as_ref().is_some_and(|failure| failure.found_full)
        || (allows_growth && ran.iter().any(|ran| ran.found_full));
    if found_full {
        // Before the answers, so that a retry finds space.
        room.give_up();
    }
    tally.waiting.fetch_sub(jobs_done, Ordering::Relaxed);
    for ran in ran {
        (ran.reply)(failed.as_ref());
    }
    !found_full && !room.is_scarce()
}

/// A running transaction.
struct Batch<'w> {
    conn: &'w Connection,
    held: &'w Held,
    allows_growth: bool,
    allows_intake: bool,
    ran: Vec<Ran>,
    /// Consecutive submissions that are inserted together.
    coming: Vec<Coming>,
    /// The error after which the transaction accepts no more jobs.
    failed: Option<Failure>,
}

impl<'w> Batch<'w> {
    fn begin(conn: &'w Connection, held: &'w Held, allows_growth: bool) -> Self {
        let failed = command(conn, "BEGIN IMMEDIATE").err();
        let (ran, coming) = (Vec::new(), Vec::new());
        Self { conn, held, allows_growth, allows_intake: true, ran, coming, failed }
    }

    /// Returns the next queued job, unless the transaction is full or has failed.
    fn next(&self, jobs: &Receiver<Job>) -> Option<Job> {
        let has_room = self.failed.is_none() && self.ran.len() + self.coming.len() < BATCH_MAX;
        if has_room { jobs.try_recv().ok() } else { None }
    }

    /// Runs a job after all previous ones. A submission only joins the current group.
    fn take(&mut self, job: Job) {
        let refusal = self.refusal(job.grows);
        match (job.work, refusal) {
            (Work::Arrival(coming), None) if self.allows_intake => self.coming.push(*coming),
            (Work::Arrival(coming), refusal) => {
                let error = refusal.unwrap_or(StoreError::Reserved);
                coming.waiter.tally.refused.fetch_add(1, Ordering::Relaxed);
                self.ran.push(Ran::answering(Err(error), coming.waiter.answer));
            }
            (Work::One(run), None) => {
                self.take_in();
                self.run(run);
            }
            (Work::One(run), Some(error)) => self.ran.push(run(Err(error))),
        }
    }

    fn run(&mut self, run: Run) {
        // A previous job may have ended the transaction.
        if let Some(failure) = &self.failed {
            return self.ran.push(run(Err(failure.error())));
        }
        let how = |ran: &Ran| (ran.keep, ran.found_full);
        let ran = self.in_savepoint(|conn, _| run(Ok(conn)), how);
        self.ran.extend(ran);
    }

    /// Returns the error for a job that cannot run in this transaction, or not on a full disk.
    fn refusal(&self, grows: bool) -> Option<StoreError> {
        match &self.failed {
            Some(failure) => Some(failure.error()),
            None => (grows && !self.allows_growth).then_some(StoreError::Full),
        }
    }

    /// Inserts the group of consecutive submissions.
    fn take_in(&mut self) {
        if self.coming.is_empty() {
            return;
        }
        let coming = self.coming.drain(..).map(|coming| (coming.ready, coming.waiter));
        let (mut ready, waiters): (Vec<_>, Vec<_>) = coming.unzip();
        let arrived: Vec<Result<Arrived>> = match self.insert(&mut ready) {
            Ok(arrived) => arrived.into_iter().map(Ok).collect(),
            Err(_) => ready.iter_mut().map(|ready| self.take_in_alone(ready)).collect(),
        };
        let ran = arrived.into_iter().zip(&ready).zip(waiters);
        let ran = ran.map(|((result, ready), waiter)| Ran::arrived(result, &ready.id, waiter));
        self.ran.extend(ran);
    }

    fn take_in_alone(&mut self, ready: &mut Ready) -> Result<Arrived> {
        match self.refusal(true) {
            Some(error) => Err(error),
            None => self.insert(std::slice::from_mut(ready))?.pop().ok_or_else(stopped),
        }
    }

    /// Inserts all of these submissions, or no submission.
    fn insert(&mut self, ready: &mut [Ready]) -> Result<Vec<Arrived>> {
        let insert = |conn: &Connection, held: &Held| {
            insert_submission::insert(conn, held, ready).map_err(|error| full(conn, error))
        };
        let how = |done: &Result<_>| (done.is_ok(), matches!(done, Err(StoreError::Full)));
        self.in_savepoint(insert, how).unwrap_or_else(|| Err(stopped()))
    }

    /// Runs `work` in a savepoint. `how` returns whether to keep the changes, and whether the disk
    /// was full. If `work` panics, its changes are rolled back and the result is `None`; its caller
    /// gets an error because the answer channel is dropped.
    fn in_savepoint<T>(
        &mut self,
        work: impl FnOnce(&Connection, &Held) -> T,
        how: impl FnOnce(&T) -> (bool, bool),
    ) -> Option<T> {
        let (conn, held, noted) = (self.conn, self.held, self.held.noted());
        if let Err(failure) = command(conn, "SAVEPOINT job") {
            self.failed = Some(failure);
            return None;
        }
        // Unwind safe: after a panic, the savepoint is rolled back and the recorded changes are
        // discarded.
        let done = catch_unwind(AssertUnwindSafe(|| work(conn, held))).ok();
        let (keep, found_full) = done.as_ref().map_or((false, false), how);
        let ended = if conn.is_autocommit() {
            // Some errors, such as a full disk, make SQLite roll back the whole transaction.
            let why = "the transaction was rolled back because one of its writes failed".to_owned();
            Err(Failure { why, found_full })
        } else if keep {
            command(conn, "RELEASE job")
        } else {
            held.forget(noted);
            command(conn, "ROLLBACK TO job").and_then(|()| command(conn, "RELEASE job"))
        };
        self.failed = ended.err();
        done
    }
}

/// Executes a transaction command. The statement is cached.
fn command(conn: &Connection, sql: &'static str) -> std::result::Result<(), Failure> {
    let done = conn.prepare_cached(sql).and_then(|mut command| command.execute([]));
    done.map(drop).map_err(|error| Failure::of(conn, &error))
}
