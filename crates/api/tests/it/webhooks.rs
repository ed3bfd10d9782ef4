//! The routes of webhooks.

use crate::app::{App, TestResponse, at, read};
use axum::body::Body;
use contract::webhook::WebhookFormat;
use contract::{AccountId, Environment, Form, FormId, Plan, Role};
use http::{Method, Request};
use insta::assert_snapshot;
use notify::AddressPolicy;
use serde_json::{Value, json};
use store::outbox::{WebhookRecord, new_webhook};
use tower::ServiceExt;

/// URL with a public address, so that no name is resolved. No request is sent to it.
pub(crate) const URL: &str = "https://93.184.215.14/hook?token=marked-url-token";

/// An account with a form.
pub(crate) struct WebhookFixture {
    pub(crate) app: App,
    pub(crate) owner: AccountId,
    pub(crate) form: Form,
}

impl WebhookFixture {
    pub(crate) async fn start() -> Self {
        let app = App::start().await;
        let owner = app.account(Plan::Pro).await;
        let form = app.form(&owner, Environment::Live, &["name"]).await;
        Self { app, owner, form }
    }

    /// Sends the owner's request to a path below the form's webhooks.
    pub(crate) async fn act(&self, method: Method, path: &str, body: &str) -> TestResponse {
        self.app.act(&self.owner, method, &webhooks_path(&self.form.id, path), body).await
    }

    /// Sends a request that must have this status, and returns its `data`.
    pub(crate) async fn data(&self, method: Method, path: &str, body: &str, status: u16) -> Value {
        let answer = self.act(method, path, body).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        answer.json()["data"].clone()
    }

    /// Creates a webhook and returns the response's data.
    pub(crate) async fn create(&self) -> Value {
        self.data(Method::POST, "", &json!({ "url": URL }).to_string(), 201).await
    }

    /// Creates a webhook and returns its path below the form's webhooks.
    pub(crate) async fn create_path(&self) -> String {
        format!("/{}", self.create().await["id"].as_str().unwrap())
    }

    async fn list(&self) -> Value {
        self.data(Method::GET, "", "", 200).await
    }

    async fn find(&self, id: &Value) -> WebhookRecord {
        let id = id.as_str().unwrap().parse().unwrap();
        self.app.store.find_webhook(&id).await.unwrap().unwrap()
    }
}

/// Returns a path below the webhooks of a form.
fn webhooks_path(form: &FormId, path: &str) -> String {
    format!("/account/forms/{form}/webhooks{path}")
}

/// Returns a body with all settings.
fn settings(url: &str, events: &[&str], enabled: bool) -> String {
    json!({"url": url, "events": events, "format": "slack", "enabled": enabled}).to_string()
}

#[tokio::test]
async fn created_secret_is_shown_once() {
    let fixture = WebhookFixture::start().await;
    let body = json!({"url": URL, "events": ["submission.deleted"], "format": "ntfy"});
    let answer = fixture.act(Method::POST, "", &body.to_string()).await;
    assert_eq!((answer.status, answer.header("cache-control")), (201, "no-store"));
    let mut created = answer.json()["data"].clone();
    let id = created["id"].clone();
    let secret = created.as_object_mut().unwrap().remove("secret").unwrap();
    assert_eq!(secret, fixture.find(&id).await.secret.expose_text());
    let expect = json!({
        "id": id, "url": URL, "events": ["submission.deleted"], "format": "ntfy",
        "created_at": "2026-03-01T12:00:00Z", "disabled": null, "failing_since": null,
    });
    assert_eq!(created, expect);
    assert_eq!(fixture.list().await, json!([expect]));
}

#[tokio::test]
async fn webhooks_have_defaults_order_and_unique_events() {
    let fixture = WebhookFixture::start().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let created = fixture.create().await;
        assert_eq!(created["events"], json!(["submission.created"]));
        assert_eq!(created["format"], "json");
        ids.push(created["id"].clone());
        fixture.app.clock.advance_ms(1000);
    }
    let listed = fixture.list().await;
    let listed: Vec<_> = listed.as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(listed, ids, "the oldest is first");
    let events = ["submission.deleted", "submission.created", "submission.deleted"];
    let body = json!({"url": URL, "events": events});
    let created = fixture.data(Method::POST, "", &body.to_string(), 201).await;
    assert_eq!(created["events"], json!(["submission.created", "submission.deleted"]));
}

