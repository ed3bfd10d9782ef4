//! The auto-reply of a form.

use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::server::{AUTO_REPLY, MailServer, TAB, notification};
use super::{confirm_password, open_server, open_tab, sent_bodies, wait_for_toast};
use crate::pages::{
    address, button, open_dashboard, press_button, text_of, wait_for_text, wait_until,
};
use crate::stage::{Stage, attr, click, select_value, settle, type_into, type_text, value};

/// Returns the fields of the subject and of the text.
fn fields(stage: &Stage) -> (HtmlElement, HtmlElement) {
    (stage.one("form input[type=text]"), stage.one("form textarea"))
}

#[wasm_bindgen_test]
async fn preview_fills_placeholders() {
    let (_network, stage, _) = open_tab(&[]).await;
    assert_eq!(text_of(&stage, "form .answers-name"), "Received: Feedback");
    assert_eq!(text_of(&stage, "form .answers-text"), "Thanks, sub_0123456789.");
    let (subject, text) = fields(&stage);
    type_into(&subject, "<b>{id}</b> {name}");
    type_text(&text, "At {time}\n{form}").await;
    assert_eq!(text_of(&stage, "form .answers-name"), "<b>sub_0123456789</b> {name}");
    let shown = text_of(&stage, "form .answers-text");
    assert_eq!(shown, "At 2026-03-01 09:30 (UTC)\nFeedback");
}

#[wasm_bindgen_test]
async fn auto_reply_is_saved_after_reauthentication() {
    let (network, stage, server) = open_tab(&[]).await;
    server.ask_for_password();
    let (subject, text) = fields(&stage);
    stage.one("form input[type=checkbox]").click();
    type_into(&subject, "Thank you");
    type_into(&text, "We answer soon.\nYour team");
    let language = stage.one("form select");
    select_value(&language, "de");
    settle().await;
    button(&stage, "Save auto-reply").click();
    confirm_password(&stage).await;
    wait_for_toast(&stage, "Auto-reply saved").await;
    let sent = json!({
        "enabled": true, "subject": "Thank you", "text": "We answer soon.\nYour team",
        "language": "de",
    });
    assert_eq!(sent_bodies(&network, "PUT", AUTO_REPLY), [sent.clone(), sent]);
}

#[wasm_bindgen_test]
async fn invalid_texts_are_not_sent() {
    let (network, stage, _) = open_tab(&[]).await;
    let (subject, text) = fields(&stage);
    type_text(&subject, " ").await;
    press_button(&stage, "Save auto-reply").await;
    assert_eq!(text_of(&stage, "form .field-error"), "Enter 1 to 200 characters on one line");
    assert_eq!(attr(&subject, "aria-invalid").as_deref(), Some("true"));
    type_into(&subject, "Hello");
    type_text(&text, &"x".repeat(2001)).await;
    press_button(&stage, "Save auto-reply").await;
    assert_eq!(text_of(&stage, "form .field-error"), "Enter 1 to 2,000 characters");
    assert!(network.requests(AUTO_REPLY).is_empty());
}

#[wasm_bindgen_test]
async fn missing_spam_protection_is_explained() {
    let (_network, stage, server) = open_tab(&[]).await;
    assert!(text_of(&stage, "section").contains("requires spam protection"));
    let link = stage.one(".section-text a");
    assert_eq!(attr(&link, "href").as_deref(), Some("/live/forms/frm_1/settings/intake"));
    server.refuse(409, "an auto-reply requires spam protection; set `honeypot` first");
    click(&stage.one("form input[type=checkbox]")).await;
    button(&stage, "Save auto-reply").click();
    wait_for_text(&stage, "form .notice", "An auto-reply requires spam protection").await;
}

#[wasm_bindgen_test]
async fn reload_keeps_unsaved_text() {
    let server = MailServer::new(&[notification(1, &json!({}))]);
    let (_network, stage) = open_server(&server).await;
    let (subject, _) = fields(&stage);
    server.set(&json!({ "auto_reply": {
        "enabled": true, "subject": "Changed elsewhere", "text": "…", "language": "en",
    }}));
    button(&stage, "Send test reader1@example.org").click();
    wait_until("the change", || value(&subject) == "Changed elsewhere").await;
    type_text(&subject, "My draft").await;
    server.set(&json!({ "sent_today": 40, "auto_reply": {
        "enabled": false, "subject": "Changed again", "text": "…", "language": "en",
    }}));
    button(&stage, "Send test reader1@example.org").click();
    wait_until("the reload", || text_of(&stage, "section").contains("41 of 1,000")).await;
    assert_eq!(value(&subject), "My draft");
}

#[wasm_bindgen_test]
async fn failure_after_leaving_is_reported() {
    let server = MailServer::new(&[]);
    let _network = server
        .network_with(|asked, reply| reply.delayed(if asked.method == "PUT" { 2_000 } else { 0 }));
    let stage = open_dashboard(TAB);
    wait_until("the tab", || text_of(&stage, "h2").contains("Auto-reply")).await;
    server.refuse(409, "too late");
    press_button(&stage, "Save auto-reply").await;
    stage.all(".tab")[1].click();
    wait_until("the other tab", || address().ends_with("/fields")).await;
    wait_for_toast(&stage, "Action failed. Too late").await;
}
