//! Activity log: entries by day, filters in the URL, pagination, and the empty state.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlSelectElement;

use super::{
    address, answer_as_gateway, button, open_dashboard, query_parameter, text_of, wait_for_text,
    wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{select_value, settle, value};

fn audit_entry(number: u32, action: &str, outcome: &str, day: u32) -> Value {
    json!({
        "place": number, "at": format!("2026-03-{day:02}T12:00:00Z"), "account": "acc_1", "mode": "live",
        "actor": { "kind": "session", "id": "ses_1",
            "client": { "device": "desktop", "browser": "Firefox" } },
        "address": "203.0.113.0/24", "request": "x", "action": action,
        "object": { "kind": "key", "id": "key_1" }, "outcome": outcome, "code": null,
        "detail": { "name": format!("Name {number}") }, "hash": "",
    })
}

/// Returns an entry by the member with this address.
fn audit_entry_by(email: &str, number: u32, action: &str) -> Value {
    let mut note = audit_entry(number, action, "ok", 9);
    note["actor"]["person"] = json!({ "id": "psn_1", "email": email });
    note
}

fn audit_page(notes: &[Value], next: Option<&str>) -> Reply {
    let pagination = json!({
        "total": 120, "limit": 50, "has_more": next.is_some(), "next_cursor": next,
    });
    Reply::ok(&json!({ "data": notes, "pagination": pagination }))
}

#[wasm_bindgen_test]
async fn entries_are_paged_and_show_day_and_actor() {
    let long = format!("{}@example.org", "ada".repeat(29));
    let mut denied = audit_entry_by(&long, 2, "session.begun");
    denied["outcome"] = "denied".into();
    let first = [audit_entry_by("ada@example.org", 3, "key.created"), denied];
    let network = Network::new(move |asked| match asked.url.split('?').next() {
        Some("/account/audit") => match query_parameter(&asked.url, "cursor").as_deref() {
            None => audit_page(&first, Some("next")),
            Some(_) => audit_page(&[audit_entry(1, "form.created", "ok", 8)], None),
        },
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/settings/activity");
    wait_until("all entries", || stage.all("tbody td:first-child").len() == 3).await;
    let text = text_of(&stage, "tbody");
    assert!(text.contains("Key “Name 3” created"), "{text}");
    assert!(text.contains("Sign-in failed") && text.contains("Denied"), "{text}");
    assert!(text.contains("Firefox · Desktop · 203.0.113.0/24"), "{text}");
    assert_eq!(stage.all("tbody th").len(), 2, "one heading per day");
    assert!(text_of(&stage, ".page-count").contains("120 entries"));
    settle().await;
    assert_eq!(network.requests("/account/audit").len(), 2);
    let who = stage.texts(".activity-who");
    // The last entry is from before entries named the member.
    assert_eq!(who, ["ada@example.org", &long, "Signed-in user"]);
    let from = stage.all(".activity-who + td")[0].text_content().unwrap();
    assert_eq!(from, "Firefox · Desktop · 203.0.113.0/24");
    let frame = stage.one(".table-frame");
    web_sys::HtmlElement::style(&frame).set_property("width", "330px").unwrap();
    settle().await;
    assert!(frame.scroll_width() <= frame.client_width(), "the activity scrolls sideways");
}

#[wasm_bindgen_test]
async fn failure_can_be_retried_and_empty_result_cleared() {
    let is_back = Rc::new(Cell::new(false));
    let back = Rc::clone(&is_back);
    let network = Network::new(move |asked| match asked.url.split('?').next() {
        Some("/account/audit") if !back.get() => {
            Reply::error(500, "internal_error", "something failed")
        }
        Some("/account/audit") if asked.url.contains("outcome=denied") => {
            let pagination =
                json!({"total": 0, "limit": 50, "has_more": false, "next_cursor": null});
            Reply::ok(&json!({ "data": [], "pagination": pagination }))
        }
        Some("/account/audit") => audit_page(&[audit_entry(1, "key.revoked", "ok", 9)], None),
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/settings/activity");
    wait_until("the failure", || text_of(&stage, "main").contains("omething failed")).await;
    is_back.set(true);
    button(&stage, "Retry").click();
    wait_until("the entry", || stage.all("tbody td:first-child").len() == 1).await;
    select_kind(&stage, "denied");
    wait_for_text(&stage, "main", "No matching activity").await;
    button(&stage, "Clear filters").click();
    wait_until("the entry again", || stage.all("tbody td:first-child").len() == 1).await;
    assert!(network.requests("/account/audit").len() >= 4);
}

fn select_kind(stage: &crate::stage::Stage, kind: &str) {
    let kinds = &stage.all("select")[0];
    select_value(kinds, kind);
}

#[wasm_bindgen_test]
async fn filters_are_in_the_url() {
    let network = Network::new(|asked| match asked.url.split('?').next() {
        Some("/account/audit") => audit_page(&[audit_entry(1, "key.revoked", "ok", 9)], None),
        _ => answer_as_gateway(asked),
    });
    let last =
        || network.requests("/account/audit").pop().map(|asked| asked.url).unwrap_or_default();
    let stage = open_dashboard("/settings/activity?kind=key&from=2026-03-01&to=2026-03-09&x=1");
    wait_until("the entry", || stage.all("tbody td:first-child").len() == 1).await;
    assert_eq!(query_parameter(&last(), "action").as_deref(), Some("key"));
    assert!(last().contains("date_from=") && last().contains("date_to="), "{}", last());
    assert_eq!(network.requests("/account/audit").len(), 1, "the entries were requested twice");
    let kinds = &stage.all("select")[0];
    assert_eq!(kinds.unchecked_ref::<HtmlSelectElement>().value(), "key");
    let days: Vec<_> = stage.all("input[type=date]").iter().map(value).collect();
    assert_eq!(days, ["2026-03-01", "2026-03-09"]);

    let history = window().history().unwrap();
    let entries = history.length().unwrap();
    select_kind(&stage, "denied");
    let path = "/settings/activity?kind=denied&from=2026-03-01&to=2026-03-09";
    wait_until("the URL", || address() == path).await;
    wait_until("the answer", || last().contains("outcome=denied")).await;
    assert_eq!(history.length().unwrap(), entries, "a filter change adds no history entry");

    // Leaving the page sends no request, and Back restores the filters.
    let asked = network.requests("/account/audit").len();
    let links = stage.all(".nav-link");
    let keys = links.iter().find(|link| link.text_content().unwrap().contains("API keys"));
    keys.unwrap().click();
    wait_until("the API keys", || text_of(&stage, "h1").contains("API keys")).await;
    crate::stage::wait(150).await;
    assert_eq!(network.requests("/account/audit").len(), asked);
    history.back().unwrap();
    wait_until("the entry again", || stage.all("tbody td:first-child").len() == 1).await;
    assert_eq!(address(), path);
    assert_eq!(stage.all("select")[0].unchecked_ref::<HtmlSelectElement>().value(), "denied");
    assert!(last().contains("outcome=denied"), "{}", last());
    select_kind(&stage, "");
    let without_kind = "/settings/activity?from=2026-03-01&to=2026-03-09";
    wait_until("the URL without the kind", || address() == without_kind).await;
}
