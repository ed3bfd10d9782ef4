//! Unknown answer keys: added as fields, stored with the submission, or rejected by a strict form.

use super::ServiceWithForm;
use contract::{Field, FieldType, Intake};
use serde_json::json;

async fn read_fields(fixture: &ServiceWithForm) -> Vec<Field> {
    fixture.app.store.find_form(&fixture.form.id).await.unwrap().unwrap().form.fields
}

async fn read_keys(fixture: &ServiceWithForm) -> Vec<String> {
    read_fields(fixture).await.into_iter().map(|field| field.key).collect()
}

#[tokio::test]
async fn form_without_fields_adds_them() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    fixture
        .submit_json(
            r#"{"Name":"Ada","Score":4,"ok":true,"tags":["a"],"E-Mail":"a@b.c","t":"a\nb"}"#,
        )
        .await;
    let kinds: Vec<_> =
        read_fields(&fixture).await.into_iter().map(|f| (f.key, f.name, f.kind)).collect();
    let is = |key: &str, kind| (key.to_owned(), key.to_owned(), kind);
    assert_eq!(
        kinds,
        [
            is("Name", FieldType::Text),
            is("Score", FieldType::Number),
            is("ok", FieldType::Boolean),
            is("tags", FieldType::Choices),
            is("E-Mail", FieldType::Email),
            is("t", FieldType::LongText),
        ]
    );
    // A later submission contains a checkbox that was unchecked in the first one.
    let answer = fixture.submit_json(r#"{"Name":"Bob","News":"yes"}"#).await;
    assert_eq!(answer["answers"], json!({"Name": "Bob", "News": "yes"}));
    assert_eq!(read_keys(&fixture).await.last().unwrap(), "News");
    let intake = fixture.app.store.find_intake(&fixture.form.id).await.unwrap().unwrap().intake;
    assert_eq!(intake.learns_fields, Some(true), "the owner sees that fields are added");
    let form = [("content-type", "application/x-www-form-urlencoded")];
    fixture.send(&form, "Name=Eve&Left+empty=&Colors%5B%5D=red").await;
    let learned = read_fields(&fixture).await;
    let kind_of = |key: &str| learned.iter().find(|field| field.key == key).map(|field| field.kind);
    assert_eq!(kind_of("Left empty"), Some(FieldType::Text), "an empty input adds a field too");
    assert_eq!(kind_of("Colors"), Some(FieldType::Choices));
}

