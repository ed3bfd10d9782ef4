//! The routes of triage: statuses and tags of the account, and updates of submissions.

mod export_columns;
mod field_filters;
mod filters;
mod mentions;
mod notes;
mod read_state;

use crate::app::{App, TestKey, TestResponse, read, submission};
use axum::body::Body;
use contract::audit::{ActingPerson, Actor, AuditFilter};
use contract::{AccountId, Environment, Form, Person, PersonId, Plan, Role};
use http::{Method, Request};
use serde_json::{Value, json};
use store::audit::{AuditPage, AuditScope};
use store::clock::Clock as _;
use store::{PersonRecord, ids};
use tower::ServiceExt;

/// An account with a reader, a key, and a form with submissions `sub_000`, `sub_001`, ….
pub(crate) struct TriageFixture {
    pub(crate) app: App,
    pub(crate) account: AccountId,
    pub(crate) owner: PersonId,
    pub(crate) reader: PersonId,
    pub(crate) form: Form,
    key: TestKey,
}

impl TriageFixture {
    pub(crate) async fn with(rows: usize) -> Self {
        let app = App::start().await;
        let account = app.account(Plan::Enterprise).await;
        let owner = app.store.list_people(&account).await.unwrap().swap_remove(0).person.id;
        let created_at = app.clock.now();
        let person = Person {
            id: ids::generate_person_id(created_at),
            email: "reader@example.com".to_owned(),
            role: Role::Reader,
            has_password: false,
            created_at,
            forms: None,
        };
        let reader = person.id.clone();
        let account_id = account.clone();
        let record = PersonRecord { account_id, person, password_hash: None };
        app.store.insert_member(record).await.unwrap();
        let form = app.form(&account, Environment::Live, &["name"]).await;
        let row = |n: usize| {
            let at = format!("2026-04-01T00:00:{:02}Z", n % 60);
            submission(&form, &format!("{n:03}"), &at, json!({ "name": format!("Ada {n}") }))
        };
        app.submit(&form, (0..rows).map(row).collect()).await;
        let key = app.key(&account, Environment::Live).await;
        Self { app, account, owner, reader, form, key }
    }

    /// Sends a request below `/account` as a member, as the gateway does.
    pub(crate) async fn send_as(
        &self,
        (person, role): (&PersonId, Role),
        method: Method,
        path: &str,
        body: &str,
    ) -> TestResponse {
        let email = "ada@example.org".to_owned();
        let person = ActingPerson { account: self.account.clone(), id: person.clone(), email };
        let request = Request::builder()
            .method(method)
            .uri(format!("/account/{path}"))
            .header("content-type", "application/json")
            .extension(self.account.clone())
            .extension(role)
            .extension(contract::FormAccess::default())
            .extension(Actor::default().with_session("ses_1", person))
            .body(Body::from(body.to_owned()));
        read(self.app.account.clone().oneshot(request.unwrap()).await.unwrap()).await
    }

    async fn send(&self, method: Method, path: &str, body: &str) -> TestResponse {
        self.send_as((&self.owner, Role::Owner), method, path, body).await
    }

    /// Sends an owner's request that must succeed, and returns its `data`.
    pub(crate) async fn data(&self, method: Method, path: &str, body: &str) -> Value {
        let answer = self.send(method, path, body).await;
        assert!(answer.status < 300, "{path}: {} {}", answer.status, answer.body);
        answer.json()["data"].clone()
    }

