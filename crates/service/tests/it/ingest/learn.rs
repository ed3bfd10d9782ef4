//! Keys that no field has: learned by a form that has no fields of its owner's, refused by others.

use super::Desk;
use contract::{Field, FieldType, Intake};
use serde_json::json;

async fn fields(desk: &Desk) -> Vec<Field> {
    desk.app.store.find_form(&desk.form.id).await.unwrap().unwrap().form.fields
}

async fn keys(desk: &Desk) -> Vec<String> {
    fields(desk).await.into_iter().map(|field| field.key).collect()
}

#[tokio::test]
async fn a_form_without_fields_learns_them_and_goes_on_learning() {
    let desk = Desk::with(&[]).await;
    desk.taken(r#"{"Name":"Ada","Score":4,"ok":true,"tags":["a"],"E-Mail":"a@b.c","t":"a\nb"}"#)
        .await;
    let kinds: Vec<_> = fields(&desk).await.into_iter().map(|f| (f.key, f.name, f.kind)).collect();
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
    // A box that the first person left unchecked comes with a later one.
    let got = desk.taken(r#"{"Name":"Bob","News":"yes"}"#).await;
    assert_eq!(got["answers"], json!({"Name": "Bob", "News": "yes"}));
    assert_eq!(keys(&desk).await.last().unwrap(), "News");
    let intake = desk.app.store.find_intake(&desk.form.id).await.unwrap().unwrap().intake;
    assert_eq!(intake.learns_fields, Some(true), "the owner sees that it learns");
    let form = [("content-type", "application/x-www-form-urlencoded")];
    desk.send(&form, "Name=Eve&Left+empty=&Colors%5B%5D=red").await;
    let learned = fields(&desk).await;
    let of = |key: &str| learned.iter().find(|field| field.key == key).map(|field| field.kind);
    assert_eq!(of("Left empty"), Some(FieldType::Text), "its column is there all the same");
    assert_eq!(of("Colors"), Some(FieldType::Choices));
}

#[tokio::test]
async fn a_form_with_declared_fields_refuses_what_it_does_not_know() {
    let desk = Desk::start().await;
    let answer = desk.post(r#"{"name":"Ada","nte":"typing error"}"#).await;
    assert_eq!(answer.error().0, 400);
    assert!(answer.body.contains("`nte` is no field"), "{}", answer.body);
    assert!(!answer.body.contains("note"), "strangers are told of no other field");
    assert_eq!((keys(&desk).await, desk.total().await), (vec!["name".into(), "note".into()], 0));
    let set = |learns_fields| Intake { learns_fields, ..Intake::default() };
    desk.app.store.update_intake(&desk.form.id, set(Some(true))).await.unwrap();
    desk.wait();
    desk.taken(r#"{"nte":"x"}"#).await;
    assert_eq!(keys(&desk).await, ["name", "note", "nte"]);
    desk.app.store.update_intake(&desk.form.id, set(Some(false))).await.unwrap();
    desk.wait();
    assert_eq!(desk.post(r#"{"other":"x"}"#).await.status, 400);
}

#[tokio::test]
async fn an_empty_form_that_must_not_learn_refuses_everything() {
    let desk = Desk::with(&[]).await;
    let intake = Intake { learns_fields: Some(false), ..Intake::default() };
    desk.app.store.update_intake(&desk.form.id, intake).await.unwrap();
    assert_eq!(desk.post(r#"{"name":"x"}"#).await.error().0, 400);
}

#[tokio::test]
async fn learning_ends_somewhere() {
    let desk = Desk::with(&[]).await;
    let many = |from: usize, to: usize| {
        let members = (from..to).map(|n| (format!("k{n}"), json!(1)));
        serde_json::Value::Object(members.collect()).to_string()
    };
    let answer = desk.post(&many(0, 201)).await;
    assert_eq!(answer.error().0, 400, "more answers than any form takes");
    desk.taken(&many(0, 150)).await;
    let answer = desk.post(&many(150, 201)).await;
    assert!(
        answer.body.contains("`k200` is no field of this form, which has 200"),
        "{}",
        answer.body
    );
    desk.taken(&many(150, 200)).await;
    assert_eq!(keys(&desk).await.len(), 200);
}

#[tokio::test]
async fn many_first_submissions_at_once_teach_each_field_once() {
    let desk = Desk::with(&[]).await;
    let intake = Intake { address_limit: None, ..Intake::default() };
    desk.app.store.update_intake(&desk.form.id, intake).await.unwrap();
    let bodies: Vec<_> = (0..24).map(|n| format!(r#"{{"Name":"x","k{}":1}}"#, n % 6)).collect();
    let sent = bodies.iter().map(|body| desk.post(body));
    for answer in futures_util::future::join_all(sent).await {
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let mut keys = keys(&desk).await;
    keys.sort();
    assert_eq!(keys, ["Name", "k0", "k1", "k2", "k3", "k4", "k5"]);
    assert_eq!(desk.total().await, 24);
}

#[tokio::test]
async fn what_is_kept_in_memory_never_takes_by_a_rule_that_is_over() {
    let desk = Desk::with(&[]).await;
    desk.taken(r#"{"a":"x"}"#).await;
    // Another process changes the form within the second for which it is kept.
    let intake = Intake { learns_fields: Some(false), ..Intake::default() };
    desk.app.store.update_intake(&desk.form.id, intake).await.unwrap();
    assert_eq!(desk.post(r#"{"a":"x","b":"y"}"#).await.error().0, 400);
    assert_eq!(keys(&desk).await, ["a"]);
}

#[tokio::test]
async fn an_owner_who_sets_something_else_does_not_end_the_learning() {
    let desk = Desk::with(&[]).await;
    desk.taken(r#"{"a":"x"}"#).await;
    let path = format!("/account/forms/{}/intake", desk.form.id);
    let put = async |body: &str| {
        let answer = desk.app.act(&desk.owner, http::Method::PUT, &path, body).await;
        answer.json()["data"]["learns_fields"].clone()
    };
    assert_eq!(put(r#"{"seconds_min":2}"#).await, true);
    desk.taken(r#"{"a":"x","b":"y"}"#).await;
    assert_eq!(put(r#"{"learns_fields":false}"#).await, false);
    assert_eq!(desk.post(r#"{"c":"x"}"#).await.status, 400);
}
