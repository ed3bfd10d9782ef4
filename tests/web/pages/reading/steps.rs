//! The keys that go to the next and the previous unread submission.

use leptos::prelude::document;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{LIST, network};
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::bulk_triage::server::TriageServer;
use crate::pages::{address, button, open_dashboard, text_of, wait_for_text, wait_until};
use crate::stage::{Stage, is_focused, press_key, settle, wait};

fn press(key: &str) {
    assert!(press_key(&document().body().unwrap(), key), "{key}");
}

/// Returns the id of the focused row; empty without one.
fn focused() -> String {
    let active = document().active_element();
    active.and_then(|row| row.get_attribute("data-key")).unwrap_or_default()
}

async fn wait_for_focus(id: &str) {
    wait_until(id, || focused() == id).await;
}

/// Opens a list, and waits until the triage of its rows is known.
pub(super) async fn open_list(network: &Network, path: &str) -> Stage {
    let stage = open_dashboard(path);
    wait_until("the marks", || !network.requests("/triage?").is_empty()).await;
    settle().await;
    stage
}

/// Returns the requests that search unread submissions.
fn searches(network: &Network) -> Vec<RecordedRequest> {
    let mut sent = network.requests("/api/live/v1/forms/frm_1/submissions?");
    sent.retain(is_search);
    sent
}

fn is_search(asked: &RecordedRequest) -> bool {
    asked.url.contains("read=false")
}

#[wasm_bindgen_test]
async fn keys_focus_unread_rows() {
    let server = TriageServer::with_reads((0..250).filter(|number| ![0, 4, 9].contains(number)));
    let network = network(&server);
    let stage = open_list(&network, LIST).await;
    for (key, id) in
        [("J", "sub_0"), ("J", "sub_4"), ("J", "sub_9"), ("K", "sub_4"), ("K", "sub_0")]
    {
        press(key);
        wait_for_focus(id).await;
    }
    press("K");
    wait_until("the message", || text_of(&stage, ".toasts").contains("No more unread")).await;
    assert_eq!(focused(), "sub_0");
    assert!(searches(&network).is_empty(), "loaded rows need no request");
}

#[wasm_bindgen_test]
async fn next_unread_row_is_found_beyond_loaded_rows() {
    let server = TriageServer::with_reads((0..250).filter(|number| *number != 240));
    let network = network(&server);
    let stage = open_list(&network, LIST).await;
    press("J");
    wait_for_focus("sub_240").await;
    assert_eq!(searches(&network).len(), 1);
    press("J");
    wait_until("the message", || text_of(&stage, ".toasts").contains("No more unread")).await;
    assert_eq!(focused(), "sub_240");
}

#[wasm_bindgen_test]
async fn keys_open_unread_submissions() {
    let server =
        TriageServer::with_reads((0..250).filter(|number| ![2, 180, 200].contains(number)));
    let network = network(&server);
    let _stage = open_list(&network, &format!("{LIST}/submissions/sub_0")).await;
    for number in [2, 180, 200] {
        press("J");
        let card = format!("{LIST}/submissions/sub_{number}");
        wait_until(&card, || address() == card).await;
        wait_until("its change", || server.is_read(number)).await;
    }
}

#[wasm_bindgen_test]
async fn previous_unread_submissions_are_found_up_to_the_newest() {
    let unread = [2, 120, 180];
    let server = TriageServer::with_reads((0..250).filter(|number| !unread.contains(number)));
    let network = network(&server);
    let stage = open_list(&network, &format!("{LIST}/submissions/sub_200")).await;
    for number in [180, 120, 2] {
        press("K");
        let card = format!("{LIST}/submissions/sub_{number}");
        wait_until(&card, || address() == card).await;
        wait_until("its change", || server.is_read(number)).await;
        settle().await;
    }
    press("K");
    wait_until("the message", || text_of(&stage, ".toasts").contains("No more unread")).await;
    assert!(!searches(&network).is_empty());
}

/// Returns a network with one unread submission. Requests of `is_slow` take long.
fn slow_network(number: u32, is_slow: fn(&RecordedRequest) -> bool) -> Network {
    let server = TriageServer::with_reads((0..250).filter(|other| *other != number));
    let server = super::card_server(&server);
    Network::new(move |asked| server.answer(asked).delayed(if is_slow(asked) { 3_000 } else { 0 }))
}

#[wasm_bindgen_test]
async fn held_key_sends_one_search() {
    let network = slow_network(240, is_search);
    let stage = open_list(&network, LIST).await;
    for _ in 0..4 {
        press("J");
        settle().await;
    }
    wait_for_focus("sub_240").await;
    assert_eq!(searches(&network).len(), 1);
    assert_eq!(text_of(&stage, ".toasts"), "");
}

#[wasm_bindgen_test]
async fn search_is_dropped_once_another_submission_is_open() {
    let network = slow_network(200, is_search);
    let _stage = open_list(&network, &format!("{LIST}/submissions/sub_0")).await;
    press("J");
    wait_until("the search", || !searches(&network).is_empty()).await;
    press("j");
    wait_until("the next one", || address() == format!("{LIST}/submissions/sub_1")).await;
    wait(8_000).await;
    settle().await;
    assert_eq!(address(), format!("{LIST}/submissions/sub_1"));
}

#[wasm_bindgen_test]
async fn found_row_does_not_take_focus_that_moved_on() {
    let network = slow_network(240, |asked| !is_search(asked) && asked.url.contains("date_to"));
    let stage = open_list(&network, LIST).await;
    press("J");
    let is_jump = |asked: RecordedRequest| !is_search(&asked) && asked.url.contains("date_to");
    wait_until("the jump", || network.requests("/submissions?").into_iter().any(is_jump)).await;
    let filter = button(&stage, "Filter");
    filter.focus().unwrap();
    wait_until("the row", || !stage.all("[data-key=sub_240]").is_empty()).await;
    wait(1_000).await;
    settle().await;
    assert!(is_focused(&filter));
}

#[wasm_bindgen_test]
async fn error_of_a_search_is_reported() {
    let server = TriageServer::with_reads(0..250);
    let network = Network::new(move |asked| {
        if is_search(asked) {
            return Reply::error(500, "internal", "failed");
        }
        server.answer(asked)
    });
    let stage = open_list(&network, LIST).await;
    press("J");
    wait_for_text(&stage, ".toasts", "Could not find unread submissions.").await;
}
