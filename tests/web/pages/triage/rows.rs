//! Marks of the rows.

use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{LIST, server::CardServer};
use crate::network::Network;
use crate::pages::reading::cell_edges;
use crate::pages::{open_dashboard, query_parameter, wait_until};
use crate::stage::{attr, settle, wait};

const MARKED: &str = r#"{"status":"waiting","starred":true,"tags":["VIP","a","b","c"],
    "assignee":"psn_2"}"#;

#[wasm_bindgen_test]
async fn marks_follow_first_text_and_move_no_cell() {
    let network = CardServer::new([(1, MARKED)]).network();
    let stage = open_dashboard(LIST);
    wait_until("the marks", || !stage.all("[data-key=sub_1] .row-marks .tag").is_empty()).await;
    settle().await;
    let edges = cell_edges(&stage, 1);
    assert!(edges.len() > 2);
    assert_eq!(edges, cell_edges(&stage, 2), "cells are as in a row without marks");
    assert_eq!(stage.all(".row-marks").len(), 1, "only the row with marks has any");
    let cell = stage.one("[data-key=sub_1] > .grid-cell > .row-line");
    let text = cell.text_content().unwrap();
    assert!(text.starts_with("Person 1Starred"), "{text}");
    wait_until("the names", || {
        let text = cell.text_content().unwrap();
        text.contains("Waiting for reply") && text.contains("Assignee: reader@example.org")
    })
    .await;
    let tags: Vec<_> = stage.all(".row-marks > .tag").iter().map(HtmlElement::inner_text).collect();
    assert_eq!(tags[..2], ["VIP", "a"]);
    assert!(tags[2].starts_with("+2"), "{tags:?}");
    assert_eq!(attr(&stage.all(".row-marks > .tag")[0], "data-color").as_deref(), Some("red"));
    assert!(stage.text("[data-key=sub_1] .initial").starts_with('R'));
    assert_eq!(network.requests("/account/triage").len(), 1);
}

#[wasm_bindgen_test]
async fn rows_in_view_are_requested_once() {
    let network = CardServer::default().network();
    let stage = open_dashboard(LIST);
    wait_until("the marks", || !network.requests("/triage?ids=").is_empty()).await;
    wait(20_000).await;
    settle().await;
    let asked = network.requests("/triage?ids=");
    assert_eq!(asked.len(), 1, "{asked:?}");
    let ids = query_parameter(&asked[0].url, "ids").unwrap();
    let count = ids.matches("sub_").count();
    assert!((20..=100).contains(&count), "the whole page is requested: {count}");
    let viewport = stage.one(".grid");
    viewport.set_scroll_top(44 * 150);
    wait_until("the next marks", || network.requests("/triage?ids=").len() > 1).await;
    let next = network.requests("/triage?ids=").pop().unwrap().url;
    assert!(!next.contains("sub_1%2C"), "known rows are not requested again: {next}");
}

#[wasm_bindgen_test]
async fn rows_work_without_marks_after_error() {
    let server = CardServer::new([(1, MARKED)]);
    let failures = std::cell::Cell::new(0);
    let network = Network::new(move |asked| {
        if asked.url.contains("/triage?") && failures.replace(failures.get() + 1) == 0 {
            return crate::network::Reply::error(500, "internal", "failed");
        }
        server.answer(asked)
    });
    let stage = open_dashboard(LIST);
    wait_until("the error", || network.requests("/triage?").len() == 1).await;
    settle().await;
    assert!(stage.all(".row-marks, .toast").is_empty());
    wait(11_000).await;
    wait_until("the marks", || !stage.all(".row-marks").is_empty()).await;
    assert_eq!(network.requests("/triage?").len(), 2);
}
