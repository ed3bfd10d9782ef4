//! Webhooks of a form: the list, the settings, and the banner. The log is in [`log`], the dialogs
//! that show a secret are in [`secrets`].

mod log;
mod secrets;
mod server;
mod watch;

use std::cell::Cell;
use std::rc::Rc;

use contract::webhook::WEBHOOKS_MAX;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{
    address, button, dialog_button, open_dashboard, open_rows, press_button, sent_bodies, text_of,
    wait_for_heading, wait_for_text, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, click, is_focused, settle, type_into, type_text, value};
use server::{HOOKS, TAB, WebhookServer, webhook};

/// Opens the tab with these webhooks.
async fn open_tab(webhooks: Vec<Value>) -> (Network, Stage, WebhookServer) {
    let server = WebhookServer::new(webhooks);
    let network = server.network();
    let stage = open_dashboard(TAB);
    wait_for_heading(&stage, "h2", "Webhooks").await;
    (network, stage, server)
}

/// Opens a webhook of the list by its link.
async fn open_webhook(stage: &Stage, id: &str) {
    let link =
        stage.all("tbody a").into_iter().find(|link| attr(link, "href").unwrap().contains(id));
    link.unwrap().click();
    wait_until("the webhook", || !stage.all("dl.facts").is_empty()).await;
}

/// Asserts that the rows are cards that fit the width of a phone.
async fn assert_table_fits_phone(stage: &Stage) {
    let frame = stage.one(".table-frame");
    HtmlElement::style(&frame).set_property("width", "350px").unwrap();
    settle().await;
    assert!(frame.scroll_width() <= frame.client_width(), "the table scrolls sideways");
}

#[wasm_bindgen_test]
async fn changes_start_from_newest_settings() {
    let (network, stage, server) = open_tab(vec![webhook(1, &json!({}))]).await;
    open_webhook(&stage, "whk_1").await;
    server.webhooks.borrow_mut()[0]["url"] = "https://new.example/".into();
    button(&stage, "Disable webhook").click();
    wait_until("the status", || text_of(&stage, "dl.facts").contains("Disabled by you")).await;
    server.webhooks.borrow_mut()[0]["disabled"] = Value::Null;
    press_button(&stage, "Edit webhook").await;
    dialog_button(&stage, "Save webhook").click();
    wait_until("the status", || text_of(&stage, "dl.facts").contains("Enabled")).await;
    let bodies = sent_bodies(&network, "PUT", &format!("{HOOKS}/whk_1"));
    let sent: Vec<_> =
        bodies.iter().map(|body| (&body["url"], body["enabled"].as_bool().unwrap())).collect();
    let url = json!("https://new.example/");
    assert_eq!(sent, [(&url, false), (&url, true)]);
}

#[wasm_bindgen_test]
async fn late_list_does_not_undo_change() {
    let server = WebhookServer::new(vec![webhook(1, &json!({}))]);
    let delay_ms = Rc::new(Cell::new(0));
    let next_delay_ms = Rc::clone(&delay_ms);
    let _network = server.network_with(move |asked, reply| match asked.url.as_str() {
        HOOKS => reply.delayed(next_delay_ms.take()),
        _ => reply,
    });
    let stage = open_dashboard(&format!("{TAB}?webhook=whk_1"));
    wait_until("the log", || text_of(&stage, ".empty-title") == "No deliveries yet").await;
    delay_ms.set(5_000);
    press_button(&stage, "Refresh").await;
    assert_eq!(delay_ms.get(), 0, "the list is requested");
    button(&stage, "Disable webhook").click();
    wait_until("the status", || text_of(&stage, "dl.facts").contains("Disabled by you")).await;
    crate::clock::wait(10_000).await;
    assert!(text_of(&stage, "dl.facts").contains("Disabled by you"));
}

#[wasm_bindgen_test]
async fn full_list_disables_creation() {
    let all = (0..WEBHOOKS_MAX).map(|number| webhook(number, &json!({}))).collect();
    let (_network, stage, _) = open_tab(all).await;
    let create = button(&stage, "Create webhook");
    assert_eq!(attr(&create, "aria-disabled").as_deref(), Some("true"));
    assert!(attr(&create, "data-reason").unwrap().contains("at most 10 webhooks"));
}

