//! A minimum throughput for responses, so that a client that reads too slowly cannot occupy a
//! connection for an unlimited time.
//!
//! Only the time of blocked writes counts. Each connection has a credit of such time, and earns
//! more with every written byte.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Limits for clients that read slowly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThroughputLimit {
    /// Minimum average throughput, in bytes per second.
    pub(crate) bytes_per_s: u64,
    /// Maximum time without progress, if the throughput was sufficient before.
    pub(crate) credit: Duration,
}

impl ThroughputLimit {
    /// The default limits, which are slower than any modem.
    pub(crate) const DEFAULT: Self = Self { bytes_per_s: 2048, credit: Duration::from_mins(1) };

    fn earned_credit(&self, bytes: usize) -> Duration {
        Duration::from_micros((bytes as u64).saturating_mul(1_000_000) / self.bytes_per_s.max(1))
    }
}

/// A flag: a request is in progress that must be completed even if its client shuts down its
/// sending side.
#[derive(Debug, Clone, Default)]
pub(crate) struct MustComplete(Arc<AtomicBool>);

impl MustComplete {
    pub(crate) fn set(&self, is_so: bool) {
        self.0.store(is_so, Ordering::Relaxed);
    }
}

/// A stream that enforces a minimum throughput of writes.
#[derive(Debug)]
pub(crate) struct ThroughputStream<S> {
    stream: S,
    must_complete: MustComplete,
    limit: ThroughputLimit,
    credit: Duration,
    /// Time since which writes are blocked.
    blocked_at: Option<Instant>,
    /// Timer that fires when the credit is used up; created at the first blocked write.
    credit_timer: Option<Pin<Box<Sleep>>>,
}

impl<S> ThroughputStream<S> {
    pub(crate) fn new(stream: S, pace: ThroughputLimit, unanswered: MustComplete) -> Self {
        Self {
            stream,
            must_complete: unanswered,
            limit: pace,
            credit: pace.credit,
            blocked_at: None,
            credit_timer: None,
        }
    }

    /// Updates the credit after a write. `written_bytes` returns the number of written bytes.
    /// Fails if the write is blocked and the credit is used up.
    fn apply_limit<T>(
        &mut self,
        cx: &mut Context<'_>,
        done: Poll<io::Result<T>>,
        written_bytes: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        let Poll::Ready(done) = done else {
            ready!(self.poll_credit(cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        };
        if let Some(blocked_at) = self.blocked_at.take() {
            self.credit = self.credit.saturating_sub(blocked_at.elapsed());
        }
        // With full credit there is nothing to earn, so the division is skipped.
        if self.credit < self.limit.credit {
            let earned = self.limit.earned_credit(done.as_ref().map_or(0, written_bytes));
            self.credit = (self.credit + earned).min(self.limit.credit);
        }
        Poll::Ready(done)
    }

    fn poll_credit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let credit = self.credit;
        let end = self.credit_timer.get_or_insert_with(|| Box::pin(sleep(credit)));
        if self.blocked_at.is_none() {
            let now = Instant::now();
            self.blocked_at = Some(now);
            end.as_mut().reset(now + credit);
        }
        end.as_mut().poll(cx)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ThroughputStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        let is_end = read.is_ok() && buffer.filled().len() == before && buffer.remaining() > 0;
        if is_end && self.must_complete.0.load(Ordering::Relaxed) {
            // End of file would make hyper drop the request. hyper reads again after it has written
            // the response.
            return Poll::Pending;
        }
        Poll::Ready(read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ThroughputStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.apply_limit(cx, done, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.apply_limit(cx, done, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_flush(cx);
        self.apply_limit(cx, done, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.apply_limit(cx, done, |()| 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    const PACE: ThroughputLimit =
        ThroughputLimit { bytes_per_s: 100, credit: Duration::from_secs(10) };

    /// Writes `bytes` bytes to a client that repeatedly reads `accepted` bytes and then pauses.
    async fn write_to_slow_client(bytes: usize, accepted: usize, rest: Duration) -> io::Result<()> {
        let (server, mut client) = duplex(64);
        let client = tokio::spawn(async move {
            let mut piece = vec![0; accepted];
            while client.read_exact(&mut piece).await.is_ok() {
                sleep(rest).await;
            }
        });
        let mut paced = ThroughputStream::new(server, PACE, MustComplete::default());
        let written = paced.write_all(&vec![0; bytes]).await;
        client.abort();
        written
    }

    #[tokio::test(start_paused = true)]
    async fn average_throughput_below_minimum_fails() {
        let second = Duration::from_secs(1);
        write_to_slow_client(20_000, 200, second).await.unwrap();
        write_to_slow_client(20_000, 1600, 9 * second).await.unwrap();
        for (accepted, rest) in [(50, second), (1, second), (1, 9 * second), (500, 11 * second)] {
            let error = write_to_slow_client(20_000, accepted, rest).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{accepted} bytes in {rest:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn blocked_client_fails_after_credit() {
        let started_at = Instant::now();
        let forever = Duration::from_secs(1000);
        assert!(write_to_slow_client(100, 1, forever).await.is_err());
        assert_eq!(started_at.elapsed(), PACE.credit);
    }
}
