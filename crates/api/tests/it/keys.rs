//! Owner's routes for forms and API keys.

use crate::app::{App, TestResponse, read, submission};
use axum::body::Body;
use contract::{AccountId, Environment, Plan};
use http::{Method, Request};
use serde_json::json;
use tower::ServiceExt;

async fn create_key(app: &App, owner: &AccountId, body: &str) -> TestResponse {
    app.act(owner, Method::POST, "/account/keys", body).await
}

#[tokio::test]
async fn account_routes_need_session_and_return_json() {
    let app = App::start().await;
    for (method, path) in [
        (Method::GET, "/account/forms"),
        (Method::GET, "/account/forms/frm_1"),
        (Method::GET, "/account/keys"),
        (Method::POST, "/account/keys"),
        (Method::DELETE, "/account/keys/key_1"),
        (Method::GET, "/account/nothing"),
    ] {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        let answer = read(app.account.clone().oneshot(request).await.unwrap()).await;
        assert_eq!(answer.error(), (401, "unauthorized".to_owned()), "{path}");
    }
    let owner = app.account(Plan::Free).await;
    for (method, path, status) in [
        (Method::GET, "/account", 404),
        (Method::GET, "/account/keys/", 404),
        (Method::PUT, "/account/keys", 405),
        (Method::GET, "/account/keys/key_1", 405),
        (Method::OPTIONS, "/account/forms", 405),
    ] {
        let answer = app.act(&owner, method, path, "").await;
        assert_eq!(answer.status, status, "{path}");
        assert!(!answer.error().1.is_empty());
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn create_key_returns_secret_once() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let created = create_key(&app, &owner, r#"{"name":"  Zapier ✓ ","mode":"test"}"#).await;
    assert_eq!((created.status, created.header("cache-control")), (201, "no-store"));
    let json = created.json();
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["data", "secret"]);
    let secret = json["secret"].as_str().unwrap();
    assert!(json["data"]["id"].as_str().unwrap().starts_with("key_"));
    assert_eq!(json["data"]["name"], "Zapier ✓");
    assert_eq!(json["data"]["mode"], "test");
    assert_eq!(json["data"]["prefix"], "svc_sk_test_");
    assert_eq!(json["data"]["last4"], secret[secret.len() - 4..]);
    assert_eq!(json["data"]["created_at"], "2026-03-01T12:00:00Z");
    assert_eq!(
        (&json["data"]["last_used_at"], &json["data"]["revoked_at"]),
        (&json!(null), &json!(null))
    );

    let listed = app.act(&owner, Method::GET, "/account/keys", "").await;
    assert_eq!(listed.json(), json!({"data": [json["data"]]}));
    let files = std::fs::read_dir(app.folder.path()).unwrap();
    for file in files.map(|file| file.unwrap().path()) {
        let bytes = std::fs::read(&file).unwrap();
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "the secret is stored in {}", file.display());
    }
}

#[tokio::test]
async fn list_keys_includes_revoked_newest_first() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    for name in ["one", "two", "three"] {
        create_key(&app, &owner, &json!({"name": name, "mode": "live"}).to_string()).await;
        app.clock.advance_ms(1000);
    }
    let keys = app.act(&owner, Method::GET, "/account/keys", "").await.json();
    let names: Vec<_> = keys["data"].as_array().unwrap().iter().map(|key| &key["name"]).collect();
    assert_eq!(names, ["three", "two", "one"]);
    let path = format!("/account/keys/{}", keys["data"][1]["id"].as_str().unwrap());
    let revoked = app.act(&owner, Method::DELETE, &path, "").await;
    assert_eq!((revoked.status, revoked.body.as_str()), (204, ""));
    let keys = app.act(&owner, Method::GET, "/account/keys", "").await.json();
    assert_eq!(keys["data"][1]["revoked_at"], "2026-03-01T12:00:03Z");
}

#[tokio::test]
async fn revoke_inactive_or_foreign_key_returns_404() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let other = app.account(Plan::Free).await;
    let foreign_key = app.key(&other, Environment::Live).await;
    let own_key = app.key(&owner, Environment::Live).await;
    let path = format!("/account/keys/{}", own_key.record.id);
    assert_eq!(app.act(&owner, Method::DELETE, &path, "").await.status, 204);
    for id in
        [own_key.record.id.as_str(), foreign_key.record.id.as_str(), "key_x", "key_", "x", "%FF"]
    {
        let answer = app.act(&owner, Method::DELETE, &format!("/account/keys/{id}"), "").await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{id}");
    }
    assert_eq!(
        app.get(&foreign_key, "/v1/submissions/sub_x").await.status,
        404,
        "the key still works"
    );
}

