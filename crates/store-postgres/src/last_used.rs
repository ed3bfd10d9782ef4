//! Last-used times of keys and sessions, to the minute. One task per process writes them in
//! batches.
//!
//! A row that was updated within the last minute, or is being updated, is skipped. So only the
//! first of several processes writes a row within a minute. No request waits for a row lock or
//! fails because of a last-used time: if it cannot be written, the next use writes it.

use super::connect::Connections;
use super::query;
use contract::{KeyId, Timestamp};
use deadpool_postgres::Client;
use std::sync::Arc;
use store::{Hash, Result};
use tokio::sync::{mpsc, oneshot};

/// Maximum queued updates.
const WAITING_MAX: usize = 256;
/// Minimum interval between two updates of a row, in microseconds.
const UPDATE_INTERVAL_US: i64 = 60_000_000;

const UPDATE_KEYS: &str = "WITH used AS (
      SELECT id, MAX(at) AS at FROM UNNEST($1::TEXT[], $2::BIGINT[]) AS t (id, at) GROUP BY id
    ), due AS (
      SELECT k.id, used.at FROM keys AS k JOIN used ON used.id = k.id
      WHERE k.last_used_at IS NULL OR k.last_used_at <= used.at - $3
      FOR NO KEY UPDATE OF k SKIP LOCKED
    )
    UPDATE keys SET last_used_at = due.at FROM due WHERE keys.id = due.id";

const UPDATE_SESSIONS: &str = "WITH used AS (
      SELECT token, MAX(at) AS at FROM UNNEST($1::BYTEA[], $2::BIGINT[]) AS t (token, at)
      GROUP BY token
    ), due AS (
      SELECT s.token, used.at FROM sessions AS s JOIN used ON used.token = s.token
      WHERE s.seen_at <= used.at - $3
      FOR NO KEY UPDATE OF s SKIP LOCKED
    )
    UPDATE sessions SET seen_at = due.at FROM due WHERE sessions.token = due.token";

/// A used object.
enum UsedObject {
    Key(KeyId),
    Session(Hash),
}

struct LastUsedUpdate {
    used: UsedObject,
    at: Timestamp,
    written: oneshot::Sender<()>,
}

/// The queue of updates. The task ends when the last clone is dropped.
#[derive(Clone)]
pub(super) struct LastUsedQueue(mpsc::Sender<LastUsedUpdate>);

impl LastUsedQueue {
    /// Starts the task that writes updates.
    pub(super) fn start(connections: Arc<Connections>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        tokio::spawn(run_writer(connections, waiting));
        Self(queue)
    }

    /// Records that a key was used, unless the queue is full. Returns once the batch with this
    /// update is written.
    pub(super) async fn touch_key(&self, id: &KeyId, at: Timestamp) {
        self.enqueue(UsedObject::Key(id.clone()), at).await;
    }

    /// Records that a session was used, in the same way.
    pub(super) async fn touch_session(&self, token: Hash, at: Timestamp) {
        self.enqueue(UsedObject::Session(token), at).await;
    }

    async fn enqueue(&self, used: UsedObject, at: Timestamp) {
        let (written, is_written) = oneshot::channel();
        if self.0.try_send(LastUsedUpdate { used, at, written }).is_ok() {
            // An error means that the task has ended, so there is nothing to wait for.
            let _ = is_written.await;
        }
    }
}

async fn run_writer(connections: Arc<Connections>, mut waiting: mpsc::Receiver<LastUsedUpdate>) {
    let mut touches = Vec::with_capacity(WAITING_MAX);
    while waiting.recv_many(&mut touches, WAITING_MAX).await > 0 {
        let mut keys = DueUpdates::default();
        let mut sessions = DueUpdates::default();
        let mut waiters = Vec::new();
        for LastUsedUpdate { used, at, written } in touches.drain(..) {
            match used {
                UsedObject::Key(id) => keys.push(id.into(), at),
                UsedObject::Session(token) => sessions.push(token.to_vec(), at),
            }
            waiters.push(written);
        }
        if let Err(error) = write_updates(&connections, &keys, &sessions).await {
            tracing::warn!(%error, "last-used times not written");
        }
        for written in waiters {
            // The caller may have gone away.
            let _ = written.send(());
        }
    }
}

/// Used objects and their instants, as columns.
struct DueUpdates<T> {
    ids: Vec<T>,
    instants: Vec<i64>,
}

impl<T> Default for DueUpdates<T> {
    fn default() -> Self {
        Self { ids: Vec::new(), instants: Vec::new() }
    }
}

impl<T> DueUpdates<T> {
    fn push(&mut self, id: T, at: Timestamp) {
        self.ids.push(id);
        self.instants.push(at.micros());
    }
}

async fn write_updates(
    connections: &Connections,
    keys: &DueUpdates<String>,
    sessions: &DueUpdates<Vec<u8>>,
) -> Result<()> {
    let conn: Client = connections.get().await?;
    if !keys.ids.is_empty() {
        let values: query::Parameters<'_> = &[&keys.ids, &keys.instants, &UPDATE_INTERVAL_US];
        query::execute(&conn, UPDATE_KEYS, values).await?;
    }
    if !sessions.ids.is_empty() {
        let values: query::Parameters<'_> =
            &[&sessions.ids, &sessions.instants, &UPDATE_INTERVAL_US];
        query::execute(&conn, UPDATE_SESSIONS, values).await?;
    }
    Ok(())
}
