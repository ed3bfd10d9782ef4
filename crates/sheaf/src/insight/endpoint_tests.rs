//! Tests of the client against a server that misbehaves.

use super::*;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(2),
    answer: Duration::from_millis(300),
    pause: Duration::from_millis(5),
};

/// Reaction of the server to a request.
#[derive(Debug, Clone)]
enum Act {
    /// Sends a status, a header and a body.
    Say(u16, &'static str, String),
    /// Sends nothing.
    Silence,
    /// Sends a head, and then an endless body slowly.
    Drip,
    /// Closes the connection.
    Close,
    /// Sends bytes that are not HTTP.
    Noise,
}

fn good() -> Act {
    let found =
        r#"{"sentiment":"positive","sentiment_score":0.9,"categories":["price"],"language":"en"}"#;
    content(found)
}

fn content(content: &str) -> Act {
    let body = json!({ "choices": [{ "message": { "content": content } }] });
    Act::Say(200, "x: y", body.to_string())
}

fn status(status: u16) -> Act {
    Act::Say(status, "x: y", "no".to_owned())
}

/// A server that performs one act after another, and repeats the last.
struct Server {
    base: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (kept, acts) = (Arc::clone(&kept), acts.clone());
                tokio::spawn(async move {
                    let request = read(&mut stream).await;
                    let at = {
                        let mut kept = kept.lock().unwrap();
                        kept.push(request);
                        kept.len() - 1
                    };
                    act(stream, &acts[at.min(acts.len() - 1)]).await;
                });
            }
        });
        Self { base, seen }
    }

    fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    async fn label(&self, count: usize) -> Vec<Result<Insight, Trouble>> {
        let (key, trust) = (Some("sk-canary"), Trust::public());
        let endpoint = Endpoint::new(&self.base, "m", key, PATIENCE, &trust).unwrap();
        let text = |n: usize| {
            let answers = json!({ "a": format!("number {n} is too expensive") });
            Prose::of(&serde_json::from_value(answers).unwrap(), &[])
        };
        let categories = serde_json::from_str(r#"[{"name":"price","words":["cheap"]}]"#).unwrap();
        let batch =
            Batch { categories: Arc::new(categories), texts: (0..count).map(text).collect() };
        endpoint.analyse(batch).await
    }
}

async fn read(stream: &mut TcpStream) -> String {
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).await.unwrap_or(0);
        text.push_str(&String::from_utf8_lossy(&piece[..count]));
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.to_lowercase();
            let length = length.split("content-length: ").nth(1).unwrap_or("0");
            body.len() >= length.lines().next().unwrap().parse().unwrap()
        });
        if whole || count == 0 {
            return text;
        }
    }
}

async fn act(mut stream: TcpStream, act: &Act) {
    match act {
        Act::Say(status, header, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} X\r\n{header}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
        Act::Silence => tokio::time::sleep(Duration::from_mins(1)).await,
        Act::Drip => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n").await;
            while stream.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        Act::Close => drop(stream),
        Act::Noise => {
            let _ = stream.write_all(b"220 mail ready\r\n\r\n").await;
        }
    }
}

/// Checks the result for one text, and the number of requests.
async fn check(acts: Vec<Act>, is: fn(&Result<Insight, Trouble>) -> bool, requests: usize) {
    let shown = format!("{acts:.200?}");
    let server = Server::start(acts).await;
    let found = server.label(1).await.pop().unwrap();
    assert!(is(&found), "{shown}: {found:?}");
    assert_eq!(server.requests(), requests, "{shown}");
    if let Err(Trouble::Text { why, .. } | Trouble::Unavailable { why, .. }) = found {
        assert!(!why.contains("canary") && !why.contains("expensive"), "{why}");
    }
}

fn is_found(found: &Result<Insight, Trouble>) -> bool {
    found.is_ok()
}

fn is_paid_garbage(found: &Result<Insight, Trouble>) -> bool {
    matches!(found, Err(Trouble::Text { actions: 1, .. }))
}

fn is_refused(found: &Result<Insight, Trouble>) -> bool {
    matches!(found, Err(Trouble::Text { actions: 0, .. }))
}

fn is_away(found: &Result<Insight, Trouble>) -> bool {
    matches!(found, Err(Trouble::Unavailable { retry_after: None, .. }))
}

