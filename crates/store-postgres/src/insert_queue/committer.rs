//! Tasks that commit submissions (group commit): submissions that are queued during one transaction
//! share the next.
//!
//! A task ends when the queue is empty. Submissions of locked forms wait in tasks of their own, so
//! that they block neither a committer nor another form.

use super::Ready;
use super::attempt::Group;
use super::commit::{self, Waiters};
use super::queue::{Coming, Shared};
use crate::connect::{Connections, Setup};
use crate::errors::database;
use futures_util::future::join_all;
use std::sync::Arc;
use store::Result;
use store::new_submission::{Arrival, Arrived};
use tokio::sync::oneshot;

/// Queue of submissions to insert.
pub(crate) struct InsertQueue {
    shared: Arc<Shared>,
}

impl InsertQueue {
    pub(crate) fn new(connections: Arc<Connections>, setup: &Setup) -> Self {
        Self { shared: Arc::new(Shared::new(connections, setup)) }
    }

    /// Inserts a submission. The insertion continues if this future is dropped.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if the queue is full.
    pub(crate) async fn take(&self, arrival: Arrival) -> Result<Arrived> {
        let ready = Ready::new(arrival)?;
        let (answer, answered) = oneshot::channel();
        if self.shared.push(Coming { ready, answer })? {
            spawn(&self.shared);
        }
        answered.await.unwrap_or_else(|_| Err(database("the insertion ended without a result")))
    }
}

/// A committer task, which runs until the queue is empty.
struct Committer {
    shared: Arc<Shared>,
    is_done: bool,
}

impl Drop for Committer {
    fn drop(&mut self) {
        // `Shared::next` has not deregistered a task that ends early.
        if !self.is_done {
            self.shared.forget_committer();
        }
    }
}

/// Starts a committer task.
fn spawn(shared: &Arc<Shared>) {
    tokio::spawn(commit_all(Arc::clone(shared)));
}

async fn commit_all(shared: Arc<Shared>) {
    let mut committer = Committer { shared: Arc::clone(&shared), is_done: false };
    while let Some(batch) = shared.next() {
        let locked = commit::commit(&shared.connections, batch).await;
        if !locked.is_empty() {
            tokio::spawn(wait_all(Arc::clone(&shared), locked));
        }
    }
    committer.is_done = true;
}

/// Inserts the submissions of locked forms, each form on its own, while committers continue.
async fn wait_all(shared: Arc<Shared>, locked: Vec<(Group, Waiters)>) {
    let wait = async |(group, waiters)| {
        // The semaphore is never closed.
        let _place = shared.waits.acquire().await;
        commit::take(&shared.connections, vec![group], vec![waiters]).await;
        if shared.wakes() {
            spawn(&shared);
        }
    };
    join_all(locked.into_iter().map(wait)).await;
}
