//! The body of a request, with time limits for the client that sends it.

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

/// How long a client may take to send a body, from when it was first waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTimes {
    /// For the next bytes.
    pub(crate) idle: Duration,
    /// For the whole body.
    pub(crate) whole: Duration,
}

impl BodyTimes {
    /// Those of a server.
    pub(crate) const USUAL: Self =
        Self { idle: Duration::from_secs(10), whole: Duration::from_mins(2) };
}

/// A body that fails if its client takes too long to send it.
pub(crate) struct TimedBody {
    body: Incoming,
    times: BodyTimes,
    /// When the whole body must be there.
    end: Option<Instant>,
    /// Ends the present wait; kept for the next one.
    wait: Option<Pin<Box<Sleep>>>,
    is_waiting: bool,
}

impl TimedBody {
    pub(crate) fn new(body: Incoming, times: BodyTimes) -> Self {
        Self { body, times, end: None, wait: None, is_waiting: false }
    }

    /// Ready when the client took too long.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let now = Instant::now();
        let end = *self.end.get_or_insert(now + self.times.whole);
        let until = end.min(now + self.times.idle);
        let wait = self.wait.get_or_insert_with(|| Box::pin(sleep_until(until)));
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
        ready!(this.poll_end(cx));
        Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Returns whether the server ignores the body of a request with this method. RFC 9110 gives it no
/// meaning (sections 9.3.1, 9.3.2 and 9.3.5).
pub(crate) fn is_ignored(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::DELETE)
}

/// Reads a body and drops it, so that the connection can be used again. The rest of a body of more
/// than [`BODY_BYTES_MAX`] is left unread, and the connection closes after the answer.
///
/// # Errors
/// The body ends early, is malformed, or takes too long.
pub(crate) async fn discard<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Result<(), B::Error> {
    let mut left = BODY_BYTES_MAX;
    // A client that waits for `100 Continue` keeps a large body to itself.
    if body.size_hint().lower() > left as u64 {
        return Ok(());
    }
    while let Some(frame) = body.frame().await {
        let count = frame?.data_ref().map_or(0, Bytes::len);
        let Some(rest) = left.checked_sub(count) else { break };
        left = rest;
    }
    Ok(())
}
