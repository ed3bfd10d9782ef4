//! Slow, silent and leaving clients, on real sockets.

use super::*;
use axum::routing::get;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

const QUICK: Patience = Patience {
    head: Duration::from_millis(200),
    stall: Duration::from_millis(400),
    drain: Duration::from_secs(5),
};
const SOON: Duration = Duration::from_secs(4);

struct Server {
    address: SocketAddr,
    end: mpsc::Sender<()>,
    task: tokio::task::JoinHandle<()>,
}

/// A body that never ends, so that a client who takes no more fills every buffer.
struct Endless;

impl hyper::body::Body for Endless {
    type Data = axum::body::Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Self::Data>, Infallible>>> {
        let piece = axum::body::Bytes::from(vec![b'x'; 65536]);
        Poll::Ready(Some(Ok(hyper::body::Frame::data(piece))))
    }
}

async fn start() -> Server {
    start_with(QUICK).await
}

async fn start_with(patience: Patience) -> Server {
    let router = Router::new()
        .route(
            "/",
            get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }),
        )
        .route("/slow", get(|| async { sleep(Duration::from_millis(300)).await }))
        .route("/endless", get(|| async { Body::new(Endless) }))
        .route("/", axum::routing::post(|body: String| async move { body }));
    let (listener, address) = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (end, ends) = mpsc::channel(2);
    let served = Served { service: Arc::new(router), is_behind_proxy: true, patience };
    let task = tokio::spawn(serve_with(served, listener, ends));
    Server { address, end, task }
}

impl Server {
    /// Sends some bytes and returns all that comes until the server closes.
    async fn talk(&self, bytes: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = timeout(SOON, stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "the connection stayed open after {bytes:?}");
        String::from_utf8(answer).unwrap()
    }
}

#[tokio::test]
async fn a_request_knows_where_it_comes_from() {
    let server = start().await;
    let answer = server.talk("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("127.0.0.1:"), "{answer}");
    let through =
        "GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\nconnection: close\r\n\r\n";
    assert!(server.talk(through).await.contains("192.0.2.1:"));
}

#[tokio::test]
async fn slow_silent_and_idle_clients_are_let_go() {
    let server = start().await;
    server.talk("").await;
    server.talk("GET / HTTP/1.1\r\nhost:").await;
    let idle = server.talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(idle.starts_with("HTTP/1.1 200"), "{idle}");
    server.talk("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf").await;
}

#[tokio::test]
async fn a_client_that_takes_no_more_is_let_go() {
    let server = start().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    sleep(QUICK.stall * 3).await;
    let drained = async {
        let mut sink = vec![0; 1 << 20];
        while stream.read(&mut sink).await.is_ok_and(|count| count > 0) {}
    };
    assert!(timeout(SOON, drained).await.is_ok(), "the answer went on");
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let server = start().await;
    let long = format!("GET / HTTP/1.1\r\nhost: x\r\nlong: {}\r\n\r\n", "x".repeat(HEAD_BYTES_MAX));
    let answer = server.talk(&long).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    let many = "a: b\r\n".repeat(HEADERS_MAX + 1);
    let answer = server.talk(&format!("GET / HTTP/1.1\r\n{many}\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn draining_answers_what_is_under_way_and_takes_nothing_new() {
    let server = start().await;
    let address = server.address;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    sleep(Duration::from_millis(50)).await;
    server.end.send(()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    timeout(SOON, server.task).await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn draining_ends_connections_that_wait_for_their_next_request() {
    let server = start_with(PATIENCE).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    stream.read_u8().await.unwrap();
    sleep(Duration::from_millis(50)).await;
    server.end.send(()).await.unwrap();
    let mut rest = Vec::new();
    timeout(SOON, stream.read_to_end(&mut rest)).await.unwrap().unwrap();
    timeout(SOON, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let server = start().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    stream.read_u8().await.unwrap();
    server.end.send(()).await.unwrap();
    sleep(Duration::from_millis(50)).await;
    assert!(!server.task.is_finished());
    server.end.send(()).await.unwrap();
    timeout(Duration::from_millis(200), server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn even_what_is_no_http_is_refused_in_json() {
    let server = start().await;
    let head = |more: &str| format!("GET / HTTP/1.1\r\n{more}connection: close\r\n\r\n");
    let many: String = (0..70).map(|n| ["x-", &n.to_string(), ": y\r\n"].concat()).collect();
    for (request, status) in [
        ("GET\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/3.0\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/1.1\r\nhost x\r\n\r\n".to_owned(), 400),
        (head(&many), 431),
        (head(&format!("host: x\r\nx: {}\r\n", "y".repeat(40_000))), 431),
        (head(""), 400),
        (head("host: x\r\nhost: y\r\n"), 400),
    ] {
        let answer = server.talk(&request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request:.40}: {answer}");
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let told: contract::ErrorBody = serde_json::from_str(body).unwrap();
        assert_eq!(told.error, "validation_error");
    }
    let whole = server.talk(&head("host: x\r\n")).await;
    assert!(whole.starts_with("HTTP/1.1 200 "), "{whole}");
}
