//! Committing a batch of arrivals, whatever becomes of the connection.
//!
//! Who is told that a submission was taken was told so by a commit, or by a look at what is there.
//! Where a connection is lost during a commit, it is first waited until the form's row, which the
//! transaction had locked, is free: then it has ended, whichever way, and what it inserted is there
//! or never will be. If it is not there, it is tried again. Where the database cannot be asked, all
//! are told that it failed: whoever sends with an `Idempotency-Key` may send again.

use super::Ready;
use super::attempt::{Answers, Failed, Group, attempt};
use super::queue::{Batch, Held, Together};
use crate::connect::Connections;
use crate::errors::{code, database, gone};
use crate::query::column;
use crate::{forms, query};
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::new_submission::Arrived;
use store::{Result, StoreError};
use tokio::sync::oneshot::Sender;
use tokio_postgres::error::SqlState;

/// How often a batch is tried of which nothing was done.
const TRIES_MAX: usize = 3;
/// How often is asked what became of a commit, and how long in between.
const ASKED_MAX: usize = 20;
const ASKED_EVERY: Duration = Duration::from_millis(100);

/// Those who wait for word of the arrivals of a group, whose form is nobody else's until then.
pub(super) struct Waiters {
    senders: Vec<Sender<Result<Arrived>>>,
    _held: Held,
}

/// Commits a batch and answers everybody, but those whose forms are locked: these are returned.
pub(super) async fn commit(connections: &Connections, batch: Batch) -> Vec<(Group, Waiters)> {
    let mut groups = Vec::with_capacity(batch.len());
    let mut waiters = Vec::with_capacity(batch.len());
    for Together { form, coming, held } in batch {
        let (ready, senders) = coming.into_iter().map(|it| (it.ready, it.answer)).unzip();
        groups.push(Group { form, ready });
        waiters.push(Waiters { senders, _held: held });
    }
    take(connections, groups, waiters).await
}

/// Commits groups together; returns those whose forms are locked. One group alone waits for its
/// form.
pub(super) async fn take(
    connections: &Connections,
    groups: Vec<Group>,
    waiters: Vec<Waiters>,
) -> Vec<(Group, Waiters)> {
    match settle(connections, &groups).await {
        Ok(answers) => {
            let taken = groups.iter().zip(&answers).flat_map(new).count();
            connections.taken.fetch_add(taken as u64, Ordering::Relaxed);
            let all = groups.into_iter().zip(waiters).zip(answers);
            all.filter_map(|((group, waiting), answers)| match answers {
                Some(answers) => {
                    tell(waiting, answers);
                    None
                }
                None => Some((group, waiting)),
            })
            .collect()
        }
        Err(error) => {
            for waiting in waiters {
                let answers = waiting.senders.iter().map(|_| Err(same(&error))).collect();
                tell(waiting, answers);
            }
            Vec::new()
        }
    }
}

/// Tries until it is known what became of these.
async fn settle(connections: &Connections, groups: &[Group]) -> Result<Answers> {
    let mut tries = 1;
    loop {
        // Where none is to be had, that was waited for already.
        let mut conn = connections.get().await?;
        let error = match attempt(&mut conn, groups).await {
            Ok(answers) => return Ok(answers),
            Err(Failed::Undone(error)) => error,
            Err(Failed::Unknown(answers, error)) => {
                drop(conn);
                if is_kept(connections, groups, &answers).await? {
                    return Ok(answers);
                }
                error
            }
        };
        if tries == TRIES_MAX || matches!(error, StoreError::Busy(_)) {
            return Err(error);
        }
        tries += 1;
    }
}

/// Waits until a transaction that was being committed has ended, and returns whether it was.
async fn is_kept(connections: &Connections, groups: &[Group], answers: &Answers) -> Result<bool> {
    let new: Vec<&Ready> = groups.iter().zip(answers).flat_map(new).collect();
    if new.is_empty() {
        // There was nothing to commit.
        return Ok(true);
    }
    let mut asked = 1;
    loop {
        match look(connections, &new).await {
            Err(error) if asked == ASKED_MAX => {
                tracing::error!(%error, "nobody knows whether arrivals were committed");
                return Err(error);
            }
            Err(_) => tokio::time::sleep(ASKED_EVERY).await,
            kept => return kept,
        }
        asked += 1;
    }
}

/// Those of a group that were taken now.
fn new<'g>((group, answers): (&'g Group, &Option<Vec<Result<Arrived>>>)) -> Vec<&'g Ready> {
    let answers = answers.iter().flatten();
    group.ready.iter().zip(answers).filter(|it| is_new(it.0, it.1)).map(|it| it.0).collect()
}

fn is_new(ready: &Ready, answer: &Result<Arrived>) -> bool {
    matches!(answer, Ok(Arrived::Taken(receipt)) if receipt.id == ready.id)
}

async fn look(connections: &Connections, new: &[&Ready]) -> Result<bool> {
    let mut conn = connections.get().await?;
    let tx = conn.transaction().await.map_err(database)?;
    if let Some(first) = new.first() {
        forms::lock(&tx, &first.form).await?;
    }
    let forms: Vec<&str> = new.iter().map(|ready| ready.form.as_str()).collect();
    let at: Vec<i64> = new.iter().map(|ready| ready.row.submitted_at).collect();
    let ids: Vec<&str> = new.iter().map(|ready| ready.row.id.as_str()).collect();
    // One is enough: they were committed together, and some may have been deleted by now.
    // Submissions that the owner moved since are unlisted.
    let sql = "WITH new AS (
                 SELECT * FROM unnest($1::TEXT[], $2::BIGINT[], $3::TEXT[])
                   AS n (form_id, submitted_at, id))
               SELECT EXISTS (SELECT 1 FROM new JOIN submissions USING (form_id, submitted_at, id))
                 OR EXISTS (SELECT 1 FROM new JOIN unlisted USING (form_id, submitted_at, id)
                   WHERE state IN ('spam', 'trash'))";
    let found = query::row(&tx, sql, &[&forms, &at, &ids]).await?;
    found.map_or(Ok(false), |row| column(&row, 0))
}

fn tell(waiting: Waiters, answers: Vec<Result<Arrived>>) {
    for (waiter, answer) in waiting.senders.into_iter().zip(answers) {
        // Whoever asked may have gone; what was asked for is done all the same.
        drop(waiter.send(answer));
    }
}

/// An error for one of several whom it strikes.
fn same(error: &StoreError) -> StoreError {
    match error {
        StoreError::Busy(waiting) => StoreError::Busy(*waiting),
        error if code(error) == Some(&SqlState::DISK_FULL) => StoreError::Full,
        StoreError::Unavailable(source) => gone(source.to_string()),
        StoreError::Database(source) => database(source.to_string()),
        error => database(error.to_string()),
    }
}
