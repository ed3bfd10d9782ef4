//! Notifications of a view: the views that they can use, and changes of used views.

use crate::mail_server::MailServer;
use crate::triage::TriageFixture;
use contract::Environment;
use http::Method;
use serde_json::{Value, json};
use store::daily_limits::DailyLimits;

/// Starts a service with a mail server.
async fn start() -> (TriageFixture, MailServer) {
    let fixture = TriageFixture::with(0).await;
    let mail = MailServer::start().await;
    fixture.app.service.set_mail(mail.service(&fixture.app, DailyLimits::default()).await);
    (fixture, mail)
}

impl TriageFixture {
    /// Creates a view of the owner, and returns its id.
    async fn view_id(&self, name: &str, shared: bool, query: &str) -> String {
        let new = json!({ "name": name, "shared": shared, "query": query }).to_string();
        let view = self.data(Method::POST, &self.path("views"), &new).await;
        view["id"].as_str().unwrap().to_owned()
    }

    /// Creates a notification of a view, and returns its path.
    async fn notify_of(&self, email: &str, view: &str) -> String {
        let new = json!({ "email": email, "every": "day", "view": view }).to_string();
        let created = self.data(Method::POST, &self.path("notifications"), &new).await;
        assert_eq!(created["view"], view);
        self.path(&format!("notifications/{}", created["id"].as_str().unwrap()))
    }
}

/// Returns a body with all settings, and the view unless it is `None`.
fn settings(every: &str, view: Option<Value>) -> String {
    let mut settings = json!({
        "every": every, "content": "full", "time_zone": "UTC", "language": "en", "enabled": true,
    });
    if let Some(view) = view {
        settings["view"] = view;
    }
    settings.to_string()
}

#[tokio::test]
async fn view_of_notification_is_set_kept_and_removed() {
    let (fixture, _mail) = start().await;
    let first = fixture.view_id("Unhappy", true, "sentiment=negative").await;
    let second = fixture.view_id("Open", true, "status=open").await;
    let path = fixture.notify_of("a@notify.example", &first).await;
    let set = async |every: &str, view: Option<Value>| {
        fixture.data(Method::PUT, &path, &settings(every, view)).await["view"].clone()
    };
    assert_eq!(set("hour", None).await, first.as_str());
    assert_eq!(set("day", Some(json!(second))).await, second.as_str());
    assert_eq!(set("submission", Some(Value::Null)).await, Value::Null);
    assert_eq!(set("submission", None).await, Value::Null);
}

#[tokio::test]
async fn view_requires_digest() {
    let (fixture, mail) = start().await;
    let view = fixture.view_id("Unhappy", true, "").await;
    let problem = "`every` must be `hour` or `day` with a `view`, but is `submission`";
    let new = json!({ "email": "a@notify.example", "view": view }).to_string();
    let error = fixture.error(400, Method::POST, &fixture.path("notifications"), &new).await;
    assert!(error.starts_with(problem), "{error}");
    assert_eq!(mail.mails().len(), 0);
    let path = fixture.notify_of("a@notify.example", &view).await;
    for given in [None, Some(json!(view))] {
        let body = settings("submission", given);
        let error = fixture.error(400, Method::PUT, &path, &body).await;
        assert!(error.starts_with(problem), "{error}");
    }
}

#[tokio::test]
async fn unsuitable_views_are_rejected_with_their_id() {
    let (fixture, mail) = start().await;
    let shared = fixture.view_id("Shared", true, "").await;
    let private = fixture.view_id("Private", false, "").await;
    let unread = fixture.view_id("Unread", true, "read=false&status=open").await;
    let other = fixture.app.form(&fixture.account, Environment::Live, &[]).await;
    let new = json!({ "name": "Other", "shared": true, "query": "" }).to_string();
    let other = fixture.data(Method::POST, &format!("forms/{}/views", other.id), &new).await;
    let path = fixture.notify_of("a@notify.example", &shared).await;
    let sent = mail.mails().len();
    let missing =
        |id: &str| format!("`view` must be a shared view of this form or `null`, but is `{id}`");
    let other = other["id"].as_str().unwrap();
    for (id, problem) in [
        (private.as_str(), missing(&private)),
        (other, missing(other)),
        ("view_none", missing("view_none")),
        (&unread, format!("`view` is `{unread}`, which filters by `read`, but a notification has")),
        ("frm_1", "an id here is `view_`".to_owned()),
    ] {
        let new = json!({ "email": "b@notify.example", "every": "hour", "view": id }).to_string();
        let requests = [
            (Method::POST, fixture.path("notifications"), new),
            (Method::PUT, path.clone(), settings("day", Some(json!(id)))),
        ];
        for (method, path, body) in requests {
            let error = fixture.error(400, method, &path, &body).await;
            assert!(error.contains(&problem), "{error}");
        }
    }
    assert_eq!(mail.mails().len(), sent, "no link is sent");
    let listed = fixture.data(Method::GET, &fixture.path("notifications"), "").await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["view"], shared.as_str());
}

#[tokio::test]
async fn used_view_stays_shared_without_read_and_undeleted() {
    let (fixture, _mail) = start().await;
    let view = fixture.view_id("Unhappy", true, "status=open").await;
    let used = fixture.path(&format!("views/{view}"));
    let first = fixture.notify_of("a@notify.example", &view).await;
    let second = fixture.notify_of("b@notify.example", &view).await;
    for (method, body) in [
        (Method::PATCH, r#"{"shared":false}"#),
        (Method::PATCH, r#"{"query":"read=true"}"#),
        (Method::DELETE, ""),
    ] {
        let error = fixture.error(409, method, &used, body).await;
        assert!(error.starts_with("notifications that use this view: 2;"), "{error}");
        assert!(error.ends_with("delete or change them first"), "{error}");
    }
    let change = r#"{"name":"New","query":"status=done"}"#;
    assert_eq!(fixture.data(Method::PATCH, &used, change).await["query"], "status=done");
    fixture.data(Method::PUT, &first, &settings("day", Some(Value::Null))).await;
    let error = fixture.error(409, Method::DELETE, &used, "").await;
    assert!(error.starts_with("notifications that use this view: 1;"), "{error}");
    let send = async |path: &str| {
        let owner = (&fixture.owner, contract::Role::Owner);
        fixture.send_as(owner, Method::DELETE, path, "").await.status
    };
    assert_eq!(send(&second).await, 204);
    assert_eq!(send(&used).await, 204);
}