#[wasm_bindgen_test]
async fn list_fits_phone_and_names_every_status() {
    let disabled =
        |reason: &str| json!({ "disabled": { "at": "2026-06-01T00:00:00Z", "reason": reason } });
    let url = format!("https://hooks.example/{}?token=t", "long-path/".repeat(12));
    let all = vec![
        webhook(1, &json!({ "url": url })),
        webhook(2, &json!({ "failing_since": "2026-06-14T00:00:00Z" })),
        webhook(3, &disabled("owner")),
        webhook(4, &disabled("gone")),
        webhook(5, &disabled("failing")),
    ];
    let (_network, stage, _) = open_tab(all).await;
    let states = stage.texts("tbody .badge");
    assert_eq!([&states[0], &states[2]], ["Enabled", "Disabled by you"]);
    assert!(states[1].starts_with("Failing since ") && states[1].contains("2026"), "{states:?}");
    assert!(states[3].contains("410") && states[4].contains("5 days"), "{states:?}");
    assert!(text_of(&stage, ".notice").starts_with("2 webhooks are disabled"));
    assert!(stage.all(".notice a").is_empty(), "the tab itself shows the webhooks");
    assert!(
        text_of(&stage, "tbody td").starts_with("hooks.example/long-path/long-path/lo…Created")
    );
    assert_table_fits_phone(&stage).await;
}

#[wasm_bindgen_test]
async fn settings_are_edited_and_switched() {
    let (network, stage, _) = open_tab(vec![webhook(1, &json!({}))]).await;
    open_webhook(&stage, "whk_1").await;
    assert_eq!(address(), format!("{TAB}?webhook=whk_1"));
    assert_eq!(text_of(&stage, "h2.section-title"), "hooks.example/1");
    wait_until("the focus", || is_focused(&stage.one("h2.section-title"))).await;
    let edit = button(&stage, "Edit webhook");
    edit.focus().unwrap();
    click(&edit).await;
    let url = stage.one("dialog[open] input:not([type=checkbox])");
    assert_eq!(value(&url), "https://hooks.example/1?token=t");
    type_into(&url, "https://other.example/");
    click(&stage.all("dialog[open] input[type=checkbox]")[1]).await;
    dialog_button(&stage, "Save webhook").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    wait_until("the change", || text_of(&stage, ".section-text").contains("other.example")).await;
    assert!(is_focused(&edit), "the focus returns to the button");
    button(&stage, "Disable webhook").click();
    wait_until("the status", || text_of(&stage, "dl.facts").contains("Disabled by you")).await;
    let test = button(&stage, "Send test event");
    assert_eq!(attr(&test, "data-reason").as_deref(), Some("Enable the webhook first"));
    button(&stage, "Enable webhook").click();
    wait_until("the status", || text_of(&stage, "dl.facts").contains("Enabled")).await;
    let sent = |enabled: bool| {
        json!({
            "url": "https://other.example/", "format": "json", "enabled": enabled,
            "events": ["submission.created", "submission.analyzed"],
        })
    };
    let bodies = sent_bodies(&network, "PUT", &format!("{HOOKS}/whk_1"));
    assert_eq!(bodies, [sent(true), sent(false), sent(true)]);
}

#[wasm_bindgen_test]
async fn deletion_asks_and_returns_to_list() {
    let (network, stage, _) = open_tab(vec![webhook(1, &json!({})), webhook(2, &json!({}))]).await;
    open_webhook(&stage, "whk_2").await;
    button(&stage, "Delete webhook").click();
    wait_until("the question", || !stage.all("dialog[open]").is_empty()).await;
    assert!(text_of(&stage, "dialog[open]").contains("Delete the webhook hooks.example/2?"));
    dialog_button(&stage, "Delete webhook").click();
    wait_until("the list", || stage.all("tbody tr").len() == 1).await;
    assert_eq!(address(), TAB);
    assert!(!network.sent("DELETE", &format!("{HOOKS}/whk_2")).is_empty());
    wait_until("the focus", || document().active_element().unwrap().tag_name() != "BODY").await;
}

