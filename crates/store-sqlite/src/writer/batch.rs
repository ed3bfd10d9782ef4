//! One transaction of the writer: runs the queued jobs, commits, then answers all of them.
//!
//! Each job has a savepoint of its own. Consecutive submissions share one. If one of them fails,
//! all of these are rolled back and inserted again one by one.

use super::{
    FinishedJob, JobClosure, JobWork, QueuedSubmission, TransactionFailure, WriteJob,
    WriterCounters, stopped_error, to_full_error,
};
use crate::disk_reserve::DiskReserve;
use crate::insert_submission;
use crate::memory_index::MemoryIndex;
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use store::new_submission::{InsertOutcome, PreparedInsert};
use store::{Result, StoreError};

/// Maximum number of jobs per transaction.
const BATCH_MAX: usize = 256;

/// Runs a job, and all that are queued by then, in one transaction. Returns `false` if disk space
/// is scarce.
pub(super) fn run_batch(
    conn: &Connection,
    first: WriteJob,
    jobs: &Receiver<WriteJob>,
    index: &MemoryIndex,
    room: &mut DiskReserve,
    tally: &WriterCounters,
) -> bool {
    let allows_growth = room.allows_growth(conn);
    let mut batch = Batch::begin(conn, index, allows_growth);
    batch.allows_intake = room.allows_intake(conn);
    let mut next = Some(first);
    let mut jobs_done = 0;
    while let Some(job) = next {
        batch.accept_job(job);
        jobs_done += 1;
        next = batch.next_job(jobs).or_else(|| {
            // More jobs may be queued while these submissions are inserted.
            batch.insert_group();
            batch.next_job(jobs)
        });
    }
    let Batch { finished, failure, .. } = batch;
    let staged = index.stage_changes(conn);
    let failure = failure.or_else(|| execute_cached(conn, "COMMIT").err());
    staged.finish(failure.is_none());
    if failure.is_some() && !conn.is_autocommit() {
        // Fails only if the transaction has already ended.
        let _ = conn.execute_batch("ROLLBACK");
    }
    let found_full = failure.as_ref().is_some_and(|failure| failure.found_full)
        || (allows_growth && finished.iter().any(|job| job.found_full));
    if found_full {
        // Before the answers, so that a retry finds space.
        room.release();
    }
    tally.waiting.fetch_sub(jobs_done, Ordering::Relaxed);
    for job in finished {
        (job.reply)(failure.as_ref());
    }
    !found_full && !room.is_scarce()
}

/// A running transaction.
struct Batch<'w> {
    conn: &'w Connection,
    index: &'w MemoryIndex,
    allows_growth: bool,
    allows_intake: bool,
    finished: Vec<FinishedJob>,
    /// Consecutive submissions that are inserted together.
    group: Vec<QueuedSubmission>,
    /// The error after which the transaction accepts no more jobs.
    failure: Option<TransactionFailure>,
}

impl<'w> Batch<'w> {
    fn begin(conn: &'w Connection, index: &'w MemoryIndex, allows_growth: bool) -> Self {
        let failure = execute_cached(conn, "BEGIN IMMEDIATE").err();
        Self {
            conn,
            index,
            allows_growth,
            allows_intake: true,
            finished: Vec::new(),
            group: Vec::new(),
            failure,
        }
    }

    /// Returns the next queued job, unless the transaction is full or has failed.
    fn next_job(&self, jobs: &Receiver<WriteJob>) -> Option<WriteJob> {
        let has_room = self.failure.is_none() && self.finished.len() + self.group.len() < BATCH_MAX;
        if has_room { jobs.try_recv().ok() } else { None }
    }

    /// Runs a job after all previous ones. A submission only joins the current group.
    fn accept_job(&mut self, job: WriteJob) {
        let refusal = self.refusal_error(job.grows);
        match (job.work, refusal) {
            (JobWork::Submission(queued), None) if self.allows_intake => self.group.push(*queued),
            (JobWork::Submission(queued), refusal) => {
                let error = refusal.unwrap_or(StoreError::DiskReserved);
                queued.waiter.tally.refused.fetch_add(1, Ordering::Relaxed);
                self.finished.push(FinishedJob::for_caller(Err(error), queued.waiter.answer));
            }
            (JobWork::Closure(run), None) => {
                self.insert_group();
                self.run_job(run);
            }
            (JobWork::Closure(run), Some(error)) => self.finished.push(run(Err(error))),
        }
    }

