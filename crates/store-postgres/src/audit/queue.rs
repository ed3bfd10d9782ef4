//! Notes that are written a little later, by one task of the process; nobody waits for them.
//!
//! Refusals are calmed twice: in memory, for what this process noted, and under the lock of the
//! chain's end, for what another did. So each is noted once a minute, however many processes
//! refuse.

use super::{append_behind, hold};
use crate::connect::Connections;
use crate::errors::database;
use crate::open::FINISHED_WITHIN;
use crate::query;
use crate::query::column;
use crate::transaction::Conn;
use contract::AccountId;
use contract::audit::{Act, Action, Outcome};
use deadpool_postgres::Transaction;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::audit::{Calm, Line, WAITING_MAX};
use store::{Result, StoreError};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

const MINUTE_US: i64 = 60_000_000;
/// After so long a note is tried again.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// Where notes wait. The task ends with this, once what waits is written.
pub(crate) struct Soon {
    calm: Calm,
    queue: mpsc::Sender<Act>,
    taken: AtomicU64,
    /// How many of those are written, or could not be.
    done: watch::Receiver<u64>,
}

impl Soon {
    /// Starts the task that writes them.
    pub(crate) fn start(connections: Arc<Connections>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        let (tell, done) = watch::channel(0);
        tokio::spawn(write_all(connections, waiting, tell));
        Self { calm: Calm::default(), queue, taken: AtomicU64::new(0), done }
    }

    /// Takes a note, and never waits.
    pub(super) fn take(&self, act: Act) {
        if act.outcome != Outcome::Denied {
            self.send(act);
            return;
        }
        for act in self.calm.admit(act) {
            let (account, at) = (act.account.clone(), act.at);
            if !self.send(act) {
                self.calm.leave_out(account, at);
            }
        }
    }

    /// Takes a note that counts what was left out of an account's log, if anything was.
    pub(super) fn take_left_out(&self, account: Option<&AccountId>) {
        if let Some(act) = self.calm.take_left_out(account) {
            self.send(act);
        }
    }

    /// Returns whether there was room for a note.
    fn send(&self, act: Act) -> bool {
        let action = act.action.as_str();
        if self.queue.try_send(act).is_ok() {
            self.taken.fetch_add(1, Ordering::Release);
            return true;
        }
        tracing::error!(
            action,
            "{WAITING_MAX} notes of the audit log wait already; one was dropped"
        );
        false
    }

    /// Waits until what was taken before is written, or could not be.
    pub(crate) async fn settled(&self) {
        let taken = self.taken.load(Ordering::Acquire);
        // The task ends only with this.
        let _ = self.done.clone().wait_for(|done| *done >= taken).await;
    }
}

async fn write_all(
    connections: Arc<Connections>,
    mut waiting: mpsc::Receiver<Act>,
    tell: watch::Sender<u64>,
) {
    let mut acts = Vec::with_capacity(WAITING_MAX);
    loop {
        let count = waiting.recv_many(&mut acts, WAITING_MAX).await;
        if count == 0 {
            return;
        }
        write(&connections, acts.drain(..)).await;
        tell.send_modify(|done| *done += count as u64);
    }
}

/// Writes notes, each in a transaction of its own. One that failed with its connection is tried
/// again by another: it may be noted twice then, and is not missed.
async fn write(connections: &Connections, mut acts: impl ExactSizeIterator<Item = Act>) {
    let mut conn = None;
    while let Some(act) = acts.next() {
        let mut until = None;
        while let Err(error) = write_one(connections, &mut conn, &act).await {
            conn = None;
            if !matches!(error, StoreError::Unavailable(_)) {
                let action = act.action.as_str();
                tracing::error!(%error, action, "a note of the audit log was dropped");
                break;
            }
            if Instant::now() > *until.get_or_insert_with(|| Instant::now() + FINISHED_WITHIN) {
                let count = 1 + acts.len();
                tracing::error!(%error, count, "notes of the audit log were dropped");
                return;
            }
            sleep(AGAIN_AFTER).await;
        }
    }
}

async fn write_one(connections: &Connections, conn: &mut Option<Conn>, act: &Act) -> Result<()> {
    let conn = match conn {
        Some(conn) => conn,
        None => conn.insert(connections.get().await?),
    };
    write_on(conn, act).await
}

async fn write_on(conn: &mut Conn, act: &Act) -> Result<()> {
    let tx = conn.transaction().await.map_err(database)?;
    let end = hold(&tx, act).await?;
    if act.outcome == Outcome::Denied && was_noted(&tx, act).await? {
        return Ok(());
    }
    append_behind(&tx, act, &end).await?;
    tx.commit().await.map_err(database)
}

/// Whether a refusal of this kind, and of whoever was refused, is noted in its minute. Each process
/// counts for itself what it left out.
async fn was_noted(tx: &Transaction<'_>, act: &Act) -> Result<bool> {
    if act.action == Action::RefusalsOmitted {
        return Ok(false);
    }
    let line = Line::of(act, (0, [0; 32]));
    let minute = line.at.div_euclid(MINUTE_US) * MINUTE_US;
    let sql = "SELECT EXISTS (
                 SELECT 1 FROM audit WHERE account = $1 AND outcome = 'denied'
                   AND at >= $2 AND at < $3 AND action = $4 AND code IS NOT DISTINCT FROM $5
                   AND COALESCE(actor_id, address) IS NOT DISTINCT FROM $6)";
    let (until, who) = (minute + MINUTE_US, line.actor_id.or(line.address));
    let values: query::Values<'_> =
        &[&line.account, &minute, &until, &line.action, &line.code, &who];
    query::row(tx, sql, values).await?.map_or(Ok(false), |row| column(&row, 0))
}
