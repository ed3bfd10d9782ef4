//! A body in which the key is blotted out, should the upstream repeat it.
//!
//! The blot is as long as the key, so that the body's length stays. What an upstream writes in
//! another spelling, with JSON's `\u` escapes for one, is not recognised.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::secret::Secret;

/// The upstream's body on its way to the browser.
pub(super) struct Veiled {
    inner: Body,
    key: Secret,
    /// An end that may be the beginning of the key, until more has come.
    held: Vec<u8>,
}

impl Veiled {
    pub(super) fn new(inner: Body, key: Secret) -> Self {
        Self { inner, key, held: Vec::new() }
    }

    /// Returns what can go out of a piece and of what was held back before it.
    fn pass(&mut self, piece: Bytes) -> Bytes {
        if self.held.is_empty() && !self.key.may_begin_in(&piece) {
            return piece;
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(&piece);
        if self.key.blot_out(&mut bytes) {
            tracing::warn!("the upstream repeated this gateway's key; it was blotted out");
        }
        self.held = bytes.split_off(bytes.len() - self.key.begun_at_end(&bytes));
        bytes.into()
    }
}

impl http_body::Body for Veiled {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(context)) else {
                let held = Bytes::from(std::mem::take(&mut self.held));
                return Poll::Ready((!held.is_empty()).then(|| Ok(Frame::data(held))));
            };
            // Trailers are headers that come late; none is specified, so none passes.
            let Ok(piece) = frame?.into_data() else { continue };
            let passed = self.pass(piece);
            if !passed.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(passed))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, held) = (self.inner.size_hint(), self.held.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + held);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + held);
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

    fn veiled(pieces: Vec<String>) -> String {
        let pieces = stream::iter(pieces.into_iter().map(Ok::<_, std::io::Error>));
        let body = Veiled::new(Body::from_stream(pieces), Secret::new(KEY.to_owned()));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let bytes = runtime.block_on(body.collect()).unwrap().to_bytes();
        String::from_utf8(bytes.into()).unwrap()
    }

    proptest! {
        /// However the body is cut, it comes out as if it were whole.
        #[test]
        fn blots_the_key_out_across_pieces(pieces in proptest::collection::vec("[abc]{0,5}", 0..9)) {
            let whole = pieces.concat();
            prop_assert_eq!(veiled(pieces), whole.replace(KEY, "***"));
        }
    }

    #[test]
    fn keeps_the_length_that_is_known() {
        let body = Veiled::new(Body::from("x aab"), Secret::new(KEY.to_owned()));
        assert_eq!(body.size_hint().exact(), Some(5));
        assert!(Veiled::new(Body::empty(), Secret::new(KEY.to_owned())).is_end_stream());
    }
}
