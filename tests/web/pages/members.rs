//! Members: adding and removing readers, the view of a reader, and confirmation by password.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{button, gateway, open, session, shown, until};
use crate::network::{Asked, Network, Reply};
use crate::stage::{Stage, attr, focused, press, settle, type_into};

const TOKEN: &str = "mZ2f0Jb1sT8c5Xv9QeW3rY6uIaLkPnHdGoVxCqBzKj4";

/// Answers like the gateway of a reader.
fn for_reader(asked: &Asked) -> Reply {
    if asked.method == "GET" && asked.url == "/session" {
        let mut session = session();
        session["data"]["role"] = "reader".into();
        session["data"]["email"] = "them@example.org".into();
        return Reply::ok(&session);
    }
    gateway(asked)
}

fn names(stage: &Stage, selector: &str) -> Vec<String> {
    let name = |one: &web_sys::HtmlElement| {
        attr(one, "aria-label").or_else(|| one.text_content()).unwrap_or_default()
    };
    stage.all(selector).iter().map(|one| name(one).trim().to_owned()).collect()
}

fn has(stage: &Stage, word: &str) -> bool {
    names(stage, "button, a").iter().any(|name| name.contains(word))
}

#[wasm_bindgen_test]
async fn reader_cannot_change_submissions() {
    let network = Network::new(for_reader);
    let stage = open("/live/forms/frm_1");
    until("the rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert!(has(&stage, "Export") && has(&stage, "Insights"));
    for word in ["Settings", "API keys"] {
        assert!(!has(&stage, word), "{word}: {:?}", names(&stage, "button, a"));
    }
    let row = stage.all(".grid-track .grid-row").remove(0);
    press(&row, "x");
    until("the selection", || !stage.all(".selection").is_empty()).await;
    assert!(has(&stage, "Export selection") && !has(&stage, "Delete"));
    press(&row, "#");
    settle().await;
    assert!(stage.all("dialog[open]").is_empty(), "the delete key opened a dialog");
    drop(stage);

    let stage = open("/live/forms/frm_1/submissions/sub_3");
    until("the card", || !stage.all(".answers-text").is_empty()).await;
    assert!(has(&stage, "Print") && !has(&stage, "Delete"));
    assert!(names(&stage, "button").contains(&"Copy".to_owned()));
    assert!(network.asked("").iter().all(|asked| asked.method == "GET"));
}

#[wasm_bindgen_test]
async fn reader_cannot_change_settings() {
    let network = Network::new(|asked| match asked.url.as_str() {
        "/sessions" => access(),
        _ => for_reader(asked),
    });
    let stage = open("/settings/forms");
    until("the forms", || stage.all("tbody tr").len() == 2).await;
    for word in ["Create form", "Rename", "Settings"] {
        assert!(!has(&stage, word), "{word}: {:?}", names(&stage, "button, a"));
    }
    drop(stage);
    for path in ["/settings/keys", "/settings/activity", "/live/forms/frm_1/settings/fields"] {
        let stage = open(path);
        until("the message", || !stage.all(".empty").is_empty()).await;
        assert_eq!(shown(&stage, ".empty-title"), "Owner only", "{path}");
        assert!(stage.all("main input").is_empty(), "{path}");
    }
    let stage = open("/settings/account");
    until("the password", || shown(&stage, "main").contains("Password")).await;
    assert!(!shown(&stage, "main").contains("Add reader"));
    for owners in ["/account/keys", "/account/audit", "/people"] {
        assert!(network.asked(owners).is_empty(), "{owners}");
    }
}

fn person(number: u32, role: &str) -> Value {
    json!({
        "id": format!("psn_{number}"), "email": format!("{role}{number}@example.org"),
        "role": role, "has_password": false, "created_at": "2026-03-01T00:00:00Z",
    })
}

fn access() -> Reply {
    Reply::ok(&json!({ "data": { "sessions": [], "has_password": true } }))
}

#[wasm_bindgen_test]
async fn owner_adds_reader_and_sees_link_once() {
    let is_added = Rc::new(Cell::new(false));
    let added = Rc::clone(&is_added);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access(),
        ("GET", "/people") => {
            let mut all = vec![person(1, "owner")];
            all.extend(added.get().then(|| person(2, "reader")));
            Reply::ok(&json!({ "data": all }))
        }
        ("POST", "/people") => {
            added.set(true);
            let data = person(2, "reader");
            let end = "2026-03-02T00:00:00Z";
            Reply::json(201, &json!({ "data": data, "token": TOKEN, "expires_at": end }))
        }
        ("DELETE", "/people/psn_2") => {
            added.set(false);
            Reply::none()
        }
        _ => gateway(asked),
    });
    let stage = open("/settings/account");
    until("the owner", || shown(&stage, "main").contains("owner1@example.org")).await;
    assert!(!has(&stage, "Remove"), "an owner cannot be removed");
    button(&stage, "Add reader").click();
    settle().await;
    button(&stage, "Add").click();
    settle().await;
    assert!(shown(&stage, "dialog[open]").contains("Enter an email address"));
    type_into(&stage.one("dialog[open] input"), "reader2@example.org");
    settle().await;
    button(&stage, "Add").click();
    let link = format!("/sign-in#token={TOKEN}");
    until("the link", || shown(&stage, "dialog[open] .code-text").ends_with(&link)).await;
    button(&stage, "Done").click();
    until("the reader", || shown(&stage, "main").contains("reader2@example.org")).await;
    settle().await;
    let page = document().document_element().unwrap().text_content().unwrap();
    assert!(!page.contains(TOKEN), "the link outlived its dialog");
    let posted = network.asked("/people").into_iter().find(|asked| asked.method == "POST");
    assert_eq!(posted.unwrap().body, r#"{"email":"reader2@example.org"}"#);

    button(&stage, "Remove reader2@example.org").click();
    settle().await;
    button(&stage, "Remove reader").click();
    until("the removed reader", || !shown(&stage, "main").contains("reader2@example.org")).await;
}

