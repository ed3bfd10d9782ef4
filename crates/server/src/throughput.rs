//! A minimum throughput for what is written: a client that takes too little, however steadily, does
//! not hold an answer for as long as it likes.
//!
//! Only time in which the client takes nothing counts. Each connection has a credit of such time,
//! and earns more with each byte that is taken.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How slowly a client may take its answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// How many bytes of an answer a client must take in a second, in the mean.
    pub(crate) bytes_per_s: u64,
    /// How long it may take nothing, if it was fast enough before.
    pub(crate) credit: Duration,
}

impl Pace {
    /// That of a server: slower than any modem.
    pub(crate) const USUAL: Self = Self { bytes_per_s: 2048, credit: Duration::from_mins(1) };

    fn earned(&self, bytes: usize) -> Duration {
        Duration::from_micros((bytes as u64).saturating_mul(1_000_000) / self.bytes_per_s.max(1))
    }
}

/// Whether a request is being answered that must be answered even if its client ends its side of
/// the connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unanswered(Arc<AtomicBool>);

impl Unanswered {
    pub(crate) fn set(&self, is_so: bool) {
        self.0.store(is_so, Ordering::Relaxed);
    }
}

/// A stream whose client must keep a pace.
#[derive(Debug)]
pub(crate) struct Paced<S> {
    stream: S,
    unanswered: Unanswered,
    pace: Pace,
    credit: Duration,
    /// Since when the client takes nothing.
    blocked_at: Option<Instant>,
    /// Ends when the credit is used up; made when a client first takes nothing.
    end: Option<Pin<Box<Sleep>>>,
}

impl<S> Paced<S> {
    pub(crate) fn new(stream: S, pace: Pace, unanswered: Unanswered) -> Self {
        Self { stream, unanswered, pace, credit: pace.credit, blocked_at: None, end: None }
    }

    /// Passes on what writing gave, with the bytes that were taken. A client whose credit is used
    /// up is an error.
    fn paced<T>(
        &mut self,
        cx: &mut Context<'_>,
        done: Poll<io::Result<T>>,
        taken: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        let Poll::Ready(done) = done else {
            ready!(self.poll_end(cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        };
        if let Some(blocked_at) = self.blocked_at.take() {
            self.credit = self.credit.saturating_sub(blocked_at.elapsed());
        }
        if self.credit < self.pace.credit {
            let earned = self.pace.earned(done.as_ref().map_or(0, taken));
            self.credit = (self.credit + earned).min(self.pace.credit);
        }
        Poll::Ready(done)
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let credit = self.credit;
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(credit)));
        if self.blocked_at.is_none() {
            let now = Instant::now();
            self.blocked_at = Some(now);
            end.as_mut().reset(now + credit);
        }
        end.as_mut().poll(cx)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        let is_end = read.is_ok() && buffer.filled().len() == before && buffer.remaining() > 0;
        if is_end && self.unanswered.0.load(Ordering::Relaxed) {
            // hyper would drop the request. It reads again when it has written the answer.
            return Poll::Pending;
        }
        Poll::Ready(read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.paced(cx, done, |taken| *taken)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.paced(cx, done, |taken| *taken)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_flush(cx);
        self.paced(cx, done, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.paced(cx, done, |()| 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    const PACE: Pace = Pace { bytes_per_s: 100, credit: Duration::from_secs(10) };

    /// Writes so many bytes to a client that takes some and then rests, again and again.
    async fn write(bytes: usize, taken: usize, rest: Duration) -> io::Result<()> {
        let (server, mut client) = duplex(64);
        let client = tokio::spawn(async move {
            let mut piece = vec![0; taken];
            while client.read_exact(&mut piece).await.is_ok() {
                sleep(rest).await;
            }
        });
        let mut paced = Paced::new(server, PACE, Unanswered::default());
        let written = paced.write_all(&vec![0; bytes]).await;
        client.abort();
        written
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_must_take_so_much_in_the_mean() {
        let second = Duration::from_secs(1);
        write(20_000, 200, second).await.unwrap();
        write(20_000, 1600, 9 * second).await.unwrap();
        for (taken, rest) in [(50, second), (1, second), (1, 9 * second), (500, 11 * second)] {
            let error = write(20_000, taken, rest).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{taken} bytes in {rest:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_has_its_credit() {
        let begun = Instant::now();
        let forever = Duration::from_secs(1000);
        assert!(write(100, 1, forever).await.is_err());
        assert_eq!(begun.elapsed(), PACE.credit);
    }
}
