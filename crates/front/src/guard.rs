//! The stream that the HTTP library reads in place of the socket's: what it gets is framed
//! strictly.
//!
//! Bytes go straight into the library's own buffer and are looked at there; only the begin of a
//! head that is not whole yet is held back. A request that is refused is replaced by one that no
//! client can send, so that the answers before it come first and the library writes the refusal
//! itself. Where a part of it is already in the library's hands, reading fails instead.

use http::Uri;
use std::future::Future;
use std::io::{self, IoSlice};
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::fault::Fault;
use crate::framer::{Framer, Stop};
use crate::limits::Limits;
use crate::patience::{HeadTimer, Patience, Wait, Watch};
use crate::turn::Turn;

/// The scheme of the request that stands for a refused one: from a client, every target with a
/// scheme is refused.
const SCHEME: &str = "refused";
/// How much is read at once behind the begin of a head.
const PIECE_BYTES: usize = 4096;
/// How long, and of how many bytes, a client is heard that still sends when the last answer is
/// written: a socket that is closed with unread bytes takes back what was written last.
const LINGER_TIME: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: usize = 256 * 1024;

/// A stream of requests, and what is known of it.
#[derive(Debug)]
pub struct Guard<S> {
    stream: S,
    framer: Framer,
    watch: Watch,
    /// Taken from the stream, and not yet passed on.
    held: Vec<u8>,
    /// Where what was not passed on begins.
    passed: usize,
    /// Where what may be passed on ends.
    judged: usize,
    end: Option<End>,
    turn: Turn,
    linger: Option<Linger>,
}

/// How the requests ended.
#[derive(Debug, Clone, Copy)]
enum End {
    /// With a request in place of the refused one.
    Refused,
    /// Within a body.
    Broken(Fault),
}

#[derive(Debug)]
struct Linger {
    end: Pin<Box<Sleep>>,
    bytes: usize,
}

/// Returns why the request of this address was refused; `None` for what clients sent.
pub fn refused(uri: &Uri) -> Option<Fault> {
    // Nearly all have no scheme, and are not looked at further.
    if uri.scheme_str()? != SCHEME {
        return None;
    }
    Fault::at(uri.path().strip_prefix('/')?.parse().ok()?)
}

impl<S> Guard<S> {
    /// Guards a stream from its first byte.
    pub fn new(stream: S, limits: Limits, patience: Patience) -> Self {
        Self {
            stream,
            framer: Framer::new(limits),
            watch: Watch::new(patience),
            held: Vec::new(),
            passed: 0,
            judged: 0,
            end: None,
            turn: Turn::default(),
            linger: None,
        }
    }

    /// The timer that the library must be given, with any limit on heads: by it the guard learns
    /// when a head is waited for.
    pub fn timer(&self) -> HeadTimer {
        self.watch.timer()
    }

    /// Passes on what may be; returns whether there was anything.
    fn pass_on(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let count = (self.judged - self.passed).min(buffer.remaining());
        if count == 0 {
            return false;
        }
        buffer.put_slice(&self.held[self.passed..self.passed + count]);
        self.passed += count;
        if self.passed == self.judged {
            let rest = self.held.split_off(self.judged);
            (self.held, self.passed, self.judged) = (rest, 0, 0);
        }
        true
    }

    /// Ends the requests: in place of the refused one stands another, or nothing.
    fn stop(&mut self, stop: Stop) {
        (self.passed, self.judged) = (0, stop.good);
        self.held.truncate(stop.good);
        if stop.is_begun {
            self.end = Some(End::Broken(stop.fault));
            return;
        }
        self.end = Some(End::Refused);
        let place = stop.fault as usize;
        let request =
            format!("GET {SCHEME}://-/{place} HTTP/1.1\r\nhost: -\r\nconnection: close\r\n\r\n");
        self.held.extend_from_slice(request.as_bytes());
        self.judged = self.held.len();
    }
}

