//! Server that follows a script, with one connection per line.

use client::{Client, Options};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Reaction to a request.
#[derive(Clone)]
pub(crate) enum Line {
    /// Sends these bytes and closes the connection.
    Say(String),
    /// Closes the connection without a response.
    HangUp,
    /// Sends these bytes and nothing more until the client closes the connection.
    Stall(String),
}

/// Heads of the received requests.
#[derive(Clone, Default)]
pub(crate) struct Heads(Arc<Mutex<Vec<String>>>);

impl Heads {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.all().len()
    }
}

/// Creates a JSON response with a status and further headers.
pub(crate) fn say(status: u16, headers: &[&str], body: &str) -> Line {
    let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    let length = body.len();
    Line::Say(format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}\
         connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    ))
}

/// Starts the server and returns its address. The last line is repeated.
pub(crate) async fn serve(lines: Vec<Line>) -> (String, Heads) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let heads = Heads::default();
    let seen = heads.clone();
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
                Line::HangUp => {}
                Line::Say(text) => stream.write_all(text.as_bytes()).await.unwrap(),
                Line::Stall(text) => {
                    stream.write_all(text.as_bytes()).await.unwrap();
                    tokio::spawn(async move {
                        let mut rest = Vec::new();
                        let _ = stream.read_to_end(&mut rest).await;
                    });
                }
            }
        }
    });
    (address, heads)
}

/// Options with short waits between attempts and a long timeout per attempt, so that a busy machine
/// causes no second request.
pub(crate) fn quick() -> Options {
    Options {
        first_wait: Duration::from_millis(1),
        try_time: Duration::from_secs(20),
        silence: Duration::from_secs(20),
        ..Options::default()
    }
}

/// Creates a client of the server with the key `svc_sk_live_canary`.
pub(crate) fn client(address: &str) -> Client {
    Client::with(address, "svc_sk_live_canary", quick()).unwrap()
}
