//! Access and limits of the intake: unknown forms, other methods, other origins, rate limits.

use super::ServiceWithForm;
use crate::app::read;
use axum::body::Body;
use contract::Intake;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::{Method, Request};
use tower::ServiceExt;

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

#[tokio::test]
async fn unknown_forms_return_404_then_429() {
    let fixture = ServiceWithForm::start().await;
    for form in ["frm_nothing", "x", "sub_1", "frm_", "frm_%00"] {
        let answer = fixture.send_to(form, "192.0.2.9:7", &JSON, "{}").await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{form}");
    }
    let guess = async |n: u32| {
        fixture.send_to(&format!("frm_{n}"), "192.0.2.9:7", &JSON, "{}").await.status
    };
    let mut tried = 0;
    while guess(tried).await == 404 {
        tried += 1;
        assert!(tried <= 100, "limit per second");
    }
    assert_eq!(guess(tried).await, 429);
    assert_eq!(fixture.post(r#"{"name":"x"}"#).await.status, 201, "other senders are not affected");
    let known_id = fixture.form.id.as_str();
    let answer = fixture.send_to(known_id, "192.0.2.9:7", &JSON, r#"{"name":"x"}"#).await;
    assert_eq!(answer.status, 201, "cached forms are not affected: {}", answer.body);
}

#[tokio::test]
async fn guesser_is_rejected_before_the_lookup() {
    let fixture = ServiceWithForm::start().await;
    let guess = async |id: &str| fixture.send_to(id, "192.0.2.9:7", &JSON, r#"{"name":"x"}"#).await;
    for n in 0..100 {
        assert_eq!(guess(&format!("frm_{n}")).await.status, 404);
    }
    // The response is the same for existing and unknown forms.
    assert_eq!(guess(fixture.form.id.as_str()).await.status, 429);
    assert_eq!(fixture.post(r#"{"name":"x"}"#).await.status, 201);
}

#[tokio::test]
async fn other_methods_and_paths_are_rejected() {
    let fixture = ServiceWithForm::start().await;
    let status_of = async |method: Method, path: &str| {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        let router = api::intake_router(fixture.app.service.clone());
        read(router.oneshot(request).await.unwrap()).await
    };
    let path = format!("/f/{}", fixture.form.id);
    for method in [Method::GET, Method::PUT, Method::DELETE, Method::PATCH] {
        let answer = status_of(method, &path).await;
        assert_eq!(answer.error(), (405, "method_not_allowed".to_owned()));
        assert!(answer.header("allow").contains("POST"));
    }
    assert_eq!(status_of(Method::POST, "/f").await.error().0, 404);
    assert_eq!(status_of(Method::POST, &format!("{path}/x")).await.error().0, 404);
    assert_eq!(status_of(Method::POST, &format!("{path}/thanks")).await.error().0, 405);
    let long = format!("{path}?{}", "x".repeat(5000));
    assert_eq!(status_of(Method::POST, &long).await.error().0, 400);
}

#[tokio::test]
async fn any_origin_may_read_responses() {
    let fixture = ServiceWithForm::start().await;
    let request = Request::builder()
        .method(Method::OPTIONS)
        .uri(format!("/f/{}", fixture.form.id))
        .header("origin", "https://a.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type,sentry-trace,x-requested-with")
        .body(Body::empty())
        .unwrap();
    let router = api::intake_router(fixture.app.service.clone());
    let answer = read(router.oneshot(request).await.unwrap()).await;
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("access-control-allow-methods"), "POST");
    let allowed = answer.header("access-control-allow-headers");
    assert_eq!(allowed, "content-type,sentry-trace,x-requested-with");
    assert_eq!(answer.header("access-control-max-age"), "7200");
    for body in [r#"{"name":"x"}"#, "{"] {
        let answer = fixture.send(&[JSON[0], ("origin", "https://a.example")], body).await;
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-allow-credentials"), "");
        assert_eq!(answer.header("x-ratelimit-limit"), "", "no rate-limit headers");
    }
}

#[tokio::test]
async fn unlisted_origin_returns_403() {
    let fixture = ServiceWithForm::start().await;
    let foreign_origin = [JSON[0], ("origin", "https://b.example")];
    assert_eq!(fixture.send(&foreign_origin, r#"{"name":"x"}"#).await.status, 201);
    let origins = vec!["https://a.example".to_owned()];
    let intake = Intake { origins, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    for (origin, status) in [
        ("https://b.example", 403),
        ("https://a.example", 201),
        ("https://a.example:443", 201),
        ("null", 403),
    ] {
        let answer = fixture.send(&[JSON[0], ("origin", origin)], r#"{"name":"x"}"#).await;
        assert_eq!(answer.status, status, "{origin}: {}", answer.body);
    }
    assert_eq!(fixture.post(r#"{"name":"x"}"#).await.status, 201, "servers send no origin");
}

#[tokio::test]
async fn address_and_form_limits_return_429() {
    let fixture = ServiceWithForm::start().await;
    let intake = Intake { address_limit: Some(3), form_limit: Some(5), ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    let send = async |from: &str| {
        fixture.send_to(fixture.form.id.as_str(), from, &JSON, r#"{"name":"x"}"#).await
    };
    for _ in 0..3 {
        assert_eq!(send("192.0.2.1:1").await.status, 201);
    }
    let refused = send("192.0.2.1:2").await;
    assert_eq!(refused.error(), (429, "rate_limit_exceeded".to_owned()));
    let retry_after = refused.json()["retry_after"].as_u64().unwrap();
    assert_eq!(refused.header("retry-after"), retry_after.to_string());
    assert!(refused.body.contains("2026-03-01T12:15:01"), "{}", refused.body);
    assert_eq!(send("192.0.2.2:1").await.status, 201);
    assert_eq!(send("[2001:db8::1]:1").await.status, 201);
    assert_eq!(send("192.0.2.3:1").await.status, 429, "limit of the form");
    fixture.app.clock.advance_ms(i64::try_from(retry_after).unwrap() * 1000);
    assert_eq!(send("192.0.2.1:1").await.status, 201);
    assert_eq!(fixture.count_submissions().await, 6);
}

#[tokio::test]
async fn form_without_limits_accepts_all() {
    let fixture = ServiceWithForm::start().await;
    let intake = Intake { address_limit: None, form_limit: None, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    for _ in 0..50 {
        assert_eq!(fixture.post(r#"{"name":"x"}"#).await.status, 201);
    }
    assert_eq!(fixture.count_submissions().await, 50);
}

#[tokio::test]
async fn full_write_queue_returns_503() {
    let fixture = ServiceWithForm::start().await;
    let intake = Intake { address_limit: None, form_limit: None, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    assert_eq!(fixture.post(r#"{"name":"x"}"#).await.status, 201);
    // Another process locks the file, so that the writer blocks and its queue fills.
    let other = rusqlite::Connection::open(fixture.app.folder.path().join("sheaf.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut sent: FuturesUnordered<_> =
        (0..1500).map(|_| fixture.post(r#"{"name":"x"}"#)).collect();
    let refused = sent.next().await.unwrap();
    assert_eq!(refused.error(), (503, "internal_error".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
    assert!(refused.json().get("retry_after").is_none(), "only for 429");
    other.execute_batch("COMMIT").unwrap();
    let statuses: Vec<u16> = sent.map(|answer| answer.status).collect().await;
    let count =
        |status_code: u16| statuses.iter().filter(|status| **status == status_code).count() as u64;
    assert_eq!(count(201) + count(503), 1499);
    assert!(count(201) >= 1024, "all queued ones are stored");
    assert_eq!(fixture.count_submissions().await, 1 + count(201));
}
