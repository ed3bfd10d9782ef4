//! Bytes on a connection, in pieces: what the guard lets through, hyper reads just as the guard
//! framed it, and refuses nothing of it by itself.

#![no_main]

use front::{Framer, Guard, Limits, Patience, refused};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A client that sends so many bytes at a time, and takes every answer.
struct Client<'a> {
    rest: &'a [u8],
    piece: usize,
    answers: &'a RefCell<Vec<u8>>,
}

impl AsyncRead for Client<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let count = this.piece.min(this.rest.len()).min(buffer.remaining());
        let (piece, rest) = this.rest.split_at(count);
        buffer.put_slice(piece);
        this.rest = rest;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Client<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.answers.borrow_mut().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// What hyper reads: how many requests to their end, and whether the last was refused, or broke off.
#[derive(Debug, Default)]
struct Seen {
    whole: u64,
    refused: bool,
    broken: bool,
}

/// Has hyper read bytes behind the guard.
fn read(bytes: &[u8], piece: usize) -> (Seen, Vec<u8>) {
    let (seen, answers) = (RefCell::new(Seen::default()), RefCell::new(Vec::new()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let client = Client { rest: bytes, piece, answers: &answers };
        let guard = Guard::new(client, Limits::USUAL, Patience::USUAL);
        let answer = service_fn(async |request: Request<Incoming>| {
            let fault = refused(request.uri());
            let is_whole = request.into_body().collect().await.is_ok();
            let mut seen = seen.borrow_mut();
            assert!(!seen.refused && !seen.broken, "a request behind a refused one");
            seen.refused = fault.is_some();
            seen.broken = !is_whole;
            seen.whole += u64::from(is_whole && fault.is_none());
            Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
        });
        let mut http = http1::Builder::new();
        http.half_close(true).timer(guard.timer());
        let _ = http.serve_connection(TokioIo::new(guard), answer).await;
    });
    (seen.into_inner(), answers.into_inner())
}

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, bytes) = input;
    let mut framer = Framer::new(Limits::USUAL);
    let end = framer.read(bytes);
    let (seen, answers) = read(bytes, usize::from(piece) + 1);
    // Every answer is ours: hyper refused nothing by itself.
    let has = |wanted: &[u8]| answers.windows(wanted.len()).any(|part| part == wanted);
    assert!(!has(b"HTTP/1.1 4") && !has(b"HTTP/1.0 4"), "hyper refused what the guard let through");
    // All that was framed whole was read whole, unless a client asked for the end before.
    let framed = framer.requests();
    assert!(seen.whole <= framed, "{seen:?}, but {framed} were framed: {end:?}");
    let closes = has(b"connection: close") || has(b"HTTP/1.0 ");
    let is_cut = framer.is_within_body() || end.is_err();
    assert!(closes || is_cut || seen.whole == framed, "{seen:?}, but {framed} were framed");
});
