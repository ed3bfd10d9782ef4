//! Tests of slow, silent and disconnecting clients on real sockets.

use super::*;
use crate::address::{Address, SocketMode};
use crate::listeners::{bind_as, open};
use axum::routing::get;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::Notify;
use tokio::time::sleep;

const QUICK: Bounds = Bounds {
    head: Duration::from_millis(200),
    body: BodyTimes { idle: Duration::from_millis(200), whole: Duration::from_secs(1) },
    pace: Pace { credit: Duration::from_millis(300), ..Pace::USUAL },
    drain: Duration::from_secs(5),
    connections_max: 50,
    ..BOUNDS
};
const SOON: Duration = Duration::from_secs(20);

struct Server {
    address: SocketAddr,
    end: mpsc::Sender<()>,
    near: Near,
    /// Notified when the handler of `/slow` has started.
    slow: Arc<Notify>,
    /// Notified when the body of `/endless` is dropped.
    endless: Arc<Notify>,
    task: tokio::task::JoinHandle<()>,
}

/// A body that never ends, so that it fills all buffers of a client that stops reading. Notifies
/// when it is dropped.
struct Endless(Arc<Notify>);

impl Drop for Endless {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

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

async fn start_with(bounds: Bounds) -> Server {
    let (slow, endless) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begun, dropped) = (Arc::clone(&slow), Arc::clone(&endless));
    let router = Router::new()
        .route(
            "/",
            get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }),
        )
        .route(
            "/slow",
            get(async move || {
                begun.notify_one();
                sleep(Duration::from_millis(300)).await;
            }),
        )
        .route("/endless", get(async move || Body::new(Endless(dropped))))
        .route("/early", axum::routing::post(async || hyper::StatusCode::PAYLOAD_TOO_LARGE))
        .route(
            "/echo-slowly",
            axum::routing::post(|request: hyper::Request<Body>| async move {
                sleep(Duration::from_millis(50)).await;
                let body = axum::body::to_bytes(request.into_body(), 100).await;
                sleep(Duration::from_millis(50)).await;
                body.map_err(|_| hyper::StatusCode::BAD_REQUEST)
            }),
        )
        .route("/", axum::routing::post(|body: String| async move { body }));
    let (listener, address) = bind_as("127.0.0.1:0".parse().unwrap(), "--listen").await.unwrap();
    let (end, ends) = mpsc::channel(2);
    let near = Near::default();
    let served = Served {
        router,
        tls: None,
        proxies: if bounds.spares_neighbours { Proxies::Loopback } else { Proxies::None },
        bounds,
        meter: None,
        near: near.clone(),
    };
    let ends = Ends::new(ends, near.clone());
    let task = tokio::spawn(serve_with(served, listener.into(), ends));
    Server { address, end, near, slow, endless, task }
}

impl Server {
    /// Sends `begin`, and then `more` repeatedly. Returns everything that the server sends until it
    /// closes.
    async fn drip(&self, begin: &str, more: &str) -> String {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut from, mut to) = stream.into_split();
        to.write_all(begin.as_bytes()).await.unwrap();
        let drip = async {
            while to.write_all(more.as_bytes()).await.is_ok() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        let mut answer = Vec::new();
        let read = async {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut piece).await {
                answer.extend_from_slice(&piece[..count]);
            }
        };
        let both = async {
            tokio::select! {
                () = drip => {}
                () = read => {}
            }
        };
        assert!(timeout(SOON, both).await.is_ok(), "the connection stayed open after {begin:?}");
        String::from_utf8(answer).unwrap()
    }

    /// Sends some bytes and returns everything that the server sends until it closes.
    async fn talk(&self, bytes: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = timeout(SOON, stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "the connection stayed open after {bytes:?}");
        String::from_utf8(answer).unwrap()
    }
}

/// Counts the responses in a text.
fn answers(text: &str) -> usize {
    text.matches("\r\ndate: ").count()
}

