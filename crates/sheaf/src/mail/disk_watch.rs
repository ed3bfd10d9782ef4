//! Warns the operator by e-mail that the disk is nearly full.

use contract::notification::MailLanguage;
use std::time::{Duration, Instant};
use store::clock::{Clock as _, SystemClock};
use store::mail::{AccountEvent, AccountMail};
use tokio::time::{MissedTickBehavior, interval};

use crate::stores::{OpenStore, WeakStore};

/// Interval between checks of the free space.
const CHECK_INTERVAL: Duration = Duration::from_secs(15);
/// Minimum time between two e-mails.
const MAIL_INTERVAL: Duration = Duration::from_hours(24);

/// Checks the disk of the database file. The disk of a database server is not known.
pub(super) struct DiskWatch {
    /// Weak, so that the store is closed when its server stops.
    store: WeakStore,
    recipient: String,
    /// Time of the last e-mail.
    sent_at: Option<Instant>,
}

impl DiskWatch {
    /// Creates a watch of this store, which warns `recipient`.
    pub(super) fn new(store: WeakStore, recipient: String) -> Self {
        Self { store, recipient, sent_at: None }
    }

    /// Checks the disk until the future is dropped.
    pub(super) async fn run(mut self) {
        let mut ticks = interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let Some(OpenStore::File(store)) = self.store.upgrade() else { continue };
            if !is_due(self.sent_at, Instant::now()) {
                continue;
            }
            match store.find_nearly_full_disk().await {
                Ok(Some(free_bytes)) => self.warn(&OpenStore::File(store), free_bytes).await,
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "e-mail: the disk cannot be checked"),
            }
        }
    }

    /// Inserts an e-mail. If that fails, the next check tries again.
    async fn warn(&mut self, store: &OpenStore, free_bytes: u64) {
        let mail = AccountMail {
            recipient: self.recipient.clone(),
            language: MailLanguage::English,
            event: AccountEvent::DiskNearlyFull { free_mib: free_bytes >> 20 },
        };
        match store.store().insert_account_mail(mail, SystemClock.now()).await {
            Ok(()) => self.sent_at = Some(Instant::now()),
            Err(error) => tracing::warn!(%error, "e-mail: the operator cannot be warned"),
        }
    }
}

/// Returns whether another e-mail may be sent.
fn is_due(sent_at: Option<Instant>, now: Instant) -> bool {
    sent_at.is_none_or(|sent_at| now.duration_since(sent_at) >= MAIL_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operator_gets_at_most_one_email_a_day() {
        let now = Instant::now();
        assert!(is_due(None, now));
        assert!(!is_due(Some(now), now + MAIL_INTERVAL.saturating_sub(CHECK_INTERVAL)));
        assert!(is_due(Some(now), now + MAIL_INTERVAL));
    }
}