    /// Sends a request that must fail with a status, and returns the message.
    pub(crate) async fn error(
        &self,
        status: u16,
        method: Method,
        path: &str,
        body: &str,
    ) -> String {
        let answer = self.send(method, path, body).await;
        assert_eq!(answer.status, status, "{path} {body}: {}", answer.body);
        answer.json()["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("forms/{}/{rest}", self.form.id)
    }

    async fn patch(&self, body: &Value) -> u64 {
        let data = self.data(Method::PATCH, &self.path("submissions"), &body.to_string()).await;
        data["changed"].as_u64().unwrap()
    }

    async fn detail(&self, id: &str) -> Value {
        self.data(Method::GET, &self.path(&format!("submissions/{id}")), "").await
    }

    /// Returns the last audit entry's action and detail.
    pub(crate) async fn last_audit(&self) -> (String, Value) {
        let entry = self.audit_page().await.entries.swap_remove(0);
        (entry.action, Value::Object(entry.detail))
    }

    /// Returns the last audit entry, and the number of all.
    pub(crate) async fn audit_page(&self) -> AuditPage {
        let scope = AuditScope::Account(&self.account);
        let filter = AuditFilter::default();
        self.app.store.list_audit_entries(scope, &filter, None, 1).await.unwrap()
    }
}

const SETTINGS: &str = r#"{"statuses":[{"id":"waiting","name":" Waiting for reply "}],"tags":[{"name":"VIP","color":"red"}]}"#;

#[tokio::test]
async fn settings_are_replaced_and_checked() {
    let fixture = TriageFixture::with(1).await;
    let known = async || {
        let data = fixture.data(Method::GET, "triage", "").await;
        json!({"statuses": data["statuses"], "tags": data["tags"]})
    };
    assert_eq!(known().await, json!({"statuses": [], "tags": []}));
    let set = fixture.data(Method::PUT, "triage", SETTINGS).await;
    let expected = json!({
        "statuses": [{"id": "waiting", "name": "Waiting for reply"}],
        "tags": [{"name": "VIP", "color": "red"}],
    });
    assert_eq!(set, expected);
    assert_eq!(known().await, expected);
    let (action, detail) = fixture.last_audit().await;
    assert_eq!(action, "account.triage_changed");
    assert_eq!((&detail["statuses"], &detail["tags"]), (&json!(1), &json!(1)));
    for (body, problem) in [
        (r#"{"statuses":[{"id":"done","name":"Done"}]}"#, "the status `done` exists already"),
        (r#"{"statuses":[{"id":"Done!","name":"x"}]}"#, "a status must have 1 to 40 characters"),
        (r#"{"tags":[{"name":"a"},{"name":"a"}]}"#, "the tag `a` is given twice"),
        (r#"{"tags":[{"name":"a","color":"mauve"}]}"#, "unknown variant `mauve`"),
        (r#"{"labels":[]}"#, "unknown field `labels`"),
        ("[]", "the body must be"),
    ] {
        let message = fixture.error(400, Method::PUT, "triage", body).await;
        assert!(message.contains(problem), "{message}");
    }
    let stale = r#"{"before":{"tags":[{"name":"old"}]}}"#;
    let message = fixture.error(409, Method::PUT, "triage", stale).await;
    assert!(message.contains("differ from `before`"), "{message}");
    assert_eq!(known().await, expected);
    let update = json!({"tags": [{"name": "new"}], "before": expected}).to_string();
    let set = fixture.data(Method::PUT, "triage", &update).await;
    assert_eq!(set, json!({"statuses": [], "tags": [{"name": "new", "color": "gray"}]}));
}

#[tokio::test]
async fn used_status_cannot_be_removed() {
    let fixture = TriageFixture::with(1).await;
    fixture.data(Method::PUT, "triage", SETTINGS).await;
    let to_waiting = json!({"ids": ["sub_000"], "set": {"status": "waiting"}});
    assert_eq!(fixture.patch(&to_waiting).await, 1);
    let message = fixture.error(409, Method::PUT, "triage", "{}").await;
    assert!(message.starts_with("submissions have the status `waiting`"), "{message}");
    let trash = fixture.path("trash");
    fixture.data(Method::POST, &trash, r#"{"ids":["sub_000"]}"#).await;
    fixture.error(409, Method::PUT, "triage", "{}").await;
    fixture.data(Method::DELETE, &trash, "").await;
    fixture.data(Method::PUT, "triage", "{}").await;
}

#[tokio::test]
async fn update_by_ids_counts_changes_and_adds_tags_to_account() {
    let fixture = TriageFixture::with(3).await;
    let set = json!({
        "status": "in_progress", "starred": true, "assignee": fixture.reader,
        "add_tags": ["urgent", "a\u{2028}b"],
    });
    let update = json!({"ids": ["sub_000", "sub_001", "sub_unknown", "sub_001"], "set": set});
    assert_eq!(fixture.patch(&update).await, 2);
    let (action, detail) = fixture.last_audit().await;
    assert_eq!(action, "submission.updated");
    let expected = json!({
        "count": 2, "name": "a form", "status": "in_progress", "starred": true,
        "assignee": fixture.reader, "add_tags": "urgent, a b",
    });
    assert_eq!(detail, expected);
    assert_eq!(fixture.patch(&update).await, 0);
    assert_eq!(fixture.audit_page().await.total, 1, "an update without effect is not audited");
    let settings = fixture.data(Method::GET, "triage", "").await;
    assert_eq!(settings["tags"].as_array().unwrap().len(), 2);
    let list = fixture.path("triage?ids=sub_000,sub_002,sub_unknown");
    let expected = json!([{
        "id": "sub_000", "status": "in_progress", "starred": true,
        "tags": ["a\u{2028}b", "urgent"], "assignee": fixture.reader, "notes_count": 0,
    }]);
    assert_eq!(fixture.data(Method::GET, &list, "").await, expected);
    // The response has the changes that undo an update.
    let path = fixture.path("submissions");
    let star = json!({"ids": ["sub_000"], "set": {"starred": false}, "undo": true}).to_string();
    let unstarred = fixture.data(Method::PATCH, &path, &star).await;
    let step = json!({"ids": ["sub_000"], "set": {"starred": true}});
    assert_eq!(unstarred, json!({"changed": 1, "undo": [step]}));
    assert_eq!(fixture.data(Method::PATCH, &path, &star).await, json!({"changed": 0}));
    let undone = fixture.data(Method::PATCH, &path, &step.to_string()).await;
    assert_eq!(undone, json!({"changed": 1}));
    let back = json!({
        "status": "open", "starred": false, "assignee": null, "remove_tags": ["urgent", "a\u{2028}b"],
    });
    assert_eq!(fixture.patch(&json!({"ids": ["sub_000"], "set": back})).await, 1);
    assert_eq!(fixture.data(Method::GET, &list, "").await, json!([]));
    let history = fixture.detail("sub_000").await["history"].clone();
    assert_eq!(history.as_array().unwrap().len(), 4);
    assert_eq!(history[0]["person"], json!(fixture.owner));
    assert_eq!(history[0]["change"]["assignee"], Value::Null);
}

#[tokio::test]
async fn update_by_filter_needs_exact_count() {
    let fixture = TriageFixture::with(30).await;
    let update = |filter: &str, count: u64| json!({"filter": filter, "count": count, "set": {"status": "done"}});
    let path = fixture.path("submissions");
    let body = update("search=ada+1", 12).to_string();
    let message = fixture.error(409, Method::PATCH, &path, &body).await;
    assert!(message.starts_with("11 submissions match the filter now"), "{message}");
    assert_eq!(fixture.patch(&update("search=ada+1", 11)).await, 11);
    assert_eq!(fixture.patch(&update("status=done", 11)).await, 0);
    assert_eq!(fixture.patch(&update("status=open&starred=false", 19)).await, 19);
    assert_eq!(fixture.patch(&update("", 30)).await, 0);
    assert_eq!(fixture.patch(&update("tag=x", 0)).await, 0);
}

#[tokio::test]
async fn invalid_updates_change_nothing() {
    let fixture = TriageFixture::with(2).await;
    let other = fixture.app.account(Plan::Free).await;
    let stranger = fixture.app.store.list_people(&other).await.unwrap().swap_remove(0).person.id;
    let ids = |count: usize| vec!["sub_000"; count];
    let tags = |count: usize| (0..count).map(|n| format!("tag {n}")).collect::<Vec<_>>();
    let set = json!({"starred": true});
    let with = |set: Value| json!({"ids": ["sub_000"], "set": set});
    let by = |filter: &str| json!({"filter": filter, "count": 2, "set": set});
    fixture.patch(&json!({"ids": ["sub_001"], "set": {"add_tags": tags(20)}})).await;
    let path = fixture.path("submissions");
    for (body, problem) in [
        (json!({"set": set}), "the body must be `{\"ids\""),
        (json!({"filter": "", "set": set}), "the body must be `{\"ids\""),
        (json!({"count": 2, "set": set}), "the body must be `{\"ids\""),
        (json!({"ids": ids(1)}), "missing field `set`"),
        (json!({"ids": ids(1), "filter": "", "count": 2, "set": set}), "not both"),
        (json!({"ids": ids(1), "count": 2, "set": set}), "not both"),
        (json!({"ids": [], "set": set}), "`ids` must have 1 to 1000 ids, but has 0"),
        (json!({"ids": ids(1001), "set": set}), "`ids` must have 1 to 1000 ids, but has 1001"),
        (
            json!({"filter": "", "count": 100_001, "set": set}),
            "at most 100000 submissions, but `count` is 100001",
        ),
        (by("limit=20"), "in `filter`, `limit` is not a parameter"),
        (by("cursor=x"), "in `filter`, `cursor` is not a parameter"),
        (by("stars=1"), "in `filter`, `stars` is not a parameter"),
        (by("status=waiting"), "unknown status `waiting`"),
        (by("starred=yes"), "`starred` must be `true` or `false`, but is `yes`"),
        (with(json!({})), "`set` is empty"),
        (with(json!({"add_tags": []})), "`set` is empty"),
        (with(json!({"stars": 1})), "unknown field `stars`"),
        (with(json!({"status": "waiting"})), "unknown status `waiting`"),
        (with(json!({"assignee": "psn_unknown"})), "`assignee` is `psn_unknown`"),
        (with(json!({"assignee": stranger})), "not a member of this account"),
        (with(json!({"add_tags": tags(21)})), "`add_tags` must have at most 20 tags"),
        (with(json!({"remove_tags": tags(21)})), "`remove_tags` must have at most 20 tags"),
        (with(json!({"add_tags": ["a\nb"]})), "a tag must be one line"),
        (
            json!({"ids": ["sub_000", "sub_001"], "set": {"add_tags": ["more"]}}),
            "at most 20 tags, but would have 21",
        ),
    ] {
        let message = fixture.error(400, Method::PATCH, &path, &body.to_string()).await;
        assert!(message.contains(problem), "{message}");
    }
    assert_eq!(fixture.data(Method::GET, &fixture.path("triage?ids=sub_000"), "").await, json!([]));
}

#[tokio::test]
async fn account_has_limited_tags() {
    let fixture = TriageFixture::with(11).await;
    for n in 0..10 {
        let tags: Vec<String> = (0..20).map(|tag| format!("tag {n} {tag}")).collect();
        let body = json!({"ids": [format!("sub_{n:03}")], "set": {"add_tags": tags}});
        assert_eq!(fixture.patch(&body).await, 1);
    }
    let body = json!({"ids": ["sub_010"], "set": {"add_tags": ["more"]}}).to_string();
    let message = fixture.error(400, Method::PATCH, &fixture.path("submissions"), &body).await;
    assert_eq!(message, "an account may have at most 200 tags, but has 201");
    let known = json!({"ids": ["sub_010"], "set": {"add_tags": ["tag 0 0"]}});
    assert_eq!(fixture.patch(&known).await, 1);
}

#[tokio::test]
async fn triage_list_has_one_to_hundred_ids() {
    let fixture = TriageFixture::with(1).await;
    for (query, problem) in [
        ("", "`ids` must have 1 to 100 ids, but has 0"),
        ("?ids=sub_000&limit=5", "`limit` is not a parameter"),
        ("?ids=frm_1", "`ids` names `frm_1`"),
    ] {
        let path = fixture.path(&format!("triage{query}"));
        let message = fixture.error(400, Method::GET, &path, "").await;
        assert!(message.starts_with(problem), "{message}");
    }
    let hundred = vec!["sub_000"; 100].join(",");
    let path = fixture.path(&format!("triage?ids={hundred}"));
    assert_eq!(fixture.data(Method::GET, &path, "").await, json!([]));
    let path = fixture.path(&format!("triage?ids={hundred},sub_000"));
    fixture.error(400, Method::GET, &path, "").await;
}

#[tokio::test]
async fn readers_and_requests_without_member_do_not_change() {
    let fixture = TriageFixture::with(1).await;
    let reader = (&fixture.reader, Role::Reader);
    let submission = fixture.path("submissions/sub_000");
    for path in ["triage", &fixture.path("triage?ids=sub_000"), &submission] {
        let answer = fixture.send_as(reader, Method::GET, path, "").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    let account = fixture.send_as(reader, Method::GET, "triage", "").await.json();
    assert_eq!(account["data"]["person_id"], json!(fixture.reader));
    let members: Vec<_> = account["data"]["members"].as_array().unwrap().iter().collect();
    assert_eq!(members.len(), 2);
    assert_eq!(*members[1], json!({"id": fixture.reader, "email": "reader@example.com"}));
    let star = r#"{"ids":["sub_000"],"set":{"read":true,"starred":true}}"#;
    for (method, path, body) in [
        (Method::PUT, "triage".to_owned(), "{}"),
        (Method::PATCH, fixture.path("submissions"), star),
        (Method::POST, format!("{submission}/notes"), "{}"),
        (Method::PUT, format!("{submission}/notes/nte_1"), "{}"),
        (Method::DELETE, format!("{submission}/notes/nte_1"), ""),
    ] {
        let answer = fixture.send_as(reader, method, &path, body).await;
        assert_eq!(answer.error(), (403, "forbidden".to_owned()), "{path}");
    }
    let path = format!("/account/{}", fixture.path("submissions"));
    let body = r#"{"ids":["sub_000"],"set":{"starred":true}}"#;
    let answer = fixture.app.act(&fixture.account, Method::PATCH, &path, body).await;
    assert_eq!(answer.error(), (401, "unauthorized".to_owned()));
    let notes = format!("{path}/sub_000/notes");
    let answer = fixture.app.act(&fixture.account, Method::POST, &notes, r#"{"text":"x"}"#).await;
    assert_eq!(answer.error(), (401, "unauthorized".to_owned()));
}
