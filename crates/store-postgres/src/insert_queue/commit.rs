//! Commits batches of submissions, also if a connection is lost.
//!
//! A submission is confirmed only after a commit, or after its row was found. If the connection is
//! lost during a commit, the outcome is unknown. The task then waits for the lock on the form's
//! row, which the transaction had. Once it is free, the transaction has ended, and its rows exist
//! or never will. Missing rows are inserted again. If the database cannot be queried, all callers
//! get an error, and clients with an `Idempotency-Key` may retry.

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

/// Maximum attempts to insert a batch.
const TRIES_MAX: usize = 3;
/// Maximum checks for the outcome of a commit, and the pause between them.
const ASKED_MAX: usize = 20;
const ASKED_EVERY: Duration = Duration::from_millis(100);

/// Callers that wait for the results of a group, and the guard of its form.
pub(super) struct Waiters {
    senders: Vec<Sender<Result<Arrived>>>,
    _held: Held,
}

/// Commits a batch and answers the callers. Returns the groups of locked forms.
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

/// Commits groups together, and returns those of locked forms. A single group waits for its
/// form's lock.
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

/// Tries until the outcome is known.
async fn settle(connections: &Connections, groups: &[Group]) -> Result<Answers> {
    let mut tries = 1;
    loop {
        // `get` has already waited for a connection, so its error is final.
        let mut conn = connections.get().await?;
        let error = match attempt(&mut conn, groups).await {
            Ok(answers) => return Ok(answers),
            Err(Failed::Undone(error)) => error,
            Err(Failed::Unknown(answers, error)) => {
                // Return the connection first, because `is_kept` needs one.
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

/// Waits until an interrupted commit has ended, and returns whether it succeeded.
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
                tracing::error!(%error, "unknown whether submissions were committed");
                return Err(error);
            }
            Err(_) => tokio::time::sleep(ASKED_EVERY).await,
            kept => return kept,
        }
        asked += 1;
    }
}

/// Returns the submissions of a group that were inserted now, without replays.
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
    // Wait for the interrupted transaction, which locked this form.
    if let Some(first) = new.first() {
        forms::lock(&tx, &first.form).await?;
    }
    let forms: Vec<&str> = new.iter().map(|ready| ready.form.as_str()).collect();
    let at: Vec<i64> = new.iter().map(|ready| ready.row.submitted_at).collect();
    let ids: Vec<&str> = new.iter().map(|ready| ready.row.id.as_str()).collect();
    // One row is enough: all were committed together, and some may have been deleted since.
    // Submissions that the owner moved since are in `unlisted`.
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
        // The caller may have gone away. The submission is inserted nevertheless.
        drop(waiter.send(answer));
    }
}

/// Copies an error for one of several callers.
fn same(error: &StoreError) -> StoreError {
    match error {
        StoreError::Busy(waiting) => StoreError::Busy(*waiting),
        error if code(error) == Some(&SqlState::DISK_FULL) => StoreError::Full,
        StoreError::Unavailable(source) => gone(source.to_string()),
        StoreError::Database(source) => database(source.to_string()),
        error => database(error.to_string()),
    }
}
