//! Specification, section 5 (Authentication).

use crate::app::{App, TestKey, TestResponse, submission};
use axum::body::Body;
use contract::{AccountId, Environment, Form, Plan};
use http::{HeaderValue, Method, Request};
use serde_json::json;

async fn set_up() -> (App, AccountId, TestKey, Form) {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    let form = app.form(&account, Environment::Live, &[]).await;
    (app, account, key, form)
}

/// Lists the form with these values of the `X-API-TestKey` header.
async fn with_headers(app: &App, form: &Form, values: &[&[u8]]) -> TestResponse {
    // Unauthenticated requests share one limit, so each request gets its own second.
    app.clock.advance_ms(1000);
    let mut request = Request::get(format!("/v1/forms/{}/submissions", form.id));
    for value in values {
        request = request.header("X-API-Key", HeaderValue::from_bytes(value).unwrap());
    }
    app.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn rule_1_key_is_read_only_from_header() {
    let (app, _, key, form) = set_up().await;
    assert_eq!(with_headers(&app, &form, &[key.secret.as_bytes()]).await.status, 200);
    let path = format!("/v1/forms/{}/submissions", form.id);
    for (uri, name, value) in [
        (path.clone(), "authorization", format!("Bearer {}", key.secret)),
        (path.clone(), "cookie", format!("X-API-Key={}", key.secret)),
        (path.clone(), "x-api_key", key.secret.clone()),
        (format!("{path}?api_key={}", key.secret), "accept", "*/*".to_owned()),
    ] {
        app.clock.advance_ms(1000);
        let request = Request::get(uri).header(name, value).body(Body::empty()).unwrap();
        assert_eq!(app.send(request).await.error(), (401, "unauthorized".to_owned()), "{name}");
    }
}

#[tokio::test]
async fn rules_2_and_3_prefix_names_environment() {
    let (app, account, live, _) = set_up().await;
    let test = app.key(&account, Environment::Test).await;
    assert!(live.secret.starts_with("svc_sk_live_"));
    assert!(test.secret.starts_with("svc_sk_test_"));
}

#[tokio::test]
async fn rule_4_environments_are_separate() {
    let (app, account, live_key, live_form) = set_up().await;
    let test_key = app.key(&account, Environment::Test).await;
    let test_form = app.form(&account, Environment::Test, &[]).await;
    app.submit(&live_form, vec![submission(&live_form, "live", "2026-02-01", json!({}))]).await;
    app.submit(&test_form, vec![submission(&test_form, "test", "2026-02-01", json!({}))]).await;
    for (key, form, id) in
        [(&live_key, &live_form, "sub_live"), (&test_key, &test_form, "sub_test")]
    {
        let list = app.get(key, &format!("/v1/forms/{}/submissions", form.id)).await;
        assert_eq!(
            (list.ids(), list.json()["pagination"]["total"].take()),
            (vec![id.to_owned()], json!(1))
        );
    }
    for (key, form, id) in
        [(&live_key, &test_form, "sub_test"), (&test_key, &live_form, "sub_live")]
    {
        for path in [
            format!("/v1/forms/{}/submissions", form.id),
            format!("/v1/forms/{}/submissions/export", form.id),
            format!("/v1/submissions/{id}"),
        ] {
            assert_eq!(app.get(key, &path).await.error(), (403, "forbidden".to_owned()), "{path}");
        }
        let deletion = app.call(Method::DELETE, key, &format!("/v1/submissions/{id}")).await;
        assert_eq!(deletion.error(), (403, "forbidden".to_owned()));
    }
    assert_eq!(app.get(&test_key, "/v1/submissions/sub_test").await.status, 200);
}

#[tokio::test]
async fn rule_5_dashboard_creates_keys_with_mode_and_name() {
    let (app, account, _, _) = set_up().await;
    for mode in ["live", "test"] {
        let body = json!({"name": "Zapier", "mode": mode}).to_string();
        let created = app.act(&account, Method::POST, "/account/keys", &body).await.json();
        assert_eq!(
            (&created["data"]["name"], &created["data"]["mode"]),
            (&json!("Zapier"), &json!(mode))
        );
        let prefix = format!("svc_sk_{mode}_");
        assert!(created["secret"].as_str().unwrap().starts_with(&prefix));
    }
    assert_eq!(
        app.call(Method::POST, &app.key(&account, Environment::Live).await, "/v1/keys")
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn rule_6_concurrent_creation_stops_at_ten_keys() {
    let app = App::start().await;
    let account = app.account(Plan::Free).await;
    let body = json!({"name": "Zapier", "mode": "live"}).to_string();
    let attempts = (0..30).map(|_| app.act(&account, Method::POST, "/account/keys", &body));
    let mut statuses = Vec::new();
    let mut attempts: Vec<_> = attempts.map(Box::pin).collect();
    // One task polls all attempts in turn, so that they are in progress at the same time.
    std::future::poll_fn(|context| {
        attempts.retain_mut(|attempt| match attempt.as_mut().poll(context) {
            std::task::Poll::Ready(answer) => {
                statuses.push(answer.status);
                false
            }
            std::task::Poll::Pending => true,
        });
        if attempts.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 10);
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 20);
}

#[tokio::test]
async fn rule_8_missing_key_returns_401() {
    let (app, _, _, form) = set_up().await;
    for values in [&[][..], &[b"".as_slice()]] {
        let answer = with_headers(&app, &form, values).await;
        assert_eq!(answer.error(), (401, "unauthorized".to_owned()));
        assert!(answer.body.contains("X-API-Key"), "{}", answer.body);
    }
}

#[tokio::test]
async fn rule_8_invalid_or_unknown_key_returns_401() {
    let (app, _, key, form) = set_up().await;
    let unknown = store::secret::generate_secret(Environment::Live);
    let secret = key.secret.as_bytes();
    let other_environment = key.secret.replace("_live_", "_test_");
    let spaced = format!("{} x", key.secret);
    let upper = key.secret.to_uppercase();
    for values in [
        vec![unknown.expose().as_bytes()],
        vec![other_environment.as_bytes()],
        vec![spaced.as_bytes()],
        vec![upper.as_bytes()],
        vec![&secret[..47]],
        vec![b"svc_sk_live_"],
        vec![b"x"],
        vec![b"\xff\xfe"],
        vec![secret, secret],
        vec![secret, b""],
    ] {
        let answer = with_headers(&app, &form, &values).await;
        assert_eq!(answer.error(), (401, "unauthorized".to_owned()), "{values:?}");
    }
}

#[tokio::test]
async fn rule_8_revoked_key_returns_403_on_every_path() {
    let (app, account, key, form) = set_up().await;
    app.store.revoke_key(&account, &key.record.id, key.record.created_at).await.unwrap();
    for path in [
        format!("/v1/forms/{}/submissions", form.id),
        format!("/v1/forms/{}/submissions/export", form.id),
        "/v1/submissions/sub_1".to_owned(),
        "/v1/nothing".to_owned(),
    ] {
        let answer = app.get(&key, &path).await;
        assert_eq!(answer.error(), (403, "forbidden".to_owned()), "{path}");
        assert!(answer.body.contains("revoked"));
    }
}

#[tokio::test]
async fn rule_8_foreign_form_looks_unknown() {
    let (app, _, key, _) = set_up().await;
    let other = app.account(Plan::Pro).await;
    let form = app.form(&other, Environment::Live, &[]).await;
    let foreign = app.get(&key, &format!("/v1/forms/{}/submissions", form.id)).await;
    let unknown = app.get(&key, "/v1/forms/frm_nobodys/submissions").await;
    assert_eq!((foreign.error(), &foreign.body), ((404, "not_found".to_owned()), &unknown.body));
}
