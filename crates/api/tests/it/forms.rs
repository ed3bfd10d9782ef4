//! Owner's routes for forms: create, rename, copy, delete, pages, and changes to fields.

use crate::app::{App, submission};
use contract::form::FORMS_MAX;
use contract::{AccountId, Environment, Form, FormId, Plan};
use http::Method;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::cell::Cell;

async fn create_form(app: &App, owner: &AccountId, body: &Value) -> Form {
    let answer = app.act(owner, Method::POST, "/account/forms", &body.to_string()).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    serde_json::from_value(answer.json()["data"].clone()).unwrap()
}

async fn put_json(app: &App, owner: &AccountId, path: &str, body: &Value) -> (u16, Value) {
    let answer = app.act(owner, Method::PUT, path, &body.to_string()).await;
    (answer.status, answer.json())
}

fn fields_path(form: &FormId) -> String {
    format!("/account/forms/{form}/fields")
}

fn form_with_repeated_name() -> Value {
    json!({"name": " Kontakt ✓ ", "mode": "test", "analysis": true,
        "fields": [{"name": "name"}, {"name": "score", "type": "rating"}, {"name": "name"}]})
}

#[tokio::test]
async fn created_form_accepts_submissions() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let form = create_form(&app, &owner, &form_with_repeated_name()).await;
    assert_eq!((form.name.as_str(), form.environment), ("Kontakt ✓", Environment::Test));
    assert!(form.analysis && form.submission_count == 0 && form.last_submission_at.is_none());
    let keys: Vec<_> = form.fields.iter().map(|field| field.key.clone()).collect();
    let unique_key = format!("name ({})", form.fields[2].id);
    assert_eq!(keys, ["name", "score", &unique_key]);
    let answer = app.act(&owner, Method::GET, &format!("/account/forms/{}", form.id), "").await;
    assert_eq!(answer.json()["data"], serde_json::to_value(&form).unwrap());
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({"name": "Ada"}))]).await;
    let listed = app.act(&owner, Method::GET, "/account/forms", "").await.json();
    assert_eq!(listed["data"][0]["submission_count"], 1);
    assert_eq!(listed["data"][0]["last_submission_at"], "2026-02-01T00:00:00Z");
}

#[tokio::test]
async fn create_form_with_invalid_body_returns_400() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let long = json!({"name": "é".repeat(201), "mode": "live"}).to_string();
    let too_many = json!({"name": "x", "mode": "live", "fields": vec![json!({"name": "x"}); 2001]});
    for body in [
        "{}",
        "[]",
        r#"{"name":"x"}"#,
        r#"{"mode":"live"}"#,
        r#"{"name":" ","mode":"live"}"#,
        r#"{"name":"a\nb","mode":"live"}"#,
        r#"{"name":"x","mode":"prod"}"#,
        r#"{"name":"x","mode":"live","id":"frm_1"}"#,
        r#"{"name":"x","mode":"live","fields":[{}]}"#,
        r#"{"name":"x","mode":"live","fields":[{"name":""}]}"#,
        r#"{"name":"x","mode":"live","fields":[{"name":"y","type":"file"}]}"#,
        r#"{"name":"x","mode":"live","fields":[{"name":"y","key":"z"}]}"#,
        &long,
        &too_many.to_string(),
    ] {
        let answer = app.act(&owner, Method::POST, "/account/forms", body).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{body:.80}");
    }
    assert!(app.store.list_forms(&owner).await.unwrap().is_empty());
}

#[tokio::test]
async fn create_form_above_maximum_returns_409() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    for _ in 0..FORMS_MAX {
        app.form(&owner, Environment::Live, &[]).await;
    }
    let body = r#"{"name":"x","mode":"test"}"#;
    let answer = app.act(&owner, Method::POST, "/account/forms", body).await;
    assert_eq!(answer.status, 409);
    insta::assert_snapshot!(answer.body, @r#"{"error":"validation_error","message":"an account may hold at most 1000 forms, live and test together"}"#);
    let other = app.account(Plan::Free).await;
    create_form(&app, &other, &json!({"name": "x", "mode": "test"})).await;
}