#[tokio::test]
async fn request_has_client_address() {
    let server = start().await;
    let answer = server.talk("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("127.0.0.1:"), "{answer}");
    let through =
        "GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\nconnection: close\r\n\r\n";
    assert!(server.talk(through).await.contains("192.0.2.1:"));
}

#[tokio::test]
async fn silent_and_idle_connections_are_closed() {
    let server = start().await;
    assert_eq!(server.talk("").await, "");
    let idle = server.talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(idle.starts_with("HTTP/1.1 200") && answers(&idle) == 1, "{idle}");
}

#[tokio::test]
async fn slow_head_closes_connection() {
    let server = start().await;
    assert_eq!(server.talk("GET / HTTP/1.1\r\nhost:").await, "");
    let first = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    let second = server.talk(&[first, "GET"].concat()).await;
    assert!(second.starts_with("HTTP/1.1 200 ") && answers(&second) == 1, "{second}");
    // Occasional bytes do not extend the timeout.
    assert_eq!(server.drip("GET / HTTP/1.1\r\nhost: x\r\n", "x: y\r\n").await, "");
}

#[tokio::test]
async fn stalled_or_slow_body_returns_400() {
    let server = start().await;
    let post = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\n\r\n";
    let stalled = server.talk(&[post, "half"].concat()).await;
    assert!(stalled.starts_with("HTTP/1.1 400 ") && answers(&stalled) == 1, "{stalled}");
    let drip = server.drip(post, "x").await;
    assert!(drip.starts_with("HTTP/1.1 400 ") && answers(&drip) == 1, "{drip}");
}

#[tokio::test]
async fn stalled_or_slow_ignored_body_returns_400() {
    let server = start().await;
    let get = "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\n";
    let stalled = server.talk(&[get, "half"].concat()).await;
    assert!(stalled.starts_with("HTTP/1.1 400 ") && answers(&stalled) == 1, "{stalled}");
    let drip = server.drip(get, "x").await;
    assert!(drip.starts_with("HTTP/1.1 400 ") && answers(&drip) == 1, "{drip}");
}

#[tokio::test]
async fn large_ignored_body_is_not_waited_for() {
    let server = start().await;
    let head = "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\n";
    let answer = server.talk(&[head, "expect: 100-continue\r\n\r\n"].concat()).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answers(&answer) == 1, "{answer}");
}

