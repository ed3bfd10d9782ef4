//! The end of a server: that it is near, that it has come, and who stood at the door by then.
//!
//! While it is near, every answer ends its connection, so that a balancer keeps none in store on
//! which it could send a request at the moment of the close. It closes nothing itself.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;

/// Most connections that are taken from the system's queue at the end: as many as it holds.
const QUEUE_MAX: usize = 1024;

/// How a server hears of its end.
pub struct Ends {
    come: mpsc::Receiver<()>,
    near: Near,
}

/// Whether the end is near, for all who ask.
#[derive(Debug, Clone, Default)]
pub struct Near(Arc<AtomicBool>);

impl Near {
    /// Says that it is, from now on.
    pub fn tell(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Ends {
    /// The first message of `come` is the end, and the second an immediate one.
    pub fn new(come: mpsc::Receiver<()>, near: Near) -> Self {
        Self { come, near }
    }

    pub(crate) async fn recv(&mut self) -> Option<()> {
        self.come.recv().await
    }

    pub(crate) fn near(&self) -> Near {
        self.near.clone()
    }
}

/// Takes what stands in a listener's queue, by its way to accept without waiting.
pub(crate) fn queued<T>(mut accept: impl FnMut() -> io::Result<T>) -> Vec<T> {
    std::iter::from_fn(|| accept().ok()).take(QUEUE_MAX).collect()
}
