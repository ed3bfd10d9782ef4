//! A body that fails when its sender is silent for too long.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use super::UpstreamError;

/// A body with a timeout for its next chunk. The timer runs only while a reader waits, because a
/// slow reader is not a fault of the upstream.
pub(super) struct IdleTimeoutBody<B> {
    inner: B,
    timeout: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<B> IdleTimeoutBody<B> {
    pub(super) fn new(inner: B, longest: Duration) -> Self {
        Self { inner, timeout: longest, timer: None }
    }
}

impl<B> Body for IdleTimeoutBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = UpstreamError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, UpstreamError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            self.timer = None;
            let failed = |error: B::Error| UpstreamError::Failed(error.into());
            return Poll::Ready(frame.map(|frame| frame.map_err(failed)));
        }
        let longest = self.timeout;
        let wait = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(longest)));
        wait.as_mut().poll(context).map(|()| Some(Err(UpstreamError::TimedOut)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
