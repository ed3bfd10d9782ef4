//! Specification, section 7 (Errors).

use crate::app::{App, TestKey, TestResponse, submission};
use axum::body::Body;
use contract::{Environment, Form, Plan};
use http::{Method, Request};
use serde_json::json;

async fn set_up() -> (App, TestKey, Form) {
    let (app, key, form) = App::with_form(&["name"]).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({}))]).await;
    (app, key, form)
}

/// Formats an error for a snapshot: status, media type and body.
fn format_error(answer: &TestResponse) -> String {
    format!("{} {} {}", answer.status, answer.header("content-type"), answer.body)
}

#[tokio::test]
async fn each_status_has_code_and_message() {
    let (app, key, form) = set_up().await;
    let list = format!("/v1/forms/{}/submissions", form.id);
    let anonymous = app.send(Request::get(&list).body(Body::empty()).unwrap()).await;
    insta::assert_snapshot!(format_error(&app.get(&key, &format!("{list}?limit=1000")).await), @r#"400 application/json {"error":"validation_error","message":"`limit` must be a whole number from 1 to 100, but is `1000`"}"#);
    insta::assert_snapshot!(format_error(&app.get(&key, &format!("{list}?date_from=soon")).await), @r#"400 application/json {"error":"validation_error","message":"`date_from` must be an ISO 8601 date such as `2026-03-01` or date-time such as `2026-03-01T09:30:00Z`, but is `soon`"}"#);
    insta::assert_snapshot!(format_error(&anonymous), @r#"401 application/json {"error":"unauthorized","message":"no API key was given; send it in the `X-API-Key` header"}"#);
    insta::assert_snapshot!(format_error(&app.get(&key, "/v1/forms/frm_x/submissions").await), @r#"404 application/json {"error":"not_found","message":"there is no such form in this account; check its id"}"#);
    insta::assert_snapshot!(format_error(&app.get(&key, "/v1/submissions/sub_x").await), @r#"404 application/json {"error":"not_found","message":"there is no such submission in this account; check its id"}"#);
    insta::assert_snapshot!(format_error(&app.get(&key, "/v1/form").await), @r#"404 application/json {"error":"not_found","message":"there is nothing at this path; check its spelling"}"#);
    insta::assert_snapshot!(format_error(&app.call(Method::PUT, &key, &list).await), @r#"405 application/json {"error":"method_not_allowed","message":"this path does not take this method; the `Allow` header names those that it takes"}"#);
}

#[tokio::test]
async fn error_body_has_documented_fields() {
    let (app, key, _) = set_up().await;
    let not_found = app.get(&key, "/v1/submissions/sub_x").await.json();
    assert_eq!(not_found.as_object().unwrap().keys().collect::<Vec<_>>(), ["error", "message"]);

    let free = app.key(&app.account(Plan::Free).await, Environment::Live).await;
    let refused = loop {
        let answer = app.get(&free, "/v1/submissions/sub_x").await;
        if answer.status != 404 {
            break answer.json();
        }
    };
    let names: Vec<_> = refused.as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["error", "message", "retry_after"]);
    assert!(refused["retry_after"].is_u64());
}

#[tokio::test]
async fn wrong_method_returns_405_with_allow() {
    let (app, key, form) = set_up().await;
    let list = format!("/v1/forms/{}/submissions", form.id);
    let export = format!("{list}/export");
    for (path, allow) in [
        (list.as_str(), "GET,HEAD"),
        (&export, "GET,HEAD"),
        ("/v1/submissions/sub_1", "GET,HEAD,DELETE"),
    ] {
        for method in ["POST", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let answer = app.call(method.clone(), &key, path).await;
            assert_eq!(answer.error(), (405, "method_not_allowed".to_owned()), "{method} {path}");
            assert_eq!(answer.header("allow"), allow, "{method} {path}");
        }
    }
    assert_eq!(
        app.get(&key, "/v1/submissions/sub_1").await.status,
        200,
        "the submission still exists"
    );
}

#[tokio::test]
async fn unknown_path_returns_404() {
    let (app, key, form) = set_up().await;
    for path in [
        "/".to_owned(),
        "/v1".to_owned(),
        "/v1/".to_owned(),
        "/v1/submissions".to_owned(),
        "/v1/submissions/sub_1/".to_owned(),
        "/v1//submissions/sub_1".to_owned(),
        "/v1/submissions/../submissions/sub_1".to_owned(),
        format!("/v1/forms/{}/fields", form.id),
        format!("/v1/forms/{}/submissions/export/all", form.id),
    ] {
        let answer = app.get(&key, &path).await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{path}");
    }
}
