//! The dialogs that show the secret of a webhook: creation and rotation.

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::server::{HOOKS, SECRET, TAB, WebhookServer, webhook};
use super::{dialog_button, open_tab, open_webhook, sent_bodies};
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{
    address, button, confirm_password, open_dashboard, press_button, text_of, wait_until,
};
use crate::stage::{
    Stage, click, dispatch_event, is_focused, select_value, settle, type_into, type_text, value,
};

#[wasm_bindgen_test]
async fn webhook_is_created_with_secret_shown_once() {
    let (network, stage, server) = open_tab(vec![]).await;
    assert_eq!(text_of(&stage, ".empty-title"), "No webhooks yet");
    assert_eq!(text_of(&stage, ".tab[aria-current=page]"), "Webhooks");
    server.ask_for_password();
    press_button(&stage, "Create webhook").await;
    let url = stage.one("dialog[open] input:not([type=checkbox])");
    assert!(is_focused(&url));
    click(&dialog_button(&stage, "Create")).await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("Enter a URL"));
    type_into(&url, " https://hooks.example/in?token=t ");
    let events = stage.all("dialog[open] input[type=checkbox]");
    assert_eq!(events.len(), 4);
    events[0].click();
    click(&dialog_button(&stage, "Create")).await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("at least one event"));
    assert!(sent_bodies(&network, "POST", HOOKS).is_empty());
    events[3].click();
    events[0].click();
    let format = stage.one("dialog[open] select");
    select_value(&format, "slack");
    settle().await;
    dialog_button(&stage, "Create").click();
    confirm_password(&stage).await;
    wait_until("the secret", || text_of(&stage, "dialog[open]").contains(SECRET)).await;
    assert!(text_of(&stage, "dialog[open]").contains("does not need the secret"));
    let sent = json!({
        "url": "https://hooks.example/in?token=t", "format": "slack",
        "events": ["submission.created", "submission.deleted"],
    });
    assert_eq!(sent_bodies(&network, "POST", HOOKS), [sent.clone(), sent]);
    dialog_button(&stage, "Done").click();
    wait_until("the row", || stage.all("tbody tr").len() == 1).await;
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    settle().await;
    let page = document().document_element().unwrap().text_content().unwrap();
    assert!(!page.contains(SECRET), "the secret outlived its dialog");
    let row = text_of(&stage, "tbody tr");
    for says in ["hooks.example/in", "Created, Deleted", "Slack", "Enabled"] {
        assert!(row.contains(says), "{says} in {row}");
    }
    assert!(!row.contains("token"), "{row}");
    assert_ne!(document().active_element().unwrap().tag_name(), "BODY");
}

/// Opens the tab with one webhook. Responses to POST requests arrive late.
async fn open_slow_tab() -> (Network, Stage) {
    let server = WebhookServer::new(vec![webhook(1, &json!({}))]);
    let network = server.network_with(|asked: &RecordedRequest, reply: Reply| {
        reply.delayed(if asked.method == "POST" { 2_000 } else { 0 })
    });
    let stage = open_dashboard(TAB);
    wait_until("the list", || stage.all("tbody tr").len() == 1).await;
    (network, stage)
}

/// Tries to close the open dialog in every way.
async fn try_to_close(stage: &Stage) {
    dialog_button(stage, "Cancel").click();
    stage.one("dialog[open] .dialog-header button").click();
    dispatch_event(&stage.one("dialog[open]"), "cancel");
    settle().await;
    // The browser does this after a second Esc.
    js_sys::eval("document.querySelector('dialog[open]').close()").unwrap();
    wait_until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
}

/// Asserts that the open dialog shows the secret, and closes it by the focused button.
async fn close_secret(stage: &Stage) {
    wait_until("the secret", || text_of(stage, "dialog[open]").contains(SECRET)).await;
    assert!(text_of(stage, "dialog[open] [role=status]").contains("appears only once"));
    let done = dialog_button(stage, "Done");
    wait_until("the focus", || is_focused(&done)).await;
    done.click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
}

#[wasm_bindgen_test]
async fn busy_dialogs_ignore_close() {
    let (_network, stage) = open_slow_tab().await;
    press_button(&stage, "Create webhook").await;
    let url = stage.one("dialog[open] input:not([type=checkbox])");
    type_text(&url, "https://a.example/").await;
    click(&dialog_button(&stage, "Create")).await;
    try_to_close(&stage).await;
    assert_eq!(value(&url), "https://a.example/", "the inputs are kept");
    close_secret(&stage).await;
    open_webhook(&stage, "whk_1").await;
    button(&stage, "Rotate secret").click();
    wait_until("the question", || text_of(&stage, "dialog[open]").contains("24 hours")).await;
    click(&dialog_button(&stage, "Rotate secret")).await;
    try_to_close(&stage).await;
    close_secret(&stage).await;
}

#[wasm_bindgen_test]
async fn secret_after_leaving_is_reported() {
    let (_network, stage) = open_slow_tab().await;
    open_webhook(&stage, "whk_1").await;
    button(&stage, "Rotate secret").click();
    wait_until("the question", || text_of(&stage, "dialog[open]").contains("24 hours")).await;
    click(&dialog_button(&stage, "Rotate secret")).await;
    // A script may press the link, although the dialog makes it inert; a user can go back.
    stage.all(".tab")[1].click();
    wait_until("the other tab", || address().ends_with("/fields")).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("1 was not shown")).await;
}

#[wasm_bindgen_test]
async fn rotation_asks_and_shows_new_secret() {
    let (network, stage, server) = open_tab(vec![webhook(1, &json!({}))]).await;
    open_webhook(&stage, "whk_1").await;
    let rotate = button(&stage, "Rotate secret");
    rotate.focus().unwrap();
    rotate.click();
    wait_until("the question", || !stage.all("dialog[open]").is_empty()).await;
    assert!(text_of(&stage, "dialog[open]").contains("valid for 24 hours"));
    assert!(network.requests("/rotate").is_empty());
    server.ask_for_password();
    dialog_button(&stage, "Rotate secret").click();
    confirm_password(&stage).await;
    wait_until("the secret", || text_of(&stage, "dialog[open]").contains(SECRET)).await;
    assert!(text_of(&stage, "dialog[open]").contains("webhook-signature"));
    dialog_button(&stage, "Done").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    wait_until("the focus", || is_focused(&rotate)).await;
    let page = document().document_element().unwrap().text_content().unwrap();
    assert!(!page.contains(SECRET), "the secret outlived its dialog");
}
