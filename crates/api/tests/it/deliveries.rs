//! The routes of deliveries: tests, the log and replays.

use crate::app::{App, read};
use crate::webhooks::{URL, WebhookFixture};
use axum::body::Body;
use contract::webhook::Attempt;
use contract::{Environment, Form};
use http::{Method, Request};
use serde_json::{Value, json};
use store::clock::Clock as _;
use store::outbox::{AttemptOutcome, AttemptRecord, LeaseQuery};
use tower::ServiceExt;

/// Sends a submission to a form and returns its id.
async fn submit(app: &App, form: &Form) -> Value {
    let request = Request::post(format!("/f/{}", form.id))
        .header("content-type", "application/json")
        .body(Body::from(r#"{"name":"Ada"}"#));
    let router = api::intake_router(app.service.clone());
    let answer = read(router.oneshot(request.unwrap()).await.unwrap()).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()["data"]["id"].clone()
}

/// Records an attempt for at most `rows_max` due deliveries of each webhook, as the worker does.
async fn attempt(app: &App, rows_max: usize, body: &str, outcome: AttemptOutcome) {
    let now = app.clock.now();
    let query = LeaseQuery { now, busy: Vec::new(), webhooks_max: 10, rows_max, failing_max: 9 };
    let is_success = outcome == AttemptOutcome::Delivered;
    for batch in app.store.lease_deliveries(query).await.unwrap() {
        for delivery in batch.deliveries {
            let attempt = Attempt {
                at: now,
                duration_ms: 120,
                status: Some(if is_success { 200 } else { 503 }),
                error: (!is_success).then(|| "the receiver responded with 503".to_owned()),
                response: Some("reply".to_owned()),
            };
            let record = AttemptRecord {
                webhook: batch.webhook.webhook.id.clone(),
                key: delivery.key,
                lease_until: delivery.lease_until,
                url: batch.webhook.webhook.url.clone(),
                format: batch.webhook.webhook.format,
                body: body.to_owned(),
                attempt,
                outcome,
                disable: None,
            };
            app.store.record_attempt(record).await.unwrap();
        }
    }
}

/// Creates a webhook with two delivered, two failed and two pending deliveries, the oldest first.
/// Returns its path and the submissions.
async fn create_log(fixture: &WebhookFixture) -> (String, Vec<Value>) {
    let path = fixture.create_path().await;
    let mut submissions = Vec::new();
    for outcome in [Some(AttemptOutcome::Delivered), Some(AttemptOutcome::Failed), None] {
        for _ in 0..2 {
            submissions.push(submit(&fixture.app, &fixture.form).await);
            fixture.app.clock.advance_ms(1000);
        }
        if let Some(outcome) = outcome {
            attempt(&fixture.app, 100, r#"{"type":"submission.created"}"#, outcome).await;
        }
    }
    (path, submissions)
}

/// Returns a page of the log.
async fn page(fixture: &WebhookFixture, path: &str, query: &str) -> Value {
    let answer = fixture.act(Method::GET, &format!("{path}/deliveries?{query}"), "").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

/// Returns the submissions of a page.
fn submissions_of(page: &Value) -> Vec<Value> {
    page["data"].as_array().unwrap().iter().map(|it| it["submission_id"].clone()).collect()
}

#[tokio::test]
async fn deliveries_are_listed_in_pages_by_state() {
    let fixture = WebhookFixture::start().await;
    let (path, submissions) = create_log(&fixture).await;
    let newest_first: Vec<Value> = submissions.iter().rev().cloned().collect();
    let full_page = page(&fixture, &path, "").await;
    assert_eq!(
        (submissions_of(&full_page), &full_page["next"]),
        (newest_first.clone(), &Value::Null)
    );
    let mut seen = Vec::new();
    let mut query = "limit=4".to_owned();
    for _ in 0..2 {
        let part = page(&fixture, &path, &query).await;
        seen.extend(submissions_of(&part));
        query = format!("limit=4&before={}", part["next"].as_str().unwrap_or_default());
    }
    assert_eq!((seen, query.as_str()), (newest_first, "limit=4&before="));
    let exact = page(&fixture, &path, "limit=6").await;
    assert_eq!(exact["next"], Value::Null, "an exact page is the last one");
    for (state, expect) in [
        ("pending", [&submissions[5], &submissions[4]]),
        ("failed", [&submissions[3], &submissions[2]]),
        ("delivered", [&submissions[1], &submissions[0]]),
    ] {
        let matching = page(&fixture, &path, &format!("state={state}&limit=1")).await;
        assert_eq!(submissions_of(&matching), [expect[0].clone()], "{state}");
        let next = matching["next"].as_str().unwrap();
        let rest = page(&fixture, &path, &format!("state={state}&before={next}")).await;
        assert_eq!(submissions_of(&rest), [expect[1].clone()], "{state}");
        assert!(rest["data"][0]["state"] == state && rest["next"].is_null(), "{rest}");
    }
    let failed = page(&fixture, &path, "state=failed&limit=1").await["data"][0].clone();
    assert_eq!(failed["event"], "submission.created");
    assert_eq!(failed["request_body"], r#"{"type":"submission.created"}"#);
    assert_eq!(failed["next_attempt_at"], Value::Null);
    let expect = json!([{
        "at": "2026-03-01T12:00:04Z", "duration_ms": 120, "status": 503,
        "error": "the receiver responded with 503", "response": "reply",
    }]);
    assert_eq!(failed["attempts"], expect);
    for (query, message_part) in [
        ("limit=0", "from 1 to 100"),
        ("limit=101", "from 1 to 100"),
        ("state=done", "`pending`, `delivered` or `failed`, but is `done`"),
        ("before=sub_1", "`before` must be `next` of the previous page"),
        ("before=dlv_x", "`before` must be `next` of the previous page"),
        ("cursor=x", "`cursor` is not a parameter"),
    ] {
        let answer = fixture.act(Method::GET, &format!("{path}/deliveries?{query}"), "").await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{query}");
        assert!(answer.body.contains(message_part), "{}", answer.body);
    }
}

#[tokio::test]
async fn long_bodies_end_page_early() {
    let fixture = WebhookFixture::start().await;
    let path = fixture.create_path().await;
    for _ in 0..5 {
        submit(&fixture.app, &fixture.form).await;
    }
    attempt(&fixture.app, 100, &"x".repeat(600_000), AttemptOutcome::Delivered).await;
    let first = page(&fixture, &path, "").await;
    assert_eq!(first["data"].as_array().unwrap().len(), 3);
    let next = first["next"].as_str().unwrap();
    let second = page(&fixture, &path, &format!("before={next}")).await;
    assert_eq!((second["data"].as_array().unwrap().len(), &second["next"]), (2, &Value::Null));
}

#[tokio::test]
async fn delivery_is_replayed_with_its_body() {
    let fixture = WebhookFixture::start().await;
    let (path, _) = create_log(&fixture).await;
    let failed = page(&fixture, &path, "state=failed&limit=1").await["data"][0].clone();
    let replay = format!("{path}/deliveries/{}/replay", failed["id"].as_str().unwrap());
    let replayed = fixture.data(Method::POST, &replay, "", 202).await;
    let mut expect = failed.clone();
    expect["state"] = "pending".into();
    expect["next_attempt_at"] = failed["created_at"].clone();
    assert_eq!(replayed, expect);
    assert_eq!(page(&fixture, &path, "state=failed").await["data"].as_array().unwrap().len(), 1);
    attempt(&fixture.app, 100, r#"{"type":"submission.created"}"#, AttemptOutcome::Delivered).await;
    let full_page = page(&fixture, &path, "").await;
    let found = full_page["data"].as_array().unwrap().iter().find(|it| it["id"] == failed["id"]);
    let found = found.unwrap();
    assert_eq!(
        (&found["state"], found["attempts"].as_array().unwrap().len()),
        (&json!("delivered"), 2)
    );
}

#[tokio::test]
async fn replay_of_other_delivery_returns_404() {
    let fixture = WebhookFixture::start().await;
    let (path, _) = create_log(&fixture).await;
    let other = fixture.create_path().await;
    let failed = page(&fixture, &path, "state=failed&limit=1").await["data"][0]["id"].clone();
    let failed = failed.as_str().unwrap();
    let (number, _) = failed.rsplit_once('_').unwrap();
    for (path, id) in [
        (&other, failed),
        (&path, "dlv_999_0123456789abcdef"),
        (&path, &format!("{number}_0123456789abcdef")),
        (&path, "dlv_x"),
        (&path, "sub_1"),
        (&path, "%FF"),
    ] {
        let answer = fixture.act(Method::POST, &format!("{path}/deliveries/{id}/replay"), "").await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{path} {id}");
    }
    assert_eq!(page(&fixture, &path, "state=failed").await["data"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn failed_deliveries_are_replayed_since_time() {
    let fixture = WebhookFixture::start().await;
    let (path, submissions) = create_log(&fixture).await;
    let replay = async |since: &str| {
        let body = json!({ "failed_since": since }).to_string();
        fixture.data(Method::POST, &format!("{path}/replay"), &body, 202).await["count"].clone()
    };
    assert_eq!(replay("2026-03-01T12:00:04Z").await, 0);
    assert_eq!(replay("2026-03-01T12:00:03Z").await, 1);
    let failed = page(&fixture, &path, "state=failed").await;
    assert_eq!(submissions_of(&failed), [submissions[2].clone()]);
    assert_eq!(replay("2026-03-01T00:00:00Z").await, 1);
    assert_eq!(replay("2026-03-01T00:00:00Z").await, 0);
    let delivered = page(&fixture, &path, "state=delivered").await;
    assert_eq!(delivered["data"].as_array().unwrap().len(), 2, "others are not repeated");
    for body in ["{}", r#"{"failed_since":"yesterday"}"#, r#"{"since":"2026-03-01T00:00:00Z"}"#] {
        let answer = fixture.act(Method::POST, &format!("{path}/replay"), body).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{body}");
    }
}

#[tokio::test]
async fn test_event_is_queued_once_while_enabled() {
    let fixture = WebhookFixture::start().await;
    let body = json!({"url": URL, "events": ["submission.deleted"]}).to_string();
    let created = fixture.data(Method::POST, "", &body, 201).await;
    let path = format!("/{}", created["id"].as_str().unwrap());
    let sent = fixture.data(Method::POST, &format!("{path}/test"), "", 202).await;
    let expect = json!({
        "id": sent["id"], "event": "test", "submission_id": null,
        "created_at": "2026-03-01T12:00:00Z", "state": "pending",
        "next_attempt_at": "2026-03-01T12:00:00Z", "request_body": null, "attempts": [],
    });
    assert_eq!(sent, expect);
    assert_eq!(page(&fixture, &path, "").await, json!({"data": [expect], "next": null}));
    let body =
        json!({"url": URL, "events": ["submission.created"], "format": "json", "enabled": false});
    fixture.data(Method::PUT, &path, &body.to_string(), 200).await;
    let refused = fixture.act(Method::POST, &format!("{path}/test"), "").await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert_eq!(refused.json()["message"], "the webhook is disabled; enable it first");
    let listed = page(&fixture, &path, "").await;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn test_mode_form_has_its_own_webhooks() {
    let mut fixture = WebhookFixture::start().await;
    let live_path = fixture.create_path().await;
    let live = fixture.form.clone();
    let test = fixture.app.form(&fixture.owner, Environment::Test, &["name"]).await;
    fixture.form = test.clone();
    let test_path = fixture.create_path().await;
    let of_test = submit(&fixture.app, &test).await;
    let of_live = submit(&fixture.app, &live).await;
    assert_eq!(submissions_of(&page(&fixture, &test_path, "").await), [of_test]);
    fixture.form = live;
    assert_eq!(submissions_of(&page(&fixture, &live_path, "").await), [of_live]);
    let audit = fixture.app.act(&fixture.owner, Method::GET, "/account/audit", "").await.json();
    let modes: Vec<_> = audit["data"].as_array().unwrap().iter().map(|it| &it["mode"]).collect();
    assert_eq!(modes, ["test", "live"]);
}
