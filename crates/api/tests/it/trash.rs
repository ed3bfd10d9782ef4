//! The routes of the trash.

use crate::app::{App, TestResponse, submission};
use contract::{AccountId, Environment, Form, Plan};
use http::Method;
use serde_json::{Value, json};

struct TrashFixture {
    app: App,
    owner: AccountId,
    form: Form,
}

impl TrashFixture {
    async fn with(rows: usize) -> Self {
        let app = App::start().await;
        let owner = app.account(Plan::Pro).await;
        let form = app.form(&owner, Environment::Live, &["name"]).await;
        let row = |n: usize| {
            let at = format!("2026-02-01T00:00:{:02}Z", n % 60);
            submission(&form, &format!("{n:03}"), &at, json!({ "name": format!("Ada {n}") }))
        };
        app.submit(&form, (0..rows).map(row).collect()).await;
        Self { app, owner, form }
    }

    async fn send(&self, method: Method, path: &str, body: &str) -> TestResponse {
        let path = format!("/account/forms/{}/{path}", self.form.id);
        self.app.act(&self.owner, method, &path, body).await
    }

    /// Sends a request that must succeed with 200, and returns its `send_ok`.
    async fn send_ok(&self, method: Method, path: &str, body: &str) -> Value {
        let answer = self.send(method, path, body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["data"].clone()
    }

    async fn error_message(&self, method: Method, path: &str, body: &str) -> String {
        let answer = self.send(method, path, body).await;
        assert_eq!(answer.status, 400, "{}", answer.body);
        answer.json()["message"].as_str().unwrap().to_owned()
    }

    async fn count(&self) -> u64 {
        self.app.store.find_form(&self.form.id).await.unwrap().unwrap().form.submission_count
    }
}

#[tokio::test]
async fn trash_by_filter_can_be_restored() {
    let fixture = TrashFixture::with(30).await;
    let wrong = fixture.send(Method::POST, "trash?search=ada+1", r#"{"count":12}"#).await;
    assert_eq!(wrong.status, 409, "{}", wrong.body);
    assert!(wrong.body.contains("11 submissions match the filter now"), "{}", wrong.body);
    let moved = fixture.send_ok(Method::POST, "trash?search=ada+1", r#"{"count":11}"#).await;
    assert_eq!((&moved["count"], &moved["remaining"]), (&json!(11), &json!(0)));
    assert_eq!(fixture.count().await, 19);
    let page = fixture.send(Method::GET, "trash?limit=4", "").await.json();
    assert_eq!(page["pagination"]["total"], 11);
    let row = &page["data"][0];
    assert_eq!((&row["submission"]["id"], &row["batch"]), (&json!("sub_019"), &moved["batch"]));
    let cursor = page["pagination"]["next_cursor"].as_str().unwrap();
    let next =
        fixture.send(Method::GET, &format!("trash?limit=4&cursor={cursor}"), "").await.json();
    assert_eq!(next["data"][0]["submission"]["id"], "sub_015");
    let other = format!("trash?limit=4&search=ada&cursor={cursor}");
    assert_eq!(fixture.send(Method::GET, &other, "").await.status, 400, "a cursor of another list");
    let found = fixture.send(Method::GET, "trash?search=ada+12", "").await.json();
    assert_eq!(
        (found["data"].as_array().unwrap().len(), &found["pagination"]["total"]),
        (1, &json!(1))
    );
    let batch = format!(r#"{{"batch":{}}}"#, moved["batch"]);
    assert_eq!(fixture.send_ok(Method::POST, "trash/restore", &batch).await["count"], 11);
    assert_eq!(fixture.count().await, 30);
}

#[tokio::test]
async fn submission_that_is_listed_again_is_not_restored() {
    let fixture = TrashFixture::with(3).await;
    let body = r#"{"ids":["sub_000","sub_001"]}"#;
    fixture.send_ok(Method::POST, "trash", body).await;
    // An import of an export inserts it again.
    let again = submission(&fixture.form, "000", "2026-02-01T00:00:00Z", json!({ "name": "Ada" }));
    fixture.app.submit(&fixture.form, vec![again]).await;
    let refused = fixture.send(Method::POST, "trash/restore", body).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("`sub_000` exists twice"), "{}", refused.body);
    assert_eq!(fixture.count().await, 2);
    let other = r#"{"ids":["sub_001"]}"#;
    assert_eq!(fixture.send_ok(Method::POST, "trash/restore", other).await["count"], 1);
}

#[tokio::test]
async fn form_without_trash_deletes_permanently() {
    let fixture = TrashFixture::with(2).await;
    assert_eq!(fixture.send_ok(Method::PUT, "trash", r#"{"days":0}"#).await["days"], 0);
    let refused = fixture.send(Method::POST, "trash", r#"{"ids":["sub_000"]}"#).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("trash is off for this form"), "{}", refused.body);
    assert_eq!(fixture.count().await, 2);
    let body = r#"{"ids":["sub_000"],"permanent":true}"#;
    let moved = fixture.send_ok(Method::POST, "trash", body).await;
    assert_eq!((&moved["count"], &moved["batch"]), (&json!(1), &Value::Null));
    assert_eq!(fixture.send(Method::GET, "trash", "").await.json()["pagination"]["total"], 0);
    let path = format!("/account/forms/{}", fixture.form.id);
    let form = fixture.app.act(&fixture.owner, Method::GET, &path, "").await.json();
    assert_eq!(form["data"]["trash_days"], 0);
}

#[tokio::test]
async fn invalid_requests_move_nothing() {
    let fixture = TrashFixture::with(3).await;
    let too_many = serde_json::to_string(&json!({ "ids": vec!["sub_000"; 1001] })).unwrap();
    for (path, body, message_part) in [
        ("trash", "{}", r#"the body must be `{"ids"#),
        ("trash", r#"{"ids":[],"count":0}"#, r#"the body must be `{"ids"#),
        ("trash?search=x", r#"{"ids":["sub_000"]}"#, "give either `ids` or a filter"),
        ("trash?limit=5", r#"{"count":3}"#, "`limit`, `cursor` and `sort` are not supported here"),
        ("trash?serch=x", r#"{"count":3}"#, "serch"),
        ("trash", too_many.as_str(), "`ids` must have at most 1000 ids, but has 1001"),
        ("spam", r#"{"ids":["frm_1"]}"#, "an id here is `sub_`"),
        ("trash/restore", "{}", r#"the body must be `{"ids"#),
        ("trash/delete", r#"{"batch":"sub_1"}"#, "an id here is `bat_`"),
    ] {
        let message = fixture.error_message(Method::POST, path, body).await;
        assert!(message.contains(message_part), "{path}: {message}");
    }
    for days in ["91", "-1", "256", "1.5"] {
        fixture.error_message(Method::PUT, "trash", &format!(r#"{{"days":{days}}}"#)).await;
    }
    let message = fixture.error_message(Method::GET, "trash?utm_source=x", "").await;
    assert!(message.contains("filtered by `search` only"), "{message}");
    assert_eq!(fixture.count().await, 3);
}
