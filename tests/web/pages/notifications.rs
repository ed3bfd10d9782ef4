//! Notifications of a form: the addresses and their buttons. The dialog is in [`editor`], the
//! auto-reply in [`auto_reply`].

mod auto_reply;
mod editor;
mod server;

use std::cell::Cell;
use std::rc::Rc;

use contract::notification::NOTIFICATIONS_MAX;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{
    button, confirm_password, dialog_button, open_dashboard, sent_bodies, text_of,
    wait_for_heading, wait_for_text, wait_for_toast, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, click, is_focused, settle, type_into};
use server::{MailServer, NOTIFICATIONS, TAB, disabled, notification};

/// Opens the tab of this server.
async fn open_server(server: &MailServer) -> (Network, Stage) {
    let network = server.network();
    let stage = open_dashboard(TAB);
    wait_for_heading(&stage, "h2", "Auto-reply").await;
    (network, stage)
}

/// Opens the tab with these notifications.
async fn open_tab(notifications: &[Value]) -> (Network, Stage, MailServer) {
    let server = MailServer::new(notifications);
    let (network, stage) = open_server(&server).await;
    (network, stage, server)
}

#[wasm_bindgen_test]
async fn list_names_settings_status_and_error_and_fits_phone() {
    let daily = json!({ "every": "day", "content": "link", "language": "de" });
    let long = format!("{}@{}.example", "a".repeat(64), "b".repeat(60));
    let error = format!("550 {}", "x".repeat(100));
    let failing = json!({ "email": long, "every": "day", "last_error": error });
    let all = [
        notification(1, &daily),
        notification(2, &json!({ "confirmed": false, "every": "hour" })),
        notification(3, &disabled("owner")),
        notification(4, &disabled("unsubscribed")),
        notification(5, &disabled("refused")),
        notification(6, &failing),
    ];
    let (_network, stage, _) = open_tab(&all).await;
    let texts = |selector: &str| -> Vec<String> {
        stage.all(selector).iter().map(|one| one.text_content().unwrap()).collect()
    };
    assert_eq!(texts("li .group h3")[0], "reader1@example.org");
    let settings = texts("li .group .field-hint");
    assert_eq!(settings[0], "Daily digest at 08:00 Europe/Berlin · Only a link · Deutsch");
    assert_eq!(settings[1], "Hourly digest · All answers · English");
    assert_eq!(settings[2], "Each submission · All answers · English");
    let states = [
        "Active",
        "Waiting for confirmation",
        "Disabled",
        "Unsubscribed by the recipient",
        "Refused by the mail server",
        "Active",
    ];
    assert_eq!(texts("li .group .badge"), states);
    assert_eq!(texts("li .group .notice"), [format!("Last error: {error}")]);
    assert_eq!(text_of(&stage, ".tab[aria-current=page]"), "Notifications");
    assert!(text_of(&stage, "section").contains("12 of 1,000 emails sent today."));
    type_into(&stage.one("form input[type=text]"), &"y".repeat(100));
    let page = stage.one(".sections");
    HtmlElement::style(&page).set_property("width", "350px").unwrap();
    settle().await;
    assert!(page.scroll_width() <= page.client_width(), "the page scrolls sideways");
}

#[wasm_bindgen_test]
async fn address_is_disabled_and_enabled() {
    let (network, stage, server) = open_tab(&[notification(1, &json!({}))]).await;
    // Another user changes the settings meanwhile.
    server.change_notification("ntf_1", &json!({ "every": "hour" }));
    let switch = button(&stage, "Disable reader1@example.org");
    switch.focus().unwrap();
    switch.click();
    wait_until("the status", || text_of(&stage, ".badge") == "Disabled").await;
    assert!(text_of(&stage, "li .group").contains("Hourly digest"));
    assert!(is_focused(&switch), "the pressed button stays");
    let test = button(&stage, "Send test reader1@example.org");
    assert_eq!(attr(&test, "data-reason").as_deref(), Some("Enable the address first"));
    button(&stage, "Enable reader1@example.org").click();
    wait_until("the status", || text_of(&stage, ".badge") == "Active").await;
    wait_for_toast(&stage, "Enabled reader1@example.org").await;
    let sent = |enabled: bool| {
        json!({
            "every": "hour", "content": "full", "time_zone": "Europe/Berlin", "language": "en",
            "enabled": enabled,
        })
    };
    let bodies = sent_bodies(&network, "PUT", &format!("{NOTIFICATIONS}/ntf_1"));
    assert_eq!(bodies, [sent(false), sent(true)]);
}

#[wasm_bindgen_test]
async fn unsubscribed_address_must_be_confirmed_again() {
    let (_network, stage, server) = open_tab(&[notification(1, &disabled("unsubscribed"))]).await;
    server.ask_for_password();
    button(&stage, "Enable reader1@example.org").click();
    confirm_password(&stage).await;
    wait_until("the status", || text_of(&stage, ".badge") == "Waiting for confirmation").await;
    wait_for_toast(&stage, "We sent a link to reader1@example.org").await;
}

#[wasm_bindgen_test]
async fn test_email_is_sent_and_counted() {
    let (network, stage, server) = open_tab(&[notification(1, &json!({}))]).await;
    button(&stage, "Send test reader1@example.org").click();
    wait_for_toast(&stage, "Test email sent to reader1@example.org").await;
    wait_until("the usage", || text_of(&stage, "section").contains("13 of 1,000")).await;
    assert_eq!(network.requests("/ntf_1/test").len(), 1);
    server.refuse(409, "the test e-mail was not sent: 550 no such mailbox");
    button(&stage, "Send test reader1@example.org").click();
    wait_for_toast(&stage, "Action failed. The test e-mail was not sent: 550").await;
}

