//! Shutdown: its announcement, its signal, and the connections still queued at that time.
//!
//! After the announcement every response closes its connection, so that a load balancer cannot send
//! a request on an idle connection during the close. The announcement itself closes no connection.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;

/// Maximum number of connections taken from the system's queue at shutdown: the size of the queue.
const QUEUE_MAX: usize = 1024;

/// The shutdown signals of a server.
pub struct ShutdownSignals {
    signals: mpsc::Receiver<()>,
    draining: Draining,
}

/// A shared flag: shutdown is near.
#[derive(Debug, Clone, Default)]
pub struct Draining(Arc<AtomicBool>);

impl Draining {
    /// Announces the shutdown.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl ShutdownSignals {
    /// Creates the signals: the first message of `signals` starts draining, and the second ends it.
    pub fn new(signals: mpsc::Receiver<()>, draining: Draining) -> Self {
        Self { signals, draining }
    }

    pub(crate) async fn recv(&mut self) -> Option<()> {
        self.signals.recv().await
    }

    pub(crate) fn draining(&self) -> Draining {
        self.draining.clone()
    }
}

/// Drains a listener's queue through its non-blocking `accept`.
pub(crate) fn accept_queued<T>(mut accept: impl FnMut() -> io::Result<T>) -> Vec<T> {
    std::iter::from_fn(|| accept().ok()).take(QUEUE_MAX).collect()
}