#[tokio::test]
async fn form_with_fields_stores_unknown_keys() {
    let fixture = ServiceWithForm::start().await;
    let answer = fixture.submit_json(r#"{"name":"Ada","nte":"typing error"}"#).await;
    assert_eq!(answer["answers"], json!({"name": "Ada", "nte": "typing error"}));
    assert_eq!(read_keys(&fixture).await, ["name", "note"]);
    let set = async |intake: Intake| {
        fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
        fixture.advance_second();
    };
    set(Intake { learns_fields: Some(true), ..Intake::default() }).await;
    fixture.submit_json(r#"{"nte":"x"}"#).await;
    assert_eq!(read_keys(&fixture).await, ["name", "note", "nte"]);
    set(Intake { learns_fields: Some(false), ..Intake::default() }).await;
    fixture.submit_json(r#"{"other":"x"}"#).await;
    assert_eq!(read_keys(&fixture).await, ["name", "note", "nte"]);
}

/// Edits the fields as their owner; `change` gets the key of each.
async fn edit_fields(fixture: &ServiceWithForm, change: impl Fn(&str) -> serde_json::Value) {
    let edits: Vec<_> = read_fields(fixture)
        .await
        .into_iter()
        .map(|field| {
            let mut edit = change(&field.key);
            edit["id"] = field.id.as_str().into();
            edit
        })
        .collect();
    let path = format!("/account/forms/{}/fields", fixture.form.id);
    let body = json!({ "fields": edits });
    let answer = fixture.app.act(&fixture.owner, http::Method::PUT, &path, &body.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[tokio::test]
async fn deleted_field_is_not_added_again() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let first = fixture.submit_json(r#"{"a":"kept","b":"2","c":"3"}"#).await;
    // Releasing this spam must not bring the deleted field back.
    let spam = r#"{"a":"x","d":"4","_gotcha":"x"}"#;
    let spam = fixture.post(spam).await.json()["data"]["id"].as_str().unwrap().to_owned();
    edit_fields(&fixture, |key| json!({ "delete": key == "a" })).await;
    assert_eq!(read_keys(&fixture).await, ["b", "c"]);
    let next = fixture.submit_json(r#"{"a":"again","b":"5","e":"6"}"#).await;
    assert_eq!(next["answers"], json!({"a": "again", "b": "5", "e": "6"}));
    assert_eq!(read_keys(&fixture).await, ["b", "c", "e"]);
    let release = format!("/account/forms/{}/spam/{spam}/release", fixture.form.id);
    let released = fixture.app.act(&fixture.owner, http::Method::POST, &release, "").await;
    assert_eq!(released.status, 204, "{}", released.body);
    assert_eq!(read_keys(&fixture).await, ["b", "c", "e", "d"]);
    let id = first["id"].as_str().unwrap();
    let answer = fixture.app.get(&fixture.key, &format!("/v1/submissions/{id}")).await.json();
    assert_eq!(answer["data"]["answers"]["a"], "kept");
    let export = format!("/v1/forms/{}/submissions/export?format=json", fixture.form.id);
    assert!(fixture.app.get(&fixture.key, &export).await.body.contains(r#""a":"kept""#));
}

#[tokio::test]
async fn hidden_field_accepts_answers_and_is_exported() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    fixture.submit_json(r#"{"a":"1","b":true}"#).await;
    edit_fields(&fixture, |_| json!({ "hidden": true })).await;
    assert!(read_fields(&fixture).await.iter().all(|field| field.hidden));
    fixture.submit_json(r#"{"a":"2","c":"3"}"#).await;
    let hidden: Vec<_> =
        read_fields(&fixture).await.into_iter().map(|it| (it.key, it.hidden)).collect();
    assert_eq!(hidden, [("a".into(), true), ("b".into(), true), ("c".into(), false)]);
    let export = format!("/v1/forms/{}/submissions/export", fixture.form.id);
    let export = fixture.app.get(&fixture.key, &export).await.body;
    assert!(export.starts_with("submission_id,submitted_at,a,b,c,"), "{export}");
    let summary = format!("/account/forms/{}/summary", fixture.form.id);
    let summary = fixture.app.act(&fixture.owner, http::Method::GET, &summary, "").await.json();
    assert_eq!(summary["data"]["fields"], json!([]), "a hidden field has no chart");
    edit_fields(&fixture, |_| json!({ "hidden": false })).await;
    assert!(read_fields(&fixture).await.iter().all(|field| !field.hidden));
}

#[tokio::test]
async fn strict_form_rejects_unknown_keys_by_name() {
    let fixture = ServiceWithForm::start().await;
    let strict = Intake { strict: true, learns_fields: Some(true), ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, strict).await.unwrap();
    let answer = fixture.post(r#"{"name":"Ada","nte":"typing error"}"#).await;
    assert_eq!(answer.error().0, 400);
    assert!(answer.body.contains("`nte` is not a field"), "{}", answer.body);
    assert!(!answer.body.contains("note"), "other fields are not revealed");
    assert_eq!(
        (read_keys(&fixture).await, fixture.count_submissions().await),
        (vec!["name".into(), "note".into()], 0)
    );
    fixture.submit_json(r#"{"name":"Ada","_anything":"x","utm_source":"y"}"#).await;
}

#[tokio::test]
async fn added_fields_have_daily_and_total_limit() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let member_list = |from: usize, to: usize| {
        let members = (from..to).map(|n| (format!("k{n}"), json!(n)));
        serde_json::Value::Object(members.collect())
    };
    let answer = fixture.post(&member_list(0, 501).to_string()).await;
    assert_eq!(answer.error().0, 400, "more answers than the maximum");
    for day in 0..5 {
        fixture.advance_second();
        let sent = member_list(day * 60, day * 60 + 200);
        assert_eq!(fixture.submit_json(&sent.to_string()).await["answers"], sent);
        let learned = read_keys(&fixture).await;
        assert_eq!(learned.len(), ((day + 1) * 50).min(200));
        fixture.advance_second();
        fixture.submit_json(r#"{"new":"x"}"#).await;
        assert_eq!(read_keys(&fixture).await, learned, "no more fields on the same day");
        fixture.app.clock.advance_ms(24 * 3600 * 1000);
    }
}

#[tokio::test]
async fn concurrent_submissions_add_each_field_once() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let intake = Intake { address_limit: None, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    let bodies: Vec<_> = (0..24).map(|n| format!(r#"{{"Name":"x","k{}":1}}"#, n % 6)).collect();
    let sent = bodies.iter().map(|body| fixture.post(body));
    for answer in futures_util::future::join_all(sent).await {
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let mut keys = read_keys(&fixture).await;
    keys.sort();
    assert_eq!(keys, ["Name", "k0", "k1", "k2", "k3", "k4", "k5"]);
    assert_eq!(fixture.count_submissions().await, 24);
}

#[tokio::test]
async fn cached_settings_never_accept_by_old_rule() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    fixture.submit_json(r#"{"a":"x"}"#).await;
    // Another process changes the form while it is still cached.
    let intake = Intake { strict: true, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    assert_eq!(fixture.post(r#"{"a":"x","b":"y"}"#).await.error().0, 400);
    assert_eq!(read_keys(&fixture).await, ["a"]);
}

#[tokio::test]
async fn omitted_learns_fields_does_not_change() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    fixture.submit_json(r#"{"a":"x"}"#).await;
    let path = format!("/account/forms/{}/intake", fixture.form.id);
    let put = async |body: &str| {
        let answer = fixture.app.act(&fixture.owner, http::Method::PUT, &path, body).await;
        answer.json()["data"]["learns_fields"].clone()
    };
    assert_eq!(put(r#"{"seconds_min":2}"#).await, true);
    fixture.submit_json(r#"{"a":"x","b":"y"}"#).await;
    assert_eq!(put(r#"{"learns_fields":false}"#).await, false);
    fixture.submit_json(r#"{"c":"x"}"#).await;
    assert_eq!(read_keys(&fixture).await, ["a", "b"]);
}

#[tokio::test]
async fn added_fields_are_limited_to_64_kib() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let key = |n: usize| format!("{n:01000}");
    let body = |from: usize| {
        let members = (from..from + 40).map(|n| (key(n), json!("x")));
        serde_json::Value::Object(members.collect()).to_string()
    };
    let first = fixture.submit_json(&body(0)).await;
    // A name and a key of 1,000 bytes each: 32 such fields have fewer than 65,536 bytes.
    assert_eq!(read_keys(&fixture).await, (0..32).map(key).collect::<Vec<_>>());
    assert_eq!(first["answers"].as_object().unwrap().len(), 40, "all answers are stored");
    fixture.app.clock.advance_ms(25 * 3600 * 1000);
    fixture.submit_json(&body(100)).await;
    assert_eq!(read_keys(&fixture).await.len(), 32, "no more fields on another day");
    fixture.submit_json(r#"{"short":"x"}"#).await;
    assert_eq!(read_keys(&fixture).await.len(), 33, "a short name fits");
}
