//! Account settings: listing and ending sessions, and changing the password and the email address.

use std::cell::Cell;
use std::rc::Rc;

use leptos::wasm_bindgen::JsCast;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlInputElement;

use super::{
    answer_as_foreign_gateway, answer_as_gateway, button, confirm_password, open_dashboard,
    press_button, session_with, text_of, wait_for_text, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, settle, type_into, type_text};

fn session(number: u32, is_current: bool) -> Value {
    json!({
        "id": format!("ses_{number}"), "current": is_current,
        "client": { "browser": format!("Browser {number}"), "device": "mobile" },
        "created_at": "2026-03-01T00:00:00Z", "last_used_at": "2026-03-01T00:01:00Z",
    })
}

fn access_reply(sessions: &[Value], has_password: bool) -> Reply {
    Reply::ok(&json!({ "data": { "sessions": sessions, "has_password": has_password } }))
}

/// Opens the settings, and waits for this number of password fields.
async fn open_passwords(count: usize) -> Stage {
    let stage = open_dashboard("/settings/account");
    wait_until("the form", || stage.all("input[type=password]").len() == count).await;
    stage
}

/// Returns a network with two sessions. The second one can be ended.
fn network_with_two_sessions() -> Network {
    let is_ended = Cell::new(false);
    Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") if is_ended.get() => access_reply(&[session(1, true)], true),
        ("GET", "/sessions") => access_reply(&[session(1, true), session(2, false)], true),
        ("DELETE", "/sessions/ses_2") => {
            is_ended.set(true);
            Reply::no_content()
        }
        _ => answer_as_gateway(asked),
    })
}

#[wasm_bindgen_test]
async fn other_session_can_be_ended() {
    let network = network_with_two_sessions();
    let stage = open_dashboard("/settings/account");
    wait_until("the sign-ins", || stage.all("tbody tr").len() == 2).await;
    assert!(text_of(&stage, "tbody").contains("Browser 2, Mobile"));
    assert_eq!(stage.all("tbody button").len(), 1, "the current session can be ended");
    assert!(stage.all("tbody tr")[0].inner_text().contains("This device"));
    button(&stage, "Sign out Browser 2, Mobile").click();
    wait_until("the remaining session", || stage.all("tbody tr").len() == 1).await;
    settle().await;
    let all = stage.all("main button");
    assert!(
        !all.iter().any(|one| one.inner_text().contains("other sessions")),
        "there is no other session to end"
    );
    assert_eq!(network.requests("/sessions/ses_2").len(), 1);
}

#[wasm_bindgen_test]
async fn ended_session_keeps_typed_text() {
    let _network = network_with_two_sessions();
    let stage = open_passwords(2).await;
    type_text(&stage.all("input[type=password]")[1], "plain old stapler").await;
    button(&stage, "Sign out Browser 2, Mobile").click();
    wait_until("the remaining session", || stage.all("tbody tr").len() == 1).await;
    let field: HtmlInputElement = stage.all("input[type=password]")[1].clone().unchecked_into();
    assert_eq!(field.value(), "plain old stapler");
}

#[wasm_bindgen_test]
async fn password_change_sends_current_password() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(&[session(1, true)], true),
        ("PUT", "/password") if asked.body.contains("wrong") => {
            Reply::error(403, "forbidden", "the current password is incorrect")
        }
        ("PUT", "/password") => Reply::no_content(),
        _ => answer_as_gateway(asked),
    });
    let stage = open_passwords(2).await;
    let fill = |current: &str, new: &str| {
        let fields = stage.all("input[type=password]");
        type_into(&fields[0], current);
        type_into(&fields[1], new);
    };
    fill("old stapler here", "short");
    settle().await;
    press_button(&stage, "Change password").await;
    assert!(text_of(&stage, "main form").contains("at least 12 characters"));
    assert!(network.requests("/password").is_empty(), "a short password was sent");

    fill("wrong stapler", "plain old stapler");
    settle().await;
    button(&stage, "Change password").click();
    wait_for_text(&stage, "main form", "password is incorrect").await;
    fill("old stapler here", "plain old stapler");
    settle().await;
    button(&stage, "Change password").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Password saved")).await;
    let sent = network.requests("/password").pop().unwrap().body;
    assert_eq!(sent, r#"{"current":"old stapler here","new":"plain old stapler"}"#);
}

