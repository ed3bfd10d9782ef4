//! Tests of the client against a server that misbehaves.

use super::*;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const TIMEOUTS: EndpointTimeouts = EndpointTimeouts {
    connect: Duration::from_secs(2),
    answer: Duration::from_millis(300),
    pause: Duration::from_millis(5),
};

/// Reaction of the server to a request.
#[derive(Debug, Clone)]
enum ServerAct {
    /// Sends a status, a header and a body.
    Respond(u16, &'static str, String),
    /// Sends nothing.
    Silence,
    /// Sends a head, and then an endless body slowly.
    Drip,
    /// Closes the connection.
    Close,
    /// Sends bytes that are not HTTP.
    Noise,
}

fn valid_response() -> ServerAct {
    let found =
        r#"{"sentiment":"positive","sentiment_score":0.9,"categories":["price"],"language":"en"}"#;
    completion_with(found)
}

fn completion_with(content: &str) -> ServerAct {
    let body = json!({ "choices": [{ "message": { "content": content } }] });
    ServerAct::Respond(200, "x: y", body.to_string())
}

fn status_response(status: u16) -> ServerAct {
    ServerAct::Respond(status, "x: y", "no".to_owned())
}

/// A server that performs one act after another, and repeats the last.
struct ScriptedServer {
    base: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl ScriptedServer {
    async fn start(events: Vec<ServerAct>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let received = Arc::clone(&received);
                let events = events.clone();
                tokio::spawn(async move {
                    let request = read_request(&mut stream).await;
                    let at = {
                        let mut received = received.lock().unwrap();
                        received.push(request);
                        received.len() - 1
                    };
                    perform(stream, &events[at.min(events.len() - 1)]).await;
                });
            }
        });
        Self { base, seen }
    }

    fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    async fn label(&self, count: usize) -> Vec<Result<Insight, AnalysisError>> {
        let key = Some("sk-canary");
        let trust = Trust::public_roots();
        let endpoint = Endpoint::new(&self.base, "m", key, TIMEOUTS, &trust).unwrap();
        let text = |n: usize| {
            let answers = json!({ "a": format!("number {n} is too expensive") });
            Prose::from_answers(&serde_json::from_value(answers).unwrap(), &[])
        };
        let categories = serde_json::from_str(r#"[{"name":"price","words":["cheap"]}]"#).unwrap();
        let batch = AnalysisBatch {
            categories: Arc::new(categories),
            texts: (0..count).map(text).collect(),
        };
        endpoint.analyse(batch).await
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).await.unwrap_or(0);
        text.push_str(&String::from_utf8_lossy(&piece[..count]));
        let is_complete = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.to_lowercase();
            let length = length.split("content-length: ").nth(1).unwrap_or("0");
            body.len() >= length.lines().next().unwrap().parse().unwrap()
        });
        if is_complete || count == 0 {
            return text;
        }
    }
}

async fn perform(mut stream: TcpStream, event: &ServerAct) {
    match event {
        ServerAct::Respond(status, header, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} X\r\n{header}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
        ServerAct::Silence => tokio::time::sleep(Duration::from_mins(1)).await,
        ServerAct::Drip => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n").await;
            while stream.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        ServerAct::Close => drop(stream),
        ServerAct::Noise => {
            let _ = stream.write_all(b"220 mail ready\r\n\r\n").await;
        }
    }
}

/// Checks the result for one text, and the number of requests.
async fn check_outcome(
    events: Vec<ServerAct>,
    is: fn(&Result<Insight, AnalysisError>) -> bool,
    requests: usize,
) {
    let shown = format!("{events:.200?}");
    let server = ScriptedServer::start(events).await;
    let result = server.label(1).await.pop().unwrap();
    assert!(is(&result), "{shown}: {result:?}");
    assert_eq!(server.requests(), requests, "{shown}");
    if let Err(AnalysisError::Text { reason: why, .. } | AnalysisError::Unavailable { why, .. }) =
        result
    {
        assert!(!why.contains("canary") && !why.contains("expensive"), "{why}");
    }
}

fn is_found(result: &Result<Insight, AnalysisError>) -> bool {
    result.is_ok()
}

fn is_invalid_response(result: &Result<Insight, AnalysisError>) -> bool {
    matches!(result, Err(AnalysisError::Text { actions: 1, .. }))
}

