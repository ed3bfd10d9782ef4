//! A stream on which even the refusal of what is no HTTP is the specified JSON (§7).
//!
//! hyper answers a head that it cannot read by itself, with a status and nothing else. Such an
//! answer is known by its bytes, which no router of ours ever writes, and is given a body here.

use axum::body::Bytes;
use contract::{ErrorBody, ErrorCode};
use hyper::{HeaderMap, Version, header};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{HEAD_BYTES_MAX, HEADERS_MAX};

/// Longest answer of hyper's own, in bytes.
const BARE_BYTES_MAX: usize = 256;
/// Up to this length, in bytes, an answer in pieces is put together: to copy it costs less than it
/// costs the system to collect them.
const JOINED_BYTES_MAX: usize = 2048;

/// A stream, and the refusal that is being written to it in place of hyper's.
pub(crate) struct Told<S> {
    stream: S,
    refusal: Option<Bytes>,
}

impl<S> Told<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, refusal: None }
    }
}

/// Says what is wrong with a request that hyper takes and RFC 9112 §3.2 does not.
pub(crate) fn problem(version: Version, headers: &HeaderMap) -> Option<ErrorBody> {
    let hosts = headers.get_all(header::HOST).iter().count();
    let is_wrong = version == Version::HTTP_11 && hosts != 1;
    is_wrong.then(|| {
        let message = format!("a request must have one `Host` header, but this has {hosts}");
        ErrorBody::new(ErrorCode::Validation, message)
    })
}

/// Returns the refusal for an answer of hyper's own; `None` for all others.
fn refusal(bytes: &[u8]) -> Option<Bytes> {
    if bytes.len() > BARE_BYTES_MAX {
        return None;
    }
    let head = std::str::from_utf8(bytes).ok()?.strip_suffix("\r\n\r\n")?;
    let is_bare = head.contains("\r\ncontent-length: 0") && !head.contains("\r\n\r\n");
    let message = match head.strip_prefix("HTTP/1.1 ")?.get(..3)? {
        _ if !is_bare => return None,
        "400" => "the request is no HTTP/1.1; check its first line and its headers".to_owned(),
        "414" => "the address is too long for any path here; shorten it".to_owned(),
        "431" => format!(
            "a request's head must have at most {HEAD_BYTES_MAX} bytes and {HEADERS_MAX} headers; \
             send fewer or shorter ones"
        ),
        _ => return None,
    };
    let body = serde_json::to_string(&ErrorBody::new(ErrorCode::Validation, message)).ok()?;
    let length = format!("\r\ncontent-length: {}", body.len());
    let head = head.replace("\r\ncontent-length: 0", &length);
    let more = "content-type: application/json\r\ncache-control: no-store\r\n\
                x-content-type-options: nosniff";
    Some(format!("{head}\r\n{more}\r\n\r\n{body}").into())
}

/// Puts pieces together, where they have room.
fn joined<'a>(slices: &[IoSlice<'_>], room: &'a mut [u8]) -> Option<&'a [u8]> {
    let mut end = 0;
    for slice in slices {
        room.get_mut(end..end + slice.len())?.copy_from_slice(slice);
        end += slice.len();
    }
    Some(&room[..end])
}

impl<S: AsyncWrite + Unpin> Told<S> {
    /// Writes the refusal to its end, and then says that what it stands for was written.
    fn poll_refuse(&mut self, cx: &mut Context<'_>, instead_of: usize) -> Poll<io::Result<usize>> {
        while let Some(rest) = self.refusal.as_mut().filter(|rest| !rest.is_empty()) {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            let _ = rest.split_to(written);
        }
        self.refusal = None;
        Poll::Ready(Ok(instead_of))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Told<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Told<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.refusal.is_none() {
            this.refusal = refusal(bytes);
        }
        match this.refusal {
            Some(_) => this.poll_refuse(cx, bytes.len()),
            None => Pin::new(&mut this.stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut filled = slices.iter().filter(|slice| !slice.is_empty());
        if let (Some(only), None) = (filled.next(), filled.next()) {
            return self.poll_write(cx, only);
        }
        let stream = Pin::new(&mut self.get_mut().stream);
        match joined(slices, &mut [0; JOINED_BYTES_MAX]) {
            Some(bytes) => stream.poll_write(cx, bytes),
            None => stream.poll_write_vectored(cx, slices),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\
                        date: Sun, 01 Mar 2026 09:30:00 GMT\r\n\r\n";

    #[test]
    fn hypers_own_answer_gets_a_body_and_no_other_does() {
        let told = refusal(BARE.as_bytes()).unwrap();
        let told = std::str::from_utf8(&told).unwrap();
        let (head, body) = told.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())), "{head}");
        assert!(head.contains("\r\nconnection: close\r\n"), "{head}");
        assert!(serde_json::from_str::<ErrorBody>(body).is_ok(), "{body}");
        for other in [
            BARE.replace("400", "404"),
            BARE.replace("400", "200"),
            BARE.replace("length: 0", "length: 2"),
            format!("{BARE}x"),
            format!("HTTP/1.1 200 OK\r\n\r\n{BARE}"),
            BARE[1..].to_owned(),
            String::new(),
        ] {
            assert_eq!(refusal(other.as_bytes()), None, "{other}");
        }
    }

    /// A stream that notes the length of each piece that it is given.
    #[derive(Default)]
    struct Noting(Vec<Vec<usize>>);

    impl AsyncWrite for Noting {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.0.push(vec![bytes.len()]);
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            self.0.push(slices.iter().map(|slice| slice.len()).collect());
            Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn a_small_answer_is_sent_in_one_piece() {
        use tokio::io::AsyncWriteExt as _;
        let mut told = Told::new(Noting::default());
        let body = vec![b'x'; JOINED_BYTES_MAX - 4];
        for body in [&body[..1], &body, &[&body[..], b"y"].concat()] {
            let written = told.write_vectored(&[IoSlice::new(b"head"), IoSlice::new(body)]).await;
            assert_eq!(written.unwrap(), 4 + body.len());
        }
        let whole = JOINED_BYTES_MAX;
        assert_eq!(told.stream.0, [vec![5], vec![whole], vec![4, whole - 3]]);
        let mut room = [0; 5];
        let pieces = [IoSlice::new(b"ab"), IoSlice::new(b""), IoSlice::new(b"cde")];
        assert_eq!(joined(&pieces, &mut room), Some(&b"abcde"[..]));
    }

    #[tokio::test]
    async fn a_stream_that_takes_little_at_a_time_gets_it_whole() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (near, mut far) = tokio::io::duplex(7);
        let mut told = Told::new(near);
        let write = async move {
            told.write_all(BARE.as_bytes()).await.unwrap();
            told.write_all(b"more").await.unwrap();
        };
        let mut read = Vec::new();
        let ((), all) = tokio::join!(write, far.read_to_end(&mut read));
        all.unwrap();
        let expected = refusal(BARE.as_bytes()).unwrap();
        assert_eq!(read, [&expected[..], b"more"].concat());
    }
}
