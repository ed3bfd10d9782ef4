//! The end of all connections: each is told once, answers what is under way, and is waited for.
//!
//! A connection is polled with each request, and the end comes once. So each poll looks at a number
//! that nobody writes meanwhile, and only the first one queues to be woken.

use hyper_util::server::graceful::GracefulConnection;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use tokio::sync::watch;

/// Where connections are told of their end.
pub(super) struct Drain(watch::Sender<()>);

/// A connection that will be told.
pub(super) struct Drained<C> {
    connection: Pin<Box<C>>,
    end: watch::Receiver<()>,
    /// Ends when there is something to tell, and wakes the task that polled it.
    woken: Pin<Box<dyn Future<Output = ()> + Send>>,
    wakes: Option<Waker>,
    is_told: bool,
}

impl Drain {
    /// Returns one without connections.
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Takes a connection in.
    pub(super) fn watch<C: GracefulConnection>(&self, connection: C) -> Drained<C> {
        let mut woken = self.0.subscribe();
        let woken = Box::pin(async move {
            // An error is an end, too.
            let _ = woken.changed().await;
        });
        let end = self.0.subscribe();
        Drained { connection: Box::pin(connection), end, woken, wakes: None, is_told: false }
    }

    /// How many connections there are.
    pub(super) fn count(&self) -> usize {
        // Each has two receivers.
        self.0.receiver_count() / 2
    }

    /// Tells all of them, and waits until they have ended.
    pub(super) async fn drain(self) {
        let _ = self.0.send(());
        self.0.closed().await;
    }
}

impl<C> Drained<C> {
    /// Whether the end has come. Else the task of `cx` is woken when it comes.
    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        let is_known = self.wakes.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()));
        if is_known {
            return self.end.has_changed().unwrap_or(true);
        }
        self.wakes = Some(cx.waker().clone());
        self.woken.as_mut().poll(cx).is_ready()
    }
}

impl<C: GracefulConnection> Future for Drained<C> {
    type Output = C::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<C::Output> {
        let this = self.get_mut();
        if !this.is_told && this.is_over(cx) {
            this.is_told = true;
            this.connection.as_mut().graceful_shutdown();
        }
        this.connection.as_mut().poll(cx)
    }
}