#[tokio::test]
async fn webhook_is_updated_disabled_and_enabled() {
    let fixture = WebhookFixture::start().await;
    let created = fixture.create().await;
    let path = format!("/{}", created["id"].as_str().unwrap());
    let url = "https://93.184.215.14:8443/other";
    fixture.app.clock.advance_ms(1000);
    let events = ["submission.updated", "submission.created"];
    let off = fixture.data(Method::PUT, &path, &settings(url, &events, false), 200).await;
    let expect = json!({
        "id": created["id"], "url": url, "events": ["submission.created", "submission.updated"],
        "format": "slack", "created_at": "2026-03-01T12:00:00Z",
        "disabled": {"at": "2026-03-01T12:00:01Z", "reason": "owner"}, "failing_since": null,
    });
    assert_eq!(off, expect);
    assert_eq!(fixture.list().await, json!([expect]));
    let on = fixture.data(Method::PUT, &path, &settings(url, &events, true), 200).await;
    assert_eq!((&on["disabled"], &on["url"]), (&Value::Null, &json!(url)));
    let secret = fixture.find(&created["id"]).await.secret.expose_text();
    assert_eq!(created["secret"], secret, "an update keeps the secret");
}

#[tokio::test]
async fn deleted_webhook_returns_404() {
    let fixture = WebhookFixture::start().await;
    let [path, other] = [fixture.create_path().await, fixture.create_path().await];
    let deleted = fixture.act(Method::DELETE, &path, "").await;
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    let listed = fixture.list().await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(format!("/{}", listed[0]["id"].as_str().unwrap()), other);
    for (method, route, body) in routes_of_webhook(&path) {
        let answer = fixture.act(method.clone(), &route, &body).await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{method} {route}");
    }
}

