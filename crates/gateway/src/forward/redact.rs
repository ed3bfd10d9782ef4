//! A body with the API key redacted, in case the upstream echoes it.
//!
//! The replacement has the length of the key, so the length of the body does not change. Other
//! encodings of the key, such as JSON's `\u` escapes, are not recognised.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::secret::Secret;

/// The upstream's body with the key redacted.
pub(super) struct RedactedBody {
    inner: Body,
    key: Secret,
    /// Trailing bytes that may be the start of the key; sent once more bytes are known.
    pending: Vec<u8>,
}

impl RedactedBody {
    pub(super) fn new(inner: Body, key: Secret) -> Self {
        Self { inner, key, pending: Vec::new() }
    }

    /// Returns the redacted bytes that can be sent after `piece` was received.
    fn redact_chunk(&mut self, piece: Bytes) -> Bytes {
        if self.pending.is_empty() && !self.key.may_occur_in(&piece) {
            return piece;
        }
        let mut bytes = std::mem::take(&mut self.pending);
        bytes.extend_from_slice(&piece);
        if self.key.redact(&mut bytes) {
            tracing::warn!("upstream response contained the API key; it was redacted");
        }
        // The key may continue in the next chunk, so a possible prefix at the end is delayed.
        self.pending = bytes.split_off(bytes.len() - self.key.partial_match_len(&bytes));
        bytes.into()
    }
}

impl http_body::Body for RedactedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(context)) else {
                let pending = Bytes::from(std::mem::take(&mut self.pending));
                return Poll::Ready((!pending.is_empty()).then(|| Ok(Frame::data(pending))));
            };
            // Trailers are dropped: the specification defines no trailers, and they could contain
            // the key.
            let Ok(piece) = frame?.into_data() else { continue };
            let passed = self.redact_chunk(piece);
            if !passed.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(passed))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pending.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let inner = self.inner.size_hint();
        let pending_bytes = self.pending.len() as u64;
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + pending_bytes);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + pending_bytes);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use http_body::Body as _;
    use http_body_util::BodyExt;
    use proptest::prelude::*;

    const KEY: &str = "aab";

    fn redact_chunks(pieces: Vec<String>) -> String {
        let pieces = stream::iter(pieces.into_iter().map(Ok::<_, std::io::Error>));
        let body = RedactedBody::new(Body::from_stream(pieces), Secret::new(KEY.to_owned()));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let bytes = runtime.block_on(body.collect()).unwrap().to_bytes();
        String::from_utf8(bytes.into()).unwrap()
    }

    proptest! {
        /// The result does not depend on how the body is split into chunks.
        #[test]
        fn key_is_redacted_across_chunks(pieces in proptest::collection::vec("[abc]{0,5}", 0..9)) {
            let whole = pieces.concat();
            prop_assert_eq!(redact_chunks(pieces), whole.replace(KEY, "***"));
        }
    }

    #[test]
    fn redaction_preserves_known_length() {
        let body = RedactedBody::new(Body::from("x aab"), Secret::new(KEY.to_owned()));
        assert_eq!(body.size_hint().exact(), Some(5));
        assert!(RedactedBody::new(Body::empty(), Secret::new(KEY.to_owned())).is_end_stream());
    }
}
