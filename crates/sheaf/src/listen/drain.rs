//! The end of all connections: each is told once, answers what is under way, and is waited for.
//!
//! One that has brought no request yet is told a little later: its first may be on its way, and the
//! HTTP library would close it unread.
//!
//! A connection is polled with each request, and the end comes once. So each poll looks at a flag
//! that nobody writes meanwhile, and only the first one queues to be woken.

use hyper_util::server::graceful::GracefulConnection;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long a connection may take to bring its first request, once the end has come.
const FIRST_WITHIN: Duration = Duration::from_secs(1);

/// Whom the end has come for: nobody, those who have brought a request, all.
const NOBODY: u8 = 0;
const BEGUN: u8 = 1;
const ALL: u8 = 2;

/// Where connections are told of their end.
pub(super) struct Drain {
    wake: watch::Sender<()>,
    over: Arc<AtomicU8>,
}

/// A connection's way to be told.
pub(super) struct Watcher {
    woken: watch::Receiver<()>,
    over: Arc<AtomicU8>,
}

/// A connection that will be told.
pub(super) struct Drained<C> {
    connection: Pin<Box<C>>,
    over: Arc<AtomicU8>,
    /// How many requests it has brought.
    requests: Arc<AtomicU32>,
    is_told: bool,
    /// Wakes the task that polled it when there is something to tell.
    woken: Pin<Box<dyn Future<Output = ()> + Send>>,
    wakes: Option<Waker>,
}

impl Drain {
    /// Returns one without connections.
    pub(super) fn new() -> Self {
        Self { wake: watch::Sender::new(()), over: Arc::new(AtomicU8::new(NOBODY)) }
    }

    /// Returns a way to be told. Until it is dropped, it is waited for.
    pub(super) fn watcher(&self) -> Watcher {
        Watcher { woken: self.wake.subscribe(), over: Arc::clone(&self.over) }
    }

    /// How many are waited for.
    pub(super) fn count(&self) -> usize {
        self.wake.receiver_count()
    }

    /// Tells all of them, and waits until they have ended.
    pub(super) async fn drain(self) {
        self.tell(BEGUN);
        if timeout(FIRST_WITHIN, self.wake.closed()).await.is_err() {
            self.tell(ALL);
            self.wake.closed().await;
        }
    }

    fn tell(&self, over: u8) {
        self.over.store(over, Ordering::SeqCst);
        let _ = self.wake.send(());
    }
}

impl Watcher {
    /// Tells a connection when the end comes. It counts its requests.
    pub(super) fn watch<C: GracefulConnection>(
        self,
        connection: C,
        requests: Arc<AtomicU32>,
    ) -> Drained<C> {
        let Self { mut woken, over } = self;
        let woken = Box::pin(async move {
            while woken.changed().await.is_ok() {}
            // Waited for as long as it is here.
            std::future::pending::<()>().await;
        });
        let connection = Box::pin(connection);
        Drained { connection, over, requests, is_told: false, woken, wakes: None }
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
            let over = this.over.load(Ordering::SeqCst);
            if over == ALL || over == BEGUN && this.requests.load(Ordering::Relaxed) > 0 {
                this.is_told = true;
                this.connection.as_mut().graceful_shutdown();
            } else if over == BEGUN {
                // For the end of all; what it was queued for has come.
                let _ = this.woken.as_mut().poll(cx);
            }
        }
        this.connection.as_mut().poll(cx)
    }
}
