//! The end of a connection: what its client still sends is read and dropped for a while.
//!
//! If a socket is closed while there are unread bytes, the system resets the connection, and the
//! client may lose the answer that was written last: for example that its body is too large.

use std::future::Future as _;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long the client may send nothing.
const IDLE: Duration = Duration::from_secs(1);
/// How long all of it may take.
const WHOLE: Duration = Duration::from_secs(10);
/// How much is read at once, in bytes.
const PIECE_BYTES: usize = 16 * 1024;
/// How many pieces are read before other connections get their turn.
const PIECES_MAX: u32 = 8;

/// A stream that reads on for a while after it was shut down.
pub(super) struct Linger<S> {
    stream: S,
    /// When the client's time is over, and for how long it is waited for now. Set once the stream
    /// is shut down.
    end: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> Linger<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, end: None }
    }
}

impl<S: AsyncRead + Unpin> Linger<S> {
    /// Reads until the client closes or its time is over.
    fn poll_rest(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some((end, wait)) = &mut self.end else { return Poll::Ready(()) };
        let mut piece = [0; PIECE_BYTES];
        for _ in 0..PIECES_MAX {
            let mut buffer = ReadBuf::new(&mut piece);
            match Pin::new(&mut self.stream).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    wait.as_mut().reset((*end).min(Instant::now() + IDLE));
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return wait.as_mut().poll(cx),
            }
        }
        if Instant::now() >= *end {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Linger<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Linger<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.end.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.end = Some((Instant::now() + WHOLE, Box::pin(sleep(IDLE))));
        }
        ready!(self.poll_rest(cx));
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncWriteExt as _, duplex};

    /// Shuts down a stream whose client sends a byte after each pause. Returns how long it took.
    async fn lingers(pause: Duration, count: usize) -> Duration {
        let (server, mut client) = duplex(64);
        let sender = tokio::spawn(async move {
            for _ in 0..count {
                sleep(pause).await;
                if client.write_all(b"x").await.is_err() {
                    return;
                }
            }
        });
        let begun = Instant::now();
        Linger::new(server).shutdown().await.unwrap();
        sender.abort();
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_is_read_until_it_closes_stops_or_has_had_its_time() {
        let half = Duration::from_millis(500);
        assert_eq!(lingers(half, 3).await, 3 * half, "closed");
        assert_eq!(lingers(2 * IDLE, 3).await, IDLE, "stopped");
        assert_eq!(lingers(half, 1000).await, WHOLE, "sent on");
    }
}
