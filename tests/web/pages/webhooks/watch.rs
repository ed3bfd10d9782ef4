//! Test events and replays: the log is polled until the result is known.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen_test::wasm_bindgen_test;

use super::log::{LOG, cells, delay_posts, delivered, open_changed_log, open_details, open_log};
use super::server::{HOOKS, TAB, delivery};
use super::{dialog_button, sent_bodies};
use crate::clock::wait;
use crate::pages::{address, button, press_button, text_of, wait_until};
use crate::stage::is_focused;

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
    let (network, stage, _) = open_changed_log(vec![], "", delay_posts).await;
    press_button(&stage, "Send test event").await;
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
    dialog_button(&stage, "Replay delivery").click();
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Delivery queued")).await;
    let replayed = format!("{HOOKS}/whk_1/deliveries/dlv_1_a/replay");
    assert_eq!(sent_bodies(&network, "POST", &replayed).len(), 1);
    wait_until("the state", || cells(&stage, 0)[2] == "Pending").await;
    server.finish_delivery("dlv_1_a", "delivered", 200);
    wait_until("the result", || cells(&stage, 0)[2..4] == ["Delivered", "200"]).await;
    wait_until("its toast", || text_of(&stage, ".toasts").contains("Delivered")).await;
}

#[wasm_bindgen_test]
async fn slow_poll_is_awaited() {
    let delay_ms = Rc::new(Cell::new(0));
    let slow_ms = Rc::clone(&delay_ms);
    let (network, stage, server) = open_changed_log(vec![], "", move |asked, reply| {
        reply.delayed(if asked.url.contains(LOG) { slow_ms.get() } else { 0 })
    })
    .await;
    delay_ms.set(5_000);
    button(&stage, "Send test event").click();
    let before = network.requests(LOG).len();
    wait(5_500).await;
    assert_eq!(stage.all("tbody tr").len(), 1);
    assert_eq!(network.requests(LOG).len() - before, 1);
    server.finish_delivery("dlv_99_a", "delivered", 204);
    wait_until("the result", || cells(&stage, 0)[2] == "Delivered").await;
}

#[wasm_bindgen_test]
async fn failed_replay_shows_reason() {
    let (network, stage, server) = open_log(vec![delivery(1, "failed", 500)], "").await;
    open_details(&stage, 0).await;
    dialog_button(&stage, "Replay delivery").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Delivery queued")).await;
    // The delivery waits for its next attempt.
    server.finish_delivery("dlv_1_a", "pending", 503);
    server.deliveries.borrow_mut()[0]["attempts"][0]["at"] = "2026-06-15T11:30:00Z".into();
    let reason = "Not delivered: the receiver responded with 503";
    wait_until("the reason", || text_of(&stage, ".toasts").contains(reason)).await;
    let before = network.requests(LOG).len();
    wait(60_000).await;
    assert_eq!(network.requests(LOG).len(), before, "the log is polled after the attempt");
}

#[wasm_bindgen_test]
async fn replay_beyond_first_rows_shows_result() {
    let mut all = delivered(110);
    all.push(delivery(1, "failed", 500));
    let (_network, stage, server) = open_log(all, "").await;
    for rows in [40, 60, 80, 100, 111] {
        button(&stage, "Show more").click();
        wait_until("more rows", || stage.all("tbody tr").len() == rows).await;
    }
    open_details(&stage, 110).await;
    dialog_button(&stage, "Replay delivery").click();
    wait_until("the state", || cells(&stage, 110)[2] == "Pending").await;
    server.finish_delivery("dlv_1_a", "delivered", 204);
    wait_until("the result", || cells(&stage, 110)[2..4] == ["Delivered", "204"]).await;
}

#[wasm_bindgen_test]
async fn replay_hidden_by_filter_shows_result() {
    let all = [delivered(30), vec![delivery(1, "failed", 500)]].concat();
    let (_network, stage, server) = open_log(all, "&state=failed").await;
    open_details(&stage, 0).await;
    dialog_button(&stage, "Replay delivery").click();
    wait_until("no row", || text_of(&stage, ".empty-title") == "No matching deliveries").await;
    server.finish_delivery("dlv_1_a", "delivered", 204);
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Delivered")).await;
}
