//! That keys and sessions are used: written down together, by one task of the process, and to the
//! minute.
//!
//! What many processes would write of one row within a minute only the first does: a row that was
//! touched within the last minute, or is being touched, is passed over. No request waits for a row,
//! and none fails for a note of use: what cannot be written, the next use writes.

use super::connect::Connections;
use super::query;
use crate::errors::database;
use contract::{KeyId, Timestamp};
use deadpool_postgres::Client;
use std::sync::Arc;
use store::{Hash, Result};
use tokio::sync::{mpsc, oneshot};

/// Most touches that wait at once.
const WAITING_MAX: usize = 256;
/// How far apart two notes of one use are at least.
const EVERY_US: i64 = 60_000_000;

const KEYS: &str = "WITH used AS (
      SELECT id, MAX(at) AS at FROM UNNEST($1::TEXT[], $2::BIGINT[]) AS t (id, at) GROUP BY id
    ), due AS (
      SELECT k.id, used.at FROM keys AS k JOIN used ON used.id = k.id
      WHERE k.last_used_at IS NULL OR k.last_used_at <= used.at - $3
      FOR NO KEY UPDATE OF k SKIP LOCKED
    )
    UPDATE keys SET last_used_at = due.at FROM due WHERE keys.id = due.id";

const SESSIONS: &str = "WITH used AS (
      SELECT token, MAX(at) AS at FROM UNNEST($1::BYTEA[], $2::BIGINT[]) AS t (token, at)
      GROUP BY token
    ), due AS (
      SELECT s.token, used.at FROM sessions AS s JOIN used ON used.token = s.token
      WHERE s.seen_at <= used.at - $3
      FOR NO KEY UPDATE OF s SKIP LOCKED
    )
    UPDATE sessions SET seen_at = due.at FROM due WHERE sessions.token = due.token";

/// What was used.
enum Used {
    Key(KeyId),
    Session(Hash),
}

struct Touch {
    used: Used,
    at: Timestamp,
    written: oneshot::Sender<()>,
}

/// Where touches wait. The task ends with the last of these.
#[derive(Clone)]
pub(super) struct Touches(mpsc::Sender<Touch>);

impl Touches {
    /// Starts the task that writes them.
    pub(super) fn start(connections: Arc<Connections>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        tokio::spawn(write_all(connections, waiting));
        Self(queue)
    }

    /// Notes that a key was used, where there is room; returns once that is written down, with what
    /// else waits.
    pub(super) async fn key(&self, id: &KeyId, at: Timestamp) {
        self.touch(Used::Key(id.clone()), at).await;
    }

    /// Notes that a session was used, likewise.
    pub(super) async fn session(&self, token: Hash, at: Timestamp) {
        self.touch(Used::Session(token), at).await;
    }

    async fn touch(&self, used: Used, at: Timestamp) {
        let (written, is_written) = oneshot::channel();
        if self.0.try_send(Touch { used, at, written }).is_ok() {
            // Where the task has ended there is nothing to wait for.
            let _ = is_written.await;
        }
    }
}

async fn write_all(connections: Arc<Connections>, mut waiting: mpsc::Receiver<Touch>) {
    let mut touches = Vec::with_capacity(WAITING_MAX);
    while waiting.recv_many(&mut touches, WAITING_MAX).await > 0 {
        let (mut keys, mut sessions, mut tell) = (Due::default(), Due::default(), Vec::new());
        for Touch { used, at, written } in touches.drain(..) {
            match used {
                Used::Key(id) => keys.push(id.into(), at),
                Used::Session(token) => sessions.push(token.to_vec(), at),
            }
            tell.push(written);
        }
        if let Err(error) = write(&connections, &keys, &sessions).await {
            tracing::warn!(%error, "notes of use were not written");
        }
        for written in tell {
            // Whoever waited may have gone.
            let _ = written.send(());
        }
    }
}

/// What is due, and when each was used.
struct Due<T> {
    ids: Vec<T>,
    instants: Vec<i64>,
}

impl<T> Default for Due<T> {
    fn default() -> Self {
        Self { ids: Vec::new(), instants: Vec::new() }
    }
}

impl<T> Due<T> {
    fn push(&mut self, id: T, at: Timestamp) {
        self.ids.push(id);
        self.instants.push(at.micros());
    }
}

async fn write(
    connections: &Connections,
    keys: &Due<String>,
    sessions: &Due<Vec<u8>>,
) -> Result<()> {
    let conn: Client = connections.get().await?;
    if !keys.ids.is_empty() {
        let values: query::Values<'_> = &[&keys.ids, &keys.instants, &EVERY_US];
        query::change(&conn, KEYS, values).await.map_err(database)?;
    }
    if !sessions.ids.is_empty() {
        let values: query::Values<'_> = &[&sessions.ids, &sessions.instants, &EVERY_US];
        query::change(&conn, SESSIONS, values).await.map_err(database)?;
    }
    Ok(())
}
