//! Tests of the HTTP client with a real server on loopback and with misbehaving servers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use contract::Environment;
use gateway::upstream::{Trust, UpstreamTimeouts, upstream_client};
use gateway::{Clock, SystemClock};
use http::Method;
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::app::{SUBMISSION, Seen, TestApp, dashboard_request};
use crate::memory::{LIVE_KEY, ManualClock};

/// Timeouts that a busy machine does not reach, for tests that do not test them.
const LONG_TIMEOUTS: UpstreamTimeouts =
    UpstreamTimeouts { connect: LONG, first_byte: LONG, export_first_byte: LONG, next_byte: LONG };
const LONG: Duration = Duration::from_secs(20);
/// Time that a test waits for a silent server.
const SHORT: Duration = Duration::from_millis(200);

fn app_with_timeouts(base: &str, timeouts: UpstreamTimeouts) -> TestApp {
    app_with_clock(base, timeouts, Arc::new(SystemClock::default()))
}

fn app_with_clock(base: &str, timeouts: UpstreamTimeouts, clock: Arc<dyn Clock>) -> TestApp {
    let client =
        upstream_client(&base.parse().unwrap(), timeouts, &Trust::public_roots(), clock).unwrap();
    TestApp::with_upstream(client, false, Environment::ALL.to_vec(), false)
}

pub(crate) fn app_with_server(address: SocketAddr) -> TestApp {
    app_with_timeouts(&format!("http://{address}"), LONG_TIMEOUTS)
}

/// Starts a server that reads the head of one request per connection and then calls `behave`.
pub(crate) fn start_server(behave: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let behave = Arc::new(behave);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let behave = Arc::clone(&behave);
            std::thread::spawn(move || {
                let mut head = [0; 4096];
                let _ = stream.read(&mut head);
                behave(stream);
            });
        }
    });
    address
}

fn start_static_server(bytes: &'static [u8]) -> SocketAddr {
    start_server(move |mut stream| {
        let _ = stream.write_all(bytes);
    })
}

