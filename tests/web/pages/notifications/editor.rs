//! The dialog that adds an address or edits its settings.

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::server::{MailServer, NOTIFICATIONS, TAB, notification};
use super::{confirm_password, dialog_button, open_server, open_tab, sent_bodies, wait_for_toast};
use crate::pages::{
    address, button, open_dashboard, press_button, text_of, wait_for_text, wait_until,
};
use crate::stage::{
    Stage, attr, click, is_focused, select_value, settle, type_into, type_text, value,
};

/// Selects a value of the list of the open dialog at this index.
fn choose(stage: &Stage, index: usize, choice: &str) {
    let list = stage.all("dialog[open] select").remove(index);
    select_value(&list, choice);
}

/// Returns the time zone of the browser.
fn browser_zone() -> String {
    let zone = js_sys::eval("Intl.DateTimeFormat().resolvedOptions().timeZone").unwrap();
    zone.as_string().unwrap()
}

#[wasm_bindgen_test]
async fn foreign_address_is_added_and_must_be_confirmed() {
    let (network, stage, server) = open_tab(&[]).await;
    assert_eq!(text_of(&stage, ".empty-title"), "No addresses yet");
    server.ask_for_password();
    press_button(&stage, "Add address").await;
    let email = stage.one("dialog[open] input[type=email]");
    assert!(is_focused(&email));
    click(&dialog_button(&stage, "Add")).await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("Enter an email address"));
    type_into(&email, " Ada@Example.ORG ");
    // Without shared views, the first list has the frequencies.
    choose(&stage, 0, "day");
    choose(&stage, 1, "link");
    let zone = stage.one("dialog[open] input[list]");
    assert_eq!(value(&zone), browser_zone());
    let list = attr(&zone, "list").unwrap();
    assert!(!stage.all(&format!("#{list} option[value='Europe/Berlin']")).is_empty());
    type_text(&zone, "  ").await;
    click(&dialog_button(&stage, "Add")).await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("Enter a time zone"));
    assert!(sent_bodies(&network, "POST", NOTIFICATIONS).is_empty());
    type_into(&zone, " Europe/Berlin ");
    choose(&stage, 2, "de");
    settle().await;
    dialog_button(&stage, "Add").click();
    confirm_password(&stage).await;
    wait_for_toast(&stage, "We sent a link to ada@example.org. Emails start when").await;
    let sent = json!({
        "email": "ada@example.org", "view": null, "every": "day", "content": "link",
        "time_zone": "Europe/Berlin", "language": "de",
    });
    assert_eq!(sent_bodies(&network, "POST", NOTIFICATIONS), [sent.clone(), sent]);
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    assert_eq!(text_of(&stage, ".badge"), "Waiting for confirmation");
    wait_until("the usage", || text_of(&stage, "section").contains("13 of 1,000")).await;
    wait_until("the focus", || document().active_element().unwrap().tag_name() != "BODY").await;
}

#[wasm_bindgen_test]
async fn own_address_is_suggested_until_added() {
    let (network, stage, _) = open_tab(&[]).await;
    press_button(&stage, "Add my address").await;
    assert_eq!(value(&stage.one("dialog[open] input[type=email]")), "owner@example.org");
    dialog_button(&stage, "Add").click();
    wait_for_toast(&stage, "Added owner@example.org").await;
    let sent = json!({
        "email": "owner@example.org", "view": null, "every": "submission", "content": "full",
        "time_zone": browser_zone(), "language": "en",
    });
    assert_eq!(sent_bodies(&network, "POST", NOTIFICATIONS), [sent]);
    wait_until("the status", || text_of(&stage, ".badge") == "Active").await;
    assert!(!text_of(&stage, "button").contains("Add my address"));
}