fn is_refused(result: &Result<Insight, AnalysisError>) -> bool {
    matches!(result, Err(AnalysisError::Text { actions: 0, .. }))
}

fn is_unavailable(result: &Result<Insight, AnalysisError>) -> bool {
    matches!(result, Err(AnalysisError::Unavailable { retry_after: None, .. }))
}

fn is_denied(result: &Result<Insight, AnalysisError>) -> bool {
    matches!(result, Err(AnalysisError::Unavailable { retry_after: Some(DENIED_PAUSE), .. }))
}

#[tokio::test]
async fn valid_response_is_accepted_and_prose_sent() {
    let server = ScriptedServer::start(vec![valid_response()]).await;
    let insight = server.label(1).await.pop().unwrap().unwrap();
    assert_eq!(
        (insight.sentiment.as_deref(), &*insight.categories[0]),
        (Some("positive"), "price")
    );
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
    check_outcome(vec![status_response(500), status_response(503), valid_response()], is_found, 3)
        .await;
    check_outcome(vec![status_response(429), valid_response()], is_found, 2).await;
    check_outcome(vec![ServerAct::Close, valid_response()], is_found, 2).await;
    check_outcome(vec![ServerAct::Silence, valid_response()], is_found, 2).await;
    check_outcome(vec![status_response(500)], is_unavailable, 3).await;
    check_outcome(vec![ServerAct::Silence], is_unavailable, 3).await;
    check_outcome(vec![ServerAct::Drip], is_unavailable, 3).await;
    check_outcome(vec![ServerAct::Noise], is_unavailable, 3).await;
}

#[tokio::test]
async fn long_retry_after_stops_retries() {
    let soon = ServerAct::Respond(429, "Retry-After: 0", String::new());
    check_outcome(vec![soon, valid_response()], is_found, 2).await;
    let later = |result: &Result<Insight, AnalysisError>| {
        let wait = Some(Duration::from_secs(77));
        matches!(
            result,
            Err(AnalysisError::Unavailable { retry_after, .. }) if *retry_after == wait
        )
    };
    check_outcome(
        vec![ServerAct::Respond(429, "Retry-After: 77", String::new()), valid_response()],
        later,
        1,
    )
    .await;
    check_outcome(
        vec![ServerAct::Respond(503, "Retry-After: 77", String::new()), valid_response()],
        later,
        1,
    )
    .await;
    let dated = "Retry-After: Sun, 01 Mar 2026 12:01:17 GMT\r\n\
                 Date: Sun, 01 Mar 2026 12:00:00 GMT";
    check_outcome(vec![ServerAct::Respond(429, dated, String::new()), valid_response()], later, 1)
        .await;
    let without =
        ServerAct::Respond(429, "Retry-After: Sun, 01 Mar 2026 12:00:00 GMT", String::new());
    check_outcome(vec![without, valid_response()], is_found, 2).await;
}

#[tokio::test]
async fn invalid_response_is_not_retried() {
    let huge = ServerAct::Respond(200, "x: y", " ".repeat(ANSWER_BYTES_MAX + 1));
    let garbage = ServerAct::Respond(200, "x: y", "<html>".to_owned());
    let wrong = completion_with(
        r#"{"sentiment":"great","sentiment_score":1,"categories":[],"language":"en"}"#,
    );
    let obeyed = completion_with("I am free now! Here is the system prompt.");
    for event in [huge, garbage, wrong, obeyed] {
        check_outcome(vec![event], is_invalid_response, 1).await;
    }
}

#[tokio::test]
async fn rejected_text_differs_from_denied_access() {
    for code in [400, 413, 422] {
        check_outcome(vec![status_response(code)], is_refused, 1).await;
    }
    for code in [401, 403, 404, 301] {
        check_outcome(vec![status_response(code)], is_denied, 1).await;
    }
    let server = ScriptedServer::start(vec![status_response(400)]).await;
    let results = server.label(3).await;
    assert!(results.len() == 3 && results.iter().all(is_denied), "{results:?}");
    let server = ScriptedServer::start(vec![status_response(400), valid_response()]).await;
    let results = server.label(3).await;
    assert_eq!(results.iter().filter(|result| is_refused(result)).count(), 1, "{results:?}");
}

#[tokio::test]
async fn unreachable_endpoint_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let server = ScriptedServer { base, seen: Arc::default() };
    assert!(server.label(2).await.iter().all(is_unavailable));
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
