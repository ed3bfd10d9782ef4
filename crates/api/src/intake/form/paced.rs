//! A body on its way to the multipart parser, with a bound on what the parser may hold.
//!
//! The parser reads all that has come before it parses. It keeps what it cannot parse yet, such as
//! the head of a part that has not ended, and searches all of it again whenever more comes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::BodyDataStream;
use bytes::Bytes;
use futures_util::Stream;

/// Most bytes that the parser may hold, beyond one chunk of the body, before it gives something
/// out. Heads of honest parts have a few hundred.
const HELD_BYTES_MAX: usize = 64 * 1024;

/// Most bytes of a whole form: its files and texts, and the heads of its parts.
const FORM_BYTES_MAX: usize = 12 * 1024 * 1024;

/// The bytes that the parser has got since it last gave something out.
#[derive(Clone, Default)]
pub(super) struct Held(Arc<AtomicUsize>);

impl Held {
    /// Notes that the parser gave something out.
    pub(super) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The stream of the body's chunks.
pub(super) struct Paced {
    body: BodyDataStream,
    held: Held,
    total: usize,
    /// Whether the next poll is the parser's turn.
    has_given: bool,
}

impl Paced {
    pub(super) fn new(body: BodyDataStream, held: Held) -> Self {
        Self { body, held, total: 0, has_given: false }
    }
}

impl Stream for Paced {
    type Item = Result<Bytes, BoxError>;

    /// Gives one chunk at a time, so that the parser parses between two of them.
    ///
    /// # Errors
    /// The body's own, and one if the parser holds too much or the form is too large.
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.has_given) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = ready!(Pin::new(&mut self.body).poll_next(cx));
        Poll::Ready(next.map(|chunk| {
            let chunk = chunk?;
            self.has_given = true;
            self.total += chunk.len();
            if self.total > FORM_BYTES_MAX {
                return Err("it is too large".into());
            }
            let held = self.held.0.fetch_add(chunk.len(), Ordering::Relaxed);
            if held > HELD_BYTES_MAX {
                return Err("the head of a part is too long".into());
            }
            Ok(chunk)
        }))
    }
}