#[tokio::test]
async fn rename_form_changes_only_the_name() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let form = create_form(&app, &owner, &form_with_repeated_name()).await;
    let path = format!("/account/forms/{}", form.id);
    let (status, renamed) = put_json(&app, &owner, &path, &json!({"name": " Neu "})).await;
    assert_eq!(status, 200);
    let wanted = Form { name: "Neu".to_owned(), ..form };
    assert_eq!(renamed["data"], serde_json::to_value(&wanted).unwrap());
    for bad in [json!({}), json!({"name": ""}), json!({"name": "x", "mode": "live"})] {
        assert_eq!(put_json(&app, &owner, &path, &bad).await.0, 400, "{bad}");
    }
    assert_eq!(app.store.find_form(&wanted.id).await.unwrap().unwrap().form, wanted);
}

#[tokio::test]
async fn form_of_other_account_returns_404() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let other = app.account(Plan::Free).await;
    let foreign_form = create_form(&app, &other, &form_with_repeated_name()).await;
    let name = json!({"name": "x"});
    let fields = json!({"fields": []});
    for id in [foreign_form.id.as_str(), "frm_x", "x"] {
        let path = format!("/account/forms/{id}");
        assert_eq!(put_json(&app, &owner, &path, &name).await.0, 404, "{id}");
        assert_eq!(put_json(&app, &owner, &format!("{path}/fields"), &fields).await.0, 404, "{id}");
        // The response must not depend on the body either.
        assert_eq!(put_json(&app, &owner, &path, &json!({})).await.0, 404, "{id}");
    }
    assert_eq!(app.store.find_form(&foreign_form.id).await.unwrap().unwrap().form, foreign_form);
}

#[tokio::test]
async fn incomplete_field_list_is_rejected_by_id() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let form = create_form(&app, &owner, &form_with_repeated_name()).await;
    let ids: Vec<_> = form.fields.iter().map(|field| json!({"id": field.id})).collect();
    for (edits, expected) in [
        (json!([]), form.fields[0].id.as_str()),
        (json!([ids[0], ids[1]]), form.fields[2].id.as_str()),
        (json!([ids[0], ids[1], ids[2], ids[1]]), form.fields[1].id.as_str()),
        (json!([ids[0], ids[1], ids[2], {"id": "fld_x"}]), "fld_x"),
    ] {
        let (status, body) =
            put_json(&app, &owner, &fields_path(&form.id), &json!({"fields": edits})).await;
        assert_eq!(status, 400);
        assert!(body["message"].as_str().unwrap().contains(expected), "{body}");
    }
    assert_eq!(app.store.find_form(&form.id).await.unwrap().unwrap().form, form);
}

