//! Bodies that expand, or that announce more than a server reads. They are refused early, and the
//! process stays small.

use crate::server::Server;
use crate::test_env::TestEnv;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Maximum resident memory of the process, in KiB: far more than it needs, and far less than any of
/// these bodies would take.
const RESIDENT_KIB_MAX: u64 = 300 * 1024;

/// Sends a head and the given part of a body. Returns the status, which must not wait for the rest.
fn response_status(server: &Server, head: &str, body: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "{head}\r\nHost: a.test\r\n\r\n").unwrap();
    // The server may refuse the request and close the connection before all is sent.
    let _ = stream.write_all(body);
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    std::str::from_utf8(&answer[9..]).unwrap().parse().unwrap()
}

fn peak_kib(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn oversized_bodies_are_refused_early() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let server = Server::start(&env, "serve");
    let token = format!("{{\"token\":\"{}\"}}", env.sign_in_token());
    let cookie = server.dashboard("POST", "/session", "", &token).cookie();
    let mine = format!("X-Sheaf-Csrf: 1\r\nCookie: {cookie}");
    let json = "Content-Type: application/json";
    let fields: Vec<_> = (0..100_000).map(|n| format!("\"f{n}\":{n}")).collect();
    let fields = format!("{{{}}}", fields.join(","));
    let deep = format!("{{\"Name\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for (name, path) in [
        ("intake", format!("POST /f/{form}")),
        ("sign-in", "POST /session".to_owned()),
        ("account", "POST /account/forms".to_owned()),
        ("fields", format!("PUT /account/forms/{form}/fields")),
    ] {
        let head = |more: &str| format!("{path} HTTP/1.1\r\n{mine}\r\n{json}\r\n{more}");
        let announced =
            response_status(&server, &head("Content-Length: 1073741824"), b"{\"Name\":");
        assert_eq!(announced, 413, "announced length of 1 GiB: {name}");
        let zipped = head("Content-Encoding: gzip\r\nContent-Length: 4");
        assert_eq!(
            response_status(&server, &zipped, b"\x1f\x8b\x08\0"),
            415,
            "compressed body: {name}"
        );
        for (bomb, body) in [("fields", &fields), ("depth", &deep)] {
            let status_of_bomb = response_status(
                &server,
                &head(&format!("Content-Length: {}", body.len())),
                body.as_bytes(),
            );
            assert!([400, 413].contains(&status_of_bomb), "{bomb}: {name}: {status_of_bomb}");
        }
        // A chunked body announces no length, so the server stops reading at its limit.
        let chunks = format!("40000\r\n{}\r\n", " ".repeat(0x4_0000)).repeat(3);
        assert_eq!(
            response_status(&server, &head("Transfer-Encoding: chunked"), chunks.as_bytes()),
            413,
            "{name}"
        );
    }
    assert!(peak_kib(&server) < RESIDENT_KIB_MAX, "{} KiB", peak_kib(&server));
    assert_eq!(env.count(&form), 0);
}
