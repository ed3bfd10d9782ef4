//! Live updates: the store tells this process which submissions changed.
//!
//! A change is sent after its transaction is on disk, and never for a transaction that failed.
//! Changes are not stored: subscribers get those from their subscription on.

use super::Owner;
use async_trait::async_trait;
use contract::live::{ChangeKind, FormChange};
use std::sync::Arc;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// Maximum number of messages that wait for a subscriber. One that is further behind gets
/// [`LiveMessage::Reset`] instead.
pub const MESSAGES_MAX: usize = 1024;

/// Changed submissions, with their owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveChange {
    /// The owner of the form.
    pub owner: Owner,
    /// How the submissions changed.
    pub kind: ChangeKind,
    /// The form and the submissions.
    pub change: FormChange,
}

/// A message to all subscribers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveMessage {
    /// Submissions changed.
    Change(LiveChange),
    /// Changes of any form may have been missed.
    Reset,
}

/// Changes of submissions.
#[async_trait]
pub trait LiveStore: Send + Sync + 'static {
    /// Subscribes to the changes of all forms. A store that several processes share connects to the
    /// others first. If that takes too long, it returns nevertheless, and sends a reset when it is
    /// connected.
    async fn subscribe_changes(&self) -> LiveReceiver;
}

/// The sending side. Clones send to the same subscribers.
#[derive(Debug, Clone)]
pub struct LiveFeed(broadcast::Sender<Arc<LiveMessage>>);

impl Default for LiveFeed {
    fn default() -> Self {
        Self(broadcast::Sender::new(MESSAGES_MAX))
    }
}

impl LiveFeed {
    /// Returns whether anyone is subscribed. Without a subscriber a store need not collect changes.
    pub fn has_subscribers(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Subscribes to later messages.
    pub fn subscribe(&self) -> LiveReceiver {
        LiveReceiver(self.0.subscribe())
    }

    /// Sends a message. Never waits.
    pub fn send(&self, message: LiveMessage) {
        // Fails without a subscriber.
        let _ = self.0.send(Arc::new(message));
    }
}

/// The receiving side.
#[derive(Debug)]
pub struct LiveReceiver(broadcast::Receiver<Arc<LiveMessage>>);

impl LiveReceiver {
    /// Waits for the next message; `None` if the store is closed. Can be cancelled without loss.
    pub async fn next(&mut self) -> Option<Arc<LiveMessage>> {
        match self.0.recv().await {
            Ok(message) => Some(message),
            Err(RecvError::Lagged(_)) => Some(Arc::new(LiveMessage::Reset)),
            Err(RecvError::Closed) => None,
        }
    }

    /// Returns the next message if there is one already.
    pub fn try_next(&mut self) -> Option<Arc<LiveMessage>> {
        match self.0.try_recv() {
            Ok(message) => Some(message),
            Err(TryRecvError::Lagged(_)) => Some(Arc::new(LiveMessage::Reset)),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Environment;

    fn change(n: usize) -> LiveMessage {
        let owner = Owner { account_id: "acc_1".parse().unwrap(), environment: Environment::Live };
        let ids = vec![format!("sub_{n}").parse().unwrap()];
        let change = FormChange { form_id: "frm_1".parse().unwrap(), ids };
        LiveMessage::Change(LiveChange { owner, kind: ChangeKind::Created, change })
    }

    #[tokio::test]
    async fn lagging_subscriber_gets_reset_and_then_the_latest_messages() {
        let feed = LiveFeed::default();
        assert!(!feed.has_subscribers());
        let mut receiver = feed.subscribe();
        assert!(feed.has_subscribers());
        for n in 0..=MESSAGES_MAX {
            feed.send(change(n));
        }
        assert_eq!(*receiver.next().await.unwrap(), LiveMessage::Reset);
        assert_eq!(*receiver.next().await.unwrap(), change(1));
        let rest = std::iter::from_fn(|| receiver.try_next()).count();
        assert_eq!(rest, MESSAGES_MAX - 1);
        drop(feed);
        assert_eq!(receiver.next().await, None);
    }
}
