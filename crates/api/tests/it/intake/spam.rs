//! Spam: answered as anything else, kept apart, and the owner's to release or delete.

use super::Desk;
use crate::app::Answer;
use contract::Intake;
use http::Method;
use serde_json::{Value, json};

const CAUGHT: &str = r#"{"name":"Buy now","_gotcha":"x"}"#;

impl Desk {
    async fn shelf(&self, more: &str) -> Answer {
        self.act(Method::GET, more, "").await
    }

    async fn act(&self, method: Method, more: &str, body: &str) -> Answer {
        let path = format!("/account/forms/{}/spam{more}", self.form.id);
        self.app.act(&self.owner, method, &path, body).await
    }
}

fn id(answer: &Answer) -> String {
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()["data"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_fills_the_honeypot_or_is_too_fast_is_set_aside() {
    let desk = Desk::start().await;
    let honest =
        desk.post(r#"{"name":"Ada","_gotcha":"","botcheck":false,"_elapsed_seconds":42.9}"#).await;
    for (body, reason) in [
        (CAUGHT, "honeypot"),
        (r#"{"name":"x","_elapsed_seconds":0.999}"#, "too_fast"),
        (r#"{"name":"x","_elapsed_seconds":"0"}"#, "too_fast"),
        (r#"{"name":"x","_started_at":"2026-03-01T11:59:59.500Z"}"#, "too_fast"),
    ] {
        desk.wait();
        let body = body.replace("T11:59:59.500Z", "T12:00:03.500Z");
        let answer = desk.post(&body).await;
        let (mut told, mut kept) = (answer.headers.clone(), honest.headers.clone());
        assert_eq!(answer.status, honest.status);
        for headers in [&mut told, &mut kept] {
            headers.remove("content-length");
        }
        assert_eq!(told, kept, "a sender cannot tell");
        let newest = desk.shelf("?limit=1").await.json()["data"][0].clone();
        assert_eq!(newest["reason"], reason, "{body}");
        assert_eq!(newest["submission"]["id"], id(&answer));
        assert!(newest["submission"]["answers"].get("_gotcha").is_none());
    }
    assert_eq!(desk.shelf("").await.json()["pagination"]["total"], 4);
    assert_eq!(desk.get(&honest).await["metadata"]["completion_time_seconds"], 42);
    // It never counts, and stands in no list, search or export.
    assert_eq!(desk.total().await, 1);
    let form = desk.app.store.find_form(&desk.form.id).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, 1);
    for path in ["?search=buy", "/export", "/export?format=json"] {
        let path = format!("/v1/forms/{}/submissions{path}", desk.form.id);
        assert!(!desk.app.get(&desk.key, &path).await.body.contains("Buy now"), "{path}");
    }
}

#[tokio::test]
async fn the_owner_decides_what_is_caught() {
    let desk = Desk::start().await;
    let intake = Intake { honeypot: false, seconds_min: 10, ..Intake::default() };
    desk.app.store.update_intake(&desk.form.id, intake).await.unwrap();
    desk.taken(CAUGHT).await;
    desk.taken(r#"{"name":"x","_elapsed_seconds":10}"#).await;
    desk.taken(r#"{"name":"who does not say is let in"}"#).await;
    desk.post(r#"{"name":"x","_elapsed_seconds":9.9}"#).await;
    assert_eq!(desk.shelf("").await.json()["pagination"]["total"], 1);
    assert_eq!(desk.total().await, 3);
}

#[tokio::test]
async fn what_is_released_is_a_submission_of_its_own_instant() {
    let desk = Desk::start().await;
    let first = desk.taken(r#"{"name":"first"}"#).await;
    let caught = id(&desk.post(CAUGHT).await);
    desk.wait();
    desk.taken(r#"{"name":"last"}"#).await;
    let get = format!("/v1/submissions/{caught}");
    assert_eq!(desk.app.get(&desk.key, &get).await.status, 404);
    let released = desk.act(Method::POST, &format!("/{caught}/release"), "").await;
    assert_eq!((released.status, released.body.as_str()), (204, ""));
    let got = desk.app.get(&desk.key, &get).await.json()["data"].clone();
    assert_eq!(got["metadata"]["submitted_at"], first["metadata"]["submitted_at"]);
    assert_eq!(got["answers"], json!({"name": "Buy now"}));
    assert_eq!(desk.total().await, 3);
    assert_eq!(desk.shelf("").await.json()["data"], json!([]));
    let again = desk.act(Method::POST, &format!("/{caught}/release"), "").await;
    assert_eq!(again.error().0, 404);
}

#[tokio::test]
async fn spam_teaches_a_form_nothing_until_it_is_released() {
    let desk = Desk::with(&[]).await;
    let fields = async || {
        let form = desk.app.store.find_form(&desk.form.id).await.unwrap().unwrap().form;
        form.fields.into_iter().map(|field| field.key).collect::<Vec<_>>()
    };
    let caught = id(&desk.post(r#"{"cheap":"pills","name":"x","_gotcha":"x"}"#).await);
    assert!(fields().await.is_empty());
    desk.taken(r#"{"name":"Ada"}"#).await;
    assert_eq!(fields().await, ["name"]);
    desk.act(Method::POST, &format!("/{caught}/release"), "").await;
    assert_eq!(fields().await, ["name", "cheap"]);
    desk.taken(r#"{"name":"Ada","cheap":"x"}"#).await;
}

#[tokio::test]
async fn spam_that_is_sent_again_stands_on_the_shelf_once() {
    let desk = Desk::start().await;
    let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
    let first = desk.send(&headers, CAUGHT).await;
    assert_eq!(desk.send(&headers, CAUGHT).await.body, first.body);
    assert_eq!(desk.shelf("").await.json()["pagination"]["total"], 1);
}

#[tokio::test]
async fn the_shelf_is_read_by_pages_and_cleared() {
    let desk = Desk::start().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(id(&desk.post(CAUGHT).await));
        desk.wait();
    }
    ids.reverse();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = desk.shelf(&format!("?limit=2{cursor}")).await.json();
        assert_eq!(page["pagination"]["total"], 5);
        let rows = page["data"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row["submission"]["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["pagination"]["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, ids);
    for bad in ["?cursor=x", "?limit=0", "?search=x", "?x=1"] {
        assert_eq!(desk.shelf(bad).await.error().0, 400, "{bad}");
    }
    let list = format!("/v1/forms/{}/submissions?limit=1", desk.form.id);
    let strange = desk.app.get(&desk.key, &format!("{list}{cursor}")).await;
    assert_eq!(strange.error().0, 400, "a cursor of the shelf is none of the list");
    assert_eq!(desk.act(Method::DELETE, &format!("/{}", ids[0]), "").await.status, 204);
    assert_eq!(desk.act(Method::DELETE, &format!("/{}", ids[0]), "").await.status, 404);
    assert_eq!(desk.shelf("").await.json()["pagination"]["total"], 4);
    assert_eq!(desk.act(Method::DELETE, "", "").await.status, 204);
    assert_eq!(desk.act(Method::DELETE, "", "").await.status, 204);
    assert_eq!(desk.shelf("").await.json()["data"], json!([]));
}

#[tokio::test]
async fn the_shelf_and_the_settings_are_their_owners() {
    let desk = Desk::start().await;
    let caught = id(&desk.post(CAUGHT).await);
    let other = desk.app.account(contract::Plan::Free).await;
    let path = format!("/account/forms/{}", desk.form.id);
    for (method, more) in [
        (Method::GET, "/spam".to_owned()),
        (Method::DELETE, "/spam".to_owned()),
        (Method::DELETE, format!("/spam/{caught}")),
        (Method::POST, format!("/spam/{caught}/release")),
        (Method::GET, "/intake".to_owned()),
        (Method::PUT, "/intake".to_owned()),
    ] {
        let answer = desk.app.act(&other, method, &format!("{path}{more}"), "{}").await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{more}");
    }
    assert_eq!(desk.shelf("").await.json()["pagination"]["total"], 1);
}

#[tokio::test]
async fn settings_are_read_set_and_in_force_at_once() {
    let desk = Desk::start().await;
    let path = format!("/account/forms/{}/intake", desk.form.id);
    let is = desk.app.act(&desk.owner, Method::GET, &path, "").await;
    let default = serde_json::to_value(Intake::default()).unwrap();
    assert_eq!(is.json()["data"], default);
    desk.taken(r#"{"name":"x"}"#).await;
    let set = r#"{"origins":["https://a.example"],"seconds_min":5,"form_limit":null}"#;
    let answer = desk.app.act(&desk.owner, Method::PUT, &path, set).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["data"]["form_limit"], Value::Null);
    let is = desk.app.act(&desk.owner, Method::GET, &path, "").await;
    assert_eq!(is.json(), answer.json());
    let headers = [("content-type", "application/json"), ("origin", "https://b.example")];
    assert_eq!(desk.send(&headers, r#"{"name":"x"}"#).await.status, 403);
    for (bad, says) in [
        ("[]", "is a list"),
        ("{", "must be"),
        (r#"{"origin":[]}"#, "unknown field `origin`"),
        (r#"{"origins":["a.example"]}"#, "`a.example`"),
        (r#"{"seconds_min":-1}"#, "must be"),
        (r#"{"form_limit":0}"#, "`form_limit`"),
    ] {
        let answer = desk.app.act(&desk.owner, Method::PUT, &path, bad).await;
        assert_eq!(answer.error().0, 400, "{bad}");
        assert!(answer.body.contains(says), "{}", answer.body);
    }
}