/// With a proxy, sign-in links do not work. The owner is shown the command that links the reader's
/// identity instead.
#[wasm_bindgen_test]
async fn proxy_owner_sees_link_identity_command() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") => {
            let mut session = session();
            session["data"]["known"] =
                json!({ "issuer": "header:x-auth-email", "subject": "owner" });
            Reply::ok(&session)
        }
        ("GET", "/sessions") => access(),
        ("GET", "/people") => {
            Reply::ok(&json!({ "data": [person(1, "owner"), person(2, "reader")] }))
        }
        ("POST", "/people") => Reply::json(201, &json!({ "data": person(3, "reader") })),
        _ => gateway(asked),
    });
    let stage = open("/settings/account");
    until("the members", || shown(&stage, "main").contains("reader2@example.org")).await;
    assert!(shown(&stage, "main").contains("Your organisation manages sign-in"));
    assert!(!has(&stage, "Create link") && !shown(&stage, "main").contains("assword"));
    button(&stage, "Add reader").click();
    settle().await;
    assert!(!shown(&stage, "dialog[open]").contains("link"), "the dialog mentions a link");
    type_into(&stage.one("dialog[open] input"), "reader3@example.org");
    settle().await;
    button(&stage, "Add").click();
    let command = |email: &str| {
        format!(
            "sheaf account link-identity --account {email} --issuer header:x-auth-email \
             --subject SIGN-IN-NAME"
        )
    };
    let code = || shown(&stage, "dialog[open] .code-text");
    until("the command", || code() == command("reader3@example.org")).await;
    assert!(!shown(&stage, "dialog[open]").contains("/sign-in#"));
    button(&stage, "Done").click();
    settle().await;
    // The same for an existing reader, without a request.
    button(&stage, "Show instructions for reader2@example.org").click();
    until("the command", || code() == command("reader2@example.org")).await;
    assert!(network.asked("/people/psn_2/link").is_empty());
}

