//! Members: adding, changing and removing them, the views of a reader and of an editor, and
//! confirmation by password.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::deletion::spam_commands;
use super::{
    answer_as_gateway, button, merged, open_dashboard, open_rows, open_submission, password_field,
    press_button, session, session_with, text_of, wait_for_text, wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{
    Stage, attr, is_focused, press_key, settle, type_into, type_key, type_text, value, wait,
};

const TOKEN: &str = "mZ2f0Jb1sT8c5Xv9QeW3rY6uIaLkPnHdGoVxCqBzKj4";

/// Answers like the gateway of a reader.
fn answer_as_reader_gateway(asked: &RecordedRequest) -> Reply {
    answer_for_role(asked, "reader")
}

pub(super) fn answer_for_role(asked: &RecordedRequest, role: &str) -> Reply {
    match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") => session_with(&json!({ "role": role, "email": "them@example.org" })),
        _ => answer_as_gateway(asked),
    }
}

pub(super) fn button_names(stage: &Stage, selector: &str) -> Vec<String> {
    let name = |one: &web_sys::HtmlElement| {
        attr(one, "aria-label").or_else(|| one.text_content()).unwrap_or_default()
    };
    stage.all(selector).iter().map(|one| name(one).trim().to_owned()).collect()
}

pub(super) fn has_control(stage: &Stage, word: &str) -> bool {
    button_names(stage, "button, a").iter().any(|name| name.contains(word))
}

