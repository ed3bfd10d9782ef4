//! One transaction of the writer: what waits is done in it, and everyone is answered at its end.
//!
//! Each job stands in a savepoint of its own. Submissions that wait beside each other share one;
//! where one of them fails, all of these are undone and taken in again one by one.

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

/// How many jobs share a transaction.
const BATCH_MAX: usize = 256;

/// Runs a job, and all that wait by then, in one transaction. Returns whether room was not
/// found scarce.
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
            // While these are written, others may come.
            batch.take_in();
            batch.next(jobs)
        });
    }
    let Batch { ran, failed, .. } = batch;
    let staged = held.stage();
    let failed = failed.or_else(|| command(conn, "COMMIT").err());
    staged.end(failed.is_none());
    if failed.is_some() && !conn.is_autocommit() {
        // Fails only where the transaction is gone already, which is what it is for.
        let _ = conn.execute_batch("ROLLBACK");
    }
    let found_full = failed.as_ref().is_some_and(|failure| failure.found_full)
        || (allows_growth && ran.iter().any(|ran| ran.found_full));
    if found_full {
        // Before anybody is answered, so that whoever tries again finds room.
        room.give_up();
    }
    tally.waiting.fetch_sub(jobs_done, Ordering::Relaxed);
    for ran in ran {
        (ran.reply)(failed.as_ref());
    }
    !found_full && !room.is_scarce()
}

/// A transaction under way.
struct Batch<'w> {
    conn: &'w Connection,
    held: &'w Held,
    allows_growth: bool,
    allows_intake: bool,
    ran: Vec<Ran>,
    /// Submissions that wait for each other.
    coming: Vec<Coming>,
    /// Why nothing more can be done in it.
    failed: Option<Failure>,
}

impl<'w> Batch<'w> {
    fn begin(conn: &'w Connection, held: &'w Held, allows_growth: bool) -> Self {
        let failed = command(conn, "BEGIN IMMEDIATE").err();
        let (ran, coming) = (Vec::new(), Vec::new());
        Self { conn, held, allows_growth, allows_intake: true, ran, coming, failed }
    }

    /// Returns a job that waits, where there is room for it.
    fn next(&self, jobs: &Receiver<Job>) -> Option<Job> {
        let has_room = self.failed.is_none() && self.ran.len() + self.coming.len() < BATCH_MAX;
        if has_room { jobs.try_recv().ok() } else { None }
    }

    /// Does a job, behind all that came before it; a submission waits for others.
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
        // What came before may have ended the transaction.
        if let Some(failure) = &self.failed {
            return self.ran.push(run(Err(failure.error())));
        }
        let how = |ran: &Ran| (ran.keep, ran.found_full);
        let ran = self.in_savepoint(|conn, _| run(Ok(conn)), how);
        self.ran.extend(ran);
    }

    /// Why a job cannot be done any more, or not now.
    fn refusal(&self, grows: bool) -> Option<StoreError> {
        match &self.failed {
            Some(failure) => Some(failure.error()),
            None => (grows && !self.allows_growth).then_some(StoreError::Full),
        }
    }

    /// Takes the submissions in that wait for each other.
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

    /// Inserts all of these, or none.
    fn insert(&mut self, ready: &mut [Ready]) -> Result<Vec<Arrived>> {
        let insert = |conn: &Connection, held: &Held| {
            insert_submission::insert(conn, held, ready).map_err(|error| full(conn, error))
        };
        let how = |done: &Result<_>| (done.is_ok(), matches!(done, Err(StoreError::Full)));
        self.in_savepoint(insert, how).unwrap_or_else(|| Err(stopped()))
    }

    /// Does some work, and keeps it or not, as `how` says; the second that it says is whether the
    /// disk was found full. `None` where it panics: it is undone, and whoever waits for it learns
    /// that there is no answer.
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
        let done = catch_unwind(AssertUnwindSafe(|| work(conn, held))).ok();
        let (keep, found_full) = done.as_ref().map_or((false, false), how);
        let ended = if conn.is_autocommit() {
            // A full disk, for one, ends the transaction under all of them.
            let why = "the transaction was undone because one of its writes failed".to_owned();
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

/// Executes what every transaction says; it is parsed once.
fn command(conn: &Connection, sql: &'static str) -> std::result::Result<(), Failure> {
    let done = conn.prepare_cached(sql).and_then(|mut command| command.execute([]));
    done.map(drop).map_err(|error| Failure::of(conn, &error))
}
