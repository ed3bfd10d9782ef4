//! Tests of malformed upstream responses. Each gives a prompt JSON error or a truncated body; never
//! a panic, and never a partial response that looks complete.

use std::io::Write;
use std::net::Shutdown;
use std::time::Duration;

use http::Method;
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::app::{SUBMISSION, dashboard_request};
use crate::remote::{app_with_server, start_server};

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/// The table of expected results and response bytes.
fn load_table() -> Vec<(&'static str, Vec<u8>)> {
    let lines = include_str!("../data/garbage.txt").lines().filter(|line| !line.starts_with('#'));
    let split = lines.map(|line| line.split_once(' ').unwrap());
    split.map(|(outcome, text)| (outcome, decode_line(text))).collect()
}

fn decode_line(text: &str) -> Vec<u8> {
    let (mut out, rest) = match text.strip_prefix('J') {
        Some(rest) => (GOOD.to_vec(), rest),
        None => (Vec::new(), text),
    };
    let mut rest = rest.bytes();
    while let Some(byte) = rest.next() {
        out.push(match byte {
            b'\\' => match rest.next().unwrap() {
                b'r' => b'\r',
                b'n' => b'\n',
                b'0' => 0,
                b'x' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => panic!("invalid escape: {other}"),
            },
            byte => byte,
        });
    }
    out
}

/// Returns the fault in the browser's response, if any.
async fn find_fault(outcome: &str, bytes: Vec<u8>) -> Option<&'static str> {
    let found =
        tokio::time::timeout(Duration::from_mins(1), find_fault_untimed(outcome, bytes)).await;
    found.unwrap_or(Some("it does not end"))
}

async fn find_fault_untimed(outcome: &str, bytes: Vec<u8>) -> Option<&'static str> {
    let address = start_server(move |mut stream| {
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
    });
    let app = app_with_server(address);
    let cookie = app.sign_in().await;
    let request = dashboard_request(Method::GET, SUBMISSION, &cookie);
    let answer = app.router.clone().oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    let headers = answer.headers().clone();
    let body = answer.into_body().collect().await;
    if outcome == "cut" {
        return (status != 502 && body.is_ok()).then_some("it looks complete");
    }
    let Ok(body) = body else { return Some("its error is truncated") };
    let error = serde_json::from_slice::<contract::ErrorBody>(&body.to_bytes());
    let code = error.map(|error| error.error.as_str().to_owned()).ok();
    if (status, code.as_deref()) != (502, Some("internal_error")) {
        return Some("it is not an error");
    }
    (headers["content-type"] != "application/json").then_some("its error is not JSON")
}

#[tokio::test]
async fn malformed_responses_give_errors_or_truncation() {
    let table = load_table();
    assert!(table.len() >= 40);
    let mut faults = Vec::new();
    for (outcome, bytes) in table {
        let case = format!("{outcome} {}", bytes.escape_ascii());
        faults.extend(find_fault(outcome, bytes).await.map(|fault| format!("{fault}: {case}")));
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
