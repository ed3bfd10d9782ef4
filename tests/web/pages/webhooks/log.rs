//! The log of a webhook's deliveries.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::server::{HOOKS, TAB, WebhookServer, delivery, webhook};
use super::{assert_table_fits_phone, dialog_button, sent_bodies};
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{
    address, button, open_dashboard, query_parameter, text_of, wait_for_heading, wait_until,
};
use crate::stage::{
    Stage, attr, click, is_focused, select_value, settle, type_into, type_text, value,
};

pub(super) const LOG: &str = "/deliveries?";

/// Opens the log of a webhook with these deliveries.
pub(super) async fn open_log(
    deliveries: Vec<Value>,
    query: &str,
) -> (Network, Stage, WebhookServer) {
    open_changed_log(deliveries, query, |_, reply| reply).await
}

/// Like [`open_log`], with a network. `change` may delay or replace its replies.
pub(super) async fn open_changed_log(
    deliveries: Vec<Value>,
    query: &str,
    change: impl Fn(&RecordedRequest, Reply) -> Reply + 'static,
) -> (Network, Stage, WebhookServer) {
    let server = WebhookServer::new(vec![webhook(1, &json!({}))]);
    *server.deliveries.borrow_mut() = deliveries;
    let network = server.network_with(change);
    let stage = open_dashboard(&format!("{TAB}?webhook=whk_1{query}"));
    wait_for_heading(&stage, "h3", "Deliveries").await;
    (network, stage, server)
}

/// Returns the texts of the cells of a row.
pub(super) fn cells(stage: &Stage, row: usize) -> Vec<String> {
    let cells = stage.all(&format!("tbody tr:nth-child({}) td", row + 1));
    cells.iter().map(|cell| cell.text_content().unwrap()).collect()
}

/// Opens the details of a row.
pub(super) async fn open_details(stage: &Stage, row: usize) -> HtmlElement {
    let details = stage.one(&format!("tbody tr:nth-child({}) button", row + 1));
    details.focus().unwrap();
    details.click();
    wait_until("the details", || !stage.all("dialog[open]").is_empty()).await;
    details
}

pub(super) fn delay_posts(asked: &RecordedRequest, reply: Reply) -> Reply {
    reply.delayed(if asked.method == "POST" { 500 } else { 0 })
}

/// Returns delivered deliveries, newest first.
pub(super) fn delivered(count: usize) -> Vec<Value> {
    (0..count).map(|number| delivery(100 + count - number, "delivered", 200)).collect()
}

/// Opens a log. Its requests fail while the returned cell is true.
async fn open_flaky_log(deliveries: Vec<Value>) -> (Network, Stage, WebhookServer, Rc<Cell<bool>>) {
    let is_broken = Rc::new(Cell::new(false));
    let broken = Rc::clone(&is_broken);
    let (network, stage, server) = open_changed_log(deliveries, "", move |asked, reply| {
        if broken.get() && asked.url.contains(LOG) {
            return Reply::error(503, "unavailable", "try again");
        }
        reply
    })
    .await;
    (network, stage, server, is_broken)
}

/// Returns the cursor of the latest request for deliveries.
fn last_cursor(network: &Network) -> Option<String> {
    query_parameter(&network.requests(LOG).pop().unwrap().url, "before")
}

fn choose_state(stage: &Stage, name: &str) {
    let field = stage.one("section section select, .form-acts select");
    select_value(&field, name);
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
async fn failed_deliveries_are_replayed_since_a_time() {
    let all = vec![delivery(2, "failed", 500), delivery(1, "failed", 500)];
    let (network, stage, _) = open_log(all, "").await;
    button(&stage, "Replay failed deliveries").click();
    wait_until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    settle().await;
    let since = stage.one("dialog[open] input");
    let a_day_ago = js_sys::Date::now() - 86_400_000.0;
    let shown = js_sys::Date::new(&value(&since).into()).get_time();
    assert!((shown - a_day_ago).abs() < 60_000.0, "{}", value(&since));
    type_into(&since, "");
    click(&dialog_button(&stage, "Replay deliveries")).await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("date and a time"));
    type_text(&since, "2026-06-01T08:30").await;
    dialog_button(&stage, "Replay deliveries").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("2 deliveries queued")).await;
    let sent = sent_bodies(&network, "POST", &format!("{HOOKS}/whk_1/replay")).remove(0);
    let local = js_sys::Date::new(&"2026-06-01T08:30".into()).to_iso_string();
    let local = String::from(local).replace(".000", "");
    assert_eq!(sent["failed_since"], local.as_str());
    wait_until("the rows", || cells(&stage, 1)[2] == "Pending").await;
    assert_table_fits_phone(&stage).await;
}

#[wasm_bindgen_test]
async fn failed_request_is_retried_unchanged() {
    let (network, stage, _, is_broken) = open_flaky_log(delivered(25)).await;
    let failure = || text_of(&stage, ".empty-title");
    is_broken.set(true);
    button(&stage, "Refresh").click();
    wait_until("the failure", || failure() == "Deliveries could not be loaded").await;
    is_broken.set(false);
    button(&stage, "Retry").click();
    wait_until("the end of the failure", || failure().is_empty()).await;
    settle().await;
    assert_eq!((stage.all("tbody tr").len(), last_cursor(&network)), (20, None));
    is_broken.set(true);
    button(&stage, "Show more").click();
    wait_until("the failure", || failure() == "More deliveries could not be loaded").await;
    is_broken.set(false);
    button(&stage, "Retry").click();
    wait_until("all rows", || stage.all("tbody tr").len() == 25).await;
    assert_eq!(last_cursor(&network).as_deref(), Some("dlv_106_a"));
}

