//! The log of a webhook's deliveries.

use leptos::wasm_bindgen::JsCast;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, HtmlSelectElement};

use super::server::{HOOKS, TAB, WebhookServer, delivery, webhook};
use super::{assert_table_fits_phone, dialog_button, sent_bodies};
use crate::clock::wait;
use crate::network::Network;
use crate::pages::{address, button, open_dashboard, query_parameter, text_of, wait_until};
use crate::stage::{Stage, attr, dispatch_event, is_focused, settle, type_into, value};

const LOG: &str = "/deliveries?";

/// Opens the log of a webhook with these deliveries.
async fn open_log(deliveries: Vec<Value>, query: &str) -> (Network, Stage, WebhookServer) {
    let server = WebhookServer::new(vec![webhook(1, &json!({}))]);
    *server.deliveries.borrow_mut() = deliveries;
    let network = server.network();
    let stage = open_dashboard(&format!("{TAB}?webhook=whk_1{query}"));
    wait_until("the log", || {
        text_of(&stage, "h3").contains("Deliveries") && stage.all(".skeleton").is_empty()
    })
    .await;
    (network, stage, server)
}

/// Returns the texts of the cells of a row.
fn cells(stage: &Stage, row: usize) -> Vec<String> {
    let cells = stage.all(&format!("tbody tr:nth-child({}) td", row + 1));
    cells.iter().map(|cell| cell.text_content().unwrap()).collect()
}

/// Opens the details of a row.
async fn open_details(stage: &Stage, row: usize) -> HtmlElement {
    let details = stage.one(&format!("tbody tr:nth-child({}) button", row + 1));
    details.focus().unwrap();
    details.click();
    wait_until("the details", || !stage.all("dialog[open]").is_empty()).await;
    details
}

fn choose_state(stage: &Stage, name: &str) {
    let field = stage.one("section section select, .form-acts select");
    field.unchecked_ref::<HtmlSelectElement>().set_value(name);
    dispatch_event(&field, "change");
}

#[wasm_bindgen_test]
async fn details_show_attempts_and_body() {
    let mut plain = delivery(1, "failed", 500);
    plain["request_body"] = "New submission".into();
    plain["attempts"][0]["status"] = Value::Null;
    plain["attempts"][0]["error"] = "timed out".into();
    plain["attempts"][0]["response"] = Value::Null;
    let (_network, stage, _) = open_log(vec![delivery(2, "delivered", 200), plain], "").await;
    let first = cells(&stage, 0);
    assert!(first[0].contains("2026"), "{first:?}");
    assert_eq!(first[1..4], ["Created", "Delivered", "200"]);
    assert_eq!(cells(&stage, 1)[2..4], ["Failed", "No response"]);
    let details = open_details(&stage, 0).await;
    let text = text_of(&stage, "dialog[open]");
    for says in ["Delivery: Created", "1,234 ms", "<b>answer</b>", "dlv_2_a"] {
        assert!(text.contains(says), "{says} in {text}");
    }
    let body = stage.all("dialog[open] .code-text").pop().unwrap().text_content().unwrap();
    assert!(body.contains("{\n  \"type\": \"submission.created\""), "{body}");
    let link = attr(&stage.one("dialog[open] .facts a"), "href");
    assert_eq!(link.as_deref(), Some("/live/forms/frm_1/submissions/sub_7"));
    dialog_button(&stage, "Close").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    wait_until("the focus", || is_focused(&details)).await;
    open_details(&stage, 1).await;
    let text = text_of(&stage, "dialog[open]");
    assert!(text.contains("No response · timed out") && text.contains("New submission"), "{text}");
}

#[wasm_bindgen_test]
async fn log_is_filtered_and_paged() {
    let mut all: Vec<Value> = (0..25).map(|n| delivery(100 - n, "delivered", 200)).collect();
    all.push(delivery(9, "failed", 500));
    let (network, stage, _) = open_log(all, "").await;
    assert_eq!(stage.all("tbody tr").len(), 20);
    button(&stage, "Show more").click();
    wait_until("all rows", || stage.all("tbody tr").len() == 26).await;
    let asked = network.requests(LOG).pop().unwrap();
    assert_eq!(query_parameter(&asked.url, "before").as_deref(), Some("dlv_81_a"));
    let has_more = stage.all("button").iter().any(|b| b.text_content().unwrap() == "Show more");
    assert!(!has_more);
    choose_state(&stage, "failed");
    wait_until("the match", || stage.all("tbody tr").len() == 1).await;
    assert_eq!(address(), format!("{TAB}?webhook=whk_1&state=failed"));
    choose_state(&stage, "pending");
    wait_until("none", || text_of(&stage, ".empty-title") == "No matching deliveries").await;
    choose_state(&stage, "");
    wait_until("all", || stage.all("tbody tr").len() == 20).await;
}

