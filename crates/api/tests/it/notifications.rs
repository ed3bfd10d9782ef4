//! The routes of notifications, with a mail server that records e-mails.

use crate::app::{App, TestResponse, read};
use axum::body::Body;
use contract::notification::{AddressDisabledReason, NOTIFICATIONS_MAX, NewNotification};
use contract::{AccountId, Environment, Form, FormId, NotificationId, Plan, Role};
use http::{Method, Request};
use insta::assert_snapshot;
use serde_json::{Value, json};
use store::clock::Clock as _;
use store::daily_limits::DailyLimits;
use store::mail::{NotificationUpdate, new_notification};
use tower::ServiceExt;

use crate::mail_server::MailServer;

/// Address that belongs to no member.
pub(crate) const FOREIGN: &str = "reader@notify.example";

/// An account with a form, and a mail server.
pub(crate) struct NotificationFixture {
    pub(crate) app: App,
    pub(crate) owner: AccountId,
    pub(crate) form: Form,
    pub(crate) mail: MailServer,
}

impl NotificationFixture {
    pub(crate) async fn start() -> Self {
        Self::with_limits(DailyLimits::default()).await
    }

    /// Starts with daily limits.
    pub(crate) async fn with_limits(limits: DailyLimits) -> Self {
        let app = App::start().await;
        let owner = app.account(Plan::Pro).await;
        let form = app.form(&owner, Environment::Live, &["name"]).await;
        let mail = MailServer::start().await;
        app.service.set_mail(mail.service(&app, limits).await);
        Self { app, owner, form, mail }
    }

    /// Sends the owner's request to a path below the form.
    pub(crate) async fn act(&self, method: Method, path: &str, body: &Value) -> TestResponse {
        let path = format!("/account/forms/{}{path}", self.form.id);
        self.app.act(&self.owner, method, &path, &body.to_string()).await
    }

    /// Sends a request that must have this status, and returns its `data`.
    pub(crate) async fn data(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        status: u16,
    ) -> Value {
        let answer = self.act(method, path, body).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        answer.json()["data"].clone()
    }

    /// Creates a notification and returns the response's data.
    pub(crate) async fn create(&self, email: &str) -> Value {
        self.data(Method::POST, "/notifications", &json!({ "email": email }), 201).await
    }

    /// Creates a notification of [`FOREIGN`], and returns its path and the link in the e-mail.
    pub(crate) async fn create_foreign(&self) -> (String, String) {
        let created = self.create(FOREIGN).await;
        let link = self.mail.last_link();
        (path_of(&created), link)
    }

    /// Returns the list of notifications.
    pub(crate) async fn list(&self) -> Value {
        let answer = self.act(Method::GET, "/notifications", &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    /// Returns the stored notification at a path.
    pub(crate) async fn find(&self, path: &str) -> contract::Notification {
        let id: NotificationId = path.rsplit('/').next().unwrap().parse().unwrap();
        self.app.store.find_notification(&id).await.unwrap().unwrap().notification
    }

    /// Disables the notification at a path.
    pub(crate) async fn disable(&self, path: &str, reason: AddressDisabledReason) {
        let id = path.rsplit('/').next().unwrap().parse().unwrap();
        let update = NotificationUpdate::Disabled(reason);
        let now = self.app.clock.now();
        assert!(self.app.store.update_notification(&id, update, now).await.unwrap());
    }

    /// Returns the owner's address.
    pub(crate) fn own_address(&self) -> String {
        format!("{}@example.com", self.owner)
    }
}

/// Returns the path of a notification below its form.
pub(crate) fn path_of(notification: &Value) -> String {
    format!("/notifications/{}", notification["id"].as_str().unwrap())
}

/// Returns a body with all settings.
pub(crate) fn settings(enabled: bool) -> Value {
    json!({
        "every": "day", "content": "link", "time_zone": "Europe/Berlin", "language": "de",
        "enabled": enabled,
    })
}

#[tokio::test]
async fn foreign_address_gets_link_and_is_unconfirmed() {
    let fixture = NotificationFixture::start().await;
    let body = json!({
        "email": " Reader@Notify.Example ", "every": "hour", "content": "link",
        "time_zone": "Asia/Kolkata", "language": "de",
    });
    let created = fixture.data(Method::POST, "/notifications", &body, 201).await;
    let expect = json!({
        "id": created["id"], "email": FOREIGN, "view": null, "every": "hour", "content": "link",
        "time_zone": "Asia/Kolkata", "language": "de", "created_at": "2026-03-01T12:00:00Z",
        "confirmed": false, "disabled": null, "last_error": null,
    });
    assert_eq!(created, expect);
    let mails = fixture.mail.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].recipients, [FOREIGN]);
    let link = fixture.mail.last_link();
    let id = created["id"].as_str().unwrap();
    assert!(link.starts_with(&format!("/n/{id}/")) && link.ends_with("/confirm"), "{link}");
    let listed = fixture.list().await;
    assert_eq!(listed["data"], json!([expect]));
    assert_eq!((&listed["mail_enabled"], &listed["sent_today"]), (&json!(true), &json!(1)));
    assert_eq!(listed["daily_limit"], DailyLimits::default().for_plan(Plan::Pro));
    assert_eq!(listed["auto_reply"]["enabled"], false);
}

