//! Requests to a server that may be killed at any time.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Maximum time of a response.
const SOON: Duration = Duration::from_mins(1);

/// Sends a request on a new connection, and returns the status and body of the response.
///
/// Returns `None` if there was no complete response.
pub(crate) fn ask(
    address: &str,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(SOON)).ok()?;
    let mut request = Vec::new();
    write!(request, "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n").ok()?;
    for header in headers {
        write!(request, "{header}\r\n").ok()?;
    }
    if !body.is_empty() {
        write!(request, "Content-Type: application/json\r\n").ok()?;
    }
    write!(request, "Content-Length: {}\r\n\r\n{body}", body.len()).ok()?;
    stream.write_all(&request).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then_some(value)?.parse().ok()
    });
    (body.len() >= length.unwrap_or(0)).then(|| (status, body.to_owned()))
}
