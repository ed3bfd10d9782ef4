//! A stream that fails once nothing was read and nothing was written for a while.
//!
//! hyper waits for ever for a body that never comes and for a client that takes no more of its
//! answer; this ends both.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::heads::Alarm;

/// How often one looks whether the stream moves, in the time that it may stand still.
const LOOKS: u32 = 4;

/// A stream, and the time that it may stand still: it is let go after that time at the earliest,
/// and a quarter of it later at the latest.
pub(crate) struct Watched<S> {
    stream: S,
    look_every: Duration,
    next_look: Alarm,
    has_moved: bool,
    /// Looks in a row at which it had not moved.
    looks: u32,
}

impl<S> Watched<S> {
    /// Watches a stream from now on.
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        let look_every = patience / LOOKS;
        let next_look = Alarm::at(Instant::now() + look_every);
        Self { stream, look_every, next_look, has_moved: false, looks: 0 }
    }

    /// Passes on what the stream did. That it moved is only noted, since it does so with each
    /// request; the clock is asked where it does not.
    fn watch<T>(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.has_moved = true;
            return done;
        }
        loop {
            ready!(self.next_look.poll(cx));
            let has_moved = std::mem::take(&mut self.has_moved);
            self.looks = if has_moved { 0 } else { self.looks + 1 };
            if self.looks == LOOKS {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.next_look.set(Instant::now() + self.look_every);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_read(cx, buffer);
        this.watch(cx, done)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.watch(cx, done)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.watch(cx, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