#[wasm_bindgen_test]
async fn test_event_is_watched_until_delivered() {
    let (network, stage, server) = open_log(vec![], "&state=failed").await;
    button(&stage, "Send test event").click();
    wait_until("the delivery", || stage.all("tbody tr").len() == 1).await;
    assert_eq!(address(), format!("{TAB}?webhook=whk_1"), "a filter would hide it");
    assert_eq!(cells(&stage, 0)[1..4], ["Test", "Pending", "—"]);
    wait(4_100).await;
    let before = network.requests(LOG).len();
    let details = stage.one("tbody button");
    details.focus().unwrap();
    server.finish_delivery("dlv_99_a", "delivered", 204);
    wait_until("the result", || cells(&stage, 0)[2..4] == ["Delivered", "204"]).await;
    assert!(is_focused(&details), "the focus was lost");
    wait(60_000).await;
    assert_eq!(network.requests(LOG).len(), before + 1, "the log is polled after the delivery");
}

#[wasm_bindgen_test]
async fn late_test_event_does_not_reopen_webhook() {
    let server = WebhookServer::new(vec![webhook(1, &json!({}))]);
    let network = Network::new(move |asked| {
        let delay_ms = if asked.method == "POST" { 500 } else { 0 };
        server.answer(asked).delayed(delay_ms)
    });
    let stage = open_dashboard(&format!("{TAB}?webhook=whk_1"));
    wait_until("the log", || text_of(&stage, ".empty-title") == "No deliveries yet").await;
    button(&stage, "Send test event").click();
    settle().await;
    stage.one("section p a").click();
    wait_until("the list", || stage.all("tbody a").len() == 1).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Test event queued")).await;
    wait(10_000).await;
    assert_eq!(address(), TAB);
    assert_eq!(network.requests(LOG).len(), 1, "the log is not shown any more");
}

#[wasm_bindgen_test]
async fn pending_delivery_is_polled_ten_times() {
    let (network, stage, _) = open_log(vec![], "").await;
    let before = network.requests(LOG).len();
    button(&stage, "Send test event").click();
    wait_until("the delivery", || stage.all("tbody tr").len() == 1).await;
    wait(100_000).await;
    assert_eq!(network.requests(LOG).len() - before, 1 + 10);
}

#[wasm_bindgen_test]
async fn hidden_page_does_not_poll() {
    let (network, stage, _) = open_log(vec![], "").await;
    button(&stage, "Send test event").click();
    wait_until("the delivery", || stage.all("tbody tr").len() == 1).await;
    let hide = "Object.defineProperty(document, 'hidden', { value: true, configurable: true })";
    js_sys::eval(hide).unwrap();
    let before = network.requests(LOG).len();
    wait(60_000).await;
    let while_hidden = network.requests(LOG).len();
    js_sys::eval("delete document.hidden").unwrap();
    assert_eq!(while_hidden, before);
    wait(2_100).await;
    assert_eq!(network.requests(LOG).len(), before + 1);
}

#[wasm_bindgen_test]
async fn replay_closes_details_and_updates_row() {
    let (network, stage, server) = open_log(vec![delivery(1, "failed", 500)], "").await;
    open_details(&stage, 0).await;
    dialog_button(&stage, "Replay").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Delivery queued")).await;
    let replayed = format!("{HOOKS}/whk_1/deliveries/dlv_1_a/replay");
    assert_eq!(sent_bodies(&network, "POST", &replayed).len(), 1);
    wait_until("the state", || cells(&stage, 0)[2] == "Pending").await;
    server.finish_delivery("dlv_1_a", "delivered", 200);
    wait_until("the result", || cells(&stage, 0)[2..4] == ["Delivered", "200"]).await;
}

#[wasm_bindgen_test]
async fn failed_deliveries_are_replayed_since_a_time() {
    let all = vec![delivery(2, "failed", 500), delivery(1, "failed", 500)];
    let (network, stage, _) = open_log(all, "").await;
    button(&stage, "Replay all failed").click();
    wait_until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    settle().await;
    let since = stage.one("dialog[open] input");
    let a_day_ago = js_sys::Date::now() - 86_400_000.0;
    let shown = js_sys::Date::new(&value(&since).into()).get_time();
    assert!((shown - a_day_ago).abs() < 60_000.0, "{}", value(&since));
    type_into(&since, "");
    dialog_button(&stage, "Replay deliveries").click();
    settle().await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("date and a time"));
    type_into(&since, "2026-06-01T08:30");
    settle().await;
    dialog_button(&stage, "Replay deliveries").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("2 deliveries queued")).await;
    let sent = sent_bodies(&network, "POST", &format!("{HOOKS}/whk_1/replay")).remove(0);
    let local = js_sys::Date::new(&"2026-06-01T08:30".into()).to_iso_string();
    let local = String::from(local).replace(".000", "");
    assert_eq!(sent["failed_since"], local.as_str());
    wait_until("the rows", || cells(&stage, 1)[2] == "Pending").await;
}

#[wasm_bindgen_test]
async fn log_fits_phone() {
    let (_network, stage, _) = open_log(vec![delivery(1, "failed", 500)], "").await;
    assert_table_fits_phone(&stage).await;
}