#[wasm_bindgen_test]
async fn email_change_requires_password() {
    let is_proven = Rc::new(Cell::new(false));
    let is_set = Rc::new(Cell::new(false));
    let proven = Rc::clone(&is_proven);
    let set = Rc::clone(&is_set);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") if set.get() => session_with(&json!({ "email": "new@example.org" })),
        ("GET", "/sessions") => access_reply(&[session(1, true)], true),
        ("PUT", "/account/email") if !proven.get() => Reply::needs("password"),
        ("PUT", "/account/email") if asked.body.contains("taken") => {
            Reply::error(409, "validation_error", "somebody has this address")
        }
        ("PUT", "/account/email") => {
            set.set(true);
            Reply::no_content()
        }
        ("POST", "/session/proof") => {
            proven.set(true);
            Reply::no_content()
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/settings/account");
    let says = |text: &str| text_of(&stage, "main").contains(text);
    wait_until("the address", || says("You sign in as owner@example.org.")).await;
    let change = |to: &str| {
        type_into(&stage.one("main input[type=email]"), to);
        button(&stage, "Change email").click();
    };
    for (wrong, why) in
        [("nobody", "Enter an email address"), (" owner@example.org", "already your address")]
    {
        change(wrong);
        settle().await;
        assert!(says(why), "{wrong}");
    }
    assert!(network.requests("/account/email").is_empty());
    change("taken@example.org");
    confirm_password(&stage).await;
    wait_until("the error", || says("Somebody has this address")).await;
    change(" new@example.org ");
    wait_until("the new one", || says("You sign in as new@example.org.")).await;
    assert!(text_of(&stage, ".toasts").contains("Email changed"));
    let body = network.requests("/account/email").pop().unwrap().body;
    assert_eq!(body, r#"{"email":"new@example.org"}"#);
}

#[wasm_bindgen_test]
async fn new_email_is_confirmed_by_code() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(&[session(1, true)], true),
        ("PUT", "/account/email") if asked.body.contains("01234567") => Reply::no_content(),
        ("PUT", "/account/email") if asked.body.contains("code") => {
            Reply::error(403, "forbidden", "the code is wrong")
        }
        ("PUT", "/account/email") => Reply::json(202, &json!(null)),
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/settings/account");
    let says = |text: &str| text_of(&stage, "main").contains(text);
    wait_until("the address", || says("You sign in as owner@example.org.")).await;
    let press = || button(&stage, "Change email").click();
    type_into(&stage.one("main input[type=email]"), "new@example.org");
    press();
    wait_until("the field", || says("We sent a code to new@example.org.")).await;
    let press_with = |code: &str| {
        type_into(&stage.one("main input[name=code]"), code);
        button(&stage, "Change email").click();
    };
    press_with("");
    wait_until("the missing code", || says("Enter the code from the email")).await;
    press_with("7");
    wait_until("the wrong code", || says("The code is wrong")).await;
    press_with(" 01234567 ");
    wait_until("the end", || text_of(&stage, ".toasts").contains("Email changed")).await;
    assert!(stage.all("main input[name=code]").is_empty());
    let bodies: Vec<_> =
        network.requests("/account/email").into_iter().map(|asked| asked.body).collect();
    let expected = [
        r#"{"email":"new@example.org"}"#,
        r#"{"email":"new@example.org","code":"7"}"#,
        r#"{"email":"new@example.org","code":"01234567"}"#,
    ];
    assert_eq!(bodies, expected);
    // Another address needs another code.
    type_into(&stage.one("main input[type=email]"), "new@example.org");
    press();
    wait_until("the field", || !stage.all("main input[name=code]").is_empty()).await;
    type_into(&stage.one("main input[type=email]"), "newer@example.org");
    wait_until("the hidden field", || stage.all("main input[name=code]").is_empty()).await;
}

#[wasm_bindgen_test]
async fn first_password_needs_no_current_password() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(&[session(1, true)], false),
        ("PUT", "/password") => Reply::no_content(),
        _ => answer_as_gateway(asked),
    });
    let stage = open_passwords(1).await;
    type_text(&stage.one("input[type=password]"), "plain old stapler").await;
    button(&stage, "Set password").click();
    wait_until("the request", || !network.requests("/password").is_empty()).await;
    assert_eq!(network.requests("/password")[0].body, r#"{"new":"plain old stapler"}"#);
}

