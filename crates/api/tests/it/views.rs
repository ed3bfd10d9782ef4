//! The routes of saved views: scopes, roles, limits and audit entries.

use crate::triage::TriageFixture;
use contract::{Environment, PersonId, Plan, Role};
use http::Method;
use serde_json::{Value, json};

impl TriageFixture {
    /// Creates a view as a member, and returns it.
    async fn view(&self, member: (&PersonId, Role), body: Value) -> Value {
        let answer =
            self.send_as(member, Method::POST, &self.path("views"), &body.to_string()).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["data"].clone()
    }

    fn view_path(&self, view: &Value) -> String {
        self.path(&format!("views/{}", view["id"].as_str().unwrap()))
    }

    fn as_owner(&self) -> (&PersonId, Role) {
        (&self.owner, Role::Owner)
    }

    fn as_reader(&self) -> (&PersonId, Role) {
        (&self.reader, Role::Reader)
    }

    async fn list_views(&self, member: (&PersonId, Role)) -> Value {
        let answer = self.send_as(member, Method::GET, &self.path("views"), "").await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["data"].clone()
    }
}

#[tokio::test]
async fn view_is_created_changed_and_deleted() {
    let fixture = TriageFixture::with(0).await;
    let body = json!({
        "name": " Open \u{e4} ", "query": "status=open&search=a+b&utm_source=", "dates": "7d",
        "columns": "at,-device", "shared": true, "is_default": true,
    });
    let view = fixture.view(fixture.as_owner(), body).await;
    let id = view["id"].as_str().unwrap();
    assert!(id.starts_with("view_") && id.len() == 31, "{id}");
    let expected = json!({
        "id": id, "name": "Open \u{e4}", "query": "search=a%20b&status=open", "dates": "7d",
        "columns": "at,-device", "shared": true, "is_default": true,
        "created_at": "2026-03-01T12:00:00Z",
    });
    assert_eq!(view, expected);
    let detail = json!({"form": fixture.form.id, "name": "a form", "view": "Open \u{e4}"});
    assert_eq!(fixture.last_audit().await, ("view.created".to_owned(), detail));
    assert_eq!(fixture.list_views(fixture.as_reader()).await, json!([view]));
    let path = fixture.view_path(&view);
    let change = r#"{"name":"New","query":"date_from=2026-01-01","is_default":false}"#;
    let changed = fixture.data(Method::PATCH, &path, change).await;
    let mut expected = expected;
    expected["name"] = "New".into();
    expected["query"] = "date_from=2026-01-01T00:00:00Z".into();
    expected["dates"] = Value::Null;
    expected["is_default"] = false.into();
    assert_eq!(changed, expected);
    let detail = json!({"form": fixture.form.id, "name": "a form", "view": "New"});
    assert_eq!(fixture.last_audit().await, ("view.changed".to_owned(), detail.clone()));
    assert_eq!(fixture.list_views(fixture.as_owner()).await, json!([expected]));
    let deleted = fixture.send_as(fixture.as_owner(), Method::DELETE, &path, "").await;
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    assert_eq!(fixture.last_audit().await, ("view.deleted".to_owned(), detail));
    fixture.error(404, Method::DELETE, &path, "").await;
    fixture.error(404, Method::PATCH, &path, "{}").await;
}

