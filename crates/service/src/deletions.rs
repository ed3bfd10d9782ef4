//! Removes what deleted forms held, beside the requests.

use crate::Service;
use std::sync::Arc;

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
}