#[wasm_bindgen_test]
async fn password_is_reset_after_sign_in_by_link() {
    let is_late = Rc::new(Cell::new(true));
    let late = Rc::clone(&is_late);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => Reply::ok(&json!({
            "data": { "sessions": [], "has_password": true, "can_reset_password": true },
        })),
        ("PUT", "/password") if late.get() => {
            Reply::error(403, "forbidden", "the current password is incorrect")
        }
        ("PUT", "/password") => Reply::no_content(),
        _ => answer_as_gateway(asked),
    });
    let stage = open_passwords(1).await;
    type_into(&stage.one("input[type=password]"), "plain old stapler");
    button(&stage, "Change password").click();
    wait_until("the field", || stage.all("input[type=password]").len() == 2).await;
    assert!(text_of(&stage, "main").contains("More than 5 minutes have passed"));
    is_late.set(false);
    let fields = stage.all("input[type=password]");
    assert_eq!(attr(&fields[0], "name").as_deref(), Some("current-password"));
    type_into(&fields[0], "another stapler");
    button(&stage, "Change password").click();
    wait_until("the request", || network.requests("/password").len() == 2).await;
    let sent: Vec<_> =
        network.requests("/password").iter().map(|asked| asked.body.clone()).collect();
    let second = r#"{"current":"another stapler","new":"plain old stapler"}"#;
    assert_eq!(sent, [r#"{"new":"plain old stapler"}"#, second]);
}

/// Returns the check box of the e-mails about mentions.
fn mention_box(stage: &Stage) -> Option<HtmlInputElement> {
    let mut labels = stage.all("label").into_iter();
    let label = labels.find(|it| it.inner_text().contains("when someone mentions me"))?;
    Some(label.query_selector("input").unwrap()?.unchecked_into())
}

#[wasm_bindgen_test]
async fn emails_about_mentions_are_disabled() {
    let is_failing = Rc::new(Cell::new(true));
    let failing = Rc::clone(&is_failing);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(&[session(1, true)], true),
        ("PUT", "/account/preferences") if failing.get() => {
            Reply::error(500, "internal", "the disk is full")
        }
        ("PUT", "/account/preferences") => {
            Reply::ok(&json!({ "data": { "mention_emails": false } }))
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/settings/account");
    wait_until("the setting", || mention_box(&stage).is_some()).await;
    let check = mention_box(&stage).unwrap();
    assert!(check.checked());
    check.click();
    wait_until("the error", || text_of(&stage, ".toasts").contains("The disk is full")).await;
    settle().await;
    assert!(check.checked(), "a change that was not saved is reverted");
    is_failing.set(false);
    check.click();
    wait_until("the request", || network.requests("/account/preferences").len() == 3).await;
    settle().await;
    assert!(!check.checked());
    let sent = network.requests("/account/preferences").pop().unwrap();
    assert_eq!(sent.body, r#"{"mention_emails":false}"#);
}

#[wasm_bindgen_test]
async fn server_without_triage_has_no_mention_setting() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(&[session(1, true)], true),
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = open_dashboard("/settings/account");
    wait_until("the sign-ins", || stage.all("tbody tr").len() == 1).await;
    settle().await;
    assert!(mention_box(&stage).is_none());
    assert!(network.requests("/account/preferences").is_empty());
}
