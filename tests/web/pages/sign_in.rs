//! Signing in, signing out, and the return to the previous page.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    address, answer_as_gateway, button, merged, open_dashboard, open_rows, press_button, session,
    session_with, text_of, wait_for_text, wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::type_into;

/// Returns a gateway with a session while `signed_in` is true.
fn gateway_with_session(signed_in: &Rc<Cell<bool>>) -> impl Fn(&RecordedRequest) -> Reply + use<> {
    let signed_in = Rc::clone(signed_in);
    move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("POST", "/session/link") if asked.body.contains("right") => {
            Reply::ok(&json!({ "data": { "email": "owner@example.org" } }))
        }
        ("POST", "/session") if asked.body.contains("right") => {
            signed_in.set(true);
            Reply::ok(&session())
        }
        ("POST", "/session" | "/session/link") => Reply::error(401, "unauthorized", "no"),
        ("DELETE", "/session") => {
            signed_in.set(false);
            Reply::no_content()
        }
        _ if signed_in.get() => answer_as_gateway(asked),
        ("GET", "/session") => Reply::ok(&json!({ "data": null })),
        _ => Reply::error(401, "unauthorized", "sign in first"),
    }
}

fn sign_in(stage: &crate::stage::Stage, password: &str) {
    type_into(&stage.one("input[type=email]"), "owner@example.org");
    type_into(&stage.one("input[type=password]"), password);
    button(stage, "Sign in").click();
}

