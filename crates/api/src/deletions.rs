//! Background deletion of the rows of deleted forms, of expired trash and spam, and of old e-mails.

use crate::Service;
use contract::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::mail::MAIL_PURGE_ROWS_MAX;

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

    /// Starts a task that deletes expired trash and spam and old e-mails, at once and then every
    /// hour. It ends when no other reference to the store is left. Must be called within a Tokio
    /// runtime.
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
                if let Err(error) = purge_mail(&*store, clock.now()).await {
                    tracing::warn!(%error, "could not delete old e-mails; retrying in an hour");
                }
            }
        });
    }
}

/// Deletes all old e-mails. The worker that sends e-mails deletes them too, but it does not run
/// while e-mail is off.
async fn purge_mail(store: &dyn Store, now: Timestamp) -> store::Result<()> {
    while i64::try_from(store.purge_mail(now).await?).is_ok_and(|rows| rows >= MAIL_PURGE_ROWS_MAX)
    {
    }
    Ok(())
}