#[wasm_bindgen_test]
async fn link_is_sent_again_until_confirmed() {
    let (network, stage, server) =
        open_tab(&[notification(1, &json!({ "confirmed": false }))]).await;
    let send = button(&stage, "Send link again reader1@example.org");
    send.focus().unwrap();
    server.change_notification("ntf_1", &json!({ "confirmed": true }));
    send.click();
    wait_for_toast(&stage, "We sent a link to reader1@example.org").await;
    assert_eq!(network.requests("/ntf_1/confirmation").len(), 1);
    wait_until("the status", || text_of(&stage, ".badge") == "Active").await;
    assert_eq!(button(&stage, "Send test reader1@example.org"), send);
    assert!(is_focused(&send), "the pressed button stays");
}

#[wasm_bindgen_test]
async fn deletion_asks_first() {
    let (network, stage, _) =
        open_tab(&[notification(1, &json!({})), notification(2, &json!({}))]).await;
    button(&stage, "Delete reader2@example.org").click();
    wait_until("the question", || !stage.all("dialog[open]").is_empty()).await;
    assert!(text_of(&stage, "dialog[open]").contains("the notification to reader2@example.org?"));
    assert!(network.requests("/ntf_2").is_empty());
    dialog_button(&stage, "Delete notification").click();
    wait_until("the list", || stage.all("li .group").len() == 1).await;
    let deleted = network.requests(&format!("{NOTIFICATIONS}/ntf_2"));
    assert_eq!(deleted.iter().map(|asked| asked.method.as_str()).collect::<Vec<_>>(), ["DELETE"]);
    wait_until("the focus", || document().active_element().unwrap().tag_name() != "BODY").await;
}

#[wasm_bindgen_test]
async fn server_without_mail_sends_nothing() {
    let server = MailServer::new(&[notification(1, &json!({}))]);
    server.set(&json!({ "mail_enabled": false }));
    let (_network, stage) = open_server(&server).await;
    assert!(text_of(&stage, ".notice").contains("`--smtp-url`; see docs/email.md"));
    assert!(!text_of(&stage, "section").contains("sent today"));
    let reason = Some("This server cannot send email");
    for name in ["Add address", "Add my address", "Send test reader1@example.org"] {
        assert_eq!(attr(&button(&stage, name), "data-reason").as_deref(), reason, "{name}");
    }
    let save = button(&stage, "Save auto-reply");
    assert_eq!(attr(&save, "data-reason"), None, "it can be switched off");
    click(&stage.one("input[type=checkbox]")).await;
    assert_eq!(attr(&save, "data-reason").as_deref(), reason);
}

#[wasm_bindgen_test]
async fn reached_limits_are_explained() {
    let all: Vec<_> =
        (1..=NOTIFICATIONS_MAX).map(|number| notification(number, &json!({}))).collect();
    let server = MailServer::new(&all);
    server.set(&json!({ "sent_today": 1000 }));
    let (_network, stage) = open_server(&server).await;
    assert!(text_of(&stage, ".notice").contains("daily limit of 1,000 emails is reached"));
    let reason = attr(&button(&stage, "Add address"), "data-reason").unwrap();
    assert!(reason.contains("at most 20 addresses"), "{reason}");
}

#[wasm_bindgen_test]
async fn failed_list_is_retried() {
    let server = MailServer::new(&[notification(1, &json!({}))]);
    let is_broken = Rc::new(Cell::new(true));
    let broken = Rc::clone(&is_broken);
    let _network = server.network_with(move |asked, reply| match asked.url.as_str() {
        NOTIFICATIONS if broken.get() => Reply::error(503, "unavailable", "try again"),
        _ => reply,
    });
    let stage = open_dashboard(TAB);
    wait_for_text(&stage, ".empty-title", "could not be loaded").await;
    is_broken.set(false);
    button(&stage, "Retry").click();
    wait_until("the address", || stage.all("li .group").len() == 1).await;
    is_broken.set(true);
    button(&stage, "Send test reader1@example.org").click();
    wait_for_toast(&stage, "could not be loaded").await;
    assert_eq!(stage.all("li .group").len(), 1, "a failed reload keeps the list");
}

#[wasm_bindgen_test]
async fn late_list_does_not_undo_change() {
    let server = MailServer::new(&[notification(1, &json!({}))]);
    let delay_ms = Rc::new(Cell::new(0));
    let next_delay_ms = Rc::clone(&delay_ms);
    let _network = server.network_with(move |asked, reply| match asked.url.as_str() {
        NOTIFICATIONS => reply.delayed(next_delay_ms.take()),
        _ => reply,
    });
    let stage = open_dashboard(TAB);
    wait_until("the address", || stage.all("li .group").len() == 1).await;
    delay_ms.set(5_000);
    button(&stage, "Send test reader1@example.org").click();
    wait_until("the request", || delay_ms.get() == 0).await;
    button(&stage, "Disable reader1@example.org").click();
    wait_until("the status", || text_of(&stage, ".badge") == "Disabled").await;
    crate::clock::wait(10_000).await;
    assert_eq!(text_of(&stage, ".badge"), "Disabled");
}
