//! Requests that the gateway forwards, byte for byte. A client tries to add, remove or pass through
//! headers; the upstream records the request.

use crate::server::Server;
use crate::test_env::TestEnv;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;

/// Starts an upstream that gives every request the same response, and records the heads of
/// requests.
fn start_recording_upstream() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, received) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut words = Vec::new();
            let mut byte = [0];
            while !words.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0)
            {
                words.extend(byte);
            }
            let _ = sender.send(String::from_utf8(words).unwrap());
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
                  set-cookie: sheaf=planted\r\nserver: theirs\r\naccess-control-allow-origin: *\r\n\
                  x-api-key: echoed\r\nalt-svc: h2\r\nconnection: close\r\n\r\n{}",
            );
        }
    });
    (address, received)
}

/// Headers that a client sends to reach the upstream.
const CLIENT_HEADERS: [&str; 20] = [
    "Connection: x-api-key, x-request-id, cookie, accept",
    "Connection: close, host",
    "Proxy-Connection: x-api-key",
    "Keep-Alive: timeout=1",
    "X-API-Key: svc_sk_live_theirs",
    "x_api_key: svc_sk_live_theirs",
    "X-Request-Id: 1",
    "Authorization: Bearer theirs",
    "Proxy-Authorization: Basic dGhlaXJz",
    "X-Forwarded-For: 1.2.3.4",
    "X-Forwarded-Host: evil.test",
    "X-Forwarded-User: admin",
    "Forwarded: for=1.2.3.4;host=evil.test",
    "X-Original-URL: /v1/admin",
    "X-Rewrite-URL: /v1/admin",
    "X-HTTP-Method-Override: DELETE",
    "Range: bytes=0-1",
    "If-None-Match: *",
    "Accept-Encoding: gzip, br",
    "Trailer: x-api-key",
];

#[test]
fn upstream_receives_only_gateway_headers() {
    let (address, upstream_requests) = start_recording_upstream();
    let env = TestEnv::with_account();
    let key = env.key("live");
    let file = env.secret("key", &key);
    let gateway = format!("gateway --upstream http://{address} --key-live-file {file}");
    let server = Server::start(&env, &gateway);
    let token = env.sign_in_token();
    let body = format!("{{\"token\":\"{token}\"}}");
    let cookie = server.dashboard("POST", "/session", "", &body).cookie();
    let path = "/api/live/v1/submissions/sub_1?a=b";
    let expect = format!(
        "GET /v1/submissions/sub_1?a=b HTTP/1.1\r\naccept: application/json, text/csv\r\n\
         host: {address}\r\nx-api-key: {key}\r\n\r\n"
    );
    let sorted = |head: &str| -> Vec<String> {
        let mut lines: Vec<_> = head.lines().map(str::to_owned).collect();
        lines[1..].sort();
        lines
    };
    let cookie = format!("Cookie: {cookie}");
    for cases in CLIENT_HEADERS
        .iter()
        .map(std::slice::from_ref)
        .chain([&CLIENT_HEADERS[..1], &CLIENT_HEADERS[2..]])
    {
        let headers = [&["x-sheaf-csrf: 1", cookie.as_str()], cases].concat();
        let answer = server.ask("GET", path, &headers, "");
        assert_eq!((answer.status, answer.text()), (200, "{}"), "{cases:?}");
        let received = answer.head.to_lowercase();
        for name in ["set-cookie", "server:", "access-control", "x-api-key", "alt-svc", "echoed"] {
            assert!(!received.contains(name), "`{name}` was passed to the client: {received}");
        }
        assert_eq!(sorted(&upstream_requests.recv().unwrap()), sorted(&expect), "{cases:?}");
    }
    assert!(
        upstream_requests.try_recv().is_err(),
        "the gateway sent more requests than the client"
    );
}
