//! The beginning and the end of a store: connected, brought forward, and written out.

use super::audit::Soon;
use super::connect::{Connections, Setup};
use super::last_used::Touches;
use super::{PostgresStore, insert_queue, migrate};
use std::sync::Arc;
use std::time::Duration;
use store::Result;
use store::secret;
use tokio::time::timeout;

/// How long what is written a little later is waited for at the end.
pub(super) const FINISHED_WITHIN: Duration = Duration::from_secs(10);

impl PostgresStore {
    /// Connects to a database and brings it to the newest schema.
    ///
    /// # Errors
    /// [`StoreError::Unfit`](store::StoreError) with what to do, where the address is none,
    /// the database cannot be used, or its schema is newer than this binary.
    pub async fn open(setup: &Setup) -> Result<Self> {
        let connections = Arc::new(Connections::open(setup, migrate::MIGRATIONS).await?);
        let insert_queue =
            Arc::new(insert_queue::InsertQueue::new(Arc::clone(&connections), setup));
        let soon = Arc::new(Soon::start(Arc::clone(&connections)));
        let touches = Touches::start(Arc::clone(&connections));
        let me = secret::mint_instance();
        Ok(Self { connections, insert_queue, act: None, soon, touches, me })
    }

    /// Waits until what is written a little later is written: before the process ends. Not for
    /// ever: the database may be gone.
    pub async fn finish(&self) {
        if timeout(FINISHED_WITHIN, self.soon.settled()).await.is_err() {
            tracing::error!(
                "the database took no notes of the audit log for {} s; those that waited are lost",
                FINISHED_WITHIN.as_secs()
            );
        }
    }
}