#[wasm_bindgen_test]
async fn sign_in_returns_to_previous_page() {
    let signed_in = Rc::new(Cell::new(false));
    let _network = Network::new(gateway_with_session(&signed_in));
    let stage = open_dashboard("/live/forms/frm_1?search=needle");
    wait_until("the sign-in", || !stage.all("input[type=password]").is_empty()).await;
    assert_eq!(address(), "/sign-in?next=%2Flive%2Fforms%2Ffrm_1%3Fsearch%3Dneedle");
    wait_until("the note", || text_of(&stage, ".gate-note").contains("sheaf account")).await;
    assert!(!text_of(&stage, "main").contains("Email me"), "this gateway sends no mail");
    sign_in(&stage, "wrong");
    wait_for_text(&stage, "form", "Incorrect email or password").await;
    sign_in(&stage, "right");
    wait_until("the list", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert_eq!(address(), "/live/forms/frm_1?search=needle");
    // The session ends during work.
    signed_in.set(false);
    type_into(&stage.one("input[type=search]"), "other");
    wait_until("the sign-in", || !stage.all("input[type=password]").is_empty()).await;
    assert_eq!(address(), "/sign-in?next=%2Flive%2Fforms%2Ffrm_1%3Fsearch%3Dother");
    let at = || document().active_element().map(|element| element.tag_name());
    wait_until("the focus, at the heading", || at().as_deref() == Some("H1")).await;
    sign_in(&stage, "right");
    wait_until("the list", || address() == "/live/forms/frm_1?search=other").await;
}

#[wasm_bindgen_test]
async fn sign_in_link_asks_for_confirmation() {
    let signed_in = Rc::new(Cell::new(false));
    let network = Network::new(gateway_with_session(&signed_in));
    let stage = open_dashboard("/sign-in#token=right-token");
    wait_until("the confirmation", || text_of(&stage, "h1") == "Sign in as owner@example.org?")
        .await;
    assert_eq!(window().location().hash().unwrap(), "");
    assert!(stage.text(".gate-text").contains("works once"));
    let posted = || -> Vec<String> {
        let posts = network.sent("POST", "/session").into_iter();
        posts.filter(|asked| asked.url == "/session").map(|asked| asked.body).collect()
    };
    assert_eq!(posted(), Vec::<String>::new(), "signed in without confirmation");
    button(&stage, "Sign in").click();
    wait_until("the list", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert_eq!(posted(), [r#"{"token":"right-token"}"#]);
}

#[wasm_bindgen_test]
async fn cancelled_link_changes_nothing() {
    let signed_in = Rc::new(Cell::new(true));
    let network = Network::new(gateway_with_session(&signed_in));
    let stage = open_dashboard("/sign-in#token=right-token");
    wait_until("the confirmation", || text_of(&stage, "h1") == "Sign in as owner@example.org?")
        .await;
    wait_until("the session", || stage.text(".gate-text").contains("already signed in as")).await;
    button(&stage, "Cancel").click();
    wait_until("the list", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert!(network.sent("POST", "/session").iter().all(|asked| asked.url != "/session"));
}

#[wasm_bindgen_test]
async fn used_link_shows_error() {
    let signed_in = Rc::new(Cell::new(false));
    let _network = Network::new(gateway_with_session(&signed_in));
    let stage = open_dashboard("/sign-in#token=old");
    wait_until("the message", || !stage.all(".notice").is_empty()).await;
    assert!(stage.text(".notice").contains("This link was used or has expired"));
    assert_eq!(address(), "/sign-in");
    // A new link opened on this page changes only the fragment.
    window().location().set_hash("token=right-token").unwrap();
    wait_until("the confirmation", || text_of(&stage, "h1").starts_with("Sign in as")).await;
    button(&stage, "Sign in").click();
    wait_until("the first form", || address() == "/live/forms/frm_1").await;
}

#[wasm_bindgen_test]
async fn foreign_return_address_is_ignored() {
    let signed_in = Rc::new(Cell::new(false));
    let _network = Network::new(gateway_with_session(&signed_in));
    let stage = open_dashboard("/sign-in?next=%2F%2Fevil.example");
    wait_until("the form", || !stage.all("input[type=password]").is_empty()).await;
    sign_in(&stage, "right");
    wait_until("the first form", || address() == "/live/forms/frm_1").await;
}

#[wasm_bindgen_test]
async fn sign_out_opens_sign_in_page_and_drops_rows() {
    let signed_in = Rc::new(Cell::new(true));
    let network = Network::new(gateway_with_session(&signed_in));
    let stage = open_rows("/live/forms/frm_1?country=DE").await;
    press_button(&stage, "Account owner@example.org").await;
    button(&stage, "Sign out").click();
    wait_until("the sign-in", || !stage.all("input[type=password]").is_empty()).await;
    wait_until("its address", || address() == "/sign-in").await;
    assert!(!network.sent("DELETE", "/session").is_empty());
    assert!(!signed_in.get());
    sign_in(&stage, "right");
    wait_until("the first form", || address() == "/live/forms/frm_1").await;
    wait_until("its list", || !stage.all(".grid-track .grid-row").is_empty()).await;
    let requests = || network.requests("/submissions?country=DE").len();
    let before = requests();
    window().history().unwrap().back().unwrap();
    wait_until("the address", || address() == "/live/forms/frm_1?country=DE").await;
    wait_until("another request", || requests() > before).await;
}

/// Returns a gateway without a session that sends sign-in links by email.
fn gateway_with_mail(asked: &RecordedRequest) -> Reply {
    match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") => Reply::ok(&json!({ "data": null, "email_links": true })),
        ("POST", "/session/email-link") if asked.body.contains("often") => Reply::too_many(60),
        ("POST", "/session/email-link") => Reply::no_content(),
        _ => Reply::error(401, "unauthorized", "sign in first"),
    }
}

#[wasm_bindgen_test]
async fn sign_in_link_is_requested_by_email() {
    let network = Network::new(gateway_with_mail);
    let stage = open_dashboard("/sign-in");
    wait_until("the button", || text_of(&stage, "main").contains("Email me")).await;
    assert!(!text_of(&stage, "main").contains("sheaf account"));
    type_into(&stage.one("input[type=email]"), " owner@example.org ");
    button(&stage, "Email me a sign-in link").click();
    wait_until("the form", || text_of(&stage, "h1") == "Sign in by email").await;
    let at = || document().active_element().map(|element| element.tag_name());
    wait_until("the focus, at the heading", || at().as_deref() == Some("H1")).await;
    assert!(stage.all("input[type=password]").is_empty());
    assert_eq!(stage.text("form [role=status]"), "");
    button(&stage, "Send link").click();
    wait_until("the message", || stage.text("form [role=status]").contains("If there is a member"))
        .await;
    let sent = network.requests("/session/email-link").pop().unwrap();
    assert_eq!(sent.body, r#"{"email":"owner@example.org"}"#);
    button(&stage, "Back to sign-in").click();
    wait_until("the sign-in", || !stage.all("input[type=password]").is_empty()).await;
    assert_eq!(document().title(), "Sign in · Sheaf");
}

#[wasm_bindgen_test]
async fn refused_link_request_shows_wait() {
    let _network = Network::new(gateway_with_mail);
    let stage = open_dashboard("/sign-in");
    wait_until("the button", || text_of(&stage, "main").contains("Email me")).await;
    button(&stage, "Email me a sign-in link").click();
    wait_until("the form", || text_of(&stage, "h1") == "Sign in by email").await;
    type_into(&stage.one("input[type=email]"), "often@example.org");
    button(&stage, "Send link").click();
    wait_until("the error", || !stage.all(".notice[role=alert]").is_empty()).await;
    assert!(stage.text(".notice[role=alert]").contains("Too many attempts"));
    assert_eq!(stage.text("form [role=status]"), "");
}

#[wasm_bindgen_test]
async fn lost_session_keeps_email_links() {
    let signed_in = Rc::new(Cell::new(true));
    let is_in = Rc::clone(&signed_in);
    let _network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") => Reply::ok(&merged(session(), &json!({ "email_links": true }))),
        _ if is_in.get() => answer_as_gateway(asked),
        _ => Reply::error(401, "unauthorized", "sign in first"),
    });
    let stage = open_rows("/live/forms/frm_1").await;
    signed_in.set(false);
    type_into(&stage.one("input[type=search]"), "other");
    wait_until("the button", || text_of(&stage, "main").contains("Email me a sign-in link")).await;
}

/// Returns a gateway behind a proxy that authenticates the user. `is_known` says whether an account
/// is linked to the user.
fn behind_proxy(
    is_known: &Rc<Cell<bool>>,
    has_session: &Rc<Cell<bool>>,
) -> impl Fn(&RecordedRequest) -> Reply + use<> {
    let is_known = Rc::clone(is_known);
    let has_session = Rc::clone(has_session);
    move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/session") if is_known.get() => {
            has_session.set(true);
            let known = json!({ "issuer": "header:x-auth-email", "subject": "owner@example.org" });
            session_with(&json!({ "known": known }))
        }
        ("GET", "/session") => Reply::error(403, "forbidden", "`mallory` is linked with nobody"),
        ("DELETE", "/session") => {
            has_session.set(false);
            Reply::no_content()
        }
        _ if has_session.get() => answer_as_gateway(asked),
        _ => Reply::error(401, "unauthorized", "sign in first"),
    }
}

fn shared_flag(is: bool) -> Rc<Cell<bool>> {
    Rc::new(Cell::new(is))
}

#[wasm_bindgen_test]
async fn unlinked_proxy_user_is_denied() {
    let is_known = shared_flag(false);
    let has_session = shared_flag(false);
    let _network = Network::new(behind_proxy(&is_known, &has_session));
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the message", || text_of(&stage, "h1").contains("No access")).await;
    let why = stage.text(".notice");
    assert!(why.contains("`mallory` is linked with nobody") && !why.contains("key"), "{why}");
    assert!(stage.all("input[type=password]").is_empty());
    is_known.set(true);
    button(&stage, "Retry").click();
    wait_until("the list", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert_eq!(address(), "/live/forms/frm_1");
}

#[wasm_bindgen_test]
async fn proxy_session_is_renewed_once() {
    let is_known = shared_flag(true);
    let has_session = shared_flag(false);
    let network = Network::new(behind_proxy(&is_known, &has_session));
    let stage = open_rows("/live/forms/frm_1").await;
    has_session.set(false);
    type_into(&stage.one("input[type=search]"), "other");
    wait_until("a new session", || has_session.get()).await;
    wait_until("the page", || stage.all("input[type=search]").len() == 1).await;
    assert_eq!(address(), "/live/forms/frm_1?search=other");
    let asked = network.requests("/session").len();
    // A second failure shows a message instead of retrying forever.
    has_session.set(false);
    type_into(&stage.one("input[type=search]"), "third");
    wait_until("the message", || text_of(&stage, "h1").contains("Signed out")).await;
    assert_eq!(network.requests("/session").len(), asked);
    button(&stage, "Sign in again").click();
    wait_until("the list", || address() == "/live/forms/frm_1?search=third").await;
}

#[wasm_bindgen_test]
async fn proxy_user_is_not_asked_for_password() {
    let is_known = shared_flag(true);
    let has_session = shared_flag(false);
    let _network = Network::new(behind_proxy(&is_known, &has_session));
    let stage = open_dashboard("/sign-in");
    wait_until("the first form", || address() == "/live/forms/frm_1").await;
    press_button(&stage, "Account owner@example.org").await;
    button(&stage, "Sign out").click();
    wait_until("the message", || text_of(&stage, "h1").contains("Signed out")).await;
    assert!(!has_session.get() && stage.all("input[type=password]").is_empty());
    button(&stage, "Sign in again").click();
    wait_until("the first form", || address() == "/live/forms/frm_1").await;
}