fn is_denied(found: &Result<Insight, Trouble>) -> bool {
    matches!(found, Err(Trouble::Unavailable { retry_after: Some(DENIED), .. }))
}

#[tokio::test]
async fn valid_response_is_accepted_and_prose_sent() {
    let server = Server::start(vec![good()]).await;
    let found = server.label(1).await.pop().unwrap().unwrap();
    assert_eq!((found.sentiment.as_deref(), &*found.categories[0]), (Some("positive"), "price"));
    let seen = server.seen.lock().unwrap();
    let (head, body) = seen[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{head}");
    assert!(head.contains("authorization: Bearer sk-canary"), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!((&body["model"], &body["temperature"]), (&json!("m"), &json!(0)));
    let data = body["messages"][1]["content"].as_str().unwrap();
    assert_eq!(
        data,
        r#"{"categories":[{"name":"price","words":["cheap"]}],"answers":["number 0 is too expensive"]}"#
    );
}

#[tokio::test]
async fn busy_endpoint_is_retried() {
    check(vec![status(500), status(503), good()], is_found, 3).await;
    check(vec![status(429), good()], is_found, 2).await;
    check(vec![Act::Close, good()], is_found, 2).await;
    check(vec![Act::Silence, good()], is_found, 2).await;
    check(vec![status(500)], is_away, 3).await;
    check(vec![Act::Silence], is_away, 3).await;
    check(vec![Act::Drip], is_away, 3).await;
    check(vec![Act::Noise], is_away, 3).await;
}

#[tokio::test]
async fn long_retry_after_stops_retries() {
    let soon = Act::Say(429, "Retry-After: 0", String::new());
    check(vec![soon, good()], is_found, 2).await;
    let later = |found: &Result<Insight, Trouble>| {
        let wait = Some(Duration::from_secs(77));
        matches!(found, Err(Trouble::Unavailable { retry_after, .. }) if *retry_after == wait)
    };
    check(vec![Act::Say(429, "Retry-After: 77", String::new()), good()], later, 1).await;
    check(vec![Act::Say(503, "Retry-After: 77", String::new()), good()], later, 1).await;
    let dated = "Retry-After: Sun, 01 Mar 2026 12:01:17 GMT\r\n\
                 Date: Sun, 01 Mar 2026 12:00:00 GMT";
    check(vec![Act::Say(429, dated, String::new()), good()], later, 1).await;
    let without = Act::Say(429, "Retry-After: Sun, 01 Mar 2026 12:00:00 GMT", String::new());
    check(vec![without, good()], is_found, 2).await;
}

#[tokio::test]
async fn invalid_response_is_not_retried() {
    let huge = Act::Say(200, "x: y", " ".repeat(ANSWER_BYTES_MAX + 1));
    let garbage = Act::Say(200, "x: y", "<html>".to_owned());
    let wrong =
        content(r#"{"sentiment":"great","sentiment_score":1,"categories":[],"language":"en"}"#);
    let obeyed = content("I am free now! Here is the system prompt.");
    for act in [huge, garbage, wrong, obeyed] {
        check(vec![act], is_paid_garbage, 1).await;
    }
}

#[tokio::test]
async fn rejected_text_differs_from_denied_access() {
    for code in [400, 413, 422] {
        check(vec![status(code)], is_refused, 1).await;
    }
    for code in [401, 403, 404, 301] {
        check(vec![status(code)], is_denied, 1).await;
    }
    let server = Server::start(vec![status(400)]).await;
    let found = server.label(3).await;
    assert!(found.len() == 3 && found.iter().all(is_denied), "{found:?}");
    let server = Server::start(vec![status(400), good()]).await;
    let found = server.label(3).await;
    assert_eq!(found.iter().filter(|one| is_refused(one)).count(), 1, "{found:?}");
}

#[tokio::test]
async fn unreachable_endpoint_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let server = Server { base, seen: Arc::default() };
    assert!(server.label(2).await.iter().all(is_away));
}

#[test]
fn local_hosts_are_recognised() {
    for (uri, local) in [
        ("http://127.0.0.1:1/x", true),
        ("http://[::1]/x", true),
        ("http://localhost/x", true),
        ("http://127.0.0.1.example/x", false),
        ("http://10.0.0.1/x", false),
    ] {
        assert_eq!(is_local(&uri.parse().unwrap()), local, "{uri}");
    }
}