/// Starts a real HTTP server that records its requests and returns JSON.
async fn start_recording_server() -> (SocketAddr, Seen) {
    let seen = Seen::default();
    let record = Arc::clone(&seen);
    let app = Router::new().fallback(move |request: Request| {
        record.lock().unwrap().push(request.map(|_| ()));
        async { ([("content-type", "application/json")], r#"{"data":1}"#).into_response() }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    (address, seen)
}

#[tokio::test]
async fn server_receives_only_gateway_headers() {
    let (address, seen) = start_recording_server().await;
    let app = app_with_server(address);
    let cookie = app.sign_in().await;
    for method in [Method::GET, Method::DELETE] {
        let mut request =
            dashboard_request(method.clone(), &format!("{SUBMISSION}?a=b%20c"), &cookie);
        for (name, value) in [
            ("x-api-key", "theirs"),
            ("connection", "x-api-key"),
            ("host", "evil.test"),
            ("x-forwarded-for", "1.2.3.4"),
            ("content-length", "0"),
            ("transfer-encoding", "chunked"),
        ] {
            request.headers_mut().append(name, value.parse().unwrap());
        }
        let answer = app.send(request).await;
        assert_eq!((answer.status.as_u16(), &*answer.body), (200, br#"{"data":1}"#.as_slice()));
        let seen = seen.lock().unwrap().pop().unwrap();
        assert_eq!(seen.method(), method);
        assert_eq!(seen.uri().to_string(), "/v1/submissions/sub_1?a=b%20c");
        let mut headers: Vec<_> = seen
            .headers()
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        headers.sort();
        assert_eq!(
            headers,
            [
                "accept: application/json, text/csv".to_owned(),
                format!("host: {address}"),
                format!("x-api-key: {LIVE_KEY}"),
            ]
        );
    }
}

#[tokio::test]
async fn upstream_may_have_base_path() {
    let (address, seen) = start_recording_server().await;
    let app = app_with_timeouts(&format!("http://{address}/forms/"), LONG_TIMEOUTS);
    let cookie = app.sign_in().await;
    assert_eq!(app.call(Method::GET, SUBMISSION, &cookie).await.status, 200);
    assert_eq!(seen.lock().unwrap()[0].uri().path(), "/forms/v1/submissions/sub_1");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (other_server, seen) = start_recording_server().await;
    let address = start_server(move |mut stream| {
        let _ = write!(
            stream,
            "HTTP/1.1 307 x\r\nlocation: http://{other_server}/v1/submissions/sub_1\r\n\
             content-length: 0\r\n\r\n"
        );
    });
    let app = app_with_server(address);
    let cookie = app.sign_in().await;
    let answer = app.call(Method::GET, SUBMISSION, &cookie).await;
    answer.assert_error(502, "internal_error");
    assert!(!answer.headers.contains_key("location"));
    assert!(seen.lock().unwrap().is_empty(), "the key was sent to another server");
}

/// Sends a request that fails, and returns the status.
async fn failed_status(app: &TestApp) -> u16 {
    let cookie = app.sign_in().await;
    let answer = app.call(Method::GET, SUBMISSION, &cookie).await;
    answer.assert_error(answer.status.as_u16(), "internal_error");
    answer.status.as_u16()
}

#[tokio::test]
async fn dead_or_malformed_upstream_returns_502() {
    let closed_address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(failed_status(&app_with_server(closed_address)).await, 502, "no server listens");
    let headers = Box::leak(
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{}\r\n",
            "a: b\r\n".repeat(80)
        )
        .into_boxed_str(),
    );
    let huge = Box::leak(
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\na: {}\r\n\r\n",
            "x".repeat(1_000_000)
        )
        .into_boxed_str(),
    );
    for garbage in [
        b"".as_slice(),
        b"hello\r\n\r\n",
        b"\0\0\0\0",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 99999 x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nbad header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: x\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
          content-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        headers.as_bytes(),
        huge.as_bytes(),
    ] {
        let status = failed_status(&app_with_server(start_static_server(garbage))).await;
        assert_eq!(status, 502, "{:?}", String::from_utf8_lossy(&garbage[..garbage.len().min(60)]));
    }
}

#[tokio::test]
async fn silent_upstream_returns_504() {
    let silent = start_server(|stream| {
        std::thread::sleep(Duration::from_secs(10));
        drop(stream);
    });
    let timeouts = UpstreamTimeouts { first_byte: SHORT, ..LONG_TIMEOUTS };
    let app = app_with_timeouts(&format!("http://{silent}"), timeouts);
    assert_eq!(failed_status(&app).await, 504);
}

#[tokio::test]
async fn failing_upstream_is_paused_until_recovery() {
    let requests = Arc::new(AtomicUsize::new(0));
    let is_back = Arc::new(AtomicBool::new(false));
    let count = Arc::clone(&requests);
    let back = Arc::clone(&is_back);
    let address = start_server(move |mut stream| {
        count.fetch_add(1, Ordering::SeqCst);
        if back.load(Ordering::SeqCst) {
            let _ = stream.write_all(ANSWER);
        }
    });
    let clock = Arc::new(ManualClock::default());
    let app = app_with_clock(
        &format!("http://{address}"),
        LONG_TIMEOUTS,
        Arc::clone(&clock) as Arc<dyn Clock>,
    );
    for _ in 0..8 {
        assert_eq!(failed_status(&app).await, 502);
    }
    assert_eq!(requests.load(Ordering::SeqCst), 5, "requests were sent while the breaker was open");
    clock.advance(2);
    assert_eq!(failed_status(&app).await, 502);
    assert_eq!(failed_status(&app).await, 502);
    assert_eq!(requests.load(Ordering::SeqCst), 6, "only one probe at a time");
    is_back.store(true, Ordering::SeqCst);
    clock.advance(2);
    let cookie = app.sign_in().await;
    for _ in 0..3 {
        assert_eq!(app.call(Method::GET, SUBMISSION, &cookie).await.status, 200);
    }
}

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
    content-length: 2\r\nconnection: close\r\n\r\n{}";

#[tokio::test]
async fn https_without_certificate_returns_502() {
    // A server without TLS, and so without a certificate.
    let address = start_static_server(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    let app = app_with_timeouts(&format!("https://{address}"), LONG_TIMEOUTS);
    let cookie = app.sign_in().await;
    app.call(Method::GET, SUBMISSION, &cookie).await.assert_error(502, "internal_error");
}

const HALF: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
    transfer-encoding: chunked\r\n\r\n5\r\n[1,2,\r\n";
const SHORT_OF_LENGTH: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ncontent-length: 100\r\n\r\nsubmission_id\r\n";

#[tokio::test]
async fn truncated_body_is_an_error() {
    let stalls = start_server(|mut stream| {
        let _ = stream.write_all(HALF);
        std::thread::sleep(Duration::from_mins(1));
    });
    let timeouts = UpstreamTimeouts { next_byte: SHORT, ..LONG_TIMEOUTS };
    let stalls = app_with_timeouts(&format!("http://{stalls}"), timeouts);
    for app in [
        app_with_server(start_static_server(HALF)),
        app_with_server(start_static_server(SHORT_OF_LENGTH)),
        stalls,
    ] {
        let cookie = app.sign_in().await;
        let sent = dashboard_request(Method::GET, SUBMISSION, &cookie);
        let response = app.router.clone().oneshot(sent).await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.into_body().collect().await.is_err(), "the truncation is not detected");
    }
}

/// Uses a real connection to the browser. There a truncated body lacks its last chunk.
#[tokio::test]
async fn truncated_body_lacks_last_chunk_on_wire() {
    let app = app_with_server(start_static_server(HALF));
    let cookie = app.sign_in().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = app.router.clone();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let wire = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(
            stream,
            "GET {SUBMISSION} HTTP/1.1\r\nhost: x\r\nx-sheaf-csrf: 1\r\ncookie: {cookie}\r\n\r\n"
        )
        .unwrap();
        let mut wire = Vec::new();
        let _ = stream.read_to_end(&mut wire);
        String::from_utf8(wire).unwrap()
    })
    .await
    .unwrap();
    assert!(wire.starts_with("HTTP/1.1 200 OK"), "{wire}");
    assert!(wire.contains("[1,2,") && !wire.ends_with("0\r\n\r\n"), "{wire}");
}