#[tokio::test]
async fn address_of_member_is_confirmed_without_link() {
    let fixture = NotificationFixture::start().await;
    let created = fixture.create(&fixture.own_address().to_uppercase()).await;
    assert_eq!(
        (&created["email"], &created["confirmed"]),
        (&json!(fixture.own_address()), &json!(true))
    );
    // A member of another account is not one of this account.
    let stranger = fixture.app.account(Plan::Free).await;
    let foreign = fixture.create(&format!("{stranger}@example.com")).await;
    assert_eq!(foreign["confirmed"], false);
    let mails = fixture.mail.mails();
    assert_eq!(mails.len(), 1, "only the stranger gets a link");
    assert_eq!(mails[0].recipients, [format!("{stranger}@example.com")]);
}

#[tokio::test]
async fn notifications_have_defaults_order_and_unique_addresses() {
    let fixture = NotificationFixture::start().await;
    let mut ids = Vec::new();
    for name in ["c", "a", "b"] {
        let created = fixture.create(&format!("{name}@notify.example")).await;
        assert_eq!(
            (&created["every"], &created["content"]),
            (&json!("submission"), &json!("full"))
        );
        assert_eq!((&created["time_zone"], &created["language"]), (&json!("UTC"), &json!("en")));
        ids.push(created["id"].clone());
        fixture.app.clock.advance_ms(1000);
    }
    let listed = fixture.list().await["data"].clone();
    let listed: Vec<_> = listed.as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(listed, ids, "the oldest is first");
    fixture.create(FOREIGN).await;
    let again = json!({ "email": FOREIGN.to_uppercase() });
    let again = fixture.act(Method::POST, "/notifications", &again).await;
    assert_eq!(again.error(), (409, "validation_error".to_owned()));
    assert!(again.body.contains(FOREIGN), "{}", again.body);
    let other = fixture.app.form(&fixture.owner, Environment::Live, &[]).await;
    let path = format!("/account/forms/{}/notifications", other.id);
    let body = json!({ "email": FOREIGN }).to_string();
    let other = fixture.app.act(&fixture.owner, Method::POST, &path, &body).await;
    assert_eq!(other.status, 201, "each form has its own addresses: {}", other.body);
}

