//! Commits batches of submissions, also if a connection is lost.
//!
//! A submission is confirmed only after a commit, or after its row was found. If the connection is
//! lost during a commit, the outcome is unknown. The task then waits for the lock on the form's
//! row, which the transaction had. Once it is free, the transaction has ended, and its rows exist
//! or never will. Missing rows are inserted again. If the database cannot be queried, all callers
//! get an error, and clients with an `Idempotency-Key` may retry.

use super::attempt::{AttemptError, FormGroup, GroupResults, insert_batch, newly_inserted};
use super::queue::{Batch, BusyForm, FormBatch};
use crate::connect::Connections;
use crate::errors::{database_error, sql_state, unavailable};
use crate::query::read_column;
use crate::{forms, query};
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::new_submission::{InsertOutcome, PreparedInsert};
use store::{Result, StoreError};
use tokio::sync::oneshot::Sender;
use tokio_postgres::error::SqlState;

/// Maximum attempts to insert a batch.
const ATTEMPTS_MAX: usize = 3;
/// Maximum checks for the outcome of a commit, and the pause between them.
const CHECKS_MAX: usize = 20;
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Callers that wait for the results of a group, and the guard of its form.
pub(super) struct Waiters {
    senders: Vec<Sender<Result<InsertOutcome>>>,
    _busy_form: BusyForm,
}

/// Commits a batch and answers the callers. Returns the groups of locked forms.
pub(super) async fn commit_batch(
    connections: &Connections,
    batch: Batch,
) -> Vec<(FormGroup, Waiters)> {
    let mut groups = Vec::with_capacity(batch.len());
    let mut waiters = Vec::with_capacity(batch.len());
    for FormBatch { form, inserts: queued, busy_form } in batch {
        let (ready, senders) = queued.into_iter().map(|entry| (entry.insert, entry.result)).unzip();
        groups.push(FormGroup { form, ready });
        waiters.push(Waiters { senders, _busy_form: busy_form });
    }
    commit_groups(connections, groups, waiters).await
}

/// Commits groups together, and returns those of locked forms. A single group waits for its
/// form's lock.
pub(super) async fn commit_groups(
    connections: &Connections,
    groups: Vec<FormGroup>,
    waiters: Vec<Waiters>,
) -> Vec<(FormGroup, Waiters)> {
    match insert_until_known(connections, &groups).await {
        Ok(answers) => {
            let inserted = groups.iter().zip(&answers).flat_map(newly_inserted).count();
            connections.submissions_inserted.fetch_add(inserted as u64, Ordering::Relaxed);
            let groups_and_answers = groups.into_iter().zip(waiters).zip(answers);
            groups_and_answers
                .filter_map(|((group, waiting), answers)| match answers {
                    Some(answers) => {
                        send_results(waiting, answers);
                        None
                    }
                    None => Some((group, waiting)),
                })
                .collect()
        }
        Err(error) => {
            for waiting in waiters {
                let answers = waiting.senders.iter().map(|_| Err(copy_error(&error))).collect();
                send_results(waiting, answers);
            }
            Vec::new()
        }
    }
}

/// Tries until the outcome is known.
async fn insert_until_known(
    connections: &Connections,
    groups: &[FormGroup],
) -> Result<GroupResults> {
    let mut tries = 1;
    loop {
        // `get` has already waited for a connection, so its error is final.
        let mut conn = connections.get().await?;
        let error = match insert_batch(&mut conn, groups).await {
            Ok(answers) => return Ok(answers),
            Err(AttemptError::RolledBack(error)) => error,
            Err(AttemptError::Unknown(answers, error)) => {
                // Return the connection first, because `was_committed` needs one.
                drop(conn);
                if was_committed(connections, groups, &answers).await? {
                    return Ok(answers);
                }
                error
            }
        };
        if tries == ATTEMPTS_MAX || matches!(error, StoreError::Busy(_)) {
            return Err(error);
        }
        tries += 1;
    }
}

/// Waits until an interrupted commit has ended, and returns whether it succeeded.
async fn was_committed(
    connections: &Connections,
    groups: &[FormGroup],
    answers: &GroupResults,
) -> Result<bool> {
    let new: Vec<&PreparedInsert> = groups.iter().zip(answers).flat_map(newly_inserted).collect();
    if new.is_empty() {
        // There was nothing to commit.
        return Ok(true);
    }
    let mut checks = 1;
    loop {
        match find_committed(connections, &new).await {
            Err(error) if checks == CHECKS_MAX => {
                tracing::error!(%error, "unknown whether submissions were committed");
                return Err(error);
            }
            Err(_) => tokio::time::sleep(CHECK_INTERVAL).await,
            found => return found,
        }
        checks += 1;
    }
}

async fn find_committed(connections: &Connections, new: &[&PreparedInsert]) -> Result<bool> {
    let mut conn = connections.get().await?;
    let tx = conn.transaction().await.map_err(database_error)?;
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
    let found = query::fetch_one(&tx, sql, &[&forms, &at, &ids]).await?;
    read_column(&found, 0)
}

fn send_results(waiting: Waiters, answers: Vec<Result<InsertOutcome>>) {
    for (waiter, answer) in waiting.senders.into_iter().zip(answers) {
        // The caller may have gone away. The submission is inserted nevertheless.
        drop(waiter.send(answer));
    }
}

/// Copies an error for one of several callers.
fn copy_error(error: &StoreError) -> StoreError {
    match error {
        StoreError::Busy(waiting) => StoreError::Busy(*waiting),
        error if sql_state(error) == Some(&SqlState::DISK_FULL) => StoreError::DiskFull,
        StoreError::Unavailable(source) => unavailable(source.to_string()),
        StoreError::Database(source) => database_error(source.to_string()),
        error => database_error(error.to_string()),
    }
}