#[wasm_bindgen_test]
async fn failed_refresh_repeats_no_rows_and_failed_poll_keeps_focus() {
    let (network, stage, _, is_broken) = open_flaky_log(delivered(2)).await;
    is_broken.set(true);
    button(&stage, "Refresh").click();
    wait_until("the failure", || !stage.all(".empty-title").is_empty()).await;
    is_broken.set(false);
    let before = network.requests(LOG).len();
    button(&stage, "Retry").click();
    wait_until("the rows", || network.requests(LOG).len() > before).await;
    settle().await;
    assert_eq!(stage.all("tbody tr").len(), 2);
    assert!(stage.all(".empty-title").is_empty(), "the failure is still shown");
    button(&stage, "Send test event").click();
    wait_until("the delivery", || stage.all("tbody tr").len() == 3).await;
    let details = stage.one("tbody tr:last-child button");
    details.focus().unwrap();
    is_broken.set(true);
    wait_until("the failure", || !stage.all(".empty-title").is_empty()).await;
    assert!(is_focused(&details), "the table was rebuilt");
}

#[wasm_bindgen_test]
async fn failure_is_shown_in_empty_log() {
    let (_network, stage, _, is_broken) = open_flaky_log(vec![]).await;
    is_broken.set(true);
    button(&stage, "Refresh").click();
    let expected = "No deliveries yetDeliveries could not be loaded";
    wait_until("the failure", || text_of(&stage, ".empty-title") == expected).await;
    is_broken.set(false);
    let retry = button(&stage, "Retry");
    retry.focus().unwrap();
    retry.click();
    wait_until("its end", || text_of(&stage, ".empty-title") == "No deliveries yet").await;
    assert!(is_focused(&stage.one(".page-title")), "the button that had the focus is gone");
}

#[wasm_bindgen_test]
async fn refresh_keeps_older_rows() {
    let (network, stage, server) = open_log(delivered(50), "").await;
    button(&stage, "Show more").click();
    wait_until("two pages", || stage.all("tbody tr").len() == 40).await;
    server.deliveries.borrow_mut().insert(0, delivery(900, "pending", 200));
    button(&stage, "Refresh").click();
    wait_until("the new row", || cells(&stage, 0)[2] == "Pending").await;
    assert_eq!(stage.all("tbody tr").len(), 41);
    button(&stage, "Show more").click();
    wait_until("all rows", || stage.all("tbody tr").len() == 51).await;
    assert_eq!(last_cursor(&network).as_deref(), Some("dlv_111_a"));
}

#[wasm_bindgen_test]
async fn webhook_is_reloaded_with_log() {
    let (_network, stage, server) = open_log(vec![], "").await;
    let fails = "2026-06-14T00:00:00Z".into();
    server.webhooks.borrow_mut()[0]["failing_since"] = fails;
    button(&stage, "Refresh").click();
    wait_until("the failure", || text_of(&stage, "dl.facts").contains("Failing since")).await;
    button(&stage, "Send test event").click();
    wait_until("the delivery", || stage.all("tbody tr").len() == 1).await;
    server.webhooks.borrow_mut()[0]["failing_since"] = Value::Null;
    server.finish_delivery("dlv_99_a", "delivered", 204);
    wait_until("the success", || text_of(&stage, "dl.facts").contains("Enabled")).await;
}

#[wasm_bindgen_test]
async fn late_replay_keeps_other_details() {
    let all = vec![delivery(2, "failed", 500), delivery(1, "failed", 500)];
    let (_network, stage, _) = open_changed_log(all, "", delay_posts).await;
    open_details(&stage, 0).await;
    assert!(!text_of(&stage, "dialog[open]").contains("responded with 500"));
    click(&dialog_button(&stage, "Replay delivery")).await;
    dialog_button(&stage, "Close").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    open_details(&stage, 1).await;
    assert_eq!(attr(&dialog_button(&stage, "Replay delivery"), "aria-busy"), None);
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Delivery queued")).await;
    settle().await;
    assert!(text_of(&stage, "dialog[open]").contains("dlv_1_a"));
}

#[wasm_bindgen_test]
async fn late_replay_error_leaves_new_dialog() {
    let all = vec![delivery(1, "failed", 500)];
    let (_network, stage, _) =
        open_changed_log(all, "", |asked, reply| match asked.method.as_str() {
            "POST" => Reply::error(503, "unavailable", "try again").delayed(500),
            _ => reply,
        })
        .await;
    button(&stage, "Replay failed deliveries").click();
    wait_until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    settle().await;
    click(&dialog_button(&stage, "Replay deliveries")).await;
    dialog_button(&stage, "Cancel").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Replay failed deliveries").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Action failed")).await;
    assert_eq!(text_of(&stage, "dialog[open] .field-error"), "");
}