    fn run_job(&mut self, run: JobClosure) {
        // A previous job may have ended the transaction.
        if let Some(failure) = &self.failure {
            return self.finished.push(run(Err(failure.error())));
        }
        let outcome = |job: &FinishedJob| (job.keep, job.found_full);
        let job = self.in_savepoint(|conn, _| run(Ok(conn)), outcome);
        self.finished.extend(job);
    }

    /// Returns the error for a job that cannot run in this transaction, or not on a full disk.
    fn refusal_error(&self, grows: bool) -> Option<StoreError> {
        match &self.failure {
            Some(failure) => Some(failure.error()),
            None => (grows && !self.allows_growth).then_some(StoreError::DiskFull),
        }
    }

    /// Inserts the group of consecutive submissions.
    fn insert_group(&mut self) {
        if self.group.is_empty() {
            return;
        }
        let queued = self.group.drain(..).map(|queued| (queued.ready, queued.waiter));
        let (mut ready, waiters): (Vec<_>, Vec<_>) = queued.unzip();
        let outcomes: Vec<Result<InsertOutcome>> = match self.insert_submissions(&mut ready) {
            Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
            Err(_) => ready.iter_mut().map(|ready| self.insert_alone(ready)).collect(),
        };
        let jobs = outcomes.into_iter().zip(&ready).zip(waiters);
        let jobs = jobs.map(|((result, ready), waiter)| {
            FinishedJob::for_submission(result, &ready.id, waiter)
        });
        self.finished.extend(jobs);
    }

    fn insert_alone(&mut self, ready: &mut PreparedInsert) -> Result<InsertOutcome> {
        match self.refusal_error(true) {
            Some(error) => Err(error),
            None => self
                .insert_submissions(std::slice::from_mut(ready))?
                .pop()
                .ok_or_else(stopped_error),
        }
    }

    /// Inserts all of these submissions, or no submission.
    fn insert_submissions(&mut self, ready: &mut [PreparedInsert]) -> Result<Vec<InsertOutcome>> {
        let insert = |conn: &Connection, index: &MemoryIndex| {
            insert_submission::insert_group(conn, index, ready)
                .map_err(|error| to_full_error(conn, error))
        };
        let outcome = |done: &Result<_>| (done.is_ok(), matches!(done, Err(StoreError::DiskFull)));
        self.in_savepoint(insert, outcome).unwrap_or_else(|| Err(stopped_error()))
    }

    /// Runs `work` in a savepoint. `outcome` returns whether to keep the changes, and whether the
    /// disk was full. If `work` panics, its changes are rolled back and the result is `None`; its
    /// caller gets an error because the answer channel is dropped.
    fn in_savepoint<T>(
        &mut self,
        work: impl FnOnce(&Connection, &MemoryIndex) -> T,
        outcome: impl FnOnce(&T) -> (bool, bool),
    ) -> Option<T> {
        let Self { conn, index, .. } = *self;
        let recorded = index.record_mark();
        if let Err(failure) = execute_cached(conn, "SAVEPOINT job") {
            self.failure = Some(failure);
            return None;
        }
        // Unwind safe: after a panic, the savepoint is rolled back and the recorded changes are
        // discarded.
        let done = catch_unwind(AssertUnwindSafe(|| work(conn, index))).ok();
        let (keep, found_full) = done.as_ref().map_or((false, false), outcome);
        let result = if conn.is_autocommit() {
            // Some errors, such as a full disk, make SQLite roll back the whole transaction.
            let reason =
                "the transaction was rolled back because one of its writes failed".to_owned();
            Err(TransactionFailure { reason, found_full, found_locked: false })
        } else if keep {
            execute_cached(conn, "RELEASE job")
        } else {
            index.discard_changes_after(recorded);
            execute_cached(conn, "ROLLBACK TO job")
                .and_then(|()| execute_cached(conn, "RELEASE job"))
        };
        self.failure = result.err();
        done
    }
}

/// Executes a transaction command. The statement is cached.
fn execute_cached(
    conn: &Connection,
    sql: &'static str,
) -> std::result::Result<(), TransactionFailure> {
    let done = conn.prepare_cached(sql).and_then(|mut command| command.execute([]));
    done.map(drop).map_err(|error| TransactionFailure::of(conn, &error))
}
