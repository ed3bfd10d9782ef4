//! Stream of a body for the multipart parser, with a limit on the parser's buffer.
//!
//! The parser reads all available data before it parses. It buffers data that it cannot parse yet,
//! such as an incomplete part header, and scans the whole buffer again for each new chunk.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::BodyDataStream;
use bytes::Bytes;
use futures_util::Stream;

/// Maximum bytes that the parser may buffer without producing output, in addition to one chunk.
/// Headers of real parts have a few hundred bytes.
const BUFFERED_BYTES_MAX: usize = 64 * 1024;

/// Maximum bytes of a form: its files, texts and part headers.
const FORM_BYTES_MAX: usize = 12 * 1024 * 1024;

/// Bytes that the parser has read since its last output.
#[derive(Clone, Default)]
pub(super) struct BufferedBytes(Arc<AtomicUsize>);

impl BufferedBytes {
    /// Resets the count after an output of the parser.
    pub(super) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Chunks of a body, with limits on the buffer and the total size.
pub(super) struct LimitedBody {
    body: BodyDataStream,
    buffered: BufferedBytes,
    total: usize,
    /// Whether the next poll must return `Pending`, so that the parser runs.
    must_yield: bool,
}

impl LimitedBody {
    pub(super) fn new(body: BodyDataStream, buffered: BufferedBytes) -> Self {
        Self { body, buffered, total: 0, must_yield: false }
    }
}

impl Stream for LimitedBody {
    type Item = Result<Bytes, BoxError>;

    /// Returns one chunk at a time, so that the parser parses it before the next one.
    ///
    /// # Errors
    /// Fails with an error of the body, or if the parser buffers too much or the form is too large.
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.must_yield) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = ready!(Pin::new(&mut self.body).poll_next(cx));
        Poll::Ready(next.map(|chunk| {
            let chunk = chunk?;
            self.must_yield = true;
            self.total += chunk.len();
            if self.total > FORM_BYTES_MAX {
                return Err("the form is too large".into());
            }
            let buffered = self.buffered.0.fetch_add(chunk.len(), Ordering::Relaxed);
            if buffered > BUFFERED_BYTES_MAX {
                return Err("a part header is too long".into());
            }
            Ok(chunk)
        }))
    }
}