#[tokio::test]
async fn create_key_with_invalid_body_or_type_returns_400() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let long = "é".repeat(101);
    for body in [
        "",
        "{}",
        "null",
        "[]",
        "name=x&mode=live",
        r#"{"name":"x"}"#,
        r#"["x","live"]"#,
        r#"{"mode":"live"}"#,
        r#"{"name":"x","mode":"prod"}"#,
        r#"{"name":"x","mode":"Live"}"#,
        r#"{"name":1,"mode":"live"}"#,
        r#"{"name":"","mode":"live"}"#,
        r#"{"name":"   ","mode":"live"}"#,
        r#"{"name":"a\u0000b","mode":"live"}"#,
        r#"{"name":"a\nb","mode":"live"}"#,
        r#"{"name":"x","mode":"live","admin":true}"#,
        r#"{"name":"x","name":"y","mode":"live"}"#,
        r#"{"name":"x","mode":"live"} {}"#,
        &format!(r#"{{"name":"{long}","mode":"live"}}"#),
        &format!(r#"{{"name":"x","mode":"live"{}}}"#, " ".repeat(300_000)),
        &"[".repeat(60_000),
    ] {
        let answer = create_key(&app, &owner, body).await;
        let start: String = body.chars().take(60).collect();
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{start}");
    }
    assert_eq!(app.store.list_keys(&owner).await.unwrap(), []);
    let send = async |name: &str, value: &str| {
        let request = Request::post("/account/keys")
            .extension(owner.clone())
            .extension(contract::Role::Owner)
            .extension(contract::FormAccess::default())
            .header(name, value);
        let request = request.body(Body::from(r#"{"name":"x","mode":"live"}"#)).unwrap();
        read(app.account.clone().oneshot(request).await.unwrap()).await.status
    };
    assert_eq!(send("x", "y").await, 400);
    assert_eq!(send("content-type", "text/plain").await, 400);
    assert_eq!(send("content-type", "application/x-www-form-urlencoded").await, 400);
    assert_eq!(send("content-type", "application/JSON; charset=utf-8").await, 201);
}

#[tokio::test]
async fn eleventh_active_key_is_rejected() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    for _ in 0..10 {
        app.key(&owner, Environment::Live).await;
    }
    insta::assert_snapshot!(create_key(&app, &owner, r#"{"name":"x","mode":"test"}"#).await.body, @r#"{"error":"validation_error","message":"an account may hold at most 10 active keys; revoke one first"}"#);
}

#[tokio::test]
async fn list_forms_returns_own_forms_oldest_first() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let other = app.account(Plan::Free).await;
    let live = app.form(&owner, Environment::Live, &["name"]).await;
    app.clock.advance_ms(1000);
    let test = app.form(&owner, Environment::Test, &[]).await;
    let foreign_form = app.form(&other, Environment::Live, &[]).await;
    app.submit(&live, vec![submission(&live, "1", "2026-02-01", json!({}))]).await;

    let forms = app.act(&owner, Method::GET, "/account/forms", "").await.json();
    assert_eq!(forms["data"].as_array().unwrap().len(), 2);
    assert_eq!(forms["data"][0]["id"], json!(live.id));
    assert_eq!(forms["data"][0]["submission_count"], 1);
    assert_eq!(forms["data"][0]["last_submission_at"], "2026-02-01T00:00:00Z");
    assert_eq!(
        (&forms["data"][1]["id"], &forms["data"][1]["mode"]),
        (&json!(test.id), &json!("test"))
    );
    let own_form = app.act(&owner, Method::GET, &format!("/account/forms/{}", live.id), "").await;
    assert_eq!(own_form.json()["data"], forms["data"][0]);
    for id in [foreign_form.id.as_str(), "frm_x", "x"] {
        let answer = app.act(&owner, Method::GET, &format!("/account/forms/{id}"), "").await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{id}");
    }
}

/// Each key has its own window, so creating, using and revoking keys in turn must be limited.
#[tokio::test]
async fn key_creation_is_limited_per_hour() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let mut made = 0;
    let mut answered = 0;
    for _ in 0..60 {
        app.clock.advance_ms(1000);
        let created = create_key(&app, &owner, r#"{"name":"x","mode":"live"}"#).await;
        if created.status != 201 {
            assert_eq!(created.error(), (409, "validation_error".to_owned()));
            assert!(created.body.contains("at most 20 keys in an hour"), "{}", created.body);
            continue;
        }
        made += 1;
        let id = created.json()["data"]["id"].clone();
        let secret = created.json()["secret"].clone();
        for _ in 0..10 {
            let request = Request::get("/v1/submissions/sub_1");
            let request = request.header("x-api-key", secret.as_str().unwrap());
            let answer = app.send(request.body(Body::empty()).unwrap()).await;
            answered += u32::from(answer.status == 404);
        }
        let path = format!("/account/keys/{}", id.as_str().unwrap());
        assert_eq!(app.act(&owner, Method::DELETE, &path, "").await.status, 204);
    }
    // The Free plan admits two requests per second for each key.
    assert_eq!((made, answered), (20, 40));
    app.clock.advance_ms(3_600_000);
    assert_eq!(create_key(&app, &owner, r#"{"name":"x","mode":"live"}"#).await.status, 201);
}