#[tokio::test]
async fn form_with_2000_fields_fits_one_request() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let names: Vec<String> = (0..2000).map(|n| format!("question {n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let form = app.form(&owner, Environment::Live, &names).await;
    let edits: Vec<_> = form.fields.iter().rev().map(|field| json!({"id": field.id})).collect();
    let body = json!({"fields": edits});
    let (status, _) = put_json(&app, &owner, &fields_path(&form.id), &body).await;
    assert_eq!(status, 200);
    let now = app.store.find_form(&form.id).await.unwrap().unwrap().form;
    assert!(now.fields.iter().eq(form.fields.iter().rev()));
}

/// Data of a form as a server returns it: answers in the list, header and rows of the export, and
/// fields in the summary with their value counts.
struct FormOutput {
    answers: Vec<Value>,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    counted: Vec<(String, String)>,
}

async fn read_form_output(app: &App, owner: &AccountId, form: &FormId) -> FormOutput {
    let key = app.key(owner, Environment::Live).await;
    let path = format!("/v1/forms/{form}/submissions");
    let list = app.get(&key, &path).await.json();
    let answers = list["data"].as_array().unwrap().iter().map(|it| it["answers"].clone());
    let export = app.get(&key, &format!("{path}/export?format=csv")).await.body;
    let mut lines = export.lines().map(|line| line.split(',').map(str::to_owned).collect());
    let summary = app.act(owner, Method::GET, &format!("/account/forms/{form}/summary"), "").await;
    let summary = summary.json();
    let counted = summary["data"]["fields"].as_array().unwrap().iter();
    let counted =
        counted.map(|it| (it["id"].as_str().unwrap().to_owned(), it["values"].to_string()));
    let counted = counted.collect();
    let heads = lines.next().unwrap();
    let revoke = format!("/account/keys/{}", key.record.id);
    app.act(owner, Method::DELETE, &revoke, "").await;
    FormOutput { answers: answers.collect(), heads, rows: lines.collect(), counted }
}

/// Checks that renaming and reordering fields changes no answers in the list and no counts, and
/// that each export column has its field's new name above its previous cells. All cases use one
/// service.
async fn check_edit(app: &App, case: u32, order: Vec<usize>, names: Vec<String>) {
    let owner = app.account(Plan::Enterprise).await;
    let kinds = ["text", "rating", "choice", "number"];
    let fields: Vec<_> =
        kinds.iter().map(|kind| json!({"name": format!("q {kind}"), "type": kind})).collect();
    let form =
        create_form(app, &owner, &json!({"name": "x", "mode": "live", "fields": fields})).await;
    let answers = |n: i32| json!({"q text": format!("t{n}"), "q rating": n, "q choice": "a"});
    let row = |n| submission(&form, &format!("{case}_{n}"), "2026-02-01", answers(n));
    app.submit(&form, (1..4).map(row).collect()).await;
    let before = read_form_output(app, &owner, &form.id).await;

    let edit = |at: &usize| json!({"id": form.fields[*at].id, "name": names[*at]});
    let body = json!({"fields": order.iter().map(edit).collect::<Vec<_>>()});
    assert_eq!(put_json(app, &owner, &fields_path(&form.id), &body).await.0, 200);
    let after = read_form_output(app, &owner, &form.id).await;

    assert_eq!(after.answers, before.answers);
    let now = app.store.find_form(&form.id).await.unwrap().unwrap().form;
    let columns: Vec<_> =
        contract::Columns::all(&now.fields).iter().map(|it| it.header.clone()).collect();
    assert_eq!(after.heads, columns);
    for (index, was) in order.iter().enumerate() {
        let name = &names[*was];
        let head = &after.heads[2 + index];
        assert!(head == name || *head == format!("{name} ({})", form.fields[*was].id), "{head}");
        for (now, then) in after.rows.iter().zip(&before.rows) {
            assert_eq!(now[2 + index], then[2 + was]);
        }
    }
    let sorted = |mut counted: Vec<(String, String)>| {
        counted.sort();
        counted
    };
    assert_eq!(sorted(after.counted), sorted(before.counted));
}

#[test]
fn list_export_and_summary_follow_field_edits() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let app = runtime.block_on(App::start());
    let order = Just(vec![0_usize, 1, 2, 3]).prop_shuffle();
    let names = prop::collection::vec("(device|Name|[a-zé=@ ]{0,6}[a-z])", 4);
    let cases = if test_servers::is_full_run() { 12 } else { 4 };
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    // A name that equals a column, four times: this failed once.
    runtime.block_on(check_edit(&app, 0, vec![0, 1, 2, 3], vec!["device".to_owned(); 4]));
    let case = Cell::new(0);
    let test = |(order, names): (Vec<usize>, Vec<String>)| {
        case.set(case.get() + 1);
        let names = names.into_iter().map(|name| name.trim().to_owned()).collect();
        runtime.block_on(check_edit(&app, case.get(), order, names));
        Ok(())
    };
    TestRunner::new(config).run(&(order, names), test).unwrap();
}

