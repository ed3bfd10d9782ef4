//! Navigation between cards through the complete filtered list, wherever the first card was opened.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::card_path;
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::list::{LIST, LONG_ROWS, check_for_new_rows, long_list};
use crate::pages::{
    address, answer_as_gateway, button, local_storage, open_dashboard, open_rows, query_parameter,
    session_with, text_of, wait_until,
};
use crate::stage::{Stage, attr, body, press_key, settle, type_into, type_key, wait};

/// Answers like a server with the long list and `newer` added rows. `managed` is false for a server
/// that is not Sheaf.
fn answer_as_long_list(asked: &RecordedRequest, newer: u32, managed: bool) -> Reply {
    let path = asked.url.split('?').next().unwrap_or_default();
    if path == "/session" {
        return session_with(&json!({ "managed": managed }));
    }
    if path.starts_with("/account") && !managed {
        return Reply::error(404, "not_found", "not here");
    }
    if let Some(number) = path.strip_prefix("/api/live/v1/submissions/sub_") {
        let number: u32 = number.parse().unwrap();
        let page =
            long_list(&format!("{LIST}?cursor={}&limit=1", LONG_ROWS + newer - number), newer);
        let page: Value = serde_json::from_str(&page.body).unwrap();
        return Reply::ok(&json!({ "data": page["data"][0] }));
    }
    if path == LIST && query_parameter(&asked.url, "search").is_none() {
        return long_list(&asked.url, newer);
    }
    answer_as_gateway(asked)
}

/// Returns the ids of the rows that are marked as current.
fn current_rows(stage: &Stage) -> Vec<Option<String>> {
    stage.all(".grid-row[aria-current]").iter().map(|row| attr(row, "data-key")).collect()
}

fn is_disabled(stage: &Stage, name: &str) -> bool {
    attr(&button(stage, name), "aria-disabled").as_deref() == Some("true")
}

/// Scrolls a row to the top edge until the row with this id is rendered. Repeats the scroll: rows
/// are higher next to a card, and the table keeps its scroll position until it has measured them.
async fn scroll_to(stage: &Stage, row: i32, id: &str) {
    wait_until(id, || {
        let height = stage.one(".grid-probe").offset_height();
        stage.one(".grid").set_scroll_top(row * height);
        !stage.all(&format!("[data-key={id}]")).is_empty()
    })
    .await;
}

async fn wait_for_card(stage: &Stage) {
    wait_until("the card", || !stage.all(".answers-text").is_empty()).await;
}

#[wasm_bindgen_test]
async fn linked_card_navigates_from_its_index() {
    for managed in [true, false] {
        let network = Network::new(move |asked| {
            // Pages next to the one with the row are delayed.
            let late = if asked.url.contains("cursor=") { 300 } else { 20 };
            answer_as_long_list(asked, 0, managed).delayed(late)
        });
        let stage = open_dashboard(&card_path(1000));
        wait_for_card(&stage).await;
        assert!(!is_disabled(&stage, "Next submission"), "the card is not on the list");
        wait_until("its row", || current_rows(&stage) == [Some("sub_1000".to_owned())]).await;
        // The row has its correct index, which took few requests.
        assert_eq!(attr(&stage.one("[data-key=sub_1000]"), "aria-rowindex").unwrap(), "1002");
        assert!(network.requests("limit=100").len() <= 5, "{:?}", network.requests("limit=100"));
        press_key(&body(), "k");
        wait_until("the previous card after its load", || address() == card_path(1001)).await;
        wait_until("its row", || current_rows(&stage) == [Some("sub_1001".to_owned())]).await;
        press_key(&body(), "j");
        wait_until("the first card", || address() == card_path(1000)).await;
        press_key(&body(), "j");
        wait_until("the next", || address() == card_path(999)).await;
        press_key(&body(), "Escape");
        wait_until("the list", || address() == "/live/forms/frm_1").await;
    }
    local_storage().remove_item("sheaf-forms").unwrap();
}

