//! Hostile requests, byte for byte, against the API and the gateway. Requests that RFC 9112 forbids
//! are refused, no request is answered twice, and no response is a 5xx.

use crate::server::Server;
use crate::test_env::TestEnv;
use contract::BODY_BYTES_MAX;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

#[path = "hostile_table.rs"]
mod hostile_table;

const RESPONSE_TIME_MAX: Duration = Duration::from_secs(20);
/// Delay between the two parts of a request.
const PAUSE: Duration = Duration::from_millis(25);
/// An ordinary request.
const ORDINARY_REQUEST: &[u8] = b"GET /v1/x HTTP/1.1\r\nHost: a.test\r\n\r\n";
/// A request hidden behind another one. The server closes the connection after its response.
const SMUGGLED: &[u8] = b"GET /v1/smuggled HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";

/// Sends bytes and returns everything until the server closes the connection.
fn send_and_read(mut stream: impl Read + Write, bytes: &[u8]) -> String {
    stream.write_all(bytes).unwrap();
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    assert!(read.is_ok(), "{read:?} after {answer:?} to {:.200}", bytes.escape_ascii().to_string());
    answer
}

/// Counts the responses in a text by their `date` headers.
fn count_responses(text: &str) -> usize {
    text.matches("\r\ndate: ").count()
}

fn connect_tcp(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
    stream
}

fn check_all<T: Read + Write>(connect: impl Fn() -> T) {
    for (outcome, request) in hostile_table::requests(include_str!("../data/hostile.txt")) {
        let shown = format!("{:.80}", request.escape_ascii().to_string());
        let answer = send_and_read(connect(), &[&request, SMUGGLED, SMUGGLED].concat());
        assert!(!answer.contains("HTTP/1.1 5"), "{shown}: {answer}");
        let count = count_responses(&answer);
        match outcome {
            "refused" => {
                let is_refusal =
                    ["HTTP/1.1 400 ", "HTTP/1.1 431 "].map(|it| answer.starts_with(it));
                assert!(count == 0 || is_refusal.contains(&true), "{shown}: {answer}");
                assert!(count <= 1, "{shown}: {answer}");
            }
            "closed" => assert_eq!(count, 1, "{shown}: {answer}"),
            "served" => assert!((1..=2).contains(&count), "{shown}: {answer}"),
            other => panic!("unknown outcome `{other}`: {shown}"),
        }
    }
    // Requests before a malformed one are answered, in their order.
    let answer = send_and_read(
        connect(),
        &[ORDINARY_REQUEST, ORDINARY_REQUEST, b"GET / HTTP/1.1\r\n\r\n", SMUGGLED].concat(),
    );
    let last = &answer[answer.rfind("HTTP/1.1 400 ").unwrap()..];
    assert_eq!((count_responses(&answer), count_responses(last)), (3, 1), "{answer}");
}

#[test]
fn service_refuses_hostile_requests() {
    let env = TestEnv::with_account();
    let server = Server::start(&env, "service");
    check_all(|| connect_tcp(&server));
}

#[test]
fn gateway_refuses_hostile_requests() {
    let env = TestEnv::with_account();
    let key = env.secret("key", &env.key("live"));
    let gateway = format!("gateway --upstream http://127.0.0.1:9 --key-live-file {key}");
    let server = Server::start(&env, &gateway);
    check_all(|| connect_tcp(&server));
}

/// The Unix socket is trusted, but its requests are checked as strictly.
#[test]
fn socket_refuses_hostile_requests() {
    let env = TestEnv::with_account();
    let path = env.path("sheaf.sock");
    let command = format!("service --listen unix:{}", path.display());
    let _server = Server::spawn(env.command(&command));
    check_all(|| {
        let stream = UnixStream::connect(&path).unwrap();
        stream.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
        stream
    });
}

/// If the framing of a body breaks after a part of it was accepted, the connection ends.
#[test]
fn malformed_chunk_ends_connection() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let server = Server::start(&env, "service");
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
    let head = format!(
        "POST /f/{form} HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    let broken = b"e\r\n{\"Name\":\"Ada\"}\r\n0x0\r\n\r\n";
    stream.write_all(&[&broken[..], SMUGGLED].concat()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(count_responses(&answer), 1, "{answer}");
    assert_eq!(env.count(&form), 0);
}

/// Sends the first part of a request, the rest after a pause, and then a last request.
fn send_in_two_parts(server: &Server, first: &[u8], rest: &[u8]) -> String {
    let mut stream = connect_tcp(server);
    stream.set_nodelay(true).unwrap();
    stream.write_all(first).unwrap();
    std::thread::sleep(PAUSE);
    send_and_read(stream, &[rest, SMUGGLED].concat())
}

/// The server ignores the body and keeps the connection. A body over the limit ends it.
#[test]
fn body_of_get_or_delete_is_ignored() {
    let env = TestEnv::with_account();
    let server = Server::start(&env, "service");
    for method in ["GET", "HEAD", "DELETE"] {
        let head = format!("{method} /v1/x HTTP/1.1\r\nHost: a.test\r\n");
        let sized = |count: usize| format!("{head}Content-Length: {count}\r\n\r\n");
        let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
        for (begin, body) in [
            (sized(2), b"{}".to_vec()),
            (sized(BODY_BYTES_MAX), vec![b'x'; BODY_BYTES_MAX]),
            (chunked, b"2\r\n{}\r\n0\r\n\r\n".to_vec()),
        ] {
            let request =
                send_and_read(connect_tcp(&server), &[begin.as_bytes(), &body, SMUGGLED].concat());
            assert_eq!(count_responses(&request), 2, "{begin}: {request}");
            let late = send_in_two_parts(&server, begin.as_bytes(), &body);
            assert_eq!(count_responses(&late), 2, "{begin}: {late}");
        }
        let body = vec![b'x'; BODY_BYTES_MAX + 1];
        let begin = sized(body.len());
        let large =
            send_and_read(connect_tcp(&server), &[begin.as_bytes(), &body, SMUGGLED].concat());
        assert!(!large.starts_with("HTTP/1.1 400 "), "{begin}: {large}");
        assert_eq!(count_responses(&large), 1, "{begin}: {large}");
    }
}
