//! API keys: one display of the secret, confirmation before revoking, and the limit of ten keys.

use std::cell::Cell;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    answer_as_gateway, button, open_dashboard, press_button, text_of, wait_for_text, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, click, select_value, settle, type_into, type_text};

const SECRET: &str = "svc_sk_test_abcdefghijklmnopqrstuvwxyz";

fn key(number: usize, revoked: bool) -> Value {
    json!({
        "id": format!("key_{number}"), "name": format!("Key {number}"), "mode": "test",
        "prefix": "svc_sk_test_", "last4": "wxyz", "created_at": "2026-03-01T00:00:00Z",
        "last_used_at": null, "revoked_at": revoked.then_some("2026-03-02T00:00:00Z"),
    })
}

fn created_key() -> Reply {
    Reply::json(201, &json!({ "data": key(2, false), "secret": SECRET }))
}

/// Opens the page, and waits for the keys.
async fn open_keys() -> Stage {
    let stage = open_dashboard("/settings/keys");
    wait_until("the keys", || !stage.all(".table").is_empty()).await;
    stage
}

#[wasm_bindgen_test]
async fn secret_is_shown_once_and_an_error_in_the_dialog() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/keys") => Reply::ok(&json!({ "data": [key(1, true)] })),
        ("POST", "/account/keys") if asked.body.contains("Eleventh") => {
            let words = "an account may hold at most 10 active keys; revoke one first";
            Reply::error(400, "validation_error", words)
        }
        ("POST", "/account/keys") => created_key(),
        _ => answer_as_gateway(asked),
    });
    let stage = open_keys().await;
    assert_eq!(text_of(&stage, ".page-count"), "0 of 10 active");
    let ids = stage.texts("td .id");
    assert!(ids[0].contains("svc_sk_test_…wxyz") && ids[1].starts_with("key_"), "{ids:?}");
    assert!(text_of(&stage, "tbody").contains("Revoked"));
    press_button(&stage, "Create key").await;
    press_button(&stage, "Create").await;
    assert!(text_of(&stage, "dialog[open]").contains("Enter a name"));
    type_text(&stage.one("dialog[open] input[type=text]"), "Eleventh").await;
    button(&stage, "Create").click();
    wait_for_text(&stage, "dialog[open]", "at most 10 active keys").await;
    type_text(&stage.one("dialog[open] input[type=text]"), "Nightly").await;
    button(&stage, "Create").click();
    wait_until("the secret", || {
        stage.all("dialog[open]").iter().any(|one| one.inner_text().contains(SECRET))
    })
    .await;
    let mut posted = network.sent("POST", "/account/keys");
    assert_eq!(posted.pop().unwrap().body, r#"{"name":"Nightly","mode":"live"}"#);
    button(&stage, "Done").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    settle().await;
    let page = document().document_element().unwrap().text_content().unwrap();
    assert!(!page.contains(SECRET), "the secret outlived its dialog");
}

/// Clicks the input of a choice in the dialog.
fn choose(stage: &Stage, label: &str) {
    let labels = stage.all("dialog[open] label.choice");
    let named = |choice: &&web_sys::HtmlElement| {
        let text = choice.query_selector(".choice-label").unwrap().unwrap().text_content();
        text.unwrap().trim() == label
    };
    labels.iter().find(named).unwrap_or_else(|| panic!("no choice {label}")).click();
}

#[wasm_bindgen_test]
async fn key_is_created_with_restrictions() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/keys") => Reply::ok(&json!({ "data": [] })),
        ("POST", "/account/keys") => created_key(),
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/settings/keys");
    wait_until("the page", || !stage.all(".empty").is_empty()).await;
    press_button(&stage, "Create key").await;
    type_into(&stage.one("dialog[open] input[type=text]"), "Report");
    choose(&stage, "Read-only");
    choose(&stage, "Selected forms");
    let end = stage.one("dialog[open] select");
    select_value(&end, "day");
    settle().await;
    assert!(
        !text_of(&stage, "dialog[open]").contains("Sandbox"),
        "a form of the other environment"
    );
    press_button(&stage, "Create").await;
    let errors = text_of(&stage, "dialog[open] .field-error");
    assert!(
        errors.contains("at least one form") && errors.contains("day in the future"),
        "{errors}"
    );
    choose(&stage, "Feedback");
    type_text(&stage.one("dialog[open] input[type=date]"), "2099-01-31").await;
    assert_eq!(text_of(&stage, "dialog[open] .field-error"), "");
    button(&stage, "Create").click();
    wait_until("the request", || !network.sent("POST", "/account/keys").is_empty()).await;
    let posted = network.sent("POST", "/account/keys").remove(0);
    let posted: Value = serde_json::from_str(&posted.body).unwrap();
    let expires_at = posted["expires_at"].as_str().unwrap().to_owned();
    // The day begins in the time zone of the browser.
    assert!(expires_at.starts_with("2099-01-3"), "{expires_at}");
    assert_eq!(
        posted,
        json!({"name": "Report", "mode": "live", "access": "read", "forms": ["frm_1"],
            "expires_at": expires_at})
    );
}

