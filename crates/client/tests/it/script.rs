//! A server that says what a script says, a connection for each line of it.

use client::{Client, Options};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// What is done with a request.
#[derive(Clone)]
pub(crate) enum Line {
    /// Says these bytes and closes.
    Say(String),
    /// Closes without a word.
    HangUp,
    /// Says these bytes and then nothing more, for as long as the client stays.
    Stall(String),
}

/// The heads of the requests that came.
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

/// An answer of a status with a JSON body and more headers.
pub(crate) fn say(status: u16, headers: &[&str], body: &str) -> Line {
    let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    let length = body.len();
    Line::Say(format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}\
         connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    ))
}

/// Starts the server; behind the last line it repeats it. Returns its address.
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

/// Options that wait briefly between attempts, and long for an answer: a busy machine must not
/// cause a second request.
pub(crate) fn quick() -> Options {
    Options {
        first_wait: Duration::from_millis(1),
        try_time: Duration::from_secs(20),
        silence: Duration::from_secs(20),
        ..Options::default()
    }
}

/// A client of the server, whose key is `svc_sk_live_canary`.
pub(crate) fn client(address: &str) -> Client {
    Client::with(address, "svc_sk_live_canary", quick()).unwrap()
}
