//! Spam: gets the usual response, is stored apart, and can be released or deleted by the owner.

use super::ServiceWithForm;
use crate::app::TestResponse;
use contract::Intake;
use http::Method;
use serde_json::{Value, json};

const SPAM_BODY: &str = r#"{"name":"Buy now","_gotcha":"x"}"#;

impl ServiceWithForm {
    async fn list_spam(&self, more: &str) -> TestResponse {
        self.act(Method::GET, more, "").await
    }

    async fn act(&self, method: Method, more: &str, body: &str) -> TestResponse {
        let path = format!("/account/forms/{}/spam{more}", self.form.id);
        self.app.act(&self.owner, method, &path, body).await
    }
}

fn submission_id(answer: &TestResponse) -> String {
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()["data"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn honeypot_and_fast_submissions_are_spam() {
    let fixture = ServiceWithForm::start().await;
    let honest = fixture
        .post(r#"{"name":"Ada","_gotcha":"","botcheck":false,"_elapsed_seconds":42.9}"#)
        .await;
    for (body, reason) in [
        (SPAM_BODY, "honeypot"),
        (r#"{"name":"x","_elapsed_seconds":0.999}"#, "too_fast"),
        (r#"{"name":"x","_elapsed_seconds":"0"}"#, "too_fast"),
        (r#"{"name":"x","_started_at":"2026-03-01T11:59:59.500Z"}"#, "too_fast"),
    ] {
        fixture.advance_second();
        let body = body.replace("T11:59:59.500Z", "T12:00:03.500Z");
        let answer = fixture.post(&body).await;
        let mut spam_headers = answer.headers.clone();
        let mut honest_headers = honest.headers.clone();
        assert_eq!(answer.status, honest.status);
        for headers in [&mut spam_headers, &mut honest_headers] {
            headers.remove("content-length");
        }
        assert_eq!(spam_headers, honest_headers, "the response reveals spam");
        let newest = fixture.list_spam("?limit=1").await.json()["data"][0].clone();
        assert_eq!(newest["reason"], reason, "{body}");
        assert_eq!(newest["submission"]["id"], submission_id(&answer));
        assert!(newest["submission"]["answers"].get("_gotcha").is_none());
    }
    assert_eq!(fixture.list_spam("").await.json()["pagination"]["total"], 4);
    assert_eq!(fixture.get(&honest).await["metadata"]["completion_time_seconds"], 42);
    // Spam does not count, and is in no list, search or export.
    assert_eq!(fixture.count_submissions().await, 1);
    let form = fixture.app.store.find_form(&fixture.form.id).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, 1);
    for path in ["?search=buy", "/export", "/export?format=json"] {
        let path = format!("/v1/forms/{}/submissions{path}", fixture.form.id);
        assert!(!fixture.app.get(&fixture.key, &path).await.body.contains("Buy now"), "{path}");
    }
    // Repeated spam is stored once.
    let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
    let first = fixture.send(&headers, SPAM_BODY).await;
    assert_eq!(fixture.send(&headers, SPAM_BODY).await.body, first.body);
    assert_eq!(fixture.list_spam("").await.json()["pagination"]["total"], 5);
}

#[tokio::test]
async fn owner_settings_control_spam_checks() {
    let fixture = ServiceWithForm::start().await;
    let intake = Intake { honeypot: false, seconds_min: 10, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    fixture.submit_json(SPAM_BODY).await;
    fixture.submit_json(r#"{"name":"x","_elapsed_seconds":10}"#).await;
    fixture.submit_json(r#"{"name":"without a completion time"}"#).await;
    fixture.post(r#"{"name":"x","_elapsed_seconds":9.9}"#).await;
    assert_eq!(fixture.list_spam("").await.json()["pagination"]["total"], 1);
    assert_eq!(fixture.count_submissions().await, 3);
}

#[tokio::test]
async fn released_spam_has_original_time() {
    let fixture = ServiceWithForm::start().await;
    let first = fixture.submit_json(r#"{"name":"first"}"#).await;
    let caught = submission_id(&fixture.post(SPAM_BODY).await);
    fixture.advance_second();
    fixture.submit_json(r#"{"name":"last"}"#).await;
    let get = format!("/v1/submissions/{caught}");
    assert_eq!(fixture.app.get(&fixture.key, &get).await.status, 404);
    let released = fixture.act(Method::POST, &format!("/{caught}/release"), "").await;
    assert_eq!((released.status, released.body.as_str()), (204, ""));
    let answer = fixture.app.get(&fixture.key, &get).await.json()["data"].clone();
    assert_eq!(answer["metadata"]["submitted_at"], first["metadata"]["submitted_at"]);
    assert_eq!(answer["answers"], json!({"name": "Buy now"}));
    assert_eq!(fixture.count_submissions().await, 3);
    assert_eq!(fixture.list_spam("").await.json()["data"], json!([]));
    let again = fixture.act(Method::POST, &format!("/{caught}/release"), "").await;
    assert_eq!(again.error().0, 404);
}

#[tokio::test]
async fn spam_adds_fields_only_when_released() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let fields = async || {
        let form = fixture.app.store.find_form(&fixture.form.id).await.unwrap().unwrap().form;
        form.fields.into_iter().map(|field| field.key).collect::<Vec<_>>()
    };
    let caught =
        submission_id(&fixture.post(r#"{"cheap":"pills","name":"x","_gotcha":"x"}"#).await);
    assert!(fields().await.is_empty());
    fixture.submit_json(r#"{"name":"Ada"}"#).await;
    assert_eq!(fields().await, ["name"]);
    fixture.act(Method::POST, &format!("/{caught}/release"), "").await;
    assert_eq!(fields().await, ["name", "cheap"]);
    fixture.submit_json(r#"{"name":"Ada","cheap":"x"}"#).await;
}

#[tokio::test]
async fn spam_is_listed_by_pages_and_deleted() {
    let fixture = ServiceWithForm::start().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(submission_id(&fixture.post(SPAM_BODY).await));
        fixture.advance_second();
    }
    ids.reverse();
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = fixture.list_spam(&format!("?limit=2{cursor}")).await.json();
        assert_eq!(page["pagination"]["total"], 5);
        let rows = page["data"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row["submission"]["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["pagination"]["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, ids);
    for bad in ["?cursor=x", "?limit=0", "?search=x", "?x=1"] {
        assert_eq!(fixture.list_spam(bad).await.error().0, 400, "{bad}");
    }
    let list = format!("/v1/forms/{}/submissions?limit=1", fixture.form.id);
    let strange = fixture.app.get(&fixture.key, &format!("{list}{cursor}")).await;
    assert_eq!(strange.error().0, 400, "a spam cursor is not valid here");
    assert_eq!(fixture.act(Method::DELETE, &format!("/{}", ids[0]), "").await.status, 204);
    assert_eq!(fixture.act(Method::DELETE, &format!("/{}", ids[0]), "").await.status, 404);
    assert_eq!(fixture.list_spam("").await.json()["pagination"]["total"], 4);
    assert_eq!(fixture.act(Method::DELETE, "", "").await.status, 204);
    assert_eq!(fixture.act(Method::DELETE, "", "").await.status, 204);
    assert_eq!(fixture.list_spam("").await.json()["data"], json!([]));
}

#[tokio::test]
async fn spam_and_settings_require_owner() {
    let fixture = ServiceWithForm::start().await;
    let caught = submission_id(&fixture.post(SPAM_BODY).await);
    let other = fixture.app.account(contract::Plan::Free).await;
    let path = format!("/account/forms/{}", fixture.form.id);
    for (method, more) in [
        (Method::GET, "/spam".to_owned()),
        (Method::DELETE, "/spam".to_owned()),
        (Method::DELETE, format!("/spam/{caught}")),
        (Method::POST, format!("/spam/{caught}/release")),
        (Method::GET, "/intake".to_owned()),
        (Method::PUT, "/intake".to_owned()),
    ] {
        let answer = fixture.app.act(&other, method, &format!("{path}{more}"), "{}").await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{more}");
    }
    assert_eq!(fixture.list_spam("").await.json()["pagination"]["total"], 1);
}

#[tokio::test]
async fn updated_settings_apply_at_once() {
    let fixture = ServiceWithForm::start().await;
    let path = format!("/account/forms/{}/intake", fixture.form.id);
    let is = fixture.app.act(&fixture.owner, Method::GET, &path, "").await;
    let default = serde_json::to_value(Intake::default()).unwrap();
    assert_eq!(is.json()["data"], default);
    fixture.submit_json(r#"{"name":"x"}"#).await;
    let set = r#"{"origins":["https://a.example"],"seconds_min":5,"form_limit":null}"#;
    let answer = fixture.app.act(&fixture.owner, Method::PUT, &path, set).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["data"]["form_limit"], Value::Null);
    let is = fixture.app.act(&fixture.owner, Method::GET, &path, "").await;
    assert_eq!(is.json(), answer.json());
    let headers = [("content-type", "application/json"), ("origin", "https://b.example")];
    assert_eq!(fixture.send(&headers, r#"{"name":"x"}"#).await.status, 403);
    for (bad, expected) in [
        ("[]", "is a list"),
        ("{", "must be"),
        (r#"{"origin":[]}"#, "unknown field `origin`"),
        (r#"{"origins":["a.example"]}"#, "`a.example`"),
        (r#"{"seconds_min":-1}"#, "must be"),
        (r#"{"form_limit":0}"#, "`form_limit`"),
    ] {
        let answer = fixture.app.act(&fixture.owner, Method::PUT, &path, bad).await;
        assert_eq!(answer.error().0, 400, "{bad}");
        assert!(answer.body.contains(expected), "{}", answer.body);
    }
}