#[tokio::test]
async fn number_of_notifications_is_limited() {
    let fixture = NotificationFixture::start().await;
    for n in 0..NOTIFICATIONS_MAX {
        let new: NewNotification =
            serde_json::from_value(json!({ "email": format!("a{n}@notify.example") })).unwrap();
        let record = new_notification(fixture.form.id.clone(), new, true, fixture.app.clock.now());
        assert!(fixture.app.store.insert_notification(record).await.unwrap());
    }
    let more = fixture.act(Method::POST, "/notifications", &json!({ "email": FOREIGN })).await;
    assert_eq!(more.status, 409);
    assert_snapshot!(more.body, @r#"{"error":"validation_error","message":"a form may have at most 20 notifications; delete one first"}"#);
    assert_eq!(fixture.mail.mails().len(), 0);
    let path = path_of(&fixture.list().await["data"][0]);
    assert_eq!(fixture.act(Method::DELETE, &path, &json!({})).await.status, 204);
    fixture.create(FOREIGN).await;
}

#[tokio::test]
async fn settings_are_updated() {
    let fixture = NotificationFixture::start().await;
    let created = fixture.create(&fixture.own_address()).await;
    let path = path_of(&created);
    fixture.app.clock.advance_ms(1000);
    let off = fixture.data(Method::PUT, &path, &settings(false), 200).await;
    let expect = json!({
        "id": created["id"], "email": fixture.own_address(), "view": null, "every": "day",
        "content": "link", "time_zone": "Europe/Berlin", "language": "de", "created_at": "2026-03-01T12:00:00Z",
        "confirmed": true, "disabled": {"at": "2026-03-01T12:00:01Z", "reason": "owner"},
        "last_error": null,
    });
    assert_eq!(off, expect);
    let on = fixture.data(Method::PUT, &path, &settings(true), 200).await;
    assert_eq!((&on["disabled"], &on["confirmed"]), (&Value::Null, &json!(true)));
    assert_eq!(fixture.mail.mails().len(), 0);
}

#[tokio::test]
async fn enabling_unconfirmed_address_sends_link_again() {
    let fixture = NotificationFixture::start().await;
    let (path, first) = fixture.create_foreign().await;
    fixture.data(Method::PUT, &path, &settings(true), 200).await;
    assert_eq!(fixture.mail.mails().len(), 1, "it was not disabled");
    fixture.data(Method::PUT, &path, &settings(false), 200).await;
    fixture.app.clock.advance_ms(1000);
    let on = fixture.data(Method::PUT, &path, &settings(true), 200).await;
    assert_eq!((&on["disabled"], &on["confirmed"]), (&Value::Null, &json!(false)));
    assert_eq!(fixture.mail.mails().len(), 2);
    assert_ne!(fixture.mail.last_link(), first, "the new link expires later");
}

#[tokio::test]
async fn unsubscribed_address_must_confirm_again() {
    let fixture = NotificationFixture::start().await;
    let (path, link) = fixture.create_foreign().await;
    assert_eq!(fixture.app.post_link(&link).await.status, 200);
    assert!(fixture.find(&path).await.confirmed);
    fixture.disable(&path, AddressDisabledReason::Unsubscribed).await;
    let on = fixture.data(Method::PUT, &path, &settings(true), 200).await;
    assert_eq!((&on["disabled"], &on["confirmed"]), (&Value::Null, &json!(false)));
    assert_eq!(fixture.mail.mails().len(), 2);
    let link = fixture.mail.last_link();
    assert_eq!(fixture.app.post_link(&link).await.status, 200);
    assert!(fixture.find(&path).await.confirmed);
}

#[tokio::test]
async fn deleted_notification_returns_404() {
    let fixture = NotificationFixture::start().await;
    let (path, link) = fixture.create_foreign().await;
    let deleted = fixture.act(Method::DELETE, &path, &json!({})).await;
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    assert_eq!(fixture.list().await["data"], json!([]));
    for (method, route, body) in routes_of_notification(&path) {
        let answer = fixture.act(method.clone(), &route, &body).await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{method} {route}");
    }
    assert_eq!(fixture.app.post_link(&link).await.status, 404);
}

#[tokio::test]
async fn invalid_bodies_are_refused() {
    let fixture = NotificationFixture::start().await;
    let path = path_of(&fixture.create(&fixture.own_address()).await);
    let long = format!("{}@notify.example", "x".repeat(250));
    let emails = [
        "",
        "a",
        "a@",
        "@b.example",
        "a b@c.example",
        "a@b@c.example",
        "Ada <a@b.example>",
        "a@b.example,c@d.example",
        "a@b.example\r\nBcc: c@d.example",
        "a\u{202e}@b.example",
        &long,
    ];
    for email in emails {
        let answer = fixture.act(Method::POST, "/notifications", &json!({ "email": email })).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{email}");
        assert!(answer.body.contains("`email` must be an address"), "{}", answer.body);
        assert!(answer.body.len() < 400, "{}", answer.body);
    }
    for (member, value) in [
        ("time_zone", json!("Berlin")),
        ("time_zone", json!("x".repeat(65))),
        ("every", json!("week")),
        ("content", json!("html")),
        ("language", json!("fr")),
        ("confirmed", json!(true)),
    ] {
        let mut new = json!({ "email": FOREIGN });
        let mut set = settings(true);
        new[member] = value.clone();
        set[member] = value;
        for (method, path, body) in
            [(Method::POST, "/notifications", new), (Method::PUT, path.as_str(), set)]
        {
            let answer = fixture.act(method, path, &body).await;
            assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{body}");
        }
    }
    assert_eq!(fixture.act(Method::PUT, &path, &json!({ "enabled": true })).await.status, 400);
    assert_eq!(fixture.list().await["data"].as_array().unwrap().len(), 1);
    assert_eq!(fixture.mail.mails().len(), 0);
}

/// Returns a request for every route of one notification.
fn routes_of_notification(path: &str) -> Vec<(Method, String, Value)> {
    let routes = [
        (Method::PUT, "", settings(true)),
        (Method::POST, "/confirmation", json!({})),
        (Method::POST, "/test", json!({})),
        (Method::DELETE, "", json!({})),
    ];
    routes.map(|(method, rest, body)| (method, format!("{path}{rest}"), body)).into()
}

/// Returns a request for every route of a form's notifications and its auto-reply.
fn all_routes(path: &str) -> Vec<(Method, String, Value)> {
    let mut routes = routes_of_notification(path);
    routes.push((Method::GET, "/notifications".to_owned(), json!({})));
    let new = json!({ "email": "other@notify.example" });
    routes.push((Method::POST, "/notifications".to_owned(), new));
    let reply = json!({ "enabled": false, "subject": "a", "text": "b", "language": "en" });
    routes.push((Method::PUT, "/auto-reply".to_owned(), reply));
    routes
}

#[tokio::test]
async fn readers_are_refused() {
    let fixture = NotificationFixture::start().await;
    let path = path_of(&fixture.create(&fixture.own_address()).await);
    for (method, route, body) in all_routes(&path) {
        let request = Request::builder()
            .method(method.clone())
            .uri(format!("/account/forms/{}{route}", fixture.form.id))
            .header("content-type", "application/json")
            .extension(fixture.owner.clone())
            .extension(Role::Reader)
            .extension(contract::FormAccess::default());
        let request = request.body(Body::from(body.to_string())).unwrap();
        let answer = read(fixture.app.account.clone().oneshot(request).await.unwrap()).await;
        assert_eq!(answer.error(), (403, "forbidden".to_owned()), "{method} {route}");
    }
    assert_eq!(fixture.list().await["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn strangers_and_other_forms_get_404() {
    let fixture = NotificationFixture::start().await;
    let path = path_of(&fixture.create(&fixture.own_address()).await);
    let stranger = fixture.app.account(Plan::Pro).await;
    let foreign_form = fixture.app.form(&stranger, Environment::Live, &[]).await;
    let other = fixture.app.form(&fixture.owner, Environment::Live, &[]).await;
    let unknown: FormId = "frm_x".parse().unwrap();
    let missing = (404, "not_found".to_owned());
    for (method, route, body) in all_routes(&path) {
        let send = async |account, form: &FormId| {
            let path = format!("/account/forms/{form}{route}");
            fixture.app.act(account, method.clone(), &path, &body.to_string()).await.error()
        };
        assert_eq!(send(&stranger, &fixture.form.id).await, missing, "{method} {route}");
        assert_eq!(send(&fixture.owner, &unknown).await, missing, "{method} {route}");
        if route.contains("ntf_") {
            assert_eq!(send(&stranger, &foreign_form.id).await, missing, "{method} {route}");
            assert_eq!(send(&fixture.owner, &other.id).await, missing, "{method} {route}");
        }
    }
    assert_eq!(fixture.mail.mails().len(), 0);
    assert_eq!(fixture.find(&path).await.disabled, None);
}
