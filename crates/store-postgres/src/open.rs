//! Opening and closing a store: connect, migrate, and flush queued audit entries.

use super::answer_cache::AnswerCache;
use super::audit::AuditQueue;
use super::connect::{Connections, Setup};
use super::last_used::LastUsedQueue;
use super::live::LiveListener;
use super::{PostgresStore, insert_queue, migrate};
use std::sync::Arc;
use std::time::Duration;
use store::Result;
use store::secret;
use tokio::time::timeout;

/// How long to wait for queued audit entries at shutdown, and how long to retry one.
pub(super) const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);

impl PostgresStore {
    /// Connects to a database and migrates its schema, as far as [`Setup::migrate`] allows.
    ///
    /// # Errors
    /// [`StoreError::Unusable`](store::StoreError) with what to do, if the address is invalid, the
    /// database cannot be used, or its schema is newer than this binary.
    pub async fn open(setup: &Setup) -> Result<Self> {
        let connections = Arc::new(Connections::open(setup, migrate::MIGRATIONS).await?);
        let insert_queue =
            Arc::new(insert_queue::InsertQueue::new(Arc::clone(&connections), setup));
        let audit_queue = Arc::new(AuditQueue::start(Arc::clone(&connections)));
        let touches = LastUsedQueue::start(Arc::clone(&connections));
        let live = Arc::new(LiveListener::new(setup)?);
        let me = secret::generate_instance_id();
        Ok(Self {
            connections,
            insert_queue,
            answers: Arc::new(AnswerCache::new(setup.answer_bytes_max)),
            audit_event: None,
            audit_queue,
            last_used: touches,
            live,
            instance_id: me,
        })
    }

    /// Waits until queued audit entries are written. Call it before the process ends. Gives up
    /// after 10 s, because the database may be down.
    pub async fn finish(&self) {
        if timeout(FLUSH_TIMEOUT, self.audit_queue.wait_until_written()).await.is_err() {
            tracing::error!(
                "audit log: no entry could be written for {} s; queued entries are lost",
                FLUSH_TIMEOUT.as_secs()
            );
        }
    }
}