impl<S: AsyncRead + Unpin> Guard<S> {
    /// Reads into the library's buffer. Returns whether that gave it anything, or the end.
    fn poll_straight(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<bool>> {
        let from = buffer.filled().len();
        if Pin::new(&mut self.stream).poll_read(cx, buffer)?.is_pending() {
            return self.poll_patience(cx);
        }
        self.watch.moved_at = self.watch.now;
        self.turn.begin();
        let fresh = &buffer.filled()[from..];
        if fresh.is_empty() {
            return Poll::Ready(Ok(true));
        }
        let requests = self.framer.requests();
        let good = match self.framer.read(fresh) {
            Ok(good) => {
                if good < fresh.len() {
                    self.watch.begin(Wait::Head);
                    self.held.extend_from_slice(&fresh[good..]);
                } else if self.framer.requests() != requests {
                    self.watch.begin(Wait::Body);
                }
                good
            }
            Err(stop) => {
                self.stop(Stop { good: 0, ..stop });
                stop.good
            }
        };
        buffer.set_filled(from + good);
        Poll::Ready(Ok(good > 0))
    }

    /// Reads more behind the begin of a head. Returns whether that was its end.
    fn poll_behind(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut piece = [0; PIECE_BYTES];
        let mut piece = ReadBuf::new(&mut piece);
        if Pin::new(&mut self.stream).poll_read(cx, &mut piece)?.is_pending() {
            return self.poll_patience(cx);
        }
        self.watch.moved_at = self.watch.now;
        self.turn.begin();
        self.held.extend_from_slice(piece.filled());
        match self.framer.read(&self.held) {
            Ok(good) => {
                if good > 0 {
                    let is_head = good < self.held.len();
                    self.watch.begin(if is_head { Wait::Head } else { Wait::Body });
                }
                self.judged = good;
            }
            Err(stop) => self.stop(stop),
        }
        Poll::Ready(Ok(piece.filled().is_empty()))
    }

    /// Waits on for a client. What took too long is refused, or ends as if the client had left.
    /// Returns whether it ended.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let has_head = !self.held.is_empty();
        let wait = match () {
            () if has_head => Wait::Head,
            () if self.framer.is_within_body() => Wait::Body,
            () if !self.watch.awaits_head() => Wait::Answer,
            () if self.framer.requests() == 0 => Wait::Head,
            () => Wait::Idle,
        };
        ready!(self.watch.poll_read(cx, wait));
        match wait {
            Wait::Head if has_head => {
                self.stop(Stop { fault: Fault::HeadTooSlow, good: 0, is_begun: false });
            }
            Wait::Body => {
                self.stop(Stop { fault: Fault::BodyTooSlow, good: 0, is_begun: true });
            }
            Wait::Head | Wait::Idle => return Poll::Ready(Ok(true)),
            Wait::Answer => return Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
        }
        Poll::Ready(Ok(false))
    }

    /// Hears a client out that may still send what nobody reads.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let begin = || Linger { end: Box::pin(sleep(LINGER_TIME)), bytes: 0 };
        let linger = self.linger.get_or_insert_with(begin);
        let mut piece = [0; PIECE_BYTES];
        while linger.bytes < LINGER_BYTES_MAX {
            let mut piece = ReadBuf::new(&mut piece);
            match Pin::new(&mut self.stream).poll_read(cx, &mut piece) {
                Poll::Ready(Ok(())) if !piece.filled().is_empty() => {
                    linger.bytes += piece.filled().len();
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return linger.end.as_mut().poll(cx),
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guard<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if this.pass_on(buffer) {
                return Poll::Ready(Ok(()));
            }
            match this.end {
                // The library has the last request, closes behind its answer, and needs no more.
                Some(End::Refused) => return Poll::Pending,
                Some(End::Broken(fault)) => {
                    let error = io::Error::new(io::ErrorKind::InvalidData, fault.name());
                    return Poll::Ready(Err(error));
                }
                None => {}
            }
            if this.held.is_empty() {
                if ready!(this.poll_straight(cx, buffer))? {
                    return Poll::Ready(Ok(()));
                }
            } else if ready!(this.poll_behind(cx))? {
                // Half a head is as none.
                drop(mem::take(&mut this.held));
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Guard<S> {
    /// As [`Guard::watched`], of bytes: that some were taken is a sign of life.
    fn wrote(
        &mut self,
        cx: &mut Context<'_>,
        done: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if done.is_ready() {
            self.watch.moved_at = self.watch.now;
        }
        self.watched(cx, done)
    }

    /// Passes on what writing gave; a client that takes nothing for too long is an error.
    fn watched<T>(
        &mut self,
        cx: &mut Context<'_>,
        done: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.watch.writes_since = None;
            return done;
        }
        ready!(self.watch.poll_write(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guard<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.turn.poll(cx));
        let done = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.wrote(cx, done)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.turn.poll(cx));
        let done = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.wrote(cx, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Over TLS, what was written goes out only here. It is no sign of life where it is ready,
        // since the library flushes whenever it looks.
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_flush(cx);
        this.watched(cx, done)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            let done = Pin::new(&mut this.stream).poll_shutdown(cx);
            ready!(this.watched(cx, done))?;
        }
        if this.end.is_some() || this.framer.is_within_body() {
            ready!(this.poll_linger(cx));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