#[tokio::test]
async fn slow_handler_is_awaited() {
    let server = start().await;
    let slow = server.talk("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(slow.starts_with("HTTP/1.1 200 "), "{slow}");
}

/// The client is still sending when the response is written. A connection reset would lose the
/// response.
#[tokio::test]
async fn response_during_upload_is_received() {
    let server = start().await;
    for upgrade in ["", "upgrade: h2c\r\nconnection: upgrade\r\n"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "POST /early HTTP/1.1\r\nhost: x\r\ncontent-length: 4000000\r\n";
        stream.write_all([head, upgrade, "\r\n"].concat().as_bytes()).await.unwrap();
        timeout(SOON, stream.write_all(&vec![b'x'; 4_000_000])).await.unwrap().unwrap();
        let mut answer = String::new();
        timeout(SOON, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    }
}

/// Some clients shut down their sending side after the request.
#[tokio::test]
async fn half_closed_client_gets_response_to_change() {
    let server = start().await;
    for body in [
        "content-length: 4\r\n\r\ntext",
        "transfer-encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "POST /echo-slowly HTTP/1.1\r\nhost: x\r\n";
        stream.write_all([head, body].concat().as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        timeout(SOON, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("text"), "{answer}");
    }
    // An incomplete body ends by its timeout, and a read is cancelled with its client.
    for request in [
        "POST /echo-slowly HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\ntext",
        "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        timeout(SOON, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(!answer.contains(" 200 "), "{answer}");
    }
}

#[tokio::test]
async fn connections_beyond_address_limit_get_429() {
    let bounds = Bounds { connections_each_max: 2, spares_neighbours: false, ..QUICK };
    let server = start_with(bounds).await;
    let ask = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let first = TcpStream::connect(server.address).await.unwrap();
    let second = TcpStream::connect(server.address).await.unwrap();
    let third = server.talk("").await;
    assert!(third.starts_with("HTTP/1.1 429 ") && third.contains("\r\nretry-after: 10"), "{third}");
    let body = third.split_once("\r\n\r\n").unwrap().1;
    let told: contract::ErrorBody = serde_json::from_str(body).unwrap();
    assert_eq!((told.error.as_str(), told.retry_after), ("rate_limit_exceeded", Some(10)));
    drop((first, second));
    let answered = async {
        while !server.talk(ask).await.starts_with("HTTP/1.1 200 ") {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(SOON, answered).await.unwrap();
}

#[tokio::test]
async fn connections_beyond_total_limit_wait() {
    let server = start_with(Bounds { connections_max: 1, ..QUICK }).await;
    let mut first = TcpStream::connect(server.address).await.unwrap();
    first.write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let second = server.talk("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(second.starts_with("HTTP/1.1 200 "), "{second}");
    // The second connection was served when the first was closed.
    let mut answer = String::new();
    first.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn request_limit_closes_connection() {
    let server = start_with(Bounds { requests_max: 3, ..QUICK }).await;
    let all = server.talk(&"GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(5)).await;
    assert_eq!((answers(&all), all.matches("connection: close").count()), (3, 1), "{all}");
}

#[tokio::test]
async fn client_that_stops_reading_is_disconnected() {
    let server = start().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    timeout(SOON, server.endless.notified()).await.unwrap();
    let drained = async {
        let mut sink = vec![0; 1 << 20];
        while stream.read(&mut sink).await.is_ok_and(|count| count > 0) {}
    };
    assert!(timeout(SOON, drained).await.is_ok(), "the response continued");
}

#[tokio::test]
async fn slow_reader_is_disconnected() {
    let pace = Pace { bytes_per_s: 1 << 40, ..QUICK.pace };
    let server = start_with(Bounds { pace, ..QUICK }).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let sip = async {
        let mut piece = [0; 64];
        while stream.read(&mut piece).await.is_ok_and(|count| count > 0) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = sip => {}
        ended = timeout(SOON, server.endless.notified()) => ended.unwrap(),
    }
}

#[tokio::test]
async fn large_head_returns_431() {
    let server = start().await;
    let long = "x".repeat(HEAD_BYTES_MAX);
    let answer = server.talk(&format!("GET / HTTP/1.1\r\nhost: x\r\nlong: {long}\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let many = "a: b\r\n".repeat(HEADERS_MAX + 1);
    let answer = server.talk(&format!("GET / HTTP/1.1\r\n{many}\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn draining_closes_idle_connections() {
    let server = start_with(BOUNDS).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut first = [0; 64];
    assert!(stream.read(&mut first).await.unwrap() > 0);
    server.end.send(()).await.unwrap();
    let mut rest = Vec::new();
    timeout(SOON, stream.read_to_end(&mut rest)).await.unwrap().unwrap();
    timeout(SOON, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn draining_completes_requests_and_stops_accepting() {
    let server = start().await;
    let address = server.address;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    server.slow.notified().await;
    server.end.send(()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    timeout(SOON, server.task).await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn responses_near_shutdown_close_connections() {
    let server = start().await;
    server.near.tell();
    let all = server.talk(&"GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2)).await;
    assert!(all.starts_with("HTTP/1.1 200 "), "{all}");
    assert_eq!((answers(&all), all.matches("connection: close").count()), (1, 1), "{all}");
    // New connections are still accepted.
    assert!(TcpStream::connect(server.address).await.is_ok());
}

#[tokio::test]
async fn queued_connections_are_served_at_shutdown() {
    let server = start().await;
    let come = |_| {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    };
    // There is no await here, so the server sees all connections and the signal at the same time.
    let streams: Vec<_> = (0..20).map(come).collect();
    server.end.try_send(()).unwrap();
    for stream in streams {
        let mut answer = String::new();
        TcpStream::from_std(stream).unwrap().read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    timeout(SOON, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn second_signal_aborts_draining() {
    // All timeouts are long, so only the second signal can end the server.
    let long = Duration::from_mins(5);
    let pace = Pace { credit: long, ..QUICK.pace };
    let server = start_with(Bounds { pace, drain: long, ..QUICK }).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    stream.read_u8().await.unwrap();
    server.end.send(()).await.unwrap();
    let closed = async {
        while TcpStream::connect(server.address).await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(SOON, closed).await.unwrap();
    assert!(!server.task.is_finished(), "the first signal waits for the answer");
    server.end.send(()).await.unwrap();
    timeout(SOON, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn request_needs_exactly_one_host() {
    let server = start().await;
    let head = |more: &str| format!("GET / HTTP/1.1\r\n{more}\r\n");
    for request in [head(""), head("host: x\r\nhost: y\r\n")] {
        let answer = server.talk(&request).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request:.40}: {answer}");
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let told: contract::ErrorBody = serde_json::from_str(body).unwrap();
        assert_eq!(told.error, "validation_error");
    }
    let whole = server.talk(&head("host: x\r\n")).await;
    assert!(whole.starts_with("HTTP/1.1 200 "), "{whole}");
}

#[tokio::test]
async fn malformed_http_returns_400() {
    let server = start().await;
    for request in ["GET\r\n\r\n", "GET / HTTP/3.0\r\n\r\n", "GET / HTTP/1.1\r\nhost x\r\n\r\n"] {
        let answer = server.talk(request).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request:.40}: {answer}");
    }
}

/// Clients of the Unix socket have the same timeouts and count towards the total limit, but not
/// towards the limit per address.
#[tokio::test]
async fn socket_clients_have_same_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sheaf.sock");
    let place = Address::Socket(path.clone());
    let (listeners, bound) = open(&[place], SocketMode::USUAL).await.unwrap();
    assert!(bound.address().is_none());
    let (end, ends) = mpsc::channel(2);
    let bounds = Bounds { connections_each_max: 1, connections_max: 3, ..QUICK };
    let router = Router::new().route("/", get(async || "here"));
    let (near, proxies) = (Near::default(), Proxies::None);
    let served = Served { router, tls: None, proxies, bounds, meter: None, near: near.clone() };
    let serving = tokio::spawn(serve_with(served, listeners, Ends::new(ends, near)));
    let told = async |bytes: &str| {
        let mut stream = UnixStream::connect(&path).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let read = timeout(SOON, stream.read_to_string(&mut answer)).await;
        assert!(read.is_ok(), "the connection stayed open after {bytes:?}");
        answer
    };
    assert_eq!(told("").await, "");
    assert_eq!(told("GET / HTTP/1.1\r\nhost:").await, "");
    // Four connections: three have all permits, and the fourth waits until one is closed.
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(UnixStream::connect(&path).await.unwrap());
    }
    let whole = told("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(whole.starts_with("HTTP/1.1 200 ") && whole.ends_with("here"), "{whole}");
    drop(held);
    end.send(()).await.unwrap();
    timeout(SOON, serving).await.unwrap().unwrap();
    assert!(!path.exists());
}
