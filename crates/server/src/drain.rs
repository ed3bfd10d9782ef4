//! The end of all connections: each is told once, answers its request, and is waited for.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// How long a connection without a request may take to send its first one, once the end has come:
/// it may be on its way, and hyper would close the connection without reading it.
const FIRST_WITHIN: Duration = Duration::from_secs(1);

/// Tells connections that they should end.
pub(crate) struct Drain(watch::Sender<()>);

/// How one connection hears of the end. Until this is dropped, the connection is waited for.
pub(crate) struct Watcher(watch::Receiver<()>);

impl Drain {
    /// Returns one without connections.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Adds a connection.
    pub(crate) fn watcher(&self) -> Watcher {
        Watcher(self.0.subscribe())
    }

    /// How many connections are open.
    pub(crate) fn count(&self) -> usize {
        self.0.receiver_count()
    }

    /// Tells all connections, and waits until they have ended.
    pub(crate) async fn drain(self) {
        self.0.send_replace(());
        self.0.closed().await;
    }
}

impl Watcher {
    /// Returns when the connection should end. `requests` is how many it has sent by then.
    pub(crate) async fn ended(&mut self, requests: &AtomicU32) {
        if self.0.changed().await.is_ok() && requests.load(Ordering::Relaxed) == 0 {
            sleep(FIRST_WITHIN).await;
        }
    }
}