#[tokio::test]
async fn intake_uses_new_fields_at_once() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let fields = json!([{"name": "mail"}]);
    let form =
        create_form(&app, &owner, &json!({"name": "x", "mode": "live", "fields": fields})).await;
    let strict = contract::Intake { strict: true, ..contract::Intake::default() };
    app.store.update_intake(&form.id, strict).await.unwrap();
    let ingest = api::intake_router(app.service.clone());
    let send = async |answers: Value| {
        let request = http::Request::post(format!("/f/{}", form.id))
            .header("content-type", "application/json")
            .body(axum::body::Body::from(answers.to_string()))
            .unwrap();
        tower::ServiceExt::oneshot(ingest.clone(), request).await.unwrap().status().as_u16()
    };
    assert_eq!(send(json!({"mail": "a"})).await, 201);
    assert_eq!(send(json!({"note": "b"})).await, 400);
    let edits = json!({"fields": [{"name": "note"}, {"id": form.fields[0].id, "name": "Mail"}]});
    assert_eq!(put_json(&app, &owner, &fields_path(&form.id), &edits).await.0, 200);
    assert_eq!(send(json!({"note": "b", "mail": "c"})).await, 201, "the key does not change");
    assert_eq!(send(json!({"Mail": "d"})).await, 400, "a name is not a key");
}

#[tokio::test]
async fn duplicate_copies_fields_and_settings_only() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let form = create_form(&app, &owner, &form_with_repeated_name()).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({"name": "Ada"}))]).await;
    let path = format!("/account/forms/{}", form.id);
    let intake = json!({"seconds_min": 7, "strict": true});
    put_json(&app, &owner, &format!("{path}/intake"), &intake).await;
    let copy = async |body: &str| {
        let path = format!("{path}/duplicate");
        app.act(&owner, Method::POST, &path, body).await
    };
    let answer = copy("{}").await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let copied: Form = serde_json::from_value(answer.json()["data"].clone()).unwrap();
    assert_eq!(copied.name, "Kontakt ✓ (copy)");
    assert!(copied.id != form.id && copied.submission_count == 0 && copied.analysis);
    let values = |form: &Form| {
        let fields = form.fields.iter();
        fields.map(|it| (it.key.clone(), it.name.clone(), it.kind)).collect::<Vec<_>>()
    };
    assert_eq!(values(&copied), values(&form));
    assert!(
        copied
            .fields
            .iter()
            .zip(&form.fields)
            .all(|(copied_field, other)| copied_field.id != other.id)
    );
    let settings = format!("/account/forms/{}/intake", copied.id);
    let settings = app.act(&owner, Method::GET, &settings, "").await.json();
    assert_eq!(
        (&settings["data"]["seconds_min"], &settings["data"]["strict"]),
        (&json!(7), &json!(true))
    );
    let other_name = copy(r#"{"name":" Another "}"#).await.json();
    assert_eq!(other_name["data"]["name"], "Another");
    for bad in [r#"{"name":""}"#, r#"{"mode":"live"}"#, "[]"] {
        assert_eq!(copy(bad).await.status, 400, "{bad}");
    }
    let form = create_form(&app, &owner, &json!({"name": "é".repeat(200), "mode": "live"})).await;
    let path = format!("/account/forms/{}/duplicate", form.id);
    let answer = app.act(&owner, Method::POST, &path, "{}").await.json();
    assert_eq!(answer["data"]["name"], format!("{} (copy)", "é".repeat(193)));
}

#[tokio::test]
async fn delete_form_requires_its_name() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let form = create_form(&app, &owner, &form_with_repeated_name()).await;
    let key = app.key(&owner, Environment::Test).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({"name": "Ada"}))]).await;
    let path = format!("/account/forms/{}", form.id);
    let delete = async |body: &Value| {
        let path = format!("{path}/delete");
        app.act(&owner, Method::POST, &path, &body.to_string()).await
    };
    let wrong = delete(&json!({"name": "kontakt ✓"})).await;
    assert_eq!(wrong.status, 400);
    insta::assert_snapshot!(wrong.body, @r#"{"error":"validation_error","message":"`name` must be the name of the form to delete, but is `kontakt ✓`; nothing was deleted"}"#);
    for bad in [json!({}), json!({"name": ""}), json!({"name": null})] {
        assert_eq!(delete(&bad).await.status, 400, "{bad}");
    }
    assert_eq!(app.act(&owner, Method::GET, &path, "").await.status, 200);

    assert_eq!(delete(&json!({"name": " Kontakt ✓ "})).await.status, 204);
    assert_eq!(app.act(&owner, Method::GET, &path, "").await.status, 404);
    assert_eq!(delete(&json!({"name": "Kontakt ✓"})).await.status, 404);
    let listed = app.act(&owner, Method::GET, "/account/forms", "").await.json();
    assert_eq!(listed["data"], json!([]));
    assert_eq!(app.get(&key, "/v1/submissions/sub_1").await.status, 404);
    let list = format!("/v1/forms/{}/submissions", form.id);
    assert_eq!(app.get(&key, &list).await.status, 404);
}