#[tokio::test]
async fn readers_have_private_views_only() {
    let fixture = TriageFixture::with(0).await;
    let shared = json!({"name": "A", "query": "", "shared": true});
    let private = json!({"name": "a", "query": "search=mine"});
    let reader = fixture.as_reader();
    let refused = |answer: crate::app::TestResponse| {
        assert_eq!(answer.error(), (403, "forbidden".to_owned()), "{}", answer.body);
    };
    let path = fixture.path("views");
    refused(fixture.send_as(reader, Method::POST, &path, &shared.to_string()).await);
    let shared = fixture.view(fixture.as_owner(), shared).await;
    let private = fixture.view(reader, private).await;
    // Changes of private views have no audit entry.
    assert_eq!(fixture.last_audit().await.0, "view.created");
    assert_eq!(fixture.audit_page().await.total, 1);
    for (method, body) in [(Method::PATCH, r#"{"is_default":true}"#), (Method::DELETE, "")] {
        refused(fixture.send_as(reader, method, &fixture.view_path(&shared), body).await);
    }
    let own = fixture.view_path(&private);
    refused(fixture.send_as(reader, Method::PATCH, &own, r#"{"shared":true}"#).await);
    let changed = fixture.send_as(reader, Method::PATCH, &own, r#"{"is_default":true}"#).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let listed = fixture.list_views(reader).await;
    assert_eq!(listed, json!([shared, changed.json()["data"]]));
    assert_eq!(fixture.list_views(fixture.as_owner()).await, json!([shared]));
    for (method, body) in [(Method::PATCH, "{}"), (Method::DELETE, "")] {
        assert_eq!(
            fixture.error(404, method, &own, body).await,
            "there is no such view in this account; check its id"
        );
    }
    assert_eq!(fixture.send_as(reader, Method::DELETE, &own, "").await.status, 204);
    assert_eq!(fixture.audit_page().await.total, 1);
    // A view that is shared or not shared any more has an entry.
    let own = fixture.view(fixture.as_owner(), json!({"name": "B", "query": ""})).await;
    let own = fixture.view_path(&own);
    for (total, shared) in [(2, true), (3, false)] {
        let body = json!({ "shared": shared }).to_string();
        assert_eq!(fixture.data(Method::PATCH, &own, &body).await["shared"], shared);
        assert_eq!(fixture.last_audit().await.0, "view.changed");
        assert_eq!(fixture.audit_page().await.total, total);
    }
}

#[tokio::test]
async fn views_of_other_forms_and_accounts_are_not_found() {
    let mut fixture = TriageFixture::with(0).await;
    let view = fixture.view(fixture.as_owner(), json!({"name": "A", "query": ""})).await;
    let other = fixture.app.form(&fixture.account, Environment::Live, &[]).await;
    let id = view["id"].as_str().unwrap();
    let wrong = format!("forms/{}/views/{id}", other.id);
    fixture.error(404, Method::PATCH, &wrong, "{}").await;
    fixture.error(404, Method::DELETE, &wrong, "").await;
    // Another account of the same service sends the requests.
    let stranger = fixture.app.account(Plan::Enterprise).await;
    let person = fixture.app.store.list_people(&stranger).await.unwrap().swap_remove(0).person.id;
    let account = std::mem::replace(&mut fixture.account, stranger);
    let owner = std::mem::replace(&mut fixture.owner, person);
    for (method, path, body) in [
        (Method::GET, fixture.path("views"), ""),
        (Method::POST, fixture.path("views"), r#"{"name":"A","query":""}"#),
        (Method::PATCH, fixture.view_path(&view), "{}"),
        (Method::DELETE, fixture.view_path(&view), ""),
    ] {
        assert_eq!(
            fixture.error(404, method, &path, body).await,
            "there is no such form in this account; check its id"
        );
    }
    (fixture.account, fixture.owner) = (account, owner);
    assert_eq!(fixture.list_views(fixture.as_owner()).await, json!([view]));
}

#[tokio::test]
async fn invalid_views_are_rejected_with_the_value() {
    let fixture = TriageFixture::with(0).await;
    let path = fixture.path("views");
    let view = fixture.view(fixture.as_owner(), json!({"name": "A", "query": ""})).await;
    let own = fixture.view_path(&view);
    let long = "x".repeat(4001);
    // Valid in a list, but 5,400 characters when encoded.
    let tag = format!("tag={}", "\u{e4}".repeat(900));
    for (change, problem) in [
        (json!({"name": " "}), "`name` must be 1 to 60 characters on one line, but is empty"),
        (
            json!({"name": "\u{e4}".repeat(61)}),
            "`name` must be 1 to 60 characters on one line, but has 61",
        ),
        (json!({"name": "a\nb"}), "has a line break"),
        (json!({"query": "limit=5"}), "in `query`, `limit`"),
        (json!({"query": "cursor=abc"}), "in `query`, `cursor`"),
        (json!({"query": tag}), "`query` must have at most 4000 characters, but has 5404"),
        (json!({"query": "nonsense=5"}), "in `query`, `nonsense`"),
        (json!({"query": "date_from=tomorrow"}), "tomorrow"),
        (json!({"query": "", "dates": "8d"}), "8d"),
        (json!({"query": "date_to=2026-01-01", "dates": "7d"}), "leave out `dates`"),
        (json!({"query": "", "columns": long}), "`columns` must have at most 4000 characters"),
        (json!({"query": "", "columns": "a\u{1}"}), "`columns` has a control character"),
        (json!({"query": "", "other": 1}), "other"),
    ] {
        let message = fixture.error(400, Method::PATCH, &own, &change.to_string()).await;
        assert!(message.contains(problem), "{change}: {message}");
        let mut new = json!({"name": "B", "query": ""});
        new.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let message = fixture.error(400, Method::POST, &path, &new.to_string()).await;
        assert!(message.contains(problem), "{new}: {message}");
    }
    let dates = json!({"dates": "7d"}).to_string();
    let message = fixture.error(400, Method::PATCH, &own, &dates).await;
    assert_eq!(message, "`dates` needs a new `query`; send both");
    fixture.error(400, Method::POST, &path, r#"{"name":"B"}"#).await;
    assert!(fixture.error(400, Method::PATCH, &own, "{}").await.contains("the body is empty"));
    assert_eq!(fixture.list_views(fixture.as_owner()).await, json!([view]));
}

#[tokio::test]
async fn names_and_number_of_views_are_limited() {
    let fixture = TriageFixture::with(0).await;
    let path = fixture.path("views");
    for n in 0..50 {
        // Below the rate limit.
        fixture.app.clock.advance_ms(100);
        fixture.view(fixture.as_owner(), json!({"name": format!("View {n}"), "query": ""})).await;
    }
    let taken = r#"{"name":"VIEW 7","query":""}"#;
    let first = fixture.list_views(fixture.as_owner()).await[0].clone();
    let rename = r#"{"name":"view 7"}"#;
    let message = fixture.error(409, Method::PATCH, &fixture.view_path(&first), rename).await;
    assert_eq!(message, "a view `view 7` exists already; choose another name");
    let message = fixture.error(409, Method::POST, &path, taken).await;
    assert_eq!(
        message,
        "a form may have at most 50 shared views, and as many private ones of each member; delete \
         one first"
    );
    let shared = json!({"name": "View 7", "query": "", "shared": true});
    fixture.view(fixture.as_owner(), shared.clone()).await;
    let message = fixture.error(409, Method::POST, &path, &shared.to_string()).await;
    assert_eq!(message, "a view `View 7` exists already; choose another name");
    fixture.view(fixture.as_reader(), json!({"name": "View 7", "query": ""})).await;
}
