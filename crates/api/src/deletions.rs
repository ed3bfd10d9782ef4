//! Background deletion of the rows of deleted forms and of expired trash and spam.

use crate::Service;
use std::sync::Arc;
use std::time::Duration;

/// Interval between deletions of expired trash and spam. Lists omit expired rows in the meantime.
const PURGE_EVERY: Duration = Duration::from_hours(1);

impl Service {
    /// Starts a task that removes the rows of deleted forms. Must be called within a Tokio runtime.
    ///
    /// A server also calls this on startup: its previous process may have stopped before the end.
    pub fn finish_deletions(&self) {
        let store = Arc::clone(self.store());
        tokio::spawn(async move {
            match store.finish_deletions().await {
                Ok(0) => {}
                Ok(forms) => tracing::info!(forms, "removed the rows of deleted forms"),
                Err(error) => tracing::warn!(
                    %error,
                    "could not remove all rows of deleted forms; retrying at the next start"
                ),
            }
        });
    }

    /// Starts a task that deletes expired trash and spam, at once and then every hour. It ends when
    /// no other reference to the store is left. Must be called within a Tokio runtime.
    pub fn start_purging(&self) {
        let store = Arc::downgrade(self.store());
        let clock = Arc::clone(self.clock());
        tokio::spawn(async move {
            let mut interval = tokio::time::interval(PURGE_EVERY);
            loop {
                interval.tick().await;
                let Some(store) = store.upgrade() else { return };
                match store.purge_expired(clock.now()).await {
                    Ok(0) => {}
                    Ok(rows) => tracing::info!(rows, "deleted expired trash and spam"),
                    Err(error) => tracing::warn!(
                        %error,
                        "could not delete expired trash and spam; retrying in an hour"
                    ),
                }
            }
        });
    }
}
