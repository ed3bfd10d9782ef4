//! `Idempotency-Key`: a repeated request gets the same response and is stored once.

use super::ServiceWithForm;
use crate::app::{App, open, read};
use api::Service;
use axum::Router;
use axum::body::Body;
use http::Request;
use tower::ServiceExt;

fn headers_with_key(key: &str) -> [(&str, &str); 2] {
    [("content-type", "application/json"), ("idempotency-key", key)]
}

const BODY: &str = r#"{"name":"Ada"}"#;

/// Starts another process on the same database.
async fn restarted_router(app: &App) -> Router {
    let store = open(app.folder.path(), app.database.as_deref()).await;
    api::intake_router(Service::new(store, app.clock.clone()).await.unwrap())
}

#[tokio::test]
async fn repeated_request_to_same_form_is_stored_once() {
    let fixture = ServiceWithForm::start().await;
    let rejected = fixture.send(&headers_with_key("k1"), r#"{"name":1e999}"#).await;
    assert_eq!(rejected.status, 400, "a rejected request does not use the key");
    let first = fixture.send(&headers_with_key("k1"), BODY).await;
    assert_eq!(first.status, 201, "{}", first.body);
    fixture.advance_second();
    let again = fixture.send(&headers_with_key("k1"), BODY).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    let other_key = fixture.send(&headers_with_key("k2"), BODY).await;
    assert_ne!(other_key.body, first.body);
    let without = fixture.post(BODY).await;
    assert_ne!(without.body, first.body);
    for body in [r#"{"name":"Eve"}"#, r#"{"note":"Ada"}"#, r#"{"name":"Ada","note":""}"#] {
        let answer = fixture.send(&headers_with_key("k1"), body).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()));
        assert!(answer.body.contains("`k1`") && answer.body.contains("use a new key"));
    }
    assert_eq!(fixture.count_submissions().await, 3);
    let other = fixture.app.form(&fixture.owner, contract::Environment::Test, &["name"]).await;
    let answer =
        fixture.send_to(other.id.as_str(), "192.0.2.1:7", &headers_with_key("k1"), BODY).await;
    assert_eq!(answer.status, 201);
    assert_ne!(answer.body, first.body);
}

#[tokio::test]
async fn concurrent_repeats_are_stored_once() {
    let fixture = ServiceWithForm::start().await;
    let headers = headers_with_key("k1");
    let sent = (0..10).map(|_| fixture.send(&headers, BODY));
    let answers = futures_util::future::join_all(sent).await;
    assert!(answers.iter().all(|answer| answer.status == 201 && answer.body == answers[0].body));
    assert_eq!(fixture.count_submissions().await, 1);
}

#[tokio::test]
async fn keys_survive_restart_and_expire() {
    let fixture = ServiceWithForm::start().await;
    let first = fixture.send(&headers_with_key("k1"), BODY).await;
    let send = async || {
        let mut request = Request::post(format!("/f/{}", fixture.form.id));
        for (name, value) in headers_with_key("k1") {
            request = request.header(name, value);
        }
        let router = restarted_router(&fixture.app).await;
        read(router.oneshot(request.body(Body::from(BODY)).unwrap()).await.unwrap()).await
    };
    fixture.app.clock.advance_ms(2 * 86_400_000 - 1);
    assert_eq!(send().await.body, first.body);
    fixture.app.clock.advance_ms(1);
    let later = send().await;
    assert_eq!(later.status, 201);
    assert_ne!(later.body, first.body);
    assert_eq!(fixture.count_submissions().await, 2);
}

#[tokio::test]
async fn new_boundary_is_the_same_request() {
    let fixture = ServiceWithForm::start().await;
    let send = async |boundary: &str| {
        let kind = format!("multipart/form-data; boundary={boundary}");
        let body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAda\r\n\
             --{boundary}--\r\n"
        );
        fixture.send(&[("content-type", &kind), ("idempotency-key", "k1")], body).await
    };
    assert_eq!(send("XX").await.body, send("YY").await.body);
}

#[tokio::test]
async fn invalid_idempotency_key_is_rejected() {
    let fixture = ServiceWithForm::start().await;
    let check = async |headers: &[(&str, &str)], expected: &str| {
        let answer = fixture.send(headers, BODY).await;
        assert_eq!(answer.error().0, 400);
        assert!(answer.body.contains(expected), "{}", answer.body);
    };
    check(&headers_with_key(""), "but is empty").await;
    check(&headers_with_key(&"k".repeat(256)), "but has 256").await;
    for key in ["clé", "a b", "a\tb"] {
        check(&headers_with_key(key), "but contains other characters").await;
    }
    check(
        &[headers_with_key("a")[0], headers_with_key("a")[1], ("idempotency-key", "b")],
        "but is repeated",
    )
    .await;
    assert_eq!(fixture.send(&headers_with_key(&"k".repeat(255)), BODY).await.status, 201);
}
