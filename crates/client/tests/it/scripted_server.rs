//! Server that follows a script, with one connection per line.

use client::{Client, Options};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Reaction to a request.
#[derive(Clone)]
pub(crate) enum Reaction {
    /// Sends these bytes and closes the connection.
    Respond(String),
    /// Closes the connection without a response.
    HangUp,
    /// Sends these bytes and nothing more until the client closes the connection.
    Stall(String),
}

/// Heads of the received requests.
#[derive(Clone, Default)]
pub(crate) struct RequestLog(Arc<Mutex<Vec<String>>>);

impl RequestLog {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.all().len()
    }
}

/// Creates a JSON response with a status and further headers.
pub(crate) fn json_response(status: u16, headers: &[&str], body: &str) -> Reaction {
    let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    let length = body.len();
    Reaction::Respond(format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}\
         connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    ))
}

/// Starts the server and returns its address. The last line is repeated.
pub(crate) async fn start_scripted_server(lines: Vec<Reaction>) -> (String, RequestLog) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let requests = RequestLog::default();
    let seen = requests.clone();
    tokio::spawn(async move {
        for n in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => break,
                }
            }
            seen.0.lock().unwrap().push(String::from_utf8(head).unwrap());
            match &lines[n.min(lines.len() - 1)] {
                Reaction::HangUp => {}
                Reaction::Respond(text) => stream.write_all(text.as_bytes()).await.unwrap(),
                Reaction::Stall(text) => {
                    stream.write_all(text.as_bytes()).await.unwrap();
                    tokio::spawn(async move {
                        let mut rest = Vec::new();
                        let _ = stream.read_to_end(&mut rest).await;
                    });
                }
            }
        }
    });
    (address, requests)
}

/// Options with short waits between attempts and a long timeout per attempt, so that a busy machine
/// causes no second request.
pub(crate) fn test_options() -> Options {
    Options {
        wait_min: Duration::from_millis(1),
        attempt_timeout: Duration::from_secs(20),
        stall_timeout: Duration::from_secs(20),
        ..Options::default()
    }
}

/// Creates a client of the server with the key `svc_sk_live_canary`.
pub(crate) fn test_client(address: &str) -> Client {
    Client::with_options(address, "svc_sk_live_canary", test_options()).unwrap()
}
