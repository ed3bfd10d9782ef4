//! Specification, section 3 (States and transitions).

use crate::app::{App, TestResponse, submission};
use contract::{AccountId, Environment, Plan};
use http::Method;
use serde_json::json;

async fn create_key(app: &App, account: &AccountId, mode: &str) -> TestResponse {
    let body = json!({"name": "Zapier", "mode": mode}).to_string();
    app.act(account, Method::POST, "/account/keys", &body).await
}

#[tokio::test]
async fn created_key_is_active_and_shown_once() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let form = app.form(&account, Environment::Live, &[]).await;
    let created = create_key(&app, &account, "live").await;
    assert_eq!(created.status, 201);
    let secret = created.json()["secret"].as_str().unwrap().to_owned();

    let request = http::Request::get(format!("/v1/forms/{}/submissions", form.id));
    let request = request.header("X-API-Key", &secret).body(axum::body::Body::empty());
    assert_eq!(app.send(request.unwrap()).await.status, 200);
    let listed = app.act(&account, Method::GET, "/account/keys", "").await;
    assert!(listed.body.contains(created.json()["data"]["id"].as_str().unwrap()));
    assert!(!listed.body.contains(&secret));
}

#[tokio::test]
async fn eleventh_active_key_is_refused() {
    let app = App::start().await;
    let account = app.account(Plan::Free).await;
    let mut last = String::new();
    for n in 0..10 {
        let created = create_key(&app, &account, if n % 2 == 0 { "live" } else { "test" }).await;
        assert_eq!(created.status, 201, "key {n}");
        last = created.json()["data"]["id"].as_str().unwrap().to_owned();
    }
    let eleventh = create_key(&app, &account, "live").await;
    assert_eq!(eleventh.error(), (409, "validation_error".to_owned()));
    assert!(eleventh.body.contains("at most 10 active keys; revoke one first"));

    app.act(&account, Method::DELETE, &format!("/account/keys/{last}"), "").await;
    assert_eq!(
        create_key(&app, &account, "live").await.status,
        201,
        "a revoked key does not count"
    );
}

#[tokio::test]
async fn revoked_key_returns_403_and_others_work() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let form = app.form(&account, Environment::Live, &[]).await;
    let revoked = app.key(&account, Environment::Live).await;
    let other = app.key(&account, Environment::Live).await;
    let path = format!("/v1/forms/{}/submissions", form.id);
    assert_eq!(app.get(&revoked, &path).await.status, 200);
    let target = format!("/account/keys/{}", revoked.record.id);
    assert_eq!(app.act(&account, Method::DELETE, &target, "").await.status, 204);
    assert_eq!(app.get(&revoked, &path).await.error(), (403, "forbidden".to_owned()));
    assert_eq!(app.get(&other, &path).await.status, 200);
}

#[tokio::test]
async fn deleted_submission_is_absent_from_all_endpoints() {
    let (app, key, form) = App::with_form(&[]).await;
    let rows = ["1", "2"].map(|id| submission(&form, id, "2026-02-01", json!({})));
    app.submit(&form, rows.to_vec()).await;
    assert_eq!(app.call(Method::DELETE, &key, "/v1/submissions/sub_1").await.status, 204);

    for method in [Method::GET, Method::DELETE] {
        let again = app.call(method, &key, "/v1/submissions/sub_1").await;
        assert_eq!(again.error(), (404, "not_found".to_owned()));
    }
    let list = app.get(&key, &format!("/v1/forms/{}/submissions", form.id)).await;
    assert_eq!(
        (list.ids(), list.json()["pagination"]["total"].take()),
        (vec!["sub_2".to_owned()], json!(1))
    );
    let export = app.get(&key, &format!("/v1/forms/{}/submissions/export", form.id)).await;
    assert!(!export.body.contains("sub_1"));
}
