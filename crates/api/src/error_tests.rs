//! Bodies, headers and messages of the errors.

use super::*;
use contract::RateLimit;
use insta::assert_snapshot;
use std::fmt::Write;

async fn render_response(error: Error) -> String {
    let response = error.into_response();
    let mut shown = format!("{}\n", response.status());
    for (name, value) in response.headers() {
        writeln!(shown, "{name}: {}", value.to_str().unwrap()).unwrap();
    }
    let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
    shown + std::str::from_utf8(&body).unwrap()
}

#[tokio::test]
async fn errors_have_status_code_and_message() {
    let refused = contract::ListQuery::parse("limit=0").unwrap_err();
    assert_snapshot!(render_response(refused.into()).await, @r#"
    400 Bad Request
    content-type: application/json
    {"error":"validation_error","message":"`limit` must be a whole number from 1 to 100, but is `0`"}
    "#);
    assert_snapshot!(render_response(Error::cursor()).await, @r#"
    400 Bad Request
    content-type: application/json
    {"error":"validation_error","message":"`cursor` is not valid for this list; pass `next_cursor` unchanged with the same form and filters, or omit `cursor` to start over"}
    "#);
    assert_snapshot!(render_response(Error::unauthorized("no key")).await, @r#"
    401 Unauthorized
    content-type: application/json
    {"error":"unauthorized","message":"no key"}
    "#);
    assert_snapshot!(render_response(Error::revoked()).await, @r#"
    403 Forbidden
    content-type: application/json
    {"error":"forbidden","message":"this API key was revoked; create another one in the dashboard under Settings > API keys"}
    "#);
    assert_snapshot!(render_response(Error::expired()).await, @r#"
    403 Forbidden
    content-type: application/json
    {"error":"forbidden","message":"this API key has expired; create another one in the dashboard under Settings > API keys"}
    "#);
    assert_snapshot!(render_response(Error::read_only_key()).await, @r#"
    403 Forbidden
    content-type: application/json
    {"error":"forbidden","message":"this API key is read-only; use a key with full access"}
    "#);
    assert_snapshot!(render_response(Error::other_form("submission")).await, @r#"
    403 Forbidden
    content-type: application/json
    {"error":"forbidden","message":"this submission is outside the forms of this API key; use a key for its form or for all forms"}
    "#);
    assert_snapshot!(render_response(Error::other_environment("form", Environment::Test)).await, @r#"
    403 Forbidden
    content-type: application/json
    {"error":"forbidden","message":"this form belongs to the test environment; use a test API key"}
    "#);
    assert_snapshot!(render_response(Error::not_found("form")).await, @r#"
    404 Not Found
    content-type: application/json
    {"error":"not_found","message":"there is no such form in this account; check its id"}
    "#);
    assert_snapshot!(render_response(Error::unknown_path()).await, @r#"
    404 Not Found
    content-type: application/json
    {"error":"not_found","message":"there is nothing at this path; check its spelling"}
    "#);
    assert_snapshot!(render_response(Error::method_not_allowed()).await, @r#"
    405 Method Not Allowed
    content-type: application/json
    {"error":"method_not_allowed","message":"this path does not take this method; the `Allow` header names those that it takes"}
    "#);
    assert_snapshot!(render_response(Error::internal("disk on fire")).await, @r#"
    500 Internal Server Error
    content-type: application/json
    {"error":"internal_error","message":"something failed on our side; try again"}
    "#);
}

#[tokio::test]
async fn rate_limited_has_three_retry_times() {
    let refusal = Refusal {
        rate_limit: RateLimit { limit: 100, remaining: 0, reset_s: 1 },
        retry_after_s: 42,
        retry_at: Timestamp::parse("2026-03-01T09:30:00Z").unwrap(),
    };
    assert_snapshot!(render_response(Error::rate_limited(&refusal)).await, @r#"
    429 Too Many Requests
    content-type: application/json
    retry-after: 42
    {"error":"rate_limit_exceeded","message":"too many requests; try again at 2026-03-01T09:30:00Z","retry_after":42}
    "#);
}

#[tokio::test]
async fn full_disk_returns_503_with_advice() {
    assert_snapshot!(render_response(StoreError::DiskFull.into()).await, @r#"
    503 Service Unavailable
    content-type: application/json
    retry-after: 30
    {"error":"internal_error","message":"the disk of this server is full, so new data is rejected; reading and deleting still work; free disk space or delete submissions, then try again"}
    "#);
}

#[tokio::test]
async fn unavailable_database_returns_503_with_retry_after() {
    let error = StoreError::Unavailable("database is locked".into());
    assert_snapshot!(render_response(error.into()).await, @r#"
    503 Service Unavailable
    content-type: application/json
    retry-after: 1
    {"error":"internal_error","message":"the database is unavailable; try again in a second"}
    "#);
}

#[test]
fn messages_redact_api_keys() {
    let live = store::secret::generate_secret(Environment::Live);
    let test = store::secret::generate_secret(Environment::Test);
    let live = live.expose();
    let test = test.expose();
    let error = Error::validation(format!("`limit` is `{live}`, {test}{live}."));
    assert_eq!(error.into_body().message, "`limit` is `svc_sk_live_…`, svc_sk_test_….");
}
