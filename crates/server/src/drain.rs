//! Draining at shutdown: notifies all connections and waits until they have ended.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// Time that a connection without a request gets for its first one after draining starts. The
/// request may be in transit, and hyper would close the connection without reading it.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// Notifies connections that they should end.
pub(crate) struct Drain(watch::Sender<()>);

/// A connection's subscription to a [`Drain`]. The drain waits until it is dropped.
pub(crate) struct DrainWatcher(watch::Receiver<()>);

impl Drain {
    /// Creates a drain without connections.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Registers a connection.
    pub(crate) fn watcher(&self) -> DrainWatcher {
        DrainWatcher(self.0.subscribe())
    }

    /// Returns the number of open connections.
    pub(crate) fn connection_count(&self) -> usize {
        self.0.receiver_count()
    }

    /// Notifies all connections, and waits until they have ended.
    pub(crate) async fn drain(self) {
        self.0.send_replace(());
        self.0.closed().await;
    }
}

impl DrainWatcher {
    /// Waits until the connection should end. `requests` is the number of its requests so far.
    pub(crate) async fn wait_for_drain(&mut self, requests: &AtomicU32) {
        if self.0.changed().await.is_ok() && requests.load(Ordering::Relaxed) == 0 {
            sleep(FIRST_REQUEST_TIMEOUT).await;
        }
    }
}
