//! Removes what deleted forms held, and trash and spam that are too old, beside the requests.

use crate::Service;
use std::sync::Arc;
use std::time::Duration;

/// How often trash and spam that are too old are deleted. Until then, no list shows them.
const PURGE_EVERY: Duration = Duration::from_hours(1);

impl Service {
    /// Begins to remove what deleted forms held, in a task of its own. A server calls this at its
    /// start too: its last process may have ended in the middle. Needs a Tokio runtime.
    pub fn finish_deletions(&self) {
        let store = Arc::clone(self.store());
        tokio::spawn(async move {
            match store.finish_deletions().await {
                Ok(0) => {}
                Ok(forms) => tracing::info!(forms, "the rows of deleted forms are removed"),
                Err(error) => tracing::warn!(
                    %error,
                    "some rows of deleted forms are left; the next start removes them"
                ),
            }
        });
    }

    /// Begins to delete trash and spam that are too old: now, and then once an hour, as long as the
    /// store is in use elsewhere. Needs a Tokio runtime.
    pub fn start_purging(&self) {
        let (store, clock) = (Arc::downgrade(self.store()), Arc::clone(self.clock()));
        tokio::spawn(async move {
            let mut every = tokio::time::interval(PURGE_EVERY);
            loop {
                every.tick().await;
                let Some(store) = store.upgrade() else { return };
                match store.purge(clock.now()).await {
                    Ok(0) => {}
                    Ok(rows) => tracing::info!(rows, "old trash and spam are deleted"),
                    Err(error) => tracing::warn!(
                        %error,
                        "old trash and spam could not be deleted; it is tried again in an hour"
                    ),
                }
            }
        });
    }
}
