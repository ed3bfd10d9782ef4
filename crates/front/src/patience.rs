//! How long a connection may wait for its client, and who counts that: one timer for each
//! connection, which ticks four times in the shortest limit. A request costs it next to nothing;
//! in return a limit is kept with half of it to spare, never too early.

use hyper::rt::{Sleep as HttpSleep, Timer};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::time::{self, Sleep, sleep};

/// The limits in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a head from its first byte to its last, and for the first byte of a connection.
    pub head: Duration,
    /// For the next request's first byte.
    pub idle: Duration,
    /// For the next byte of a body that is read.
    pub body_stall: Duration,
    /// For a whole body.
    pub body: Duration,
    /// For a client that takes nothing of its answer.
    pub write_stall: Duration,
    /// For an answer of which nothing comes while nothing is read either.
    pub still: Duration,
}

impl Patience {
    /// That of a server.
    pub const USUAL: Self = Self {
        head: Duration::from_secs(10),
        idle: Duration::from_secs(30),
        body_stall: Duration::from_secs(10),
        body: Duration::from_mins(2),
        write_stall: Duration::from_secs(30),
        still: Duration::from_mins(1),
    };

    fn tick(&self) -> Duration {
        let least = [self.head, self.idle, self.body_stall, self.write_stall];
        let least = least.into_iter().min().unwrap_or(self.head);
        (least / 4).max(Duration::from_millis(1))
    }
}

/// What a client is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The first request, or the rest of a head.
    Head,
    /// Another request.
    Idle,
    /// A body.
    Body,
    /// Nothing: an answer is made or written.
    Answer,
}

/// A moment, in ticks of a connection.
pub(crate) type Tick = u32;

/// The timer of a connection.
#[derive(Debug)]
pub(crate) struct Watch {
    patience: Patience,
    tick: Duration,
    sleep: Pin<Box<Sleep>>,
    pub(crate) now: Tick,
    /// When something was last read or written.
    pub(crate) moved_at: Tick,
    /// Since when the client takes nothing.
    pub(crate) writes_since: Option<Tick>,
    /// What is waited for, and since when.
    wait: (Wait, Tick),
    /// How often the library waits for a head: 0 or 1.
    heads: Arc<AtomicU32>,
}

impl Watch {
    pub(crate) fn new(patience: Patience) -> Self {
        let tick = patience.tick();
        Self {
            patience,
            tick,
            sleep: Box::pin(sleep(tick)),
            now: 0,
            moved_at: 0,
            writes_since: None,
            wait: (Wait::Head, 0),
            heads: Arc::default(),
        }
    }

    pub(crate) fn timer(&self) -> HeadTimer {
        HeadTimer { heads: Arc::clone(&self.heads), begin: Instant::now() }
    }

    /// Whether the library waits for a head.
    pub(crate) fn awaits_head(&self) -> bool {
        self.heads.load(Ordering::Relaxed) > 0
    }

    /// Begins to wait anew, for the same or for something else.
    pub(crate) fn begin(&mut self, wait: Wait) {
        self.wait = (wait, self.now);
    }

    /// Waits on for a client who sends nothing now. Ready when that took too long.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>, wait: Wait) -> Poll<()> {
        self.count(cx);
        if self.wait.0 != wait {
            self.begin(wait);
        }
        let (limit, whole) = match wait {
            Wait::Head => (None, Some(self.patience.head)),
            Wait::Idle => (None, Some(self.patience.idle)),
            Wait::Body => (Some(self.patience.body_stall), Some(self.patience.body)),
            Wait::Answer => (Some(self.patience.still), None),
        };
        let is_over = limit.is_some_and(|limit| self.is_over(self.moved_at, limit))
            || whole.is_some_and(|whole| self.is_over(self.wait.1, whole));
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Waits on for a client who takes nothing now. Ready when that took too long.
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.count(cx);
        let since = *self.writes_since.get_or_insert(self.now);
        if self.is_over(since, self.patience.write_stall) { Poll::Ready(()) } else { Poll::Pending }
    }

    fn count(&mut self, cx: &mut Context<'_>) {
        // Time in which nobody waited is not made up for: it is no client's fault.
        while self.sleep.as_mut().poll(cx).is_ready() {
            self.now += 1;
            self.sleep.as_mut().reset(time::Instant::now() + self.tick);
        }
    }

    /// Whether a limit has passed since a tick. The first tick behind it may have been short.
    fn is_over(&self, since: Tick, limit: Duration) -> bool {
        let ticks = self.now.saturating_sub(since);
        ticks > 0 && self.tick * (ticks - 1) >= limit
    }
}

/// The timer that is given to the HTTP library, by which it tells when it waits for a head. It
/// never ends a wait: the guard does.
#[derive(Debug, Clone)]
pub struct HeadTimer {
    heads: Arc<AtomicU32>,
    begin: Instant,
}

struct HeadWait(Arc<AtomicU32>);

impl Timer for HeadTimer {
    fn sleep(&self, _: Duration) -> Pin<Box<dyn HttpSleep>> {
        self.heads.fetch_add(1, Ordering::Relaxed);
        Box::pin(HeadWait(Arc::clone(&self.heads)))
    }

    fn sleep_until(&self, _: Instant) -> Pin<Box<dyn HttpSleep>> {
        self.sleep(Duration::ZERO)
    }

    fn now(&self) -> Instant {
        // Nobody looks at what comes of it, and a look at the clock costs more than all else here.
        self.begin
    }
}

impl HttpSleep for HeadWait {}

impl Future for HeadWait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Drop for HeadWait {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
