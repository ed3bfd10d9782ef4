//! Tests against servers that are slow, broken, busy or not Sheaf.

use crate::scripted_server::{
    Reaction, json_response, start_scripted_server, test_client, test_options,
};
use client::{Client, Error, Options};
use contract::{ExportFormat, ExportQuery, FormId, ListQuery, SubmissionId};
use futures_util::TryStreamExt as _;
use std::time::Duration;

const PAGE: &str = r#"{"data":[],"pagination":{"total":0,"limit":20,"has_more":false}}"#;
const RATE_LIMITED: &str = r#"{"error":"rate_limit_exceeded","message":"later","retry_after":0}"#;
const INTERNAL_ERROR: &str = r#"{"error":"internal_error","message":"something failed"}"#;
const NOT_FOUND: &str = r#"{"error":"not_found","message":"no such submission"}"#;

fn form() -> FormId {
    "frm_1".parse().unwrap()
}

fn id() -> SubmissionId {
    "sub_1".parse().unwrap()
}

fn row(id: &str) -> String {
    let metadata = r#"{"submitted_at":"2026-03-01T09:30:00Z"}"#;
    format!(r#"{{"id":"{id}","form_id":"frm_1","answers":{{}},"metadata":{metadata}}}"#)
}

#[tokio::test]
async fn transient_failures_are_retried() {
    let lines = vec![
        json_response(429, &[], RATE_LIMITED),
        json_response(500, &[], INTERNAL_ERROR),
        Reaction::HangUp,
        json_response(200, &[], PAGE),
    ];
    let (address, requests) = start_scripted_server(lines).await;
    test_client(&address).list(&form(), &ListQuery::default()).await.unwrap();
    assert_eq!(requests.count(), 4);
    let head = &requests.all()[0];
    assert!(head.starts_with("GET /v1/forms/frm_1/submissions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("x-api-key: svc_sk_live_canary\r\n"), "{head}");
}

#[tokio::test]
async fn retries_stop_at_maximum() {
    let (address, requests) =
        start_scripted_server(vec![json_response(500, &[], INTERNAL_ERROR)]).await;
    let error = test_client(&address).list(&form(), &ListQuery::default()).await.unwrap_err();
    assert_eq!((error.status(), requests.count()), (Some(500), 5));
}

#[tokio::test]
async fn wait_beyond_deadline_is_not_started() {
    for header in ["retry-after: 3600", "x: y"] {
        let refusal = r#"{"error":"rate_limit_exceeded","message":"later","retry_after":3600}"#;
        let body = if header == "x: y" { refusal } else { "<h1>busy</h1>" };
        let (address, requests) =
            start_scripted_server(vec![json_response(429, &[header], body)]).await;
        let error = test_client(&address).list(&form(), &ListQuery::default()).await.unwrap_err();
        assert_eq!((error.status(), requests.count()), (Some(429), 1));
        assert_eq!(error.retry_after(), Some(Duration::from_hours(1)));
        assert_eq!(error.code().is_some(), header == "x: y", "{error}");
    }
}

#[tokio::test]
async fn retry_after_date_is_honoured() {
    let until = "retry-after: Sun, 01 Mar 2026 13:00:00 GMT";
    let noon = "date: Sun, 01 Mar 2026 12:00:00 GMT";
    let (address, requests) =
        start_scripted_server(vec![json_response(503, &[until, noon], "<h1>closed</h1>")]).await;
    let error = test_client(&address).list(&form(), &ListQuery::default()).await.unwrap_err();
    assert_eq!((error.retry_after(), requests.count()), (Some(Duration::from_hours(1)), 1));
    let past = "retry-after: Sun, 01 Mar 2026 11:00:00 GMT";
    let lines = vec![json_response(503, &[past, noon], ""), json_response(200, &[], PAGE)];
    let (address, requests) = start_scripted_server(lines).await;
    test_client(&address).list(&form(), &ListQuery::default()).await.unwrap();
    assert_eq!(requests.count(), 2);
}

#[tokio::test]
async fn permanent_failure_is_not_retried() {
    for status in [301, 302, 307, 400, 401, 403, 404, 405] {
        let headers = ["location: https://evil.example/"];
        let (address, requests) =
            start_scripted_server(vec![json_response(status, &headers, "")]).await;
        let error = test_client(&address).get(&id()).await.unwrap_err();
        assert_eq!((error.status(), requests.count()), (Some(status), 1), "{error}");
    }
}

#[tokio::test]
async fn delete_with_lost_response_succeeds() {
    for lost in
        [Reaction::HangUp, json_response(500, &[], INTERNAL_ERROR), Reaction::Stall(String::new())]
    {
        let (address, requests) =
            start_scripted_server(vec![lost, json_response(404, &[], NOT_FOUND)]).await;
        // Long enough for a response that is sent, and short for one that is not.
        let options = Options { attempt_timeout: Duration::from_secs(2), ..test_options() };
        let client = Client::with_options(&address, "svc_sk_live_canary", options).unwrap();
        client.delete(&id()).await.unwrap();
        assert_eq!(requests.count(), 2);
    }
}

#[tokio::test]
async fn delete_of_unknown_submission_returns_404() {
    let (address, _) = start_scripted_server(vec![
        json_response(429, &[], RATE_LIMITED),
        json_response(404, &[], NOT_FOUND),
    ])
    .await;
    assert_eq!(test_client(&address).delete(&id()).await.unwrap_err().status(), Some(404));
    let (address, _) = start_scripted_server(vec![json_response(404, &[], NOT_FOUND)]).await;
    assert_eq!(test_client(&address).delete(&id()).await.unwrap_err().status(), Some(404));
}

#[tokio::test]
async fn delete_without_response_fails() {
    let (address, requests) = start_scripted_server(vec![Reaction::HangUp]).await;
    let error = test_client(&address).delete(&id()).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable(_)), "{error}");
    assert_eq!(requests.count(), 5);
}

#[tokio::test]
async fn silent_server_times_out() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{";
    for response in ["", head] {
        let (address, requests) =
            start_scripted_server(vec![Reaction::Stall(response.to_owned())]).await;
        let short = Duration::from_millis(300);
        let options = Options {
            attempts_max: 2,
            attempt_timeout: short,
            stall_timeout: short,
            ..test_options()
        };
        let client = Client::with_options(&address, "svc_sk_live_canary", options).unwrap();
        let error = client.get(&id()).await.unwrap_err();
        assert!(matches!(error, Error::TimedOut(_)), "{error}");
        assert_eq!(requests.count(), 2);
    }
}

#[tokio::test]
async fn list_ends_at_every_last_page_format() {
    let last = [
        r#""has_more":false"#,
        r#""has_more":false,"next_cursor":null"#,
        r#""has_more":true,"next_cursor":"""#,
        r#""has_more":true,"next_cursor":null"#,
        r#""has_more":false,"next_cursor":"x""#,
        r#""next_cursor":null"#,
        r#""next_cursor":"""#,
    ];
    for last in last {
        let page = |rows: &str, more: &str| {
            let body =
                format!(r#"{{"data":[{rows}],"pagination":{{"total":2,"limit":1,{more}}}}}"#);
            json_response(200, &[], &body)
        };
        let first = page(&row("sub_2"), r#""has_more":true,"next_cursor":"a""#);
        let (address, requests) =
            start_scripted_server(vec![first, page(&row("sub_1"), last)]).await;
        let submissions = test_client(&address).submissions(&form(), &ListQuery::default());
        let submissions: Vec<_> = submissions.try_collect().await.unwrap();
        assert_eq!((submissions.len(), requests.count()), (2, 2), "{last}");
        assert!(requests.all()[1].contains("?limit=100&cursor=a "), "{}", requests.all()[1]);
    }
}

#[tokio::test]
async fn repeated_cursor_is_an_error() {
    let body = format!(
        r#"{{"data":[{}],"pagination":{{"total":2,"limit":1,"has_more":true,"next_cursor":"a"}}}}"#,
        row("sub_1")
    );
    let (address, requests) = start_scripted_server(vec![json_response(200, &[], &body)]).await;
    let submissions = test_client(&address).submissions(&form(), &ListQuery::default());
    let error = submissions.try_collect::<Vec<_>>().await.unwrap_err();
    assert!(matches!(error, Error::InvalidResponse(_)), "{error}");
    assert_eq!(requests.count(), 2);
}

#[tokio::test]
async fn malformed_response_is_an_error() {
    for body in ["", "<html>", "[]", r#"{"data":{"id":"frm_1"}}"#] {
        let (address, requests) = start_scripted_server(vec![json_response(200, &[], body)]).await;
        let error = test_client(&address).get(&id()).await.unwrap_err();
        assert!(matches!(error, Error::InvalidResponse(_)), "{error}");
        assert_eq!(requests.count(), 1);
    }
}

#[tokio::test]
async fn truncated_export_is_an_error() {
    let csv = "submission_id,submitted_at\r\nsub_1,2026-03-01T09:30:00Z\r\n";
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n{}", chunk(csv));
    let short = format!("{head}content-length: 999\r\n\r\n{csv}");
    let silent = Reaction::Stall(chunked.clone());
    let open = format!("{head}content-length: 5\r\n\r\na,\"b\n");
    for line in [
        Reaction::Respond(chunked.clone()),
        Reaction::Respond(short),
        silent,
        Reaction::Respond(open),
    ] {
        let (address, requests) = start_scripted_server(vec![line]).await;
        let options = Options { stall_timeout: Duration::from_millis(300), ..test_options() };
        let client = Client::with_options(&address, "svc_sk_live_canary", options).unwrap();
        let export = client.export(&form(), &ExportQuery::default()).await.unwrap();
        let error = export.try_collect::<Vec<_>>().await.unwrap_err();
        assert!(matches!(error, Error::Truncated { .. }), "{error}");
        assert_eq!(requests.count(), 1, "a truncated export must not be restarted");
    }
    let (address, _) = start_scripted_server(vec![Reaction::Respond(chunked + "0\r\n\r\n")]).await;
    let export = test_client(&address).export(&form(), &ExportQuery::default()).await.unwrap();
    assert_eq!(export.try_collect::<Vec<_>>().await.unwrap().concat(), csv.as_bytes());
}

#[tokio::test]
async fn export_without_length_must_be_json() {
    let json = r#"{"data":[],"export":{"count":0}}"#;
    let unframed = |body: &str| Reaction::Respond(format!("HTTP/1.1 200 OK\r\n\r\n{body}"));
    let query = ExportQuery { format: ExportFormat::Json, ..ExportQuery::default() };
    let (address, _) = start_scripted_server(vec![unframed(json)]).await;
    let export = test_client(&address).export(&form(), &query).await.unwrap();
    assert_eq!(export.try_collect::<Vec<_>>().await.unwrap().concat(), json.as_bytes());
    let (address, _) = start_scripted_server(vec![unframed(&json[..json.len() - 1])]).await;
    let export = test_client(&address).export(&form(), &query).await.unwrap();
    assert!(export.try_collect::<Vec<_>>().await.is_err());
    let (address, _) = start_scripted_server(vec![unframed("a\r\n")]).await;
    let error = test_client(&address).export(&form(), &ExportQuery::default()).await.unwrap_err();
    assert!(matches!(error, Error::InvalidResponse(_)), "{error}");
}

#[tokio::test]
async fn api_key_is_never_printed() {
    let (address, _) =
        start_scripted_server(vec![json_response(401, &[], ""), Reaction::HangUp]).await;
    let client = test_client(&address);
    let mut printed = vec![format!("{client:?} {:?}", client::Key::from("svc_sk_live_canary"))];
    for _ in 0..2 {
        let error = client.get(&id()).await.unwrap_err();
        printed.push(format!("{error} {error:?}"));
    }
    let printed = printed.concat();
    assert!(!printed.contains("canary"), "{printed}");
    assert!(Client::new("https://a.example", "").is_err());
    let error = Client::new("https://a.example", "svc_sk_live_canary\n\u{1}x").unwrap_err();
    assert!(!format!("{error} {error:?}").contains("canary"));
}
