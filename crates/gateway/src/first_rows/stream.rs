//! A response body of two parts with optional compression. The second part is produced later.

use std::future::Future;
use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use brotli::CompressorWriter;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;
use http_body::Frame;

use crate::assets::negotiate::Encoding;

/// Brotli quality, of 11. Rows and responses are repetitive, and compression must be fast.
const BROTLI_QUALITY: u32 = 4;
/// Brotli window as a power of two; it covers a whole page.
const BROTLI_WINDOW: u32 = 20;
const BROTLI_BUFFER_BYTES: usize = 16 * 1024;

/// An incremental compressor.
pub(super) enum StreamCompressor {
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Plain,
}

impl StreamCompressor {
    /// Returns the best compressor that the client accepts.
    pub(super) fn for_client(headers: &HeaderMap) -> Self {
        let is = |encoding: Encoding| encoding.is_accepted(headers.get_all(ACCEPT_ENCODING).iter());
        if is(Encoding::Brotli) {
            let writer = CompressorWriter::new(
                Vec::new(),
                BROTLI_BUFFER_BYTES,
                BROTLI_QUALITY,
                BROTLI_WINDOW,
            );
            Self::Brotli(Box::new(writer))
        } else if is(Encoding::Gzip) {
            Self::Gzip(Box::new(GzEncoder::new(Vec::new(), Compression::fast())))
        } else {
            Self::Plain
        }
    }

    /// Returns the name of the content encoding, if any.
    pub(super) fn encoding_name(&self) -> Option<&'static str> {
        match self {
            Self::Brotli(_) => Some(Encoding::Brotli.name()),
            Self::Gzip(_) => Some(Encoding::Gzip.name()),
            Self::Plain => None,
        }
    }

    /// Compresses a part and flushes, so that the client can decode all of it immediately.
    pub(super) fn compress_part(&mut self, piece: &str) -> Bytes {
        match self {
            Self::Brotli(writer) => {
                // Writing into memory cannot fail.
                let _ = writer.write_all(piece.as_bytes()).and_then(|()| writer.flush());
                std::mem::take(writer.get_mut()).into()
            }
            Self::Gzip(writer) => {
                let _ = writer.write_all(piece.as_bytes()).and_then(|()| writer.flush());
                std::mem::take(writer.get_mut()).into()
            }
            Self::Plain => Bytes::copy_from_slice(piece.as_bytes()),
        }
    }

    /// Compresses the last part.
    pub(super) fn finish(self, piece: &str) -> Bytes {
        match self {
            Self::Brotli(mut writer) => {
                let _ = writer.write_all(piece.as_bytes());
                writer.into_inner().into()
            }
            Self::Gzip(mut writer) => {
                let _ = writer.write_all(piece.as_bytes());
                writer.finish().unwrap_or_default().into()
            }
            Self::Plain => Bytes::copy_from_slice(piece.as_bytes()),
        }
    }
}

/// A body with a first part that is available immediately and a second part that is computed.
pub(super) struct TwoPartBody {
    head: Option<Bytes>,
    rest: Option<Pin<Box<dyn Future<Output = Bytes> + Send>>>,
}

impl TwoPartBody {
    pub(super) fn new(head: Bytes, rest: impl Future<Output = Bytes> + Send + 'static) -> Self {
        Self { head: Some(head), rest: Some(Box::pin(rest)) }
    }
}

impl http_body::Body for TwoPartBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(head) = self.head.take() {
            return Poll::Ready(Some(Ok(Frame::data(head))));
        }
        let Some(rest) = self.rest.as_mut() else { return Poll::Ready(None) };
        let rest = ready!(rest.as_mut().poll(context));
        self.rest = None;
        Poll::Ready(Some(Ok(Frame::data(rest))))
    }

    fn is_end_stream(&self) -> bool {
        self.head.is_none() && self.rest.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use std::io::Read as _;

    fn compress_parts(accepted: &'static str) -> (Option<&'static str>, Vec<u8>, Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
        let mut packer = StreamCompressor::for_client(&headers);
        let name = packer.encoding_name();
        let head = packer.compress_part("head, ").to_vec();
        (name, head, packer.finish("and rest").to_vec())
    }

    #[test]
    fn compressed_parts_round_trip() {
        let (name, head, rest) = compress_parts("gzip, br");
        assert_eq!((name, head.is_empty()), (Some("br"), false));
        let mut text = String::new();
        let whole = [head, rest].concat();
        brotli::Decompressor::new(&whole[..], 4096).read_to_string(&mut text).unwrap();
        assert_eq!(text, "head, and rest");
        let (name, head, rest) = compress_parts("gzip");
        assert_eq!((name, head.is_empty()), (Some("gzip"), false));
        let whole = [head, rest].concat();
        text.clear();
        flate2::read::GzDecoder::new(&whole[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "head, and rest");
        let (name, head, rest) = compress_parts("identity");
        assert_eq!((name, [head, rest].concat()), (None, b"head, and rest".to_vec()));
    }
}
