//! An HTTP server that receives webhooks.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::test_env::SOON;

/// Status of [`Receiver::respond_with`] that leaves requests without a response.
pub(crate) const NO_RESPONSE: u16 = 0;

/// A receiver on a free port. It answers 204 until [`Receiver::respond_with`] changes that.
pub(crate) struct Receiver {
    /// URL of the webhook.
    pub(crate) url: String,
    status: Arc<AtomicU16>,
    requests: mpsc::Receiver<WebhookRequest>,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct WebhookRequest {
    /// Headers with lower-case names.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let status = Arc::new(AtomicU16::new(204));
        let (sender, requests) = mpsc::channel();
        let current = Arc::clone(&status);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let status = Arc::clone(&current);
                let sender = sender.clone();
                // A thread per connection, so that a killed client does not block the next one.
                std::thread::spawn(move || answer(stream, &status, &sender));
            }
        });
        Self { url, status, requests }
    }

    /// Answers requests with this status from now on.
    pub(crate) fn respond_with(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// Returns the next request. Waits for at most [`SOON`].
    pub(crate) fn next_request(&self) -> WebhookRequest {
        self.next_request_within(SOON)
    }

    /// Returns the next request. Waits for at most `time`.
    pub(crate) fn next_request_within(&self, time: Duration) -> WebhookRequest {
        self.request_within(time).expect("the receiver got no request")
    }

    /// Returns the next request; `None` if no request comes within `time`.
    pub(crate) fn request_within(&self, time: Duration) -> Option<WebhookRequest> {
        self.requests.recv_timeout(time).ok()
    }
}

impl WebhookRequest {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no `{name}` in {:?}", self.headers))
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Answers one request, and passes it on. Ignores a connection that ends before its request.
fn answer(stream: TcpStream, status: &AtomicU16, sender: &mpsc::Sender<WebhookRequest>) {
    let mut reader = BufReader::new(stream);
    let Some(request) = read_request(&mut reader) else { return };
    let status = status.load(Ordering::SeqCst);
    let head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    // The request is passed on first, so that it is known whether or not the client was killed.
    let _ = sender.send(request);
    if status == NO_RESPONSE {
        // Waits until the client ends.
        let _ = reader.read_to_end(&mut Vec::new());
        return;
    }
    let _ = reader.get_mut().write_all(head.as_bytes());
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<WebhookRequest> {
    let mut lines = reader.by_ref().lines().map_while(Result::ok);
    assert!(lines.next()?.starts_with("POST /hook HTTP/1.1"));
    let lines: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let pairs = lines.iter().filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<_, _> =
        pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(WebhookRequest { headers, body: String::from_utf8(body).ok()? })
}
