//! Tests of slow, silent and disconnecting clients on real sockets.

use super::*;
use crate::address::{ListenAddress, SocketMode};
use crate::listeners::{bind_address, bind_all};
use axum::routing::get;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::Notify;
use tokio::time::sleep;

const SHORT_LIMITS: ConnectionLimits = ConnectionLimits {
    head: Duration::from_millis(200),
    body: BodyTimeouts { idle: Duration::from_millis(200), total: Duration::from_secs(1) },
    pace: ThroughputLimit { credit: Duration::from_millis(300), ..ThroughputLimit::DEFAULT },
    drain: Duration::from_secs(5),
    connections_max: 50,
    ..DEFAULT_LIMITS
};
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

struct RunningServer {
    address: SocketAddr,
    end: mpsc::Sender<()>,
    draining: Draining,
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

async fn start_server() -> RunningServer {
    start_server_with(SHORT_LIMITS).await
}

async fn start_server_with(bounds: ConnectionLimits) -> RunningServer {
    let slow = Arc::new(Notify::new());
    let endless = Arc::new(Notify::new());
    let slow_started = Arc::clone(&slow);
    let dropped = Arc::clone(&endless);
    let router = Router::new()
        .route(
            "/",
            get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }),
        )
        .route(
            "/slow",
            get(async move || {
                slow_started.notify_one();
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
    let (listener, address) =
        bind_address("127.0.0.1:0".parse().unwrap(), "--listen").await.unwrap();
    let (end, ends) = mpsc::channel(2);
    let near = Draining::default();
    let served = ServeContext {
        router,
        tls: None,
        proxies: if bounds.exempt_loopback {
            TrustedProxies::Loopback
        } else {
            TrustedProxies::None
        },
        limits: bounds,
        meter: None,
        draining: near.clone(),
    };
    let ends = ShutdownSignals::new(ends, near.clone());
    let task = tokio::spawn(serve_with(served, listener.into(), ends));
    RunningServer { address, end, draining: near, slow, endless, task }
}

impl RunningServer {
    /// Sends `first`, and then `more` repeatedly. Returns everything that the server sends until it
    /// closes.
    async fn send_slowly(&self, first: &str, more: &str) -> String {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut from, mut to) = stream.into_split();
        to.write_all(first.as_bytes()).await.unwrap();
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
        assert!(
            timeout(TEST_TIMEOUT, both).await.is_ok(),
            "the connection stayed open after {first:?}"
        );
        String::from_utf8(answer).unwrap()
    }

    /// Sends some bytes and returns everything that the server sends until it closes.
    async fn send_and_read(&self, bytes: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = timeout(TEST_TIMEOUT, stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "the connection stayed open after {bytes:?}");
        String::from_utf8(answer).unwrap()
    }
}

/// Counts the responses in a text.
fn count_responses(text: &str) -> usize {
    text.matches("\r\ndate: ").count()
}

#[tokio::test]
async fn request_has_client_address() {
    let server = start_server().await;
    let answer =
        server.send_and_read("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("127.0.0.1:"), "{answer}");
    let through =
        "GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\nconnection: close\r\n\r\n";
    assert!(server.send_and_read(through).await.contains("192.0.2.1:"));
}

#[tokio::test]
async fn silent_and_idle_connections_are_closed() {
    let server = start_server().await;
    assert_eq!(server.send_and_read("").await, "");
    let idle = server.send_and_read("GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(idle.starts_with("HTTP/1.1 200") && count_responses(&idle) == 1, "{idle}");
}

#[tokio::test]
async fn slow_head_closes_connection() {
    let server = start_server().await;
    assert_eq!(server.send_and_read("GET / HTTP/1.1\r\nhost:").await, "");
    let first = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    let second = server.send_and_read(&[first, "GET"].concat()).await;
    assert!(second.starts_with("HTTP/1.1 200 ") && count_responses(&second) == 1, "{second}");
    // Occasional bytes do not extend the timeout.
    assert_eq!(server.send_slowly("GET / HTTP/1.1\r\nhost: x\r\n", "x: y\r\n").await, "");
}

#[tokio::test]
async fn stalled_or_slow_body_returns_400() {
    let server = start_server().await;
    let post = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\n\r\n";
    let stalled = server.send_and_read(&[post, "half"].concat()).await;
    assert!(stalled.starts_with("HTTP/1.1 400 ") && count_responses(&stalled) == 1, "{stalled}");
    let drip = server.send_slowly(post, "x").await;
    assert!(drip.starts_with("HTTP/1.1 400 ") && count_responses(&drip) == 1, "{drip}");
}

#[tokio::test]
async fn stalled_or_slow_ignored_body_returns_400() {
    let server = start_server().await;
    let get = "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\n";
    let stalled = server.send_and_read(&[get, "half"].concat()).await;
    assert!(stalled.starts_with("HTTP/1.1 400 ") && count_responses(&stalled) == 1, "{stalled}");
    let drip = server.send_slowly(get, "x").await;
    assert!(drip.starts_with("HTTP/1.1 400 ") && count_responses(&drip) == 1, "{drip}");
}

#[tokio::test]
async fn large_ignored_body_is_not_waited_for() {
    let server = start_server().await;
    let head = "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\n";
    let answer = server.send_and_read(&[head, "expect: 100-continue\r\n\r\n"].concat()).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && count_responses(&answer) == 1, "{answer}");
}

#[tokio::test]
async fn slow_handler_is_awaited() {
    let server = start_server().await;
    let slow = server.send_and_read("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(slow.starts_with("HTTP/1.1 200 "), "{slow}");
}

/// The client is still sending when the response is written. A connection reset would lose the
/// response.
#[tokio::test]
async fn response_during_upload_is_received() {
    let server = start_server().await;
    for upgrade in ["", "upgrade: h2c\r\nconnection: upgrade\r\n"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "POST /early HTTP/1.1\r\nhost: x\r\ncontent-length: 4000000\r\n";
        stream.write_all([head, upgrade, "\r\n"].concat().as_bytes()).await.unwrap();
        timeout(TEST_TIMEOUT, stream.write_all(&vec![b'x'; 4_000_000])).await.unwrap().unwrap();
        let mut answer = String::new();
        timeout(TEST_TIMEOUT, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    }
}

/// Some clients shut down their sending side after the request.
#[tokio::test]
async fn half_closed_client_gets_response_to_change() {
    let server = start_server().await;
    for body in [
        "content-length: 4\r\n\r\ntext",
        "transfer-encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "POST /echo-slowly HTTP/1.1\r\nhost: x\r\n";
        stream.write_all([head, body].concat().as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        timeout(TEST_TIMEOUT, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
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
        timeout(TEST_TIMEOUT, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(!answer.contains(" 200 "), "{answer}");
    }
}

#[tokio::test]
async fn connections_beyond_address_limit_get_429() {
    let bounds =
        ConnectionLimits { connections_per_address_max: 2, exempt_loopback: false, ..SHORT_LIMITS };
    let server = start_server_with(bounds).await;
    let request = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let first = TcpStream::connect(server.address).await.unwrap();
    let second = TcpStream::connect(server.address).await.unwrap();
    let third = server.send_and_read("").await;
    assert!(third.starts_with("HTTP/1.1 429 ") && third.contains("\r\nretry-after: 10"), "{third}");
    let body = third.split_once("\r\n\r\n").unwrap().1;
    let body: contract::ErrorBody = serde_json::from_str(body).unwrap();
    assert_eq!((body.error.as_str(), body.retry_after), ("rate_limit_exceeded", Some(10)));
    drop((first, second));
    let answered = async {
        while !server.send_and_read(request).await.starts_with("HTTP/1.1 200 ") {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(TEST_TIMEOUT, answered).await.unwrap();
}

#[tokio::test]
async fn connections_beyond_total_limit_wait() {
    let server = start_server_with(ConnectionLimits { connections_max: 1, ..SHORT_LIMITS }).await;
    let mut first = TcpStream::connect(server.address).await.unwrap();
    first.write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let second =
        server.send_and_read("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(second.starts_with("HTTP/1.1 200 "), "{second}");
    // The second connection was served when the first was closed.
    let mut answer = String::new();
    first.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn request_limit_closes_connection() {
    let server = start_server_with(ConnectionLimits { requests_max: 3, ..SHORT_LIMITS }).await;
    let answers = server.send_and_read(&"GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(5)).await;
    assert_eq!(
        (count_responses(&answers), answers.matches("connection: close").count()),
        (3, 1),
        "{answers}"
    );
}

#[tokio::test]
async fn client_that_stops_reading_is_disconnected() {
    let server = start_server().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    timeout(TEST_TIMEOUT, server.endless.notified()).await.unwrap();
    let drained = async {
        let mut sink = vec![0; 1 << 20];
        while stream.read(&mut sink).await.is_ok_and(|count| count > 0) {}
    };
    assert!(timeout(TEST_TIMEOUT, drained).await.is_ok(), "the response continued");
}

#[tokio::test]
async fn slow_reader_is_disconnected() {
    let pace = ThroughputLimit { bytes_per_s: 1 << 40, ..SHORT_LIMITS.pace };
    let server = start_server_with(ConnectionLimits { pace, ..SHORT_LIMITS }).await;
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
        ended = timeout(TEST_TIMEOUT, server.endless.notified()) => ended.unwrap(),
    }
}

#[tokio::test]
async fn large_head_returns_431() {
    let server = start_server().await;
    let long = "x".repeat(HEAD_BYTES_MAX);
    let answer =
        server.send_and_read(&format!("GET / HTTP/1.1\r\nhost: x\r\nlong: {long}\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let headers = "a: b\r\n".repeat(HEADERS_MAX + 1);
    let answer = server.send_and_read(&format!("GET / HTTP/1.1\r\n{headers}\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn draining_closes_idle_connections() {
    let server = start_server_with(DEFAULT_LIMITS).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut first = [0; 64];
    assert!(stream.read(&mut first).await.unwrap() > 0);
    server.end.send(()).await.unwrap();
    let mut rest = Vec::new();
    timeout(TEST_TIMEOUT, stream.read_to_end(&mut rest)).await.unwrap().unwrap();
    timeout(TEST_TIMEOUT, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn draining_completes_requests_and_stops_accepting() {
    let server = start_server().await;
    let address = server.address;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    server.slow.notified().await;
    server.end.send(()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    timeout(TEST_TIMEOUT, server.task).await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn responses_near_shutdown_close_connections() {
    let server = start_server().await;
    server.draining.set();
    let answers = server.send_and_read(&"GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2)).await;
    assert!(answers.starts_with("HTTP/1.1 200 "), "{answers}");
    assert_eq!(
        (count_responses(&answers), answers.matches("connection: close").count()),
        (1, 1),
        "{answers}"
    );
    // New connections are still accepted.
    assert!(TcpStream::connect(server.address).await.is_ok());
}

#[tokio::test]
async fn queued_connections_are_served_at_shutdown() {
    let server = start_server().await;
    let connect = |_| {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    };
    // There is no await here, so the server sees all connections and the signal at the same time.
    let streams: Vec<_> = (0..20).map(connect).collect();
    server.end.try_send(()).unwrap();
    for stream in streams {
        let mut answer = String::new();
        TcpStream::from_std(stream).unwrap().read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    timeout(TEST_TIMEOUT, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn second_signal_aborts_draining() {
    // All timeouts are long, so only the second signal can end the server.
    let long = Duration::from_mins(5);
    let pace = ThroughputLimit { credit: long, ..SHORT_LIMITS.pace };
    let server = start_server_with(ConnectionLimits { pace, drain: long, ..SHORT_LIMITS }).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    stream.read_u8().await.unwrap();
    server.end.send(()).await.unwrap();
    let closed = async {
        while TcpStream::connect(server.address).await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(TEST_TIMEOUT, closed).await.unwrap();
    assert!(!server.task.is_finished(), "the first signal waits for the answer");
    server.end.send(()).await.unwrap();
    timeout(TEST_TIMEOUT, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn request_needs_exactly_one_host() {
    let server = start_server().await;
    let head = |more: &str| format!("GET / HTTP/1.1\r\n{more}\r\n");
    for request in [head(""), head("host: x\r\nhost: y\r\n")] {
        let answer = server.send_and_read(&request).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request:.40}: {answer}");
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let body: contract::ErrorBody = serde_json::from_str(body).unwrap();
        assert_eq!(body.error, "validation_error");
    }
    let one_answer = server.send_and_read(&head("host: x\r\n")).await;
    assert!(one_answer.starts_with("HTTP/1.1 200 "), "{one_answer}");
}

#[tokio::test]
async fn malformed_http_returns_400() {
    let server = start_server().await;
    for request in ["GET\r\n\r\n", "GET / HTTP/3.0\r\n\r\n", "GET / HTTP/1.1\r\nhost x\r\n\r\n"] {
        let answer = server.send_and_read(request).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request:.40}: {answer}");
    }
}

/// Clients of the Unix socket have the same timeouts and count towards the total limit, but not
/// towards the limit per address.
#[tokio::test]
async fn socket_clients_have_same_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sheaf.sock");
    let address = ListenAddress::Socket(path.clone());
    let (listeners, bound) = bind_all(&[address], SocketMode::DEFAULT).await.unwrap();
    assert!(bound.first_tcp_address().is_none());
    let (end, ends) = mpsc::channel(2);
    let bounds =
        ConnectionLimits { connections_per_address_max: 1, connections_max: 3, ..SHORT_LIMITS };
    let router = Router::new().route("/", get(async || "here"));
    let near = Draining::default();
    let proxies = TrustedProxies::None;
    let served = ServeContext {
        router,
        tls: None,
        proxies,
        limits: bounds,
        meter: None,
        draining: near.clone(),
    };
    let serving = tokio::spawn(serve_with(served, listeners, ShutdownSignals::new(ends, near)));
    let send = async |bytes: &str| {
        let mut stream = UnixStream::connect(&path).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let read = timeout(TEST_TIMEOUT, stream.read_to_string(&mut answer)).await;
        assert!(read.is_ok(), "the connection stayed open after {bytes:?}");
        answer
    };
    assert_eq!(send("").await, "");
    assert_eq!(send("GET / HTTP/1.1\r\nhost:").await, "");
    // Four connections: three have all permits, and the fourth waits until one is closed.
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(UnixStream::connect(&path).await.unwrap());
    }
    let whole = send("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(whole.starts_with("HTTP/1.1 200 ") && whole.ends_with("here"), "{whole}");
    drop(open);
    end.send(()).await.unwrap();
    timeout(TEST_TIMEOUT, serving).await.unwrap().unwrap();
    assert!(!path.exists());
}
