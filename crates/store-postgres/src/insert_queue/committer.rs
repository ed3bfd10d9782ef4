//! Tasks that commit submissions (group commit): submissions that are queued during one transaction
//! share the next.
//!
//! A task ends when the queue is empty. Submissions of locked forms wait in tasks of their own, so
//! that they block neither a committer nor another form.

use super::attempt::FormGroup;
use super::commit::{self, Waiters};
use super::queue::{QueuedInsert, SharedQueue};
use crate::connect::{Connections, Setup};
use crate::errors::database_error;
use futures_util::future::join_all;
use std::sync::Arc;
use store::Result;
use store::new_submission::{InsertOutcome, NewSubmission, PreparedInsert};
use tokio::sync::oneshot;

/// Queue of submissions to insert.
pub(crate) struct InsertQueue {
    shared: Arc<SharedQueue>,
}

impl InsertQueue {
    pub(crate) fn new(connections: Arc<Connections>, setup: &Setup) -> Self {
        Self { shared: Arc::new(SharedQueue::new(connections, setup)) }
    }

    /// Inserts a submission. The insertion continues if this future is dropped.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if the queue is full.
    pub(crate) async fn insert_submission(&self, arrival: NewSubmission) -> Result<InsertOutcome> {
        let ready = PreparedInsert::new(arrival)?;
        let (answer, answered) = oneshot::channel();
        if self.shared.push(QueuedInsert { insert: ready, result: answer })? {
            spawn_committer(&self.shared);
        }
        answered
            .await
            .unwrap_or_else(|_| Err(database_error("the insertion ended without a result")))
    }
}

/// A committer task, which runs until the queue is empty.
struct Committer {
    shared: Arc<SharedQueue>,
    is_done: bool,
}

impl Drop for Committer {
    fn drop(&mut self) {
        // `SharedQueue::next` has not deregistered a task that ends early.
        if !self.is_done {
            self.shared.deregister_committer();
        }
    }
}

/// Starts a committer task.
fn spawn_committer(shared: &Arc<SharedQueue>) {
    tokio::spawn(commit_all(Arc::clone(shared)));
}

async fn commit_all(shared: Arc<SharedQueue>) {
    let mut committer = Committer { shared: Arc::clone(&shared), is_done: false };
    while let Some(batch) = shared.next_batch() {
        let locked = commit::commit_batch(&shared.connections, batch).await;
        if !locked.is_empty() {
            tokio::spawn(insert_locked(Arc::clone(&shared), locked));
        }
    }
    committer.is_done = true;
}

/// Inserts the submissions of locked forms, each form on its own, while committers continue.
async fn insert_locked(shared: Arc<SharedQueue>, locked: Vec<(FormGroup, Waiters)>) {
    let wait = async |(group, waiters)| {
        // The semaphore is never closed.
        let _place = shared.lock_wait_permits.acquire().await;
        commit::commit_groups(&shared.connections, vec![group], vec![waiters]).await;
        if shared.should_spawn() {
            spawn_committer(&shared);
        }
    };
    join_all(locked.into_iter().map(wait)).await;
}