#[wasm_bindgen_test]
async fn failure_of_link_is_reported() {
    let (_network, stage, server) = open_tab(&[]).await;
    let why = "the link was not sent: 550 no such mailbox; send it again";
    *server.link_error.borrow_mut() = Some(why.to_owned());
    press_button(&stage, "Add address").await;
    type_text(&stage.one("dialog[open] input[type=email]"), "ada@example.org").await;
    dialog_button(&stage, "Add").click();
    wait_for_toast(&stage, "ada@example.org: The link was not sent: 550").await;
    wait_until("the address", || stage.all("li .group").len() == 1).await;
    assert!(text_of(&stage, "li .group .notice").contains("550 no such mailbox"));
    assert!(text_of(&stage, "li .group").contains("Send link again"));
}

#[wasm_bindgen_test]
async fn settings_are_edited() {
    let of_deleted_view = json!({ "view": "view_9", "every": "day" });
    let all = [notification(1, &json!({})), notification(2, &of_deleted_view)];
    let (network, stage, server) = open_tab(&all).await;
    let edit = button(&stage, "Edit reader1@example.org");
    edit.focus().unwrap();
    click(&edit).await;
    assert_eq!(text_of(&stage, "dialog[open] h2"), "Edit notification to reader1@example.org");
    assert!(stage.all("dialog[open] input[type=email]").is_empty());
    assert_eq!(value(&stage.one("dialog[open] input[list]")), "Europe/Berlin");
    choose(&stage, 0, "hour");
    settle().await;
    // The reader unsubscribes meanwhile: saving must not enable the address.
    server.change_notification("ntf_1", &super::disabled("unsubscribed"));
    dialog_button(&stage, "Save notification").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    wait_until("the change", || text_of(&stage, "li .group").contains("Hourly digest")).await;
    assert!(is_focused(&edit), "the focus returns to the button");
    let bodies = sent_bodies(&network, "PUT", &format!("{NOTIFICATIONS}/ntf_1"));
    let sent = json!({
        "view": null, "every": "hour", "content": "full", "time_zone": "Europe/Berlin", "language": "en",
        "enabled": false,
    });
    assert_eq!(bodies, [sent]);
    // A deleted view stays a choice.
    press_button(&stage, "Edit reader2@example.org").await;
    assert_eq!(option_values(&stage, 0), ["", "view_9"]);
    stage.all("dialog[open] select")[0].focus().unwrap();
    choose(&stage, 0, "");
    settle().await;
    assert_eq!(option_values(&stage, 0), ["", "view_9"]);
    assert!(is_focused(&stage.all("dialog[open] select")[0]));
}

/// Returns the values of the options of a list of the open dialog, in order. Those that cannot be
/// selected have a minus before them.
fn option_values(stage: &Stage, index: usize) -> Vec<String> {
    let options = stage.all("dialog[open] select").remove(index).children();
    let options = (0..options.length()).filter_map(|index| options.item(index));
    options
        .map(|option| {
            let sign = if option.has_attribute("disabled") { "-" } else { "" };
            format!("{sign}{}", option.get_attribute("value").unwrap())
        })
        .collect()
}

#[wasm_bindgen_test]
async fn view_switches_to_daily_digest() {
    let server = MailServer::new(&[]);
    server.add_view("view_1", "Unhappy customers", true);
    server.add_view("view_2", "Mine", false);
    let (network, stage) = open_server(&server).await;
    press_button(&stage, "Add my address").await;
    wait_until("the shared views", || option_values(&stage, 0) == ["", "view_1"]).await;
    assert!(text_of(&stage, "dialog[open]").contains("Unhappy customers"));
    let every = || value(&stage.all("dialog[open] select")[1]);
    assert_eq!(every(), "submission");
    stage.all("dialog[open] select")[0].focus().unwrap();
    choose(&stage, 0, "view_1");
    settle().await;
    assert_eq!(every(), "day");
    assert_eq!(option_values(&stage, 1), ["-submission", "hour", "day"]);
    assert!(is_focused(&stage.all("dialog[open] select")[0]));
    // All submissions allow every frequency again; the selected one stays.
    choose(&stage, 0, "");
    settle().await;
    assert_eq!(option_values(&stage, 1), ["submission", "hour", "day"]);
    assert_eq!(every(), "day");
    choose(&stage, 1, "hour");
    choose(&stage, 0, "view_1");
    settle().await;
    assert_eq!(every(), "hour", "a digest is not changed");
    dialog_button(&stage, "Add").click();
    wait_for_toast(&stage, "Added owner@example.org").await;
    let sent = sent_bodies(&network, "POST", NOTIFICATIONS).remove(0);
    assert_eq!((&sent["view"], &sent["every"]), (&json!("view_1"), &json!("hour")));
    let summary = "View: Unhappy customers · Hourly digest";
    wait_until("the view", || text_of(&stage, "li .group").contains(summary)).await;
}

