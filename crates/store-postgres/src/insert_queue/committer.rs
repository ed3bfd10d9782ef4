//! The tasks that commit arrivals: what comes while one transaction is made durable goes together
//! into the next.
//!
//! A task ends when nothing waits. Arrivals whose forms somebody else has locked wait aside, and
//! keep neither a task nor another form waiting.

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

/// Where arrivals are handed in.
pub(crate) struct InsertQueue {
    shared: Arc<Shared>,
}

impl InsertQueue {
    pub(crate) fn new(connections: Arc<Connections>, setup: &Setup) -> Self {
        Self { shared: Arc::new(Shared::new(connections, setup)) }
    }

    /// Takes an arrival in. It is done also where whoever asks goes away meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where too many wait.
    pub(crate) async fn take(&self, arrival: Arrival) -> Result<Arrived> {
        let ready = Ready::new(arrival)?;
        let (answer, answered) = oneshot::channel();
        if self.shared.push(Coming { ready, answer })? {
            spawn(&self.shared);
        }
        answered.await.unwrap_or_else(|_| Err(database("arrivals ended without an answer")))
    }
}

/// A task that commits, until nothing waits.
struct Committer {
    shared: Arc<Shared>,
    is_done: bool,
}

impl Drop for Committer {
    fn drop(&mut self) {
        // Where it ended on its way, it takes no other turn.
        if !self.is_done {
            self.shared.forget_committer();
        }
    }
}

/// Begins a task that commits.
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

/// Takes arrivals in whose forms were locked, each form for itself, while others go on.
async fn wait_all(shared: Arc<Shared>, locked: Vec<(Group, Waiters)>) {
    let wait = async |(group, waiters)| {
        // Closed by nobody.
        let _place = shared.waits.acquire().await;
        commit::take(&shared.connections, vec![group], vec![waiters]).await;
        if shared.wakes() {
            spawn(&shared);
        }
    };
    join_all(locked.into_iter().map(wait)).await;
}
