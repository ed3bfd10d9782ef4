//! The guard in front of the library: what passes is read in the same way, and what does not is
//! answered in its turn.

use super::*;
use crate::hostile;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(5);
const GET: &[u8] = b"GET /first HTTP/1.1\r\nhost: a\r\n\r\n";

/// Tells what it was asked, or why it was refused.
async fn tell(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    if let Some(fault) = refused(&parts.uri) {
        return Ok(answer(fault.status(), fault.name()));
    }
    let told = match body.collect().await {
        Ok(body) => format!("{} {}", parts.uri.path(), body.to_bytes().escape_ascii()),
        Err(_) => return Ok(answer(499, "broken")),
    };
    Ok(answer(200, &told))
}

fn answer(status: u16, body: &str) -> Response<Full<Bytes>> {
    let body = Full::from(body.to_owned());
    Response::builder().status(status).header("x-end", "e").body(body).unwrap()
}

/// Sends pieces, one read each, and returns the bodies of the answers until the server's end.
async fn talk(pieces: &[&[u8]]) -> Vec<String> {
    exchange(pieces, false).await
}

async fn exchange(pieces: &[&[u8]], leaves: bool) -> Vec<String> {
    let (near, mut far) = duplex(1 << 20);
    let guard = TokioIo::new(Guard::new(near, Limits::USUAL, Patience::USUAL));
    let server = http1::Builder::new().serve_connection(guard, service_fn(tell));
    let client = async move {
        for piece in pieces {
            far.write_all(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        if leaves {
            far.shutdown().await.unwrap();
        }
        let mut all = Vec::new();
        far.read_to_end(&mut all).await.unwrap();
        all
    };
    let both = async { tokio::join!(server, client) };
    let (_, all) = timeout(SOON, both).await.expect("the connection stays open");
    let all = String::from_utf8(all).unwrap();
    let bodies = all.split("HTTP/1.1 ").skip(1);
    bodies.map(|answer| answer.split_once("\r\n\r\n").unwrap().1.to_owned()).collect()
}

#[tokio::test]
async fn what_passes_is_read_as_it_was_sent_however_it_is_cut() {
    let post = b"POST /second HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc";
    let chunks = b"POST /third HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n\
                   3;x=y\r\nabc\r\n1\r\n\0\r\n0\r\n\r\n";
    let last = b"GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let all = [GET, post, chunks, last].concat();
    let expect = ["/first ", "/second abc", "/third abc\\x00", "/last "];
    assert_eq!(talk(&[&all]).await, expect);
    for at in 1..all.len() {
        assert_eq!(talk(&[&all[..at], &all[at..]]).await, expect, "cut at {at}");
    }
    let single: Vec<_> = all.chunks(1).collect();
    assert_eq!(talk(&single).await, expect);
}

#[tokio::test]
async fn a_refusal_comes_in_its_turn_and_nothing_behind_it_is_answered() {
    let smuggled = b"GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n";
    for (name, request) in hostile::requests(include_str!("../tests/data/hostile.txt")) {
        let all = [GET, &request, smuggled].concat();
        let shown = request[..request.len().min(60)].escape_ascii();
        assert_eq!(talk(&[&all]).await, ["/first ", &name], "{shown}");
        let (head, rest) = request.split_at(request.len() / 2);
        let rest = [rest, smuggled].concat();
        let answers = talk(&[GET, head, &rest]).await;
        assert!(answers.len() <= 2 && answers[0] == "/first ", "{answers:?}");
        let is_broken = answers.get(1).is_some_and(|told| told == "broken" || *told == name);
        assert!(is_broken, "{name}, {shown}: {answers:?}");
    }
}

#[tokio::test]
async fn half_a_head_is_as_none() {
    assert_eq!(exchange(&[GET, &GET[..9]], true).await, ["/first "]);
    assert_eq!(exchange(&[&GET[..9]], true).await, [""; 0]);
    assert_eq!(exchange(&[], true).await, [""; 0]);
}

#[test]
fn no_client_can_send_the_request_of_a_refusal() {
    let uri = |text: &str| text.parse::<Uri>().unwrap();
    for fault in Fault::all() {
        let forged = format!("refused://-/{}", fault as usize);
        assert_eq!(refused(&uri(&forged)), Some(fault));
        let request = format!("GET {forged} HTTP/1.1\r\nhost: a\r\n\r\n");
        let end = Framer::new(Limits::USUAL).read(request.as_bytes());
        assert_eq!(end.unwrap_err().fault, Fault::TargetForm);
    }
    for other in ["/0", "http://-/0", "refused://-/999", "refused://-/x"] {
        assert_eq!(refused(&uri(other)), None, "{other}");
    }
}

type Log = Arc<Mutex<Vec<&'static str>>>;

/// Answers one request, and logs when that is made and written.
async fn logged(name: &'static str, log: &Log) {
    let (near, mut far) = duplex(1 << 16);
    far.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
    let made = Arc::clone(log);
    let answers = service_fn(move |request| {
        made.lock().unwrap().push("made");
        tell(request)
    });
    let stream = Logged { stream: near, name, log: Arc::clone(log) };
    let guard = TokioIo::new(Guard::new(stream, Limits::USUAL, Patience::USUAL));
    let server = http1::Builder::new().serve_connection(guard, answers);
    server.await.unwrap();
}

/// A stream that logs what is written.
struct Logged {
    stream: DuplexStream,
    name: &'static str,
    log: Log,
}

impl AsyncRead for Logged {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Logged {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.log.lock().unwrap().push(this.name);
        Pin::new(&mut this.stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[tokio::test]
async fn answers_that_are_made_one_after_another_go_out_together() {
    let mut last = Vec::new();
    // A test that has to wait for the processor in between sees them go out each for itself.
    for _ in 0..100 {
        // What was answered before is of no weight any more.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let log = Log::default();
        tokio::join!(logged("first", &log), logged("second", &log), logged("third", &log));
        last = log.lock().unwrap().clone();
        if last == ["made", "first", "made", "made", "second", "third"] {
            return;
        }
    }
    panic!("never together: {last:?}");
}