#[tokio::test]
async fn previous_secret_stays_valid_for_day_and_delays_rotation() {
    let fixture = WebhookFixture::start().await;
    let created = fixture.create().await;
    let path = format!("/{}/rotate", created["id"].as_str().unwrap());
    let rotated = fixture.data(Method::POST, &path, "", 200).await;
    assert_eq!(rotated["old_secret_until"], "2026-03-02T12:00:00Z");
    assert_ne!(rotated["secret"], created["secret"]);
    let stored = fixture.find(&created["id"]).await;
    assert_eq!(rotated["secret"], stored.secret.expose_text());
    let (old, until) = stored.old_secret.unwrap();
    assert_eq!(
        (created["secret"].clone(), at("2026-03-02T12:00:00Z")),
        (json!(old.expose_text()), until)
    );
    fixture.app.clock.advance_ms(24 * 3_600_000 - 1);
    let second = fixture.act(Method::POST, &path, "").await;
    assert_eq!(second.status, 409);
    assert_snapshot!(second.body, @r#"{"error":"validation_error","message":"the secret was rotated less than 24 hours ago, and the one before is valid until 2026-03-02T12:00:00Z; rotate it after that, or create another webhook"}"#);
    assert_eq!(fixture.find(&created["id"]).await.secret.expose_text(), rotated["secret"]);
    fixture.app.clock.advance_ms(1);
    fixture.data(Method::POST, &path, "", 200).await;
}

#[tokio::test]
async fn eleventh_webhook_is_rejected() {
    let fixture = WebhookFixture::start().await;
    for _ in 0..10 {
        fixture.create().await;
    }
    let eleventh = fixture.act(Method::POST, "", &json!({ "url": URL }).to_string()).await;
    assert_eq!(eleventh.status, 409);
    assert_snapshot!(eleventh.body, @r#"{"error":"validation_error","message":"a form may have at most 10 webhooks; delete one first"}"#);
    // The limit is checked before the URL, whose name would be resolved.
    let forbidden = fixture.act(Method::POST, "", r#"{"url":"https://127.0.0.1/"}"#).await;
    assert_eq!(forbidden.status, 409, "{}", forbidden.body);
    let path = format!("/{}", fixture.list().await[0]["id"].as_str().unwrap());
    assert_eq!(fixture.act(Method::DELETE, &path, "").await.status, 204);
    fixture.create().await;
}

#[tokio::test]
async fn forbidden_urls_are_refused() {
    let fixture = WebhookFixture::start().await;
    let created = fixture.create().await;
    let path = format!("/{}", created["id"].as_str().unwrap());
    let long = format!("{URL}{}", "x".repeat(2048));
    for url in [
        "",
        "example.com",
        "http://93.184.215.14/",
        "ftp://93.184.215.14/",
        "https://127.0.0.1/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://you:secret@93.184.215.14/",
        "https://93.184.215.14:25/",
        &long,
    ] {
        let new = fixture.act(Method::POST, "", &json!({ "url": url }).to_string()).await;
        assert_eq!(new.error(), (400, "validation_error".to_owned()), "{url}: {}", new.body);
        let body = settings(url, &["submission.created"], true);
        let changed = fixture.act(Method::PUT, &path, &body).await;
        assert_eq!(changed.error(), (400, "validation_error".to_owned()), "{url}");
        assert!(changed.json()["message"].as_str().unwrap().len() < 400, "{}", changed.body);
    }
    let listed = fixture.list().await;
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["url"]), (1, &json!(URL)));
    // The operator may forbid a network after a webhook was created.
    let url = "http://127.0.0.1:8080/hook";
    let (form, now) = (fixture.form.id.clone(), at("2026-03-01T12:00:00Z"));
    let record = new_webhook(form, url.to_owned(), &[], WebhookFormat::Json, now);
    let path = format!("/{}", record.webhook.id);
    assert!(fixture.app.store.insert_webhook(record).await.unwrap());
    let body = settings(url, &["submission.created"], false);
    let off = fixture.data(Method::PUT, &path, &body, 200).await;
    assert_eq!((&off["url"], &off["disabled"]["reason"]), (&json!(url), &json!("owner")));
}

#[tokio::test]
async fn policy_admits_more_urls() {
    let fixture = WebhookFixture::start().await;
    let networks = vec!["127.0.0.0/8".parse().unwrap()];
    fixture.app.service.set_webhook_policy(AddressPolicy::new(true, networks));
    let body = r#"{"url":"http://127.0.0.1:8080/hook"}"#;
    let created = fixture.data(Method::POST, "", body, 201).await;
    assert_eq!(created["url"], "http://127.0.0.1:8080/hook");
    assert_eq!(fixture.act(Method::POST, "", r#"{"url":"http://10.0.0.1/"}"#).await.status, 400);
}

#[tokio::test]
async fn invalid_bodies_are_refused() {
    let fixture = WebhookFixture::start().await;
    let path = fixture.create_path().await;
    for (events, message_part) in [
        (json!([]), "`events` must have 1 to 4 events, but has 0"),
        (json!(vec!["submission.created"; 5]), "`events` must have 1 to 4 events, but has 5"),
        (json!(["test"]), "but not `test`"),
        (json!(["submission.created", "test"]), "but not `test`"),
        (json!(["submission.read"]), "unknown variant `submission.read`"),
        (Value::Null, "the body must be"),
    ] {
        let new = json!({"url": URL, "events": events});
        let set = json!({"url": URL, "events": events, "format": "json", "enabled": true});
        for (method, path, body) in [(Method::POST, "", new), (Method::PUT, path.as_str(), set)] {
            let answer = fixture.act(method, path, &body.to_string()).await;
            assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{body}");
            assert!(answer.body.contains(message_part), "{}", answer.body);
        }
    }
    for body in [
        "{}".to_owned(),
        json!([URL]).to_string(),
        json!({"url": URL, "format": "xml"}).to_string(),
        json!({"url": URL, "secret": "whsec_x"}).to_string(),
        json!({"url": URL, "enabled": true}).to_string(),
    ] {
        assert_eq!(fixture.act(Method::POST, "", &body).await.status, 400, "{body}");
    }
    assert_eq!(
        fixture.act(Method::PUT, &path, &json!({ "url": URL }).to_string()).await.status,
        400
    );
    assert_eq!(fixture.list().await.as_array().unwrap().len(), 1);
}

/// Returns a request for every route of one webhook.
fn routes_of_webhook(path: &str) -> Vec<(Method, String, String)> {
    let set = settings(URL, &["submission.created"], true);
    let replay = r#"{"failed_since":"2026-01-01T00:00:00Z"}"#;
    let routes = [
        (Method::PUT, "", set.as_str()),
        (Method::POST, "/rotate", ""),
        (Method::POST, "/test", ""),
        (Method::GET, "/deliveries", ""),
        (Method::POST, "/deliveries/dlv_1_0123456789abcdef/replay", ""),
        (Method::POST, "/replay", replay),
        (Method::DELETE, "", ""),
    ];
    let complete =
        |(method, rest, body): (_, &str, &str)| (method, format!("{path}{rest}"), body.to_owned());
    routes.map(complete).into()
}

/// Returns a request for every route of a form's webhooks.
fn all_routes(path: &str) -> Vec<(Method, String, String)> {
    let mut routes = routes_of_webhook(path);
    routes.push((Method::GET, String::new(), String::new()));
    routes.push((Method::POST, String::new(), json!({ "url": URL }).to_string()));
    routes
}

#[tokio::test]
async fn readers_are_refused() {
    let fixture = WebhookFixture::start().await;
    let path = fixture.create_path().await;
    for (method, route, body) in all_routes(&path) {
        let request = Request::builder()
            .method(method.clone())
            .uri(webhooks_path(&fixture.form.id, &route))
            .header("content-type", "application/json")
            .extension(fixture.owner.clone())
            .extension(Role::Reader)
            .extension(contract::FormAccess::default());
        let request = request.body(Body::from(body)).unwrap();
        let answer = read(fixture.app.account.clone().oneshot(request).await.unwrap()).await;
        assert_eq!(answer.error(), (403, "forbidden".to_owned()), "{method} {route}");
    }
    assert_eq!(fixture.list().await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn strangers_and_other_forms_get_404() {
    let fixture = WebhookFixture::start().await;
    let path = fixture.create_path().await;
    let stranger = fixture.app.account(Plan::Pro).await;
    let foreign_form = fixture.app.form(&stranger, Environment::Live, &[]).await;
    let other = fixture.app.form(&fixture.owner, Environment::Live, &[]).await;
    let unknown: FormId = "frm_x".parse().unwrap();
    for (method, route, body) in all_routes(&path) {
        let send = async |account, form| {
            let path = webhooks_path(form, &route);
            fixture.app.act(account, method.clone(), &path, &body).await.error()
        };
        let missing = (404, "not_found".to_owned());
        assert_eq!(send(&stranger, &fixture.form.id).await, missing, "{method} {route}");
        assert_eq!(send(&fixture.owner, &foreign_form.id).await, missing, "{method} {route}");
        assert_eq!(send(&fixture.owner, &unknown).await, missing, "{route}");
        if route.starts_with(&path) {
            assert_eq!(send(&fixture.owner, &other.id).await, missing, "{method} {route}");
            assert_eq!(send(&stranger, &foreign_form.id).await, missing, "{method} {route}");
        }
    }
    for suffix in ["/whk_x", "/whk_", "/x", "/%FF"] {
        for (method, route, body) in routes_of_webhook(suffix) {
            let answer = fixture.act(method.clone(), &route, &body).await;
            assert_eq!(answer.error(), (404, "not_found".to_owned()), "{method} {route}");
        }
    }
    assert_eq!(fixture.list().await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn audit_names_form_and_host_only() {
    let fixture = WebhookFixture::start().await;
    let created = fixture.create().await;
    let path = format!("/{}/rotate", created["id"].as_str().unwrap());
    fixture.data(Method::POST, &path, "", 200).await;
    let listed = fixture.app.act(&fixture.owner, Method::GET, "/account/audit", "").await;
    assert!(!listed.body.contains("marked-url-token") && !listed.body.contains("whsec_"));
    let entries = listed.json()["data"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 2);
    for (entry, action) in
        entries.as_array().unwrap().iter().zip(["webhook.secret_rotated", "webhook.created"])
    {
        assert_eq!((&entry["action"], &entry["mode"]), (&json!(action), &json!("live")));
        assert_eq!(entry["object"], json!({"kind": "webhook", "id": created["id"]}));
        let detail = json!({"form": fixture.form.id, "name": "a form", "host": "93.184.215.14"});
        assert_eq!(entry["detail"], detail);
    }
}
