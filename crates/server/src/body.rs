//! Request bodies that fail if the client sends them too slowly, and bodies that the server
//! ignores.

use contract::BODY_BYTES_MAX;
use http_body_util::BodyExt as _;
use hyper::Method;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// Timeouts of a request body. They start only when the server waits for data of the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTimeouts {
    /// For the next bytes, from the start of the wait.
    pub(crate) idle: Duration,
    /// For the whole body, from its first wait.
    pub(crate) total: Duration,
}

impl BodyTimeouts {
    /// The default timeouts.
    pub(crate) const DEFAULT: Self =
        Self { idle: Duration::from_secs(10), total: Duration::from_mins(2) };
}

/// A body that fails if its client sends it too slowly.
pub(crate) struct TimedBody {
    body: Incoming,
    timeouts: BodyTimeouts,
    /// Deadline of the whole body; `None` before its first wait.
    deadline: Option<Instant>,
    /// Timer of the current wait, reused for the next one.
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether `timer` is set for the current wait.
    is_waiting: bool,
}

impl TimedBody {
    pub(crate) fn new(body: Incoming, timeouts: BodyTimeouts) -> Self {
        Self { body, timeouts, deadline: None, timer: None, is_waiting: false }
    }

    /// Returns `Ready` when a timeout has expired.
    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let now = Instant::now();
        let end = *self.deadline.get_or_insert(now + self.timeouts.total);
        let until = end.min(now + self.timeouts.idle);
        let wait = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
        // Only the first poll of a wait sets the timer. Otherwise each poll would extend the wait.
        if !std::mem::replace(&mut self.is_waiting, true) {
            wait.as_mut().reset(until);
        }
        wait.as_mut().poll(cx)
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            this.is_waiting = false;
            return Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)));
        }
        ready!(this.poll_timeout(cx));
        Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Returns whether the server ignores the body of requests with this method. RFC 9110 gives it no
/// meaning (sections 9.3.1, 9.3.2 and 9.3.5).
pub(crate) fn is_body_ignored(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::DELETE)
}

/// Reads and drops a body, so that the connection can be reused. Stops after [`BODY_BYTES_MAX`]
/// bytes. If more follow, hyper closes the connection after the response.
///
/// # Errors
/// If the body ends early, is malformed, or times out.
pub(crate) async fn discard_body<B: Body<Data = Bytes> + Unpin>(
    mut body: B,
) -> Result<(), B::Error> {
    let mut remaining = BODY_BYTES_MAX;
    // Do not start to read a body that is too large. Reading would ask a client with
    // `Expect: 100-continue` to send it.
    if body.size_hint().lower() > remaining as u64 {
        return Ok(());
    }
    while let Some(frame) = body.frame().await {
        let count = frame?.data_ref().map_or(0, Bytes::len);
        let Some(rest) = remaining.checked_sub(count) else { break };
        remaining = rest;
    }
    Ok(())
}
