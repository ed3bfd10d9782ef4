//! The end of all connections: each is told once, answers what is under way, and is waited for.
//!
//! A connection is polled with each request, and the end comes once. So each poll looks at a flag
//! that nobody writes meanwhile, and only the first one queues to be woken.

use hyper_util::server::graceful::GracefulConnection;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use tokio::sync::watch;

/// Where connections are told of their end.
pub(super) struct Drain {
    wake: watch::Sender<()>,
    is_over: Arc<AtomicBool>,
}

/// A connection's way to be told.
pub(super) struct Watcher {
    woken: watch::Receiver<()>,
    is_over: Arc<AtomicBool>,
}

/// A connection that will be told.
pub(super) struct Drained<C> {
    connection: Pin<Box<C>>,
    is_over: Arc<AtomicBool>,
    is_told: bool,
    /// Wakes the task that polled it when there is something to tell.
    woken: Pin<Box<dyn Future<Output = ()> + Send>>,
    wakes: Option<Waker>,
}

impl Drain {
    /// Returns one without connections.
    pub(super) fn new() -> Self {
        Self { wake: watch::Sender::new(()), is_over: Arc::default() }
    }

    /// Returns a way to be told. Until it is dropped, it is waited for.
    pub(super) fn watcher(&self) -> Watcher {
        Watcher { woken: self.wake.subscribe(), is_over: Arc::clone(&self.is_over) }
    }

    /// How many are waited for.
    pub(super) fn count(&self) -> usize {
        self.wake.receiver_count()
    }

    /// Tells all of them, and waits until they have ended.
    pub(super) async fn drain(self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = self.wake.send(());
        self.wake.closed().await;
    }
}

impl Watcher {
    /// Tells a connection when the end comes.
    pub(super) fn watch<C: GracefulConnection>(self, connection: C) -> Drained<C> {
        let Self { mut woken, is_over } = self;
        let woken = Box::pin(async move {
            // An error is an end, too.
            let _ = woken.changed().await;
            // Waited for as long as it is here.
            std::future::pending::<()>().await;
        });
        Drained { connection: Box::pin(connection), is_over, is_told: false, woken, wakes: None }
    }
}

impl<C: GracefulConnection> Future for Drained<C> {
    type Output = C::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<C::Output> {
        let this = self.get_mut();
        if !this.is_told {
            // Queued first, so that an end that comes now either wakes it or is seen.
            if !this.wakes.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                this.wakes = Some(cx.waker().clone());
                let _ = this.woken.as_mut().poll(cx);
            }
            if this.is_over.load(Ordering::SeqCst) {
                this.is_told = true;
                this.connection.as_mut().graceful_shutdown();
            }
        }
        this.connection.as_mut().poll(cx)
    }
}