#[wasm_bindgen_test]
async fn reader_cannot_change_submissions() {
    let network = Network::new(answer_as_reader_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    assert!(has_control(&stage, "Export") && has_control(&stage, "Insights"));
    for word in ["Settings", "API keys"] {
        assert!(!has_control(&stage, word), "{word}: {:?}", button_names(&stage, "button, a"));
    }
    let row = stage.all(".grid-track .grid-row").remove(0);
    press_key(&row, "x");
    wait_until("the selection", || !stage.all(".selection").is_empty()).await;
    assert!(has_control(&stage, "Export selection") && !has_control(&stage, "Delete"));
    type_key(&row, "#").await;
    assert!(stage.all("dialog[open]").is_empty(), "the delete key opened a dialog");
    assert!(!has_control(&stage, "spam") && spam_commands(&stage).await.is_empty());
    wait(10_000).await;
    assert!(network.requests("/webhooks").is_empty(), "the notice is for owners");
    drop(stage);

    let stage = open_submission("/live/forms/frm_1/submissions/sub_3").await;
    assert!(has_control(&stage, "Print") && !has_control(&stage, "Delete"));
    assert!(button_names(&stage, "button").contains(&"Copy".to_owned()));
    assert!(network.requests("").iter().all(|asked| asked.method == "GET"));
}

#[wasm_bindgen_test]
async fn reader_cannot_change_settings() {
    let network = Network::new(|asked| match asked.url.as_str() {
        "/sessions" => access_reply(),
        _ => answer_as_reader_gateway(asked),
    });
    let stage = open_dashboard("/settings/forms");
    wait_until("the forms", || stage.all("tbody tr").len() == 2).await;
    for word in ["Create form", "Rename", "Settings"] {
        assert!(!has_control(&stage, word), "{word}: {:?}", button_names(&stage, "button, a"));
    }
    drop(stage);
    for path in ["keys", "activity", "fields", "notifications", "webhooks"] {
        let of_account = ["keys", "activity"].contains(&path);
        let folder = if of_account { "/settings" } else { "/live/forms/frm_1/settings" };
        let stage = open_dashboard(&format!("{folder}/{path}"));
        wait_until("the message", || !stage.all(".empty").is_empty()).await;
        assert_eq!(text_of(&stage, ".empty-title"), "Owner only", "{path}");
        assert!(stage.all("main input, .tab").is_empty(), "{path}");
    }
    let before = network.requests("/account/triage").len();
    let stage = open_account("Password").await;
    settle().await;
    assert!(!text_of(&stage, "main").contains("Add member"));
    assert!(!text_of(&stage, ".section-title").contains("Statuses and tags"));
    assert_eq!(network.requests("/account/triage").len(), before);
    for owners in ["/account/keys", "/account/audit", "/people", "/notifications", "/webhooks"] {
        assert!(network.requests(owners).is_empty(), "{owners}");
    }
}

pub(super) fn person(number: u32, role: &str) -> Value {
    json!({
        "id": format!("psn_{number}"), "email": format!("{role}{number}@example.org"),
        "role": role, "has_password": false, "created_at": "2026-03-01T00:00:00Z",
    })
}

fn people_reply(people: &[Value]) -> Reply {
    Reply::ok(&json!({ "data": people }))
}

/// Returns the reply to adding a reader: a sign-in link, and other members of the body.
fn invitation_reply(others: &Value) -> Reply {
    let end = "2026-03-02T00:00:00Z";
    let body = json!({ "data": person(2, "reader"), "token": TOKEN, "expires_at": end });
    Reply::json(201, &merged(body, others))
}

/// Opens the account settings, and waits until they show `text`.
pub(super) async fn open_account(text: &str) -> Stage {
    let stage = open_dashboard("/settings/account");
    wait_for_text(&stage, "main", text).await;
    stage
}

/// Gives the address of a new member in the open dialog.
async fn add_member(stage: &Stage, email: &str) {
    type_text(&stage.one("dialog[open] input:not([type=radio])"), email).await;
    button(stage, "Add").click();
}

pub(super) fn access_reply() -> Reply {
    Reply::ok(&json!({ "data": { "sessions": [], "has_password": true } }))
}

#[wasm_bindgen_test]
async fn mailed_invitation_is_confirmed() {
    let is_mailed = Rc::new(Cell::new(true));
    let mailed = Rc::clone(&is_mailed);
    let _network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") => Reply::ok(&merged(session(), &json!({ "email_links": true }))),
        ("GET", "/sessions") => access_reply(),
        ("GET", "/people") => people_reply(&[person(1, "owner"), person(2, "reader")]),
        ("POST", "/people" | "/people/psn_2/link") => {
            invitation_reply(&json!({ "mailed": mailed.get() }))
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_account("reader2@example.org").await;
    press_button(&stage, "Add member").await;
    assert!(text_of(&stage, "dialog[open]").contains("We send a sign-in link to this address"));
    add_member(&stage, "reader2@example.org").await;
    let link = format!("/sign-in#token={TOKEN}");
    wait_until("the link", || text_of(&stage, "dialog[open] .code-text").ends_with(&link)).await;
    let notice = stage.text("dialog[open] .notice");
    assert!(notice.contains("We sent the link to reader2@example.org"), "{notice}");
    press_button(&stage, "Done").await;
    is_mailed.set(false);
    button(&stage, "Create link for reader2@example.org").click();
    wait_until("the link", || text_of(&stage, "dialog[open] .code-text").ends_with(&link)).await;
    let notice = stage.text("dialog[open] .notice");
    assert!(notice.contains("share it securely") && !notice.contains("We sent"), "{notice}");
}

#[wasm_bindgen_test]
async fn owner_adds_reader_and_sees_link_once() {
    let is_added = Rc::new(Cell::new(false));
    let added = Rc::clone(&is_added);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(),
        ("GET", "/people") => {
            let mut all = vec![person(1, "owner")];
            all.extend(added.get().then(|| person(2, "reader")));
            people_reply(&all)
        }
        ("POST", "/people") => {
            added.set(true);
            invitation_reply(&json!({}))
        }
        ("DELETE", "/people/psn_2") => {
            added.set(false);
            Reply::no_content()
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_account("owner1@example.org").await;
    assert!(!has_control(&stage, "Remove"), "an owner cannot be removed");
    press_button(&stage, "Add member").await;
    press_button(&stage, "Add").await;
    assert!(text_of(&stage, "dialog[open]").contains("Enter an email address"));
    add_member(&stage, "reader2@example.org").await;
    let link = format!("/sign-in#token={TOKEN}");
    wait_until("the link", || text_of(&stage, "dialog[open] .code-text").ends_with(&link)).await;
    button(&stage, "Done").click();
    wait_until("the reader", || text_of(&stage, "main").contains("reader2@example.org")).await;
    settle().await;
    let page = document().document_element().unwrap().text_content().unwrap();
    assert!(!page.contains(TOKEN), "the link outlived its dialog");
    let posted = network.sent("POST", "/people").remove(0);
    assert_eq!(posted.body, r#"{"email":"reader2@example.org","role":"reader"}"#);

    press_button(&stage, "Remove reader2@example.org").await;
    button(&stage, "Remove member").click();
    wait_until("the removed reader", || !text_of(&stage, "main").contains("reader2@example.org"))
        .await;
}

#[wasm_bindgen_test]
async fn link_of_a_closed_dialog_is_never_shown() {
    let _network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(),
        ("GET", "/people") => people_reply(&[person(1, "owner")]),
        ("POST", "/people") => invitation_reply(&json!({})).delayed(1_000),
        _ => answer_as_gateway(asked),
    });
    let stage = open_account("owner1@example.org").await;
    press_button(&stage, "Add member").await;
    add_member(&stage, "reader2@example.org").await;
    settle().await;
    press_button(&stage, "Cancel").await;
    press_button(&stage, "Add member").await;
    type_into(&stage.one("dialog[open] input:not([type=radio])"), "reader3@example.org");
    wait(2_000).await;
    assert!(!text_of(&stage, "dialog[open]").contains(TOKEN));
    let email = value(&stage.one("dialog[open] input:not([type=radio])"));
    assert_eq!(email, "reader3@example.org");
}

/// With a proxy, sign-in links do not work. The owner is shown the command that links the reader's
/// identity instead.
#[wasm_bindgen_test]
async fn proxy_owner_sees_link_identity_command() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") => {
            let known = json!({ "issuer": "header:x-auth-email", "subject": "owner" });
            session_with(&json!({ "known": known }))
        }
        ("GET", "/sessions") => access_reply(),
        ("GET", "/people") => people_reply(&[person(1, "owner"), person(2, "reader")]),
        ("POST", "/people") => Reply::json(201, &json!({ "data": person(3, "reader") })),
        _ => answer_as_gateway(asked),
    });
    let stage = open_account("reader2@example.org").await;
    assert!(text_of(&stage, "main").contains("Your organisation manages sign-in"));
    assert!(!has_control(&stage, "Create link") && !text_of(&stage, "main").contains("assword"));
    assert!(stage.all("input[type=password]").is_empty());
    press_button(&stage, "Add member").await;
    assert!(!text_of(&stage, "dialog[open]").contains("link"), "the dialog mentions a link");
    add_member(&stage, "reader3@example.org").await;
    let command = |email: &str| {
        format!(
            "sheaf account link-identity --account {email} --issuer header:x-auth-email \
             --subject SIGN-IN-NAME"
        )
    };
    let code = || text_of(&stage, "dialog[open] .code-text");
    wait_until("the command", || code() == command("reader3@example.org")).await;
    assert!(!text_of(&stage, "dialog[open]").contains("/sign-in#"));
    press_button(&stage, "Done").await;
    // The same for an existing reader, without a request.
    button(&stage, "Show instructions for reader2@example.org").click();
    wait_until("the command", || code() == command("reader2@example.org")).await;
    assert!(network.requests("/people/psn_2/link").is_empty());
}