#[wasm_bindgen_test]
async fn view_of_notification_is_edited() {
    let of_view = json!({ "view": "view_1", "every": "day" });
    let server = MailServer::new(&[notification(1, &of_view)]);
    server.add_view("view_1", "Unhappy customers", true);
    let (network, stage) = open_server(&server).await;
    wait_until("the view", || text_of(&stage, "li .group").contains("View: Unhappy")).await;
    press_button(&stage, "Edit reader1@example.org").await;
    assert_eq!(value(&stage.all("dialog[open] select")[0]), "view_1");
    assert_eq!(option_values(&stage, 1), ["-submission", "hour", "day"]);
    choose(&stage, 0, "");
    settle().await;
    choose(&stage, 1, "submission");
    settle().await;
    dialog_button(&stage, "Save notification").click();
    wait_until("the change", || text_of(&stage, "li .group").contains("Each submission")).await;
    assert!(!text_of(&stage, "li .group").contains("View:"));
    let sent = sent_bodies(&network, "PUT", &format!("{NOTIFICATIONS}/ntf_1")).remove(0);
    assert_eq!((&sent["view"], &sent["every"]), (&Value::Null, &json!("submission")));
}

#[wasm_bindgen_test]
async fn errors_appear_at_their_fields() {
    let server = MailServer::new(&[]);
    server.add_view("view_1", "Unhappy customers", true);
    let (_network, stage) = open_server(&server).await;
    button(&stage, "Add my address").click();
    wait_until("the views", || text_of(&stage, "dialog[open]").contains("Unhappy")).await;
    let error_of = |selector: &str| {
        let described = attr(&stage.one(selector), "aria-describedby").unwrap();
        let id = described.split(' ').next().unwrap().to_owned();
        text_of(&stage, &format!("#{id}"))
    };
    for (message, selector) in [
        ("`email` must be an address like `a@b.example`, but is `x`", "input[type=email]"),
        ("`view` must be a shared view of this form", ".field:nth-child(2) select"),
        ("`time_zone` must be an IANA time zone, but is `x`", "input[list]"),
    ] {
        server.refuse(400, message);
        dialog_button(&stage, "Add").click();
        let selector = format!("dialog[open] {selector}");
        wait_until(message, || error_of(&selector).contains(message)).await;
    }
    server.refuse(409, "the form has this address already");
    dialog_button(&stage, "Add").click();
    wait_for_text(&stage, "dialog[open] .dialog-error", "The form has this address already").await;
    assert_eq!(text_of(&stage, "dialog[open] .field-error"), "", "old errors are gone");
}

#[wasm_bindgen_test]
async fn result_after_leaving_is_reported() {
    let server = MailServer::new(&[]);
    let _network = server
        .network_with(|asked, reply| reply.delayed(if asked.method == "POST" { 2_000 } else { 0 }));
    let stage = open_dashboard(TAB);
    wait_until("the tab", || text_of(&stage, "h2").contains("Auto-reply")).await;
    press_button(&stage, "Add my address").await;
    server.refuse(409, "too late");
    click(&dialog_button(&stage, "Add")).await;
    // A script may press the link, although the dialog makes it inert; a user can go back.
    stage.all(".tab")[1].click();
    wait_until("the other tab", || address().ends_with("/fields")).await;
    wait_for_toast(&stage, "Action failed. Too late").await;
}
