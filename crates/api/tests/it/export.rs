//! Export as a stream: bounded memory, a client that disconnects, a database that fails.

use crate::app::{App, TestKey, hostile, submission};
use axum::body::Body;
use axum::response::Response;
use contract::{Form, Submission};
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt;

/// Number of large submissions that exceeds the read-ahead.
const LARGE_SUBMISSIONS: usize = 300;

async fn set_up(count: usize) -> (App, TestKey, Form) {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    app.submit(&form, hostile(&form, count)).await;
    (app, key, form)
}

/// Creates a submission of about 16 KB.
fn large_submission(form: &Form, n: usize) -> Submission {
    let at = format!("2026-02-01T{:02}:{:02}:00Z", n / 60, n % 60);
    submission(form, &format!("{n:04}"), &at, json!({ "note": "heavy ".repeat(2700) }))
}

/// Sets up a form with an export that exceeds the read-ahead.
async fn set_up_long() -> (App, TestKey, Form) {
    let (app, key, form) = set_up(0).await;
    app.submit(&form, (0..LARGE_SUBMISSIONS).map(|n| large_submission(&form, n)).collect()).await;
    (app, key, form)
}

/// Reads a body to its end.
async fn read_body(mut body: Body) -> Result<Vec<u8>, axum::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        bytes.extend_from_slice(&frame?.into_data().unwrap());
    }
    Ok(bytes)
}

/// Returns the ids in a CSV file without line breaks in cells.
fn csv_ids(csv: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(csv).unwrap();
    let ids = text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned());
    ids.collect()
}

/// Starts an export without reading its body.
async fn start_export(app: &App, key: &TestKey, form: &Form, query: &str) -> Response {
    let path = format!("/v1/forms/{}/submissions/export?{query}", form.id);
    let request = Request::get(path).header("x-api-key", &key.secret).body(Body::empty());
    app.public.clone().oneshot(request.unwrap()).await.unwrap()
}

#[tokio::test]
async fn export_chunks_are_bounded_and_start_small() {
    let (app, key, form) = set_up_long().await;
    for query in ["", "format=json", "search=heavy", "search=HEAVY&format=json"] {
        let mut body = start_export(&app, &key, &form, query).await.into_body();
        let mut sizes = Vec::new();
        while let Some(frame) = body.frame().await {
            sizes.push(frame.unwrap().into_data().unwrap().len());
        }
        assert!(sizes.len() >= 30, "{} chunks", sizes.len());
        assert!(sizes[0] <= 40_000, "the first chunk has {} bytes", sizes[0]);
        assert!(sizes.iter().all(|size| (1..=160_000).contains(size)), "{sizes:?}");
    }
}

#[tokio::test]
async fn disconnected_client_stops_export() {
    let (app, key, form) = set_up_long().await;
    let mut response = start_export(&app, &key, &form, "").await;
    response.body_mut().frame().await.unwrap().unwrap();
    let App { store, service, public, account, .. } = app;
    drop((service, public, account));
    assert!(Arc::strong_count(&store) > 1, "the export references the store");
    drop(response);
    let dropped = async {
        while Arc::strong_count(&store) > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), dropped).await.expect("the export continues");
}

#[tokio::test]
async fn database_error_aborts_export() {
    for query in ["", "format=json", "search=heavy"] {
        let (app, key, form) = set_up_long().await;
        let mut body = start_export(&app, &key, &form, query).await.into_body();
        body.frame().await.unwrap().unwrap();
        app.break_database();
        assert!(read_body(body).await.is_err(), "{query}: ended cleanly");
    }
}

#[tokio::test]
async fn damaged_row_aborts_export() {
    let (app, key, form) = set_up(400).await;
    let listed = format!("fields={}", form.fields[0].id);
    let mut damages = vec!["'{\"id\":\"sub_1\"'", "'[1]'", "''"];
    // PostgreSQL itself rejects invalid UTF-8.
    if app.database.is_none() {
        damages.push("CAST(x'7bff7d' AS TEXT)");
    }
    for damage in damages {
        app.sql(&format!("UPDATE submissions SET json = {damage} WHERE id = 'sub_00100'"));
        for query in ["", "safe=true", "format=json", &listed, &format!("format=json&{listed}")] {
            let body = start_export(&app, &key, &form, query).await.into_body();
            assert!(read_body(body).await.is_err(), "{query}: {damage} ended cleanly");
        }
    }
}

#[tokio::test]
async fn concurrent_changes_are_exported_at_most_once() {
    let (app, key, form) = set_up_long().await;
    let mut exports = Vec::new();
    for format in ["csv", "json"] {
        let mut body =
            start_export(&app, &key, &form, &format!("format={format}")).await.into_body();
        let bytes = body.frame().await.unwrap().unwrap().into_data().unwrap().to_vec();
        exports.push((format, body, bytes));
    }
    // Newest first: the exports have passed the end of February, and not yet the end of January.
    for id in ["sub_0000", "sub_0299"] {
        assert!(app.store.delete_submission(&id.parse().unwrap()).await.unwrap());
    }
    let late = submission(&form, "late", "2026-01-31", json!({}));
    let early = submission(&form, "early", "2026-02-28", json!({}));
    app.submit(&form, vec![late, early]).await;
    let mut expected: Vec<String> =
        (1..LARGE_SUBMISSIONS).rev().map(|n| format!("sub_{n:04}")).collect();
    expected.push("sub_late".to_owned());
    for (format, body, mut bytes) in exports {
        bytes.extend(read_body(body).await.unwrap());
        if format == "csv" {
            assert_eq!(csv_ids(&bytes), expected);
        } else {
            let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(json["export"]["count"], expected.len());
            assert_eq!(json["data"].as_array().unwrap().len(), expected.len());
        }
    }
}

#[tokio::test]
async fn paused_export_does_not_grow_wal() {
    let (app, key, form) = set_up_long().await;
    let mut body = start_export(&app, &key, &form, "").await.into_body();
    let mut bytes = body.frame().await.unwrap().unwrap().into_data().unwrap().to_vec();
    let log = || std::fs::metadata(app.folder.path().join("sheaf.db-wal")).unwrap().len();
    let mut largest = 0;
    for round in 0..40 {
        let rows = (0..20).map(|n| {
            let id = format!("new_{round}_{n}");
            submission(&form, &id, "2026-02-02", json!({ "note": "x".repeat(32_000) }))
        });
        app.submit(&form, rows.collect()).await;
        largest = largest.max(log());
    }
    assert!(largest < 24_000_000, "the WAL has {largest} bytes after 50 MB of writes");
    bytes.extend(read_body(body).await.unwrap());
    assert_eq!(
        csv_ids(&bytes),
        (0..LARGE_SUBMISSIONS).rev().map(|n| format!("sub_{n:04}")).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn headers_are_secure_and_the_same_for_head() {
    let (app, key, form) = set_up(10).await;
    let list = format!("/v1/forms/{}/submissions", form.id);
    for path in [list.clone(), format!("{list}/export"), "/v1/submissions/sub_00001".to_owned()] {
        let head = app.call(Method::HEAD, &key, &path).await;
        let get = app.get(&key, &path).await;
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        for name in ["content-type", "content-length", "content-disposition"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
        assert_ne!(head.header("content-length"), "0");
    }
    let head = app.call(Method::HEAD, &key, "/v1/submissions/sub_x").await;
    assert_eq!((head.status, head.body.as_str()), (404, ""));
    for path in [list.clone(), format!("{list}/export"), "/nowhere".to_owned()] {
        let answer = app.get(&key, &path).await;
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let policy = answer.header("content-security-policy");
        assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'", "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
    }
}
