//! Heads that pass, and the table of hostile requests.

use super::*;
use crate::framer::Framer;
use crate::hostile;

const NONE: Body = Body::Length(0);

fn read(head: &[u8]) -> Result<Option<(usize, Body)>, Fault> {
    Head::default().read(head, &Limits::USUAL)
}

#[track_caller]
fn check(first: &str, more: &str, body: Body) {
    let head = format!("{first}\r\n{more}\r\n");
    for behind in ["", "GET", "\r\n"] {
        let bytes = [head.as_bytes(), behind.as_bytes()].concat();
        assert_eq!(read(&bytes), Ok(Some((head.len(), body))), "{head}");
    }
}

#[test]
fn what_browsers_and_tools_send_passes() {
    let host = "Host: a.test:8080\r\n";
    for target in ["/", "/a/b?c=d%20e&f", "/a?b?c", "/{a}|^\"", "/?q={a}|^'`", "//a", "/ä?ö=ü"] {
        check(&format!("GET {target} HTTP/1.1"), host, NONE);
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "get", "M-SEARCH"] {
        check(&format!("{method} / HTTP/1.1"), host, NONE);
    }
    for host in ["a", "[::1]:80", "192.0.2.1", "xn--a_b.test.", "  a.test \t"] {
        check("GET / HTTP/1.1", &format!("host:{host}\r\n"), NONE);
    }
    let odd = "X:\r\nY: a\tb: c\u{e4}\r\nUpgrade-Insecure-Requests: 1\r\nTE: trailers\r\n\
               Cookie: a=\"b\"\r\nExpect: 100-Continue\r\nHOST: a\r\nX:\r\n";
    check("GET / HTTP/1.1", odd, NONE);
    check("OPTIONS / HTTP/1.0", "", NONE);
    check("DELETE / HTTP/1.1", &format!("{host}Content-Length: 0\r\n"), NONE);
    let post = |more: &str, body| check("POST / HTTP/1.1", &[host, more].concat(), body);
    post("content-length:12\r\n", Body::Length(12));
    post("Content-Length: \t 11534336 \r\n", Body::Length(11_534_336));
    post("Transfer-Encoding: Chunked \r\n", Body::Chunked);
    check("POST / HTTP/1.0", "Content-Length: 3\r\n", Body::Length(3));
}

#[test]
fn a_limit_takes_what_just_fits() {
    let limits = Limits::USUAL;
    let rest = "Host: a\r\n\r\n".len() + "GET / HTTP/1.1\r\nX: \r\n".len();
    let long = "x".repeat(limits.head_bytes_max - rest);
    check("GET / HTTP/1.1", &format!("Host: a\r\nX: {long}\r\n"), NONE);
    let over = format!("GET / HTTP/1.1\r\nHost: a\r\nX: x{long}\r\n\r\n");
    assert_eq!(read(over.as_bytes()), Err(Fault::HeadTooLong));
    let many = "X: y\r\n".repeat(limits.headers_max - 1);
    check("GET / HTTP/1.1", &format!("Host: a\r\n{many}"), NONE);
    let target = "x".repeat(limits.target_bytes_max - 1);
    check(&format!("GET /{target} HTTP/1.1"), "Host: a\r\n", NONE);
}

#[test]
fn an_unfinished_head_is_waited_for_and_read_once() {
    let head = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n".as_bytes();
    let mut in_hand = Head::default();
    for end in 0..head.len() {
        assert_eq!(in_hand.read(&head[..end], &Limits::USUAL), Ok(None), "{end}");
        assert!(in_hand.sought >= end.saturating_sub(1), "{end}");
    }
    assert_eq!(in_hand.read(head, &Limits::USUAL), Ok(Some((head.len(), NONE))));
}

#[test]
fn every_hostile_request_is_refused_by_its_name() {
    let all = hostile::requests(include_str!("../tests/data/hostile.txt"));
    for (name, request) in &all {
        let end = Framer::new(Limits::USUAL).read(request);
        let found = end.map_err(|stop| stop.fault.name());
        assert_eq!(found, Err(name.as_str()), "{}", request.escape_ascii());
    }
    let has_one = |fault: &Fault| all.iter().any(|(name, _)| name == fault.name());
    let unused = Fault::all().filter(|fault| fault.status() != 408 && !has_one(fault));
    assert_eq!(unused.collect::<Vec<_>>(), []);
    assert!(all.len() >= 100, "{}", all.len());
}