#[tokio::test]
async fn pages_of_forms_are_complete() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let other = app.account(Plan::Free).await;
    let mut made = Vec::new();
    for _ in 0..7 {
        made.push(app.form(&owner, Environment::Live, &["a"]).await.id.to_string());
        app.clock.advance_ms(1);
    }
    let get = async |owner: &AccountId, query: &str| {
        app.act(owner, Method::GET, &format!("/account/forms{query}"), "").await
    };
    let full_list = get(&owner, "").await.json();
    let pagination = json!({"total": 7, "limit": 100, "has_more": false, "next_cursor": null});
    assert_eq!(full_list["pagination"], pagination);
    let mut ids = Vec::new();
    let mut query = "?limit=3".to_owned();
    let mut first_cursor = None;
    loop {
        let page = get(&owner, &query).await.json();
        assert_eq!(
            (&page["pagination"]["total"], &page["pagination"]["limit"]),
            (&json!(7), &json!(3))
        );
        ids.extend(page["data"].as_array().unwrap().iter().map(|form| form["id"].clone()));
        let Some(cursor) = page["pagination"]["next_cursor"].as_str() else { break };
        assert_eq!(page["pagination"]["has_more"], true);
        first_cursor.get_or_insert(cursor.to_owned());
        query = format!("?limit=3&cursor={cursor}");
    }
    assert_eq!(ids, made);
    let cursor = first_cursor.unwrap();
    for (owner, query, names) in [
        (&other, format!("?cursor={cursor}"), "`cursor`"),
        (&owner, format!("?cursor={cursor}A"), "`cursor`"),
        (&owner, "?limit=101".to_owned(), "`limit`"),
        (&owner, "?search=x".to_owned(), "cannot be filtered"),
        (&owner, "?page=2".to_owned(), "`page`"),
    ] {
        let refused = get(owner, &query).await;
        assert_eq!(refused.error(), (400, "validation_error".to_owned()), "{query}");
        assert!(refused.body.contains(names), "{}", refused.body);
    }
}

#[tokio::test]
async fn key_lists_forms_of_its_environment() {
    let app = App::start().await;
    let owner = app.account(Plan::Enterprise).await;
    let other = app.account(Plan::Enterprise).await;
    let key = app.key(&owner, Environment::Live).await;
    let test_key = app.key(&owner, Environment::Test).await;
    let mut live = Vec::new();
    for n in 0..3 {
        live.push(app.form(&owner, Environment::Live, &["a"]).await.id.to_string());
        app.clock.advance_ms(n % 2);
    }
    live.sort();
    let test = app.form(&owner, Environment::Test, &["a"]).await;
    let foreign = app.form(&other, Environment::Live, &["a"]).await;
    let mut listed = Vec::new();
    let mut path = "/v1/forms?limit=2".to_owned();
    let mut cursor = String::new();
    loop {
        let page = app.get(&key, &path).await.json();
        assert_eq!(page["pagination"]["total"], 3);
        let ids = page["data"].as_array().unwrap().iter().map(|form| form["id"].as_str().unwrap());
        listed.extend(ids.map(str::to_owned));
        let Some(next) = page["pagination"]["next_cursor"].as_str() else { break };
        cursor = next.to_owned();
        path = format!("/v1/forms?limit=2&cursor={cursor}");
    }
    assert_eq!(listed, live);
    let page = app.get(&test_key, "/v1/forms").await.json();
    let expected = json!({"total": 1, "limit": 20, "has_more": false, "next_cursor": null});
    assert_eq!((&page["data"][0]["id"], &page["pagination"]), (&json!(test.id), &expected));
    // A cursor belongs to one account and environment.
    let path = format!("/v1/forms?cursor={cursor}");
    assert_eq!(app.get(&test_key, &path).await.error(), (400, "validation_error".to_owned()));
    let path = format!("/account/forms?cursor={cursor}");
    let answer = app.act(&owner, Method::GET, &path, "").await;
    assert_eq!(answer.error(), (400, "validation_error".to_owned()));

    let get = async |id: &FormId| app.get(&key, &format!("/v1/forms/{id}")).await;
    let form = get(&live[0].parse().unwrap()).await.json();
    assert_eq!(
        (&form["data"]["mode"], &form["data"]["fields"][0]["name"]),
        (&json!("live"), &json!("a"))
    );
    assert_eq!(get(&test.id).await.error(), (403, "forbidden".to_owned()));
    assert_eq!(get(&foreign.id).await.error(), (404, "not_found".to_owned()));
}

