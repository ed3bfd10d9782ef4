//! Queue of audit entries that one background task writes, so that callers do not wait.
//!
//! Denied requests are rate-limited twice: in memory within this process, and under the lock on the
//! chain's head across processes. So a denial is recorded once a minute, however many processes
//! deny it.

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
/// Pause before a retry.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// The queue. Dropping it ends the task after the queued entries are written.
pub(crate) struct Soon {
    calm: Calm,
    queue: mpsc::Sender<Act>,
    taken: AtomicU64,
    /// Number of entries that were written or dropped.
    done: watch::Receiver<u64>,
}

impl Soon {
    /// Starts the task that writes entries.
    pub(crate) fn start(connections: Arc<Connections>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        let (tell, done) = watch::channel(0);
        tokio::spawn(write_all(connections, waiting, tell));
        Self { calm: Calm::default(), queue, taken: AtomicU64::new(0), done }
    }

    /// Queues an event. Never waits.
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

    /// Queues an event with the number of denials that were omitted from an account's log, if any.
    pub(super) fn take_left_out(&self, account: Option<&AccountId>) {
        if let Some(act) = self.calm.take_left_out(account) {
            self.send(act);
        }
    }

    /// Queues an event unless the queue is full, and returns whether it did.
    fn send(&self, act: Act) -> bool {
        let action = act.action.as_str();
        if self.queue.try_send(act).is_ok() {
            self.taken.fetch_add(1, Ordering::Release);
            return true;
        }
        tracing::error!(action, "audit entry dropped: {WAITING_MAX} are queued already");
        false
    }

    /// Waits until the events queued so far are written or dropped.
    pub(crate) async fn settled(&self) {
        let taken = self.taken.load(Ordering::Acquire);
        // The wait cannot fail: the task, which has the sender, ends only after `self` is dropped.
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

/// Writes events, each in its own transaction. If the connection fails, the event is retried on
/// another. It may then be recorded twice, but is not lost.
async fn write(connections: &Connections, mut acts: impl ExactSizeIterator<Item = Act>) {
    let mut conn = None;
    while let Some(act) = acts.next() {
        let mut until = None;
        while let Err(error) = write_one(connections, &mut conn, &act).await {
            conn = None;
            if !matches!(error, StoreError::Unavailable(_)) {
                let action = act.action.as_str();
                tracing::error!(%error, action, "audit entry dropped");
                break;
            }
            // Drop the rest of the batch: the database may be down for long.
            if Instant::now() > *until.get_or_insert_with(|| Instant::now() + FINISHED_WITHIN) {
                let count = 1 + acts.len();
                tracing::error!(%error, count, "audit entries dropped");
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

/// Whether this kind of denial, for the same actor or address, was already recorded within its
/// minute. Numbers of omitted denials are always recorded, because each process counts its own.
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