#[wasm_bindgen_test]
async fn keys_have_restrictions_and_examples() {
    let restricted = |number: usize, expires_at: &str, forms: &[&str]| {
        let mut key = key(number, false);
        key["access"] = json!("read");
        key["forms"] = json!(forms);
        key["expires_at"] = json!(expires_at);
        key
    };
    let _network = Network::new(move |asked| match asked.url.as_str() {
        "/account/keys" => Reply::ok(&json!({ "data": [
            restricted(1, "2099-01-01T00:00:00Z", &["frm_t", "frm_gone"]),
            restricted(2, "2026-01-01T00:00:00Z", &["frm_t"]),
            key(3, false),
        ]})),
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/settings/keys");
    wait_until("the keys", || stage.all("tbody tr").len() == 3).await;
    assert_eq!(text_of(&stage, ".page-count"), "2 of 10 active");
    let rows = stage.texts("tbody tr");
    assert!(rows[0].contains("Read-only") && rows[0].contains("2 forms"), "{}", rows[0]);
    assert!(rows[0].contains("Expires in") && rows[0].contains("Revoke Key 1"), "{}", rows[0]);
    assert!(rows[1].contains("1 form") && rows[1].contains("Expired"), "{}", rows[1]);
    assert!(!rows[1].contains("Revoke"), "an expired key cannot be used any more");
    assert!(!rows[2].contains("Read-only") && rows[2].contains("Active"), "{}", rows[2]);
    // The examples use the environment of the key.
    assert!(text_of(&stage, ".section-text").contains("10 active keys"));
    button(&stage, "Examples for Key 3").click();
    wait_until("the examples", || stage.all("dialog[open] .code-text").len() == 2).await;
    let code = text_of(&stage, "dialog[open] .code-text");
    for says in ["SHEAF_KEY='svc_sk_test_…'", "/v1/forms/frm_t/submissions", "Client::new(\"http"]
    {
        assert!(code.contains(says), "{says} in {code}");
    }
    button(&stage, "Done").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
}

#[wasm_bindgen_test]
async fn dialog_stays_open_until_the_secret_is_shown() {
    let _network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/keys") => Reply::ok(&json!({ "data": [key(1, true)] })),
        ("POST", "/account/keys") => created_key().delayed(200),
        _ => answer_as_gateway(asked),
    });
    let stage = open_keys().await;
    press_button(&stage, "Create key").await;
    type_text(&stage.one("dialog[open] input[type=text]"), "Nightly").await;
    press_button(&stage, "Create").await;
    button(&stage, "Cancel").click();
    wait_until("the secret", || text_of(&stage, "dialog[open]").contains(SECRET)).await;
    button(&stage, "Done").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Create key").click();
    wait_until("the form", || !stage.all("dialog[open] input[type=text]").is_empty()).await;
    assert!(!text_of(&stage, "dialog[open]").contains(SECRET));
}

#[wasm_bindgen_test]
async fn eleventh_key_cannot_be_created() {
    let network = Network::new(|asked| match asked.url.as_str() {
        "/account/keys" => {
            let keys: Vec<_> = (0..10).map(|number| key(number, false)).collect();
            Reply::ok(&json!({ "data": keys }))
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_keys().await;
    let create = button(&stage, "Create key");
    assert_eq!(attr(&create, "aria-disabled").as_deref(), Some("true"));
    assert!(stage.text(".notice").contains("Limit of 10 active keys"));
    click(&create).await;
    assert!(stage.all("dialog[open]").is_empty());
    // At the width of a phone the rows are cards that fit the window, with table roles.
    let frame = stage.one(".table-frame");
    web_sys::HtmlElement::style(&frame).set_property("width", "330px").unwrap();
    settle().await;
    assert!(frame.scroll_width() <= frame.client_width(), "the keys scroll sideways");
    assert_eq!(stage.all("tr[role=row] > td[role=cell]").len(), 70);
    assert!(network.requests("/account/keys").iter().all(|asked| asked.method == "GET"));
}

#[wasm_bindgen_test]
async fn revoking_asks_for_confirmation() {
    let revoked = std::rc::Rc::new(Cell::new(false));
    let known = std::rc::Rc::clone(&revoked);
    let _network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/keys") => Reply::ok(&json!({ "data": [key(1, known.get())] })),
        ("DELETE", "/account/keys/key_1") => {
            known.set(true);
            Reply::no_content()
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_keys().await;
    button(&stage, "Revoke Key 1").click();
    wait_until("the confirmation", || text_of(&stage, "dialog[open] h2").contains("Key 1")).await;
    assert!(!revoked.get());
    button(&stage, "Revoke key").click();
    wait_until("the revoked key", || text_of(&stage, "tbody").contains("Revoked")).await;
    assert!(revoked.get());
    wait_until("the restored focus", || document().active_element().unwrap().tag_name() != "BODY")
        .await;
}