/// Returns a gateway that creates a key only after the password was confirmed.
fn gateway_with_confirmation(is_proven: Rc<Cell<bool>>) -> impl Fn(&RecordedRequest) -> Reply {
    move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/keys") => Reply::ok(&json!({ "data": [] })),
        ("POST", "/account/keys") if is_proven.get() => {
            let key = json!({
                "id": "key_1", "name": "Nightly", "mode": "live", "prefix": "svc_sk_live_",
                "last4": "wxyz", "created_at": "2026-03-01T00:00:00Z", "last_used_at": null,
                "revoked_at": null,
            });
            Reply::json(201, &json!({ "data": key, "secret": "svc_sk_live_secret" }))
        }
        ("POST", "/account/keys") => Reply::needs("password"),
        ("POST", "/session/proof") if asked.body.contains("wrong") => {
            Reply::error(403, "forbidden", "the password is incorrect")
        }
        ("POST", "/session/proof") => {
            is_proven.set(true);
            Reply::no_content()
        }
        _ => answer_as_gateway(asked),
    }
}

/// Opens the keys page, and fills in the dialog that creates a key.
async fn open_key_dialog() -> Stage {
    let stage = open_dashboard("/settings/keys");
    wait_until("the page", || has_control(&stage, "Create key")).await;
    press_button(&stage, "Create key").await;
    type_text(&stage.one("dialog[open] input[type=text]"), "Nightly").await;
    stage
}

async fn open_password_dialog() -> Stage {
    let stage = open_key_dialog().await;
    let create = button(&stage, "Create");
    create.focus().unwrap();
    create.click();
    password_field(&stage).await;
    stage
}

#[wasm_bindgen_test]
async fn password_dialog_can_be_cancelled_and_resumes_the_action() {
    let network = Network::new(gateway_with_confirmation(Rc::new(Cell::new(false))));
    let stage = open_password_dialog().await;
    let question = stage.all("dialog[open]").pop().unwrap();
    let cancel = web_sys::Event::new("cancel").unwrap();
    question.dispatch_event(&cancel).unwrap();
    wait_until("the closed dialog", || stage.all("dialog[open]").len() == 1).await;
    wait_for_text(&stage, "dialog[open]", "Enter your password to continue").await;
    assert!(is_focused(&button(&stage, "Create")), "the focus was not restored");
    assert!(network.requests("/session/proof").is_empty());
    // The next attempt asks for the password again.
    button(&stage, "Create").click();
    let field = password_field(&stage).await;
    wait_until("the focus", || is_focused(&field)).await;
    assert_eq!(attr(&field, "autocomplete").as_deref(), Some("current-password"));
    type_text(&field, "the wrong one").await;
    button(&stage, "Continue").click();
    wait_for_text(&stage, "dialog[open]", "Incorrect password").await;
    assert_eq!(
        network.requests("/account/keys").len(),
        3,
        "the key was requested again without the password"
    );
    type_text(&field, "a walrus in winter").await;
    button(&stage, "Continue").click();
    wait_for_text(&stage, "dialog[open]", "svc_sk_live_secret").await;
    assert!(stage.all("input[type=password]").is_empty(), "the password field is still there");
    let sent = network.requests("/session/proof").pop().unwrap().body;
    assert_eq!(sent, r#"{"password":"a walrus in winter"}"#);
}

#[wasm_bindgen_test]
async fn account_without_password_needs_new_sign_in() {
    let _network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/keys") => Reply::ok(&json!({ "data": [] })),
        ("POST", "/account/keys") => Reply::needs("sign_in"),
        _ => answer_as_gateway(asked),
    });
    let stage = open_key_dialog().await;
    button(&stage, "Create").click();
    wait_for_text(&stage, "dialog[open]", "This needs a recent sign-in").await;
    assert!(stage.all("input[type=password]").is_empty());
}