#[tokio::test]
async fn page_of_large_forms_ends_early() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let long: Vec<String> = (0..125).map(|n| format!("{n:01000}")).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    let mut made = Vec::new();
    for _ in 0..10 {
        made.push(app.form(&owner, Environment::Live, &long).await.id.to_string());
        app.clock.advance_ms(1);
    }
    let mut ids = Vec::new();
    let mut query = String::new();
    loop {
        let answer = app.act(&owner, Method::GET, &format!("/account/forms{query}"), "").await;
        assert!(answer.body.len() < 2_300_000, "{}", answer.body.len());
        let page = answer.json();
        ids.extend(page["data"].as_array().unwrap().iter().map(|form| form["id"].clone()));
        let Some(cursor) = page["pagination"]["next_cursor"].as_str() else { break };
        query = format!("?cursor={cursor}");
    }
    assert_eq!(ids, made);
    assert!(!query.is_empty(), "all forms fit on one page");
}

#[tokio::test]
async fn fields_with_too_many_bytes_are_rejected() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let fields = |count: usize| {
        let fields = (0..count).map(|n| json!({"name": format!("{n:01000}")}));
        json!({"name": "x", "mode": "live", "fields": fields.collect::<Vec<_>>()})
    };
    let answer = app.act(&owner, Method::POST, "/account/forms", &fields(132).to_string()).await;
    assert_eq!(answer.error(), (400, "validation_error".to_owned()));
    assert!(answer.body.contains("at most 262144 bytes together"), "{}", answer.body);
    let form = create_form(&app, &owner, &fields(131)).await;
    let mut edits: Vec<Value> = form.fields.iter().map(|field| json!({"id": field.id})).collect();
    edits.push(json!({"name": "x".repeat(1000)}));
    let (status, wrong) =
        put_json(&app, &owner, &fields_path(&form.id), &json!({"fields": edits})).await;
    assert_eq!(status, 400, "{wrong}");
    assert!(wrong["message"].as_str().unwrap().contains("262144 bytes"), "{wrong}");
}

#[tokio::test]
async fn account_routes_are_limited_per_user() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let other = app.account(Plan::Free).await;
    let list_forms =
        async |owner: &AccountId| app.act(owner, Method::GET, "/account/forms", "").await;
    for n in 0..100 {
        assert_eq!(list_forms(&owner).await.status, 200, "{n}");
    }
    let refused = list_forms(&owner).await;
    assert_eq!(refused.error(), (429, "rate_limit_exceeded".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(refused.header("x-ratelimit-limit"), "9000");
    assert_eq!(refused.header("x-ratelimit-remaining"), "8900");
    assert_eq!(refused.json()["retry_after"], 1);
    assert_eq!(list_forms(&other).await.status, 200, "another account has its own limit");
    app.clock.advance_ms(1000);
    assert_eq!(list_forms(&owner).await.status, 200);
}
