//! Bytes on the wire, over a real socket.

use crate::app::{App, TestKey, hostile, submission};
use contract::Form;
use serde_json::json;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Starts a listening service with `count` submissions.
async fn start_server(count: usize) -> (App, TestKey, Form, SocketAddr) {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    app.submit(&form, hostile(&form, count)).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, app.public.clone()).into_future());
    (app, key, form, address)
}

/// Sends requests on one connection, which the last one closes, and returns all responses.
async fn send_requests(address: SocketAddr, key: &TestKey, requests: &[&str]) -> String {
    let mut client = TcpStream::connect(address).await.unwrap();
    for (n, request) in requests.iter().enumerate() {
        let close = if n + 1 == requests.len() { "connection: close\r\n" } else { "" };
        let head = format!("{request} HTTP/1.1\r\nhost: x\r\nx-api-key: {}\r\n", key.secret);
        client.write_all(format!("{head}{close}\r\n").as_bytes()).await.unwrap();
    }
    let mut received = String::new();
    client.read_to_string(&mut received).await.unwrap();
    received
}

#[tokio::test]
async fn delete_and_head_keep_connection_open() {
    let (_app, key, form, address) = start_server(2).await;
    let head = format!("HEAD /v1/forms/{}/submissions/export", form.id);
    let requests = ["DELETE /v1/submissions/sub_00001", &head, "GET /v1/submissions/sub_00001"];
    let received = send_requests(address, &key, &requests).await;
    let answers: Vec<_> = received.split("HTTP/1.1 ").skip(1).collect();
    assert_eq!(answers.len(), 3, "{received}");
    assert!(answers[0].starts_with("204 ") && !answers[0].contains("content-length"), "{received}");
    assert!(answers[1].starts_with("200 ") && answers[1].ends_with("\r\n\r\n"), "{received}");
    assert!(answers[2].starts_with("404 "), "{received}");
}

#[tokio::test]
async fn complete_export_ends_with_last_chunk() {
    let (_app, key, form, address) = start_server(600).await;
    let request = format!("GET /v1/forms/{}/submissions/export", form.id);
    let received = send_requests(address, &key, &[&request]).await;
    assert!(received.contains("transfer-encoding: chunked"));
    assert!(received.ends_with("\r\n0\r\n\r\n"));
}

#[tokio::test]
async fn failed_export_has_no_last_chunk() {
    let (app, key, form, address) = start_server(0).await;
    // More bytes than the server and the buffers of the connection hold.
    let note = "x".repeat(300_000);
    let row = |n: usize| {
        let id = format!("{n:03}");
        submission(&form, &id, "2026-02-01", json!({ "note": note }))
    };
    app.submit(&form, (0..100).map(row).collect()).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    let path = format!("/v1/forms/{}/submissions/export?format=json", form.id);
    let headers = format!("host: x\r\nconnection: close\r\nx-api-key: {}", key.secret);
    let request = format!("GET {path} HTTP/1.1\r\n{headers}\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    let mut received = vec![0; 1000];
    client.read_exact(&mut received).await.unwrap();
    app.break_database();
    let _ = client.read_to_end(&mut received).await;
    let text = String::from_utf8_lossy(&received);
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("transfer-encoding: chunked"));
    assert!(!text.ends_with("0\r\n\r\n"), "the export looks complete");
}