#[wasm_bindgen_test]
async fn early_navigation_key_is_not_lost() {
    let _network = Network::new(|asked| {
        let late = if asked.url.starts_with(LIST) { 400 } else { 0 };
        answer_as_long_list(asked, 0, true).delayed(late)
    });
    let stage = open_dashboard(&card_path(1000));
    wait_for_card(&stage).await;
    type_key(&body(), "j").await;
    assert_eq!(address(), card_path(1000));
    assert!(!is_disabled(&stage, "Next submission"));
    wait_until("the next", || address() == card_path(999)).await;
}

#[wasm_bindgen_test]
async fn navigation_crosses_page_boundary() {
    let _network = Network::new(|asked| {
        let late = if asked.url.contains("cursor=") { 400 } else { 0 };
        answer_as_long_list(asked, 0, true).delayed(late)
    });
    let stage = open_rows("/live/forms/frm_1").await;
    // The first page ends at row 99.
    scroll_to(&stage, 90, "sub_1901").await;
    assert!(stage.all("[data-key=sub_1900]").is_empty(), "the row is already loaded");
    stage.one("[data-key=sub_1901]").click();
    wait_for_card(&stage).await;
    press_key(&body(), "j");
    wait_until("the first of the next page", || address() == card_path(1900)).await;
    wait_until("its row", || current_rows(&stage) == [Some("sub_1900".to_owned())]).await;
    press_key(&body(), "k");
    wait_until("the last of the page before", || address() == card_path(1901)).await;
}

#[wasm_bindgen_test]
async fn filter_changed_over_card_stays() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    stage.one("[data-key=sub_3]").click();
    wait_for_card(&stage).await;
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the filter", || address() == format!("{}?search=needle", card_path(3))).await;
    wait_until("its rows", || text_of(&stage, ".page-count") == "25 submissions").await;
    stage.one(".grid").set_scroll_top(120);
    settle().await;
    press_key(&body(), "Escape");
    wait_until("the list", || stage.all(".drawer").is_empty()).await;
    settle().await;
    assert_eq!(address(), "/live/forms/frm_1?search=needle");
    assert_eq!(text_of(&stage, ".page-count"), "25 submissions");
}

#[wasm_bindgen_test]
async fn current_row_follows_card_under_filter() {
    let _network = Network::new(|asked| {
        let late = if asked.url.contains("search=") { 300 } else { 0 };
        answer_as_gateway(asked).delayed(late)
    });
    let stage = open_rows("/live/forms/frm_1").await;
    stage.one("[data-key=sub_13]").click();
    wait_for_card(&stage).await;
    wait_until("its row", || current_rows(&stage) == [Some("sub_13".to_owned())]).await;
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the filter", || address().contains("search=")).await;
    settle().await;
    assert_eq!(
        text_of(&stage, ".page-count"),
        "250 submissions",
        "the previous rows stay until the response"
    );
    press_key(&body(), "j");
    wait_until("the next that matches", || address() == format!("{}?search=needle", card_path(23)))
        .await;
    type_into(&stage.one("input[type=search]"), "");
    wait_until("all rows", || text_of(&stage, ".page-count") == "250 submissions").await;
    press_key(&body(), "j");
    wait_until("the next of all", || address() == card_path(24)).await;
    // A card outside of the filter has no row and no neighbours.
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the rows again", || text_of(&stage, ".page-count") == "25 submissions").await;
    settle().await;
    assert_eq!(current_rows(&stage), [None::<String>; 0]);
    assert!(is_disabled(&stage, "Next submission") && is_disabled(&stage, "Previous submission"));
    type_key(&body(), "j").await;
    assert_eq!(address(), format!("{}?search=needle", card_path(24)));
    press_key(&body(), "Escape");
    let active = || document().active_element().unwrap().class_name();
    wait_until("the focus at the heading, not at some row", || active() == "page-title").await;
}