/// Returns a gateway that creates a key only after the password was confirmed.
fn guarded(is_proven: Rc<Cell<bool>>) -> impl Fn(&Asked) -> Reply {
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
        ("POST", "/account/keys") => Reply::json(
            403,
            &json!({ "error": "forbidden", "message": "prove it", "needs": "password" }),
        ),
        ("POST", "/session/proof") if asked.body.contains("wrong") => {
            Reply::error(403, "forbidden", "the password is incorrect")
        }
        ("POST", "/session/proof") => {
            is_proven.set(true);
            Reply::none()
        }
        _ => gateway(asked),
    }
}

async fn asked_for_the_password() -> Stage {
    let stage = open("/settings/keys");
    until("the page", || has(&stage, "Create key")).await;
    button(&stage, "Create key").click();
    settle().await;
    type_into(&stage.one("dialog[open] input[type=text]"), "Nightly");
    settle().await;
    let create = button(&stage, "Create");
    create.focus().unwrap();
    create.click();
    until("the password dialog", || !stage.all("dialog[open] input[type=password]").is_empty())
        .await;
    stage
}

#[wasm_bindgen_test]
async fn action_resumes_after_password() {
    let is_proven = Rc::new(Cell::new(false));
    let network = Network::new(guarded(Rc::clone(&is_proven)));
    let stage = asked_for_the_password().await;
    let field = stage.one("dialog[open] input[type=password]");
    until("the focus", || focused(&field)).await;
    assert_eq!(attr(&field, "autocomplete").as_deref(), Some("current-password"));
    type_into(&field, "the wrong one");
    settle().await;
    button(&stage, "Continue").click();
    until("the message", || shown(&stage, "dialog[open]").contains("Incorrect password")).await;
    assert_eq!(
        network.asked("/account/keys").len(),
        2,
        "the key was requested again without the password"
    );
    type_into(&field, "a walrus in winter");
    settle().await;
    button(&stage, "Continue").click();
    until("the secret", || shown(&stage, "dialog[open]").contains("svc_sk_live_secret")).await;
    assert!(stage.all("input[type=password]").is_empty(), "the password field is still there");
    let sent = network.asked("/session/proof").pop().unwrap().body;
    assert_eq!(sent, r#"{"password":"a walrus in winter"}"#);
}

#[wasm_bindgen_test]
async fn cancelled_password_dialog_restores_focus() {
    let network = Network::new(guarded(Rc::default()));
    let stage = asked_for_the_password().await;
    let question = stage.all("dialog[open]").pop().unwrap();
    let cancel = web_sys::Event::new("cancel").unwrap();
    question.dispatch_event(&cancel).unwrap();
    until("the closed dialog", || stage.all("dialog[open]").len() == 1).await;
    until("the message", || {
        shown(&stage, "dialog[open]").contains("Enter your password to continue")
    })
    .await;
    assert!(focused(&button(&stage, "Create")), "the focus was not restored");
    assert!(network.asked("/session/proof").is_empty());
    // The next attempt asks for the password again.
    button(&stage, "Create").click();
    until("the password dialog", || !stage.all("dialog[open] input[type=password]").is_empty())
        .await;
}

#[wasm_bindgen_test]
async fn account_without_password_needs_new_sign_in() {
    let _network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/keys") => Reply::ok(&json!({ "data": [] })),
        ("POST", "/account/keys") => Reply::json(
            403,
            &json!({ "error": "forbidden", "message": "sign in", "needs": "sign_in" }),
        ),
        _ => gateway(asked),
    });
    let stage = open("/settings/keys");
    until("the page", || has(&stage, "Create key")).await;
    button(&stage, "Create key").click();
    settle().await;
    type_into(&stage.one("dialog[open] input[type=text]"), "Nightly");
    settle().await;
    button(&stage, "Create").click();
    until("the message", || shown(&stage, "dialog[open]").contains("This needs a recent sign-in"))
        .await;
    assert!(stage.all("input[type=password]").is_empty());
}