#[wasm_bindgen_test]
async fn unknown_webhook_and_refused_url_are_reported() {
    let server = WebhookServer::new(vec![]);
    let _network = server.network();
    let stage = open_dashboard(&format!("{TAB}?webhook=whk_9"));
    wait_until("the note", || text_of(&stage, ".empty-title") == "Webhook not found").await;
    stage.one("section p a").click();
    wait_until("the list", || text_of(&stage, ".empty-title") == "No webhooks yet").await;
    server.refuse_urls("`url` must not be `http://localhost/`: use a public host");
    press_button(&stage, "Create webhook").await;
    type_text(&stage.one("dialog[open] input:not([type=checkbox])"), "http://localhost/").await;
    dialog_button(&stage, "Create").click();
    wait_for_text(&stage, "dialog[open] .field-error", "use a public host").await;
}

#[wasm_bindgen_test]
async fn failed_creation_is_not_reported_at_the_url() {
    let server = WebhookServer::new(vec![]);
    let _network = server.network_with(|asked, reply| match asked.method.as_str() {
        "POST" if asked.url == HOOKS => Reply::error(503, "unavailable", "try again"),
        _ => reply,
    });
    let stage = open_dashboard(TAB);
    wait_until("the list", || text_of(&stage, ".empty-title") == "No webhooks yet").await;
    press_button(&stage, "Create webhook").await;
    type_text(&stage.one("dialog[open] input:not([type=checkbox])"), "https://hooks.example/1")
        .await;
    dialog_button(&stage, "Create").click();
    wait_until("the error", || !text_of(&stage, "dialog[open] .dialog-error").is_empty()).await;
    assert_eq!(text_of(&stage, "dialog[open] .field-error"), "");
}

#[wasm_bindgen_test]
async fn failed_list_is_retried_and_failed_reload_keeps_it() {
    let server = WebhookServer::new(vec![webhook(1, &json!({}))]);
    let is_broken = Rc::new(Cell::new(true));
    let broken = Rc::clone(&is_broken);
    let _network = server.network_with(move |asked, reply| match asked.url.as_str() {
        HOOKS if broken.get() => Reply::error(503, "unavailable", "try again"),
        _ => reply,
    });
    let stage = open_dashboard(TAB);
    wait_for_text(&stage, ".empty-title", "could not be loaded").await;
    is_broken.set(false);
    button(&stage, "Retry").click();
    wait_until("the row", || stage.all("tbody tr").len() == 1).await;
    open_webhook(&stage, "whk_1").await;
    wait_until("the log", || text_of(&stage, ".empty-title") == "No deliveries yet").await;
    is_broken.set(true);
    button(&stage, "Refresh").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("could not be loaded")).await;
    assert!(text_of(&stage, "dl.facts").contains("Enabled"));
}

#[wasm_bindgen_test]
async fn settings_banner_links_to_disabled_webhook() {
    let gone = json!({ "disabled": { "at": "2026-06-01T00:00:00Z", "reason": "gone" } });
    let network = WebhookServer::new(vec![webhook(1, &gone)]).network();
    let stage = open_dashboard("/live/forms/frm_1/settings/fields");
    wait_until("the banner", || !stage.all(".notice").is_empty()).await;
    let text = text_of(&stage, ".notice");
    assert!(
        text.contains("webhook hooks.example is disabled") && text.contains("with 410"),
        "{text}"
    );
    assert_eq!(network.requests("/webhooks").len(), 1);
    stage.one(".notice a").click();
    wait_until("the tab", || stage.all("tbody a").len() == 1).await;
    assert_eq!(address(), TAB);
}

#[wasm_bindgen_test]
async fn list_banner_is_requested_after_first_rows() {
    let failing = json!({ "disabled": { "at": "2026-06-01T00:00:00Z", "reason": "failing" } });
    let network = WebhookServer::new(vec![webhook(1, &failing)]).network();
    let stage = open_rows("/live/forms/frm_1").await;
    assert!(network.requests("/webhooks").is_empty(), "the first rows come first");
    wait_until("the banner", || !stage.all(".notice").is_empty()).await;
    assert!(text_of(&stage, ".notice").contains("failed for 5 days"));
    assert_eq!(attr(&stage.one(".notice a"), "href").as_deref(), Some(TAB));
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the filter", || address().contains("needle")).await;
    crate::clock::wait(10_000).await;
    assert_eq!(network.requests("/webhooks").len(), 1, "a filter requests them again");
}