#[wasm_bindgen_test]
async fn current_row_follows_card_after_new_rows() {
    let newer = Rc::new(Cell::new(0));
    let newer_count = Rc::clone(&newer);
    let _network = Network::new(move |asked| answer_as_long_list(asked, newer_count.get(), true));
    let stage = open_rows("/live/forms/frm_1").await;
    scroll_to(&stage, 150, "sub_1845").await;
    stage.one("[data-key=sub_1845]").click();
    wait_for_card(&stage).await;
    newer.set(7);
    check_for_new_rows();
    wait_until("the news", || text_of(&stage, ".list-news").contains("7 new")).await;
    button(&stage, "7 new").click();
    wait_until("the newest", || !stage.all("[data-key=sub_2007]").is_empty()).await;
    settle().await;
    assert!(!stage.all("[data-key=sub_2007]").is_empty(), "the new rows are not shown");
    // Another row is at its previous index.
    assert_eq!(current_rows(&stage), [None::<String>; 0]);
    press_key(&body(), "j");
    wait_until("the next card", || address() == card_path(1844)).await;
    wait_until("its row", || current_rows(&stage) == [Some("sub_1844".to_owned())]).await;
}

#[wasm_bindgen_test]
async fn card_newer_than_list_can_navigate() {
    for (key, to) in [("j", 2002), ("k", 2004)] {
        let begun = Cell::new(false);
        let network = Network::new(move |asked| {
            let is_first = asked.url.starts_with(LIST) && !begun.replace(true);
            answer_as_long_list(asked, if is_first { 0 } else { 7 }, true)
        });
        let stage = open_dashboard(&card_path(2003));
        wait_for_card(&stage).await;
        wait_until("rows", || text_of(&stage, ".page-count") == "2,000 submissions").await;
        settle().await;
        assert_eq!(current_rows(&stage), [None::<String>; 0]);
        assert!(
            !is_disabled(&stage, "Next submission") && !is_disabled(&stage, "Previous submission")
        );
        press_key(&body(), key);
        wait_until("the adjacent card", || address() == card_path(to)).await;
        wait_until("its row", || current_rows(&stage) == [Some(format!("sub_{to}"))]).await;
        assert_eq!(text_of(&stage, ".page-count"), "2,007 submissions");
        let asked = network.requests(LIST);
        let begun = asked.iter().filter(|asked| asked.url == format!("{LIST}?limit=100"));
        assert_eq!(begun.count(), 2, "the list is reloaded once");
    }
}

#[wasm_bindgen_test]
async fn pending_navigation_is_cancelled_on_leave() {
    let _network = Network::new(|asked| {
        let late = if asked.url.contains("cursor=") { 500 } else { 0 };
        answer_as_long_list(asked, 0, true).delayed(late)
    });
    for away in ["Escape", "filter"] {
        let stage = open_rows("/live/forms/frm_1").await;
        scroll_to(&stage, 90, "sub_1901").await;
        stage.one("[data-key=sub_1901]").click();
        wait_for_card(&stage).await;
        type_key(&body(), "j").await;
        assert_eq!(address(), card_path(1901), "the row is not loaded yet");
        let left = if away == "filter" {
            type_into(&stage.one("input[type=search]"), "needle");
            wait_until("its rows", || text_of(&stage, ".page-count") == "25 submissions").await;
            type_into(&stage.one("input[type=search]"), "");
            card_path(1901)
        } else {
            press_key(&body(), away);
            "/live/forms/frm_1".to_owned()
        };
        wait_until("the other page", || address() == left).await;
        wait_until("all rows", || text_of(&stage, ".page-count") == "2,000 submissions").await;
        scroll_to(&stage, 90, "sub_1900").await;
        wait(300).await;
        assert_eq!(address(), left);
    }
}

#[wasm_bindgen_test]
async fn keys_navigate_cards_after_click() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    for (row, title) in [(1, "Person 1"), (4, "Person 4"), (4, "Person 4")] {
        let row = stage.one(&format!("[data-key=sub_{row}]"));
        // A pointer focuses the row before the click.
        row.focus().unwrap();
        row.click();
        wait_until("its card", || text_of(&stage, ".drawer-title") == title).await;
        settle().await;
        let active = document().active_element().unwrap();
        assert_eq!(active.class_name(), "drawer-title", "for {title}");
    }
    let active: HtmlElement = document().active_element().unwrap().unchecked_into();
    press_key(&active, "j");
    wait_until("the next card", || text_of(&stage, ".drawer-title") == "Person 5").await;
    // With the focus on a row, keys move through the rows.
    let row = stage.one("[data-key=sub_5]");
    row.focus().unwrap();
    type_key(&row, "j").await;
    assert_eq!(text_of(&stage, ".drawer-title"), "Person 5");
}
