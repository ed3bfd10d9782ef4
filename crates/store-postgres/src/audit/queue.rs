//! Queue of audit entries that one background task writes, so that callers do not wait.
//!
//! Denied requests are rate-limited twice: in memory within this process, and under the lock on the
//! chain's head across processes. So a denial is recorded once a minute, however many processes
//! deny it.

use super::{append_after, lock_head};
use crate::connect::Connections;
use crate::errors::database_error;
use crate::open::FLUSH_TIMEOUT;
use crate::query;
use crate::query::read_column;
use crate::transaction::Conn;
use contract::AccountId;
use contract::audit::{Action, AuditEvent, AuditOutcome};
use deadpool_postgres::Transaction;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::audit::{AuditRateLimiter, AuditRow, QUEUE_MAX};
use store::{Result, StoreError};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

const MINUTE_US: i64 = 60_000_000;
/// Pause before a retry.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// The queue. Dropping it ends the task after the queued entries are written.
pub(crate) struct AuditQueue {
    rate_limiter: AuditRateLimiter,
    queue: mpsc::Sender<AuditEvent>,
    queued_count: AtomicU64,
    /// Number of entries that were written or dropped.
    written_count: watch::Receiver<u64>,
}

impl AuditQueue {
    /// Starts the task that writes entries.
    pub(crate) fn start(connections: Arc<Connections>) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE_MAX);
        let (written_sender, written_count) = watch::channel(0);
        tokio::spawn(run_writer(connections, waiting, written_sender));
        Self {
            rate_limiter: AuditRateLimiter::default(),
            queue,
            queued_count: AtomicU64::new(0),
            written_count,
        }
    }

    /// Queues an event. Never waits.
    pub(super) fn enqueue(&self, event: AuditEvent) {
        if event.outcome != AuditOutcome::Denied {
            self.try_send(event);
            return;
        }
        for event in self.rate_limiter.admit(event) {
            let account = event.account.clone();
            let at = event.at;
            if !self.try_send(event) {
                self.rate_limiter.count_omitted(account, at);
            }
        }
    }

    /// Queues an event with the number of denials that were omitted from an account's log, if any.
    pub(super) fn enqueue_omitted(&self, account: Option<&AccountId>) {
        if let Some(event) = self.rate_limiter.take_omitted(account) {
            self.try_send(event);
        }
    }

    /// Queues an event unless the queue is full, and returns whether it did.
    fn try_send(&self, event: AuditEvent) -> bool {
        let action = event.action.as_str();
        if self.queue.try_send(event).is_ok() {
            self.queued_count.fetch_add(1, Ordering::Release);
            return true;
        }
        tracing::error!(action, "audit entry dropped: {QUEUE_MAX} are queued already");
        false
    }

    /// Waits until the events queued so far are written or dropped.
    pub(crate) async fn wait_until_written(&self) {
        let queued = self.queued_count.load(Ordering::Acquire);
        // The wait cannot fail: the task, which has the sender, ends only after `self` is dropped.
        let _ = self.written_count.clone().wait_for(|done| *done >= queued).await;
    }
}

async fn run_writer(
    connections: Arc<Connections>,
    mut waiting: mpsc::Receiver<AuditEvent>,
    written_count: watch::Sender<u64>,
) {
    let mut events = Vec::with_capacity(QUEUE_MAX);
    loop {
        let count = waiting.recv_many(&mut events, QUEUE_MAX).await;
        if count == 0 {
            return;
        }
        write_events(&connections, events.drain(..)).await;
        written_count.send_modify(|done| *done += count as u64);
    }
}

/// Writes events, each in its own transaction. If the connection fails, the event is retried on
/// another. It may then be recorded twice, but is not lost.
async fn write_events(
    connections: &Connections,
    mut events: impl ExactSizeIterator<Item = AuditEvent>,
) {
    let mut conn = None;
    while let Some(event) = events.next() {
        let mut until = None;
        while let Err(error) = write_one(connections, &mut conn, &event).await {
            conn = None;
            if !matches!(error, StoreError::Unavailable(_)) {
                let action = event.action.as_str();
                tracing::error!(%error, action, "audit entry dropped");
                break;
            }
            // Drop the rest of the batch: the database may be down for long.
            if Instant::now() > *until.get_or_insert_with(|| Instant::now() + FLUSH_TIMEOUT) {
                let count = 1 + events.len();
                tracing::error!(%error, count, "audit entries dropped");
                return;
            }
            sleep(RETRY_DELAY).await;
        }
    }
}

async fn write_one(
    connections: &Connections,
    conn: &mut Option<Conn>,
    event: &AuditEvent,
) -> Result<()> {
    let conn = match conn {
        Some(conn) => conn,
        None => conn.insert(connections.get().await?),
    };
    write_on(conn, event).await
}

async fn write_on(conn: &mut Conn, event: &AuditEvent) -> Result<()> {
    let tx = conn.transaction().await.map_err(database_error)?;
    let end = lock_head(&tx, event).await?;
    if event.outcome == AuditOutcome::Denied && is_recorded(&tx, event).await? {
        return Ok(());
    }
    append_after(&tx, event, &end).await?;
    tx.commit().await.map_err(database_error)
}

/// Whether this kind of denial, for the same actor or address, was already recorded within its
/// minute. Numbers of omitted denials are always recorded, because each process counts its own.
async fn is_recorded(tx: &Transaction<'_>, event: &AuditEvent) -> Result<bool> {
    if event.action == Action::RefusalsOmitted {
        return Ok(false);
    }
    let line = AuditRow::from_event(event, (0, [0; 32]));
    let minute = line.at.div_euclid(MINUTE_US) * MINUTE_US;
    let sql = "SELECT EXISTS (
                 SELECT 1 FROM audit WHERE account = $1 AND outcome = 'denied'
                   AND at >= $2 AND at < $3 AND action = $4 AND code IS NOT DISTINCT FROM $5
                   AND COALESCE(actor_id, address) IS NOT DISTINCT FROM $6)";
    let until = minute + MINUTE_US;
    let actor = line.actor_id.or(line.address);
    let values: query::Parameters<'_> =
        &[&line.account, &minute, &until, &line.action, &line.code, &actor];
    read_column(&query::fetch_one(tx, sql, values).await?, 0)
}
