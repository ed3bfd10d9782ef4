//! The account: sign-ins are listed and ended, a password is asked for in full before it is sent.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{button, gateway, open, shown, until};
use crate::network::{Network, Reply};
use crate::stage::{settle, type_into};

fn session(number: u32, is_current: bool) -> Value {
    json!({
        "id": format!("ses_{number}"), "current": is_current,
        "client": { "browser": format!("Browser {number}"), "device": "mobile" },
        "created_at": "2026-03-01T00:00:00Z", "last_used_at": "2026-03-01T00:01:00Z",
    })
}

fn access(sessions: &[Value], has_password: bool) -> Reply {
    Reply::ok(&json!({ "data": { "sessions": sessions, "has_password": has_password } }))
}

#[wasm_bindgen_test]
async fn a_sign_in_is_ended_and_the_own_one_cannot_be() {
    let is_ended = Rc::new(Cell::new(false));
    let ended = Rc::clone(&is_ended);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") if ended.get() => access(&[session(1, true)], true),
        ("GET", "/sessions") => access(&[session(1, true), session(2, false)], true),
        ("DELETE", "/sessions/ses_2") => {
            ended.set(true);
            Reply::none()
        }
        _ => gateway(asked),
    });
    let stage = open("/settings/account");
    until("the sign-ins", || stage.all("tbody tr").len() == 2).await;
    assert!(shown(&stage, "tbody").contains("Browser 2, Mobile"));
    assert_eq!(stage.all("tbody button").len(), 1, "the own one can be ended");
    assert!(stage.all("tbody tr")[0].inner_text().contains("This one"));
    button(&stage, "Sign out Browser 2, Mobile").click();
    until("one is left", || stage.all("tbody tr").len() == 1).await;
    assert!(is_ended.get());
    settle().await;
    let all = stage.all("main button");
    assert!(!all.iter().any(|one| one.inner_text().contains("everywhere")), "there is no other");
    assert_eq!(network.asked("/sessions/ses_2").len(), 1);
}

#[wasm_bindgen_test]
async fn a_password_is_sent_with_the_one_so_far() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access(&[session(1, true)], true),
        ("PUT", "/password") if asked.body.contains("wrong") => {
            Reply::error(403, "forbidden", "this is not the password so far")
        }
        ("PUT", "/password") => Reply::none(),
        _ => gateway(asked),
    });
    let stage = open("/settings/account");
    until("the form", || stage.all("input[type=password]").len() == 2).await;
    let fill = |current: &str, new: &str| {
        let fields = stage.all("input[type=password]");
        type_into(&fields[0], current);
        type_into(&fields[1], new);
    };
    fill("old stapler here", "short");
    settle().await;
    button(&stage, "Change password").click();
    settle().await;
    assert!(shown(&stage, "main form").contains("at least 12 characters"));
    assert!(network.asked("/password").is_empty(), "a short one was sent");

    fill("wrong stapler", "plain old stapler");
    settle().await;
    button(&stage, "Change password").click();
    until("a word", || shown(&stage, "main form").contains("This is not the password")).await;
    fill("old stapler here", "plain old stapler");
    settle().await;
    button(&stage, "Change password").click();
    until("it is set", || shown(&stage, ".toasts").contains("The password is set")).await;
    let sent = network.asked("/password").pop().unwrap().body;
    assert_eq!(sent, r#"{"current":"old stapler here","new":"plain old stapler"}"#);
}

#[wasm_bindgen_test]
async fn the_email_address_is_changed_after_a_proof() {
    let (is_proven, is_set) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let (proven, set) = (Rc::clone(&is_proven), Rc::clone(&is_set));
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") if set.get() => {
            let mut session = super::session();
            session["data"]["email"] = "new@example.org".into();
            Reply::ok(&session)
        }
        ("GET", "/sessions") => access(&[session(1, true)], true),
        ("PUT", "/account/email") if !proven.get() => Reply::json(
            403,
            &json!({ "error": "forbidden", "message": "prove it", "needs": "password" }),
        ),
        ("PUT", "/account/email") if asked.body.contains("taken") => {
            Reply::error(409, "validation_error", "somebody has this address")
        }
        ("PUT", "/account/email") => {
            set.set(true);
            Reply::none()
        }
        ("POST", "/session/proof") => {
            proven.set(true);
            Reply::none()
        }
        _ => gateway(asked),
    });
    let stage = open("/settings/account");
    let says = |text: &str| shown(&stage, "main").contains(text);
    until("the address", || says("You sign in as owner@example.org.")).await;
    let change = |to: &str| {
        type_into(&stage.one("main input[type=email]"), to);
        button(&stage, "Change address").click();
    };
    for (wrong, why) in
        [("nobody", "Give a mail address"), (" owner@example.org", "your address already")]
    {
        change(wrong);
        settle().await;
        assert!(says(why), "{wrong}");
    }
    assert!(network.asked("/account/email").is_empty());
    change("taken@example.org");
    until("the question", || !stage.all("dialog[open] input[type=password]").is_empty()).await;
    type_into(&stage.one("dialog[open] input[type=password]"), "plain old stapler");
    settle().await;
    button(&stage, "Go on").click();
    until("why", || says("Somebody has this address")).await;
    change(" new@example.org ");
    until("the new one", || says("You sign in as new@example.org.")).await;
    assert!(shown(&stage, ".toasts").contains("The address is changed"));
    let body = network.asked("/account/email").pop().unwrap().body;
    assert_eq!(body, r#"{"email":"new@example.org"}"#);
}

#[wasm_bindgen_test]
async fn a_first_password_needs_none_before() {
    let network = Network::new(|asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access(&[session(1, true)], false),
        ("PUT", "/password") => Reply::none(),
        _ => gateway(asked),
    });
    let stage = open("/settings/account");
    until("the form", || stage.all("input[type=password]").len() == 1).await;
    type_into(&stage.one("input[type=password]"), "plain old stapler");
    settle().await;
    button(&stage, "Set password").click();
    until("it is sent", || !network.asked("/password").is_empty()).await;
    assert_eq!(network.asked("/password")[0].body, r#"{"new":"plain old stapler"}"#);
}
