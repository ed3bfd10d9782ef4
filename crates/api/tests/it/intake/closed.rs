//! Closed forms: by hand, at a time, or when they are full.

use super::ServiceWithForm;
use contract::Intake;
use http::Method;
use serde_json::{Value, json};

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];
const BROWSER: [(&str, &str); 2] = [
    ("content-type", "application/x-www-form-urlencoded"),
    ("accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
];
const ADA: &str = r#"{"name":"Ada"}"#;

/// Sets when the form is closed, as its owner.
async fn set_closing(fixture: &ServiceWithForm, closing: Value) -> Value {
    let path = format!("/account/forms/{}/intake", fixture.form.id);
    let body = json!({ "closing": closing }).to_string();
    let answer = fixture.app.act(&fixture.owner, Method::PUT, &path, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["data"].clone()
}

#[tokio::test]
async fn closed_form_returns_403_to_scripts() {
    let fixture = ServiceWithForm::start().await;
    assert_eq!(fixture.post(ADA).await.status, 201);
    set_closing(&fixture, json!({"closed": true})).await;
    let refused = fixture.post(ADA).await;
    assert_eq!(refused.status, 403);
    insta::assert_snapshot!(refused.body, @r#"{"error":"forbidden","message":"this form is closed and accepts no more submissions"}"#);
    assert_eq!(refused.header("access-control-allow-origin"), "*");
    // The response contains the owner's whole message with all its characters.
    let sentence = format!("Bis \"{}\" & `danke`", "ü".repeat(470));
    set_closing(&fixture, json!({"closed": true, "message": sentence})).await;
    assert_eq!(fixture.post(ADA).await.json()["message"], sentence);
    // Other errors in the request do not matter.
    for (headers, body) in [
        (&JSON[..], "{"),
        (&JSON[..], "{}"),
        (&[("content-type", "text/plain")][..], "x"),
        (&[JSON[0], ("idempotency-key", "a b")][..], ADA),
        (&JSON[..], r#"{"name":"Ada","_gotcha":"x"}"#),
    ] {
        assert_eq!(fixture.send(headers, body).await.status, 403, "{body}");
    }
    assert_eq!(fixture.count_submissions().await, 1);
    set_closing(&fixture, json!({})).await;
    assert_eq!(fixture.post(ADA).await.status, 201);
}

#[tokio::test]
async fn closed_page_has_translated_or_owner_text() {
    let fixture = ServiceWithForm::start().await;
    set_closing(&fixture, json!({"closed": true})).await;
    let german = [BROWSER[0], BROWSER[1], ("accept-language", "de")];
    let page = fixture.send(&german, "name=Ada").await;
    assert_eq!((page.status, page.header("content-type")), (403, "text/html; charset=utf-8"));
    assert!(page.body.contains("<p>Es nimmt keine Antworten mehr an.</p>"), "{}", page.body);
    assert!(!page.body.contains("erneut"), "the page suggests a retry: {}", page.body);
    set_closing(&fixture, json!({"closed": true, "message": "<b>Thanks</b> to all"})).await;
    let page = fixture.send(&german, "name=Ada").await;
    assert!(page.body.contains("<p>&lt;b&gt;Thanks&lt;/b&gt; to all</p>"), "{}", page.body);
    assert!(page.body.contains("Dieses Formular ist geschlossen"));
    let page = fixture.send(&german, "").await;
    assert!(page.status == 403 && page.body.contains("to all"), "{}", page.body);
}

#[tokio::test]
async fn form_closes_at_configured_time() {
    let fixture = ServiceWithForm::start().await;
    // The clock of the tests starts at noon.
    set_closing(&fixture, json!({"closes_at": "2026-03-01T12:00:10Z"})).await;
    fixture.app.clock.advance_ms(9_999);
    assert_eq!(fixture.post(ADA).await.status, 201);
    fixture.app.clock.advance_ms(1);
    assert_eq!(fixture.post(ADA).await.status, 403);
    set_closing(&fixture, json!({"closes_at": "2026-03-01T12:01:00Z"})).await;
    assert_eq!(fixture.post(ADA).await.status, 201);
}

#[tokio::test]
async fn full_form_closes_and_ignores_spam() {
    let fixture = ServiceWithForm::start().await;
    set_closing(&fixture, json!({"closes_after": 2, "message": "All places are taken"})).await;
    assert_eq!(fixture.post(r#"{"name":"x","_gotcha":"x"}"#).await.status, 201);
    let key = [JSON[0], ("idempotency-key", "one")];
    let first = fixture.send(&key, ADA).await;
    assert_eq!(first.status, 201);
    assert_eq!(fixture.send(&BROWSER, "name=Bob").await.status, 303);
    let full = fixture.post(ADA).await;
    assert_eq!((full.status, &full.json()["message"]), (403, &"All places are taken".into()));
    // A repeated request gets the response of the first one.
    let again = fixture.send(&key, ADA).await;
    assert_eq!((again.status, again.json()), (201, first.json()));
    assert_eq!(fixture.send(&BROWSER, "name=Bob").await.status, 303);
    let other = [JSON[0], ("idempotency-key", "two")];
    assert_eq!(fixture.send(&other, ADA).await.status, 403);
    let id = first.json()["data"]["id"].as_str().unwrap().parse().unwrap();
    fixture.app.store.delete_submission(&id).await.unwrap();
    assert_eq!(fixture.post(r#"{"name":"Eve"}"#).await.status, 201, "the form is not full");
    assert_eq!(fixture.count_submissions().await, 2);
}

#[tokio::test]
async fn omitted_closing_does_not_change() {
    let fixture = ServiceWithForm::start().await;
    let closing = json!({"closed": false, "closes_at": "2026-04-01T00:00:00Z", "closes_after": 5,
        "message": "Closed"});
    let set_now = set_closing(&fixture, closing.clone()).await;
    assert_eq!(set_now["closing"], closing);
    let path = format!("/account/forms/{}/intake", fixture.form.id);
    let put = async |body: &str| fixture.app.act(&fixture.owner, Method::PUT, &path, body).await;
    let saved = put(r#"{"seconds_min":3}"#).await.json();
    assert_eq!((&saved["data"]["closing"], &saved["data"]["seconds_min"]), (&closing, &json!(3)));
    for body in [
        r#"{"closing":{"closes_after":0}}"#,
        r#"{"closing":{"closes_at":"soon"}}"#,
        r#"{"closing":{"message":""}}"#,
        r#"{"closing":{"open":true}}"#,
        r#"{"closing":true}"#,
    ] {
        assert_eq!(put(body).await.status, 400, "{body}");
    }
    let copy = format!("/account/forms/{}/duplicate", fixture.form.id);
    let copy = fixture.app.act(&fixture.owner, Method::POST, &copy, "{}").await.json();
    let copy = copy["data"]["id"].as_str().unwrap().parse().unwrap();
    let copied = fixture.app.store.find_intake(&copy).await.unwrap().unwrap().intake;
    let closing = copied.closing.unwrap();
    assert_eq!((closing.closes_at, closing.closes_after), (None, Some(5)));
    let open = put(r#"{"closing":{}}"#).await.json();
    assert_eq!(open["data"]["closing"], Value::Null);
    let intake = fixture.app.store.find_intake(&fixture.form.id).await.unwrap().unwrap().intake;
    assert_eq!(intake, Intake { learns_fields: intake.learns_fields, ..Intake::default() });
}
