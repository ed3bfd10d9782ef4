//! Cards are walked through the whole list as it is filtered, from wherever one of them was opened.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::at;
use crate::network::{Asked, Network, Reply};
use crate::pages::list::{LIST, LONG_ROWS, long_list, look_for_news};
use crate::pages::{address, button, gateway, open, parameter, session, shown, until};
use crate::stage::{Stage, attr, press, settle, type_into, wait};

/// A server of the long list, to which `newer` came since, and which may say that it is not ours.
fn long(asked: &Asked, newer: u32, managed: bool) -> Reply {
    let path = asked.url.split('?').next().unwrap_or_default();
    if path == "/session" {
        let mut session = session();
        session["data"]["managed"] = managed.into();
        return Reply::ok(&session);
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
    if path == LIST && parameter(&asked.url, "search").is_none() {
        return long_list(&asked.url, newer);
    }
    gateway(asked)
}

fn body() -> HtmlElement {
    document().body().unwrap()
}

/// The rows that are marked as the one that is open.
fn current(stage: &Stage) -> Vec<Option<String>> {
    stage.all(".grid-row[aria-current]").iter().map(|row| attr(row, "data-key")).collect()
}

fn is_off(stage: &Stage, name: &str) -> bool {
    attr(&button(stage, name), "aria-disabled").as_deref() == Some("true")
}

/// Scrolls a row to the top edge, until the one with this id is drawn. Rows are higher beside a
/// card, and for as long as the table has not measured how high they are, it keeps its place.
async fn scroll_to(stage: &Stage, row: i32, id: &str) {
    until(id, || {
        let height = stage.one(".grid-probe").offset_height();
        stage.one(".grid").set_scroll_top(row * height);
        !stage.all(&format!("[data-key={id}]")).is_empty()
    })
    .await;
}

async fn opened(stage: &Stage) {
    until("the card", || !stage.all(".answers-text").is_empty()).await;
}

#[wasm_bindgen_test]
async fn a_card_that_came_by_a_link_is_walked_from_its_place_far_down() {
    for managed in [true, false] {
        let network = Network::new(move |asked| {
            // What lies beside the page that leads there comes late.
            let late = if asked.url.contains("cursor=") { 300 } else { 20 };
            long(asked, 0, managed).late(late)
        });
        let stage = open(&at(1000));
        opened(&stage).await;
        assert!(!is_off(&stage, "Next submission"), "it says that it is not on the list");
        until("its row", || current(&stage) == [Some("sub_1000".to_owned())]).await;
        // It stands at its true place, of which few requests told.
        assert_eq!(attr(&stage.one("[data-key=sub_1000]"), "aria-rowindex").unwrap(), "1002");
        assert!(network.asked("limit=100").len() <= 5, "{:?}", network.asked("limit=100"));
        press(&body(), "k");
        until("the one before, which had to come", || address() == at(1001)).await;
        until("it is marked", || current(&stage) == [Some("sub_1001".to_owned())]).await;
        press(&body(), "j");
        until("back", || address() == at(1000)).await;
        press(&body(), "j");
        until("the next", || address() == at(999)).await;
        press(&body(), "Escape");
        until("the list", || address() == "/live/forms/frm_1").await;
    }
    window().local_storage().unwrap().unwrap().remove_item("sheaf-forms").unwrap();
}

#[wasm_bindgen_test]
async fn a_key_that_comes_before_the_place_is_known_is_not_lost() {
    let _network = Network::new(|asked| {
        let late = if asked.url.starts_with(LIST) { 400 } else { 0 };
        long(asked, 0, true).late(late)
    });
    let stage = open(&at(1000));
    opened(&stage).await;
    press(&body(), "j");
    settle().await;
    assert_eq!(address(), at(1000));
    assert!(!is_off(&stage, "Next submission"));
    until("the next", || address() == at(999)).await;
}

#[wasm_bindgen_test]
async fn cards_are_walked_across_the_edge_of_a_page() {
    let _network = Network::new(|asked| {
        let late = if asked.url.contains("cursor=") { 400 } else { 0 };
        long(asked, 0, true).late(late)
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    // Rows of the first page end at 99.
    scroll_to(&stage, 90, "sub_1901").await;
    assert!(stage.all("[data-key=sub_1900]").is_empty(), "it has not come");
    stage.one("[data-key=sub_1901]").click();
    opened(&stage).await;
    press(&body(), "j");
    until("the first of the next page", || address() == at(1900)).await;
    until("its row", || current(&stage) == [Some("sub_1900".to_owned())]).await;
    press(&body(), "k");
    until("the last of the page before", || address() == at(1901)).await;
}

#[wasm_bindgen_test]
async fn a_filter_that_was_changed_over_a_card_holds_when_it_is_closed() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    stage.one("[data-key=sub_3]").click();
    opened(&stage).await;
    type_into(&stage.one("input[type=search]"), "needle");
    until("the filter", || address() == format!("{}?search=needle", at(3))).await;
    until("its rows", || shown(&stage, ".page-count") == "25 submissions").await;
    stage.one(".grid").set_scroll_top(120);
    settle().await;
    press(&body(), "Escape");
    until("the list", || stage.all(".drawer").is_empty()).await;
    settle().await;
    assert_eq!(address(), "/live/forms/frm_1?search=needle");
    assert_eq!(shown(&stage, ".page-count"), "25 submissions");
}

#[wasm_bindgen_test]
async fn the_marked_row_is_the_cards_also_under_another_filter() {
    let _network = Network::new(|asked| {
        let late = if asked.url.contains("search=") { 300 } else { 0 };
        gateway(asked).late(late)
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    stage.one("[data-key=sub_13]").click();
    opened(&stage).await;
    until("its row", || current(&stage) == [Some("sub_13".to_owned())]).await;
    type_into(&stage.one("input[type=search]"), "needle");
    until("the filter", || address().contains("search=")).await;
    settle().await;
    assert_eq!(shown(&stage, ".page-count"), "250 submissions", "the rows are those from before");
    press(&body(), "j");
    until("the next that matches", || address() == format!("{}?search=needle", at(23))).await;
    type_into(&stage.one("input[type=search]"), "");
    until("all rows", || shown(&stage, ".page-count") == "250 submissions").await;
    press(&body(), "j");
    until("the next of all", || address() == at(24)).await;
    // One that does not match has no row, and leads nowhere.
    type_into(&stage.one("input[type=search]"), "needle");
    until("the rows again", || shown(&stage, ".page-count") == "25 submissions").await;
    settle().await;
    assert_eq!(current(&stage), [None::<String>; 0]);
    assert!(is_off(&stage, "Next submission") && is_off(&stage, "Previous submission"));
    press(&body(), "j");
    settle().await;
    assert_eq!(address(), format!("{}?search=needle", at(24)));
    press(&body(), "Escape");
    let active = || document().active_element().unwrap().class_name();
    until("the focus at the heading, not at some row", || active() == "page-title").await;
}

#[wasm_bindgen_test]
async fn the_marked_row_is_the_cards_also_once_new_ones_were_taken_in() {
    let newer = Rc::new(Cell::new(0));
    let arrived = Rc::clone(&newer);
    let _network = Network::new(move |asked| long(asked, arrived.get(), true));
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    scroll_to(&stage, 150, "sub_1845").await;
    stage.one("[data-key=sub_1845]").click();
    opened(&stage).await;
    newer.set(7);
    look_for_news();
    until("the news", || shown(&stage, ".list-news").contains("7 new")).await;
    button(&stage, "7 new").click();
    until("the newest", || !stage.all("[data-key=sub_2007]").is_empty()).await;
    settle().await;
    assert!(!stage.all("[data-key=sub_2007]").is_empty(), "who asked for the new ones sees them");
    // Where its row was, another stands now.
    assert_eq!(current(&stage), [None::<String>; 0]);
    press(&body(), "j");
    until("the one behind it", || address() == at(1844)).await;
    until("its row", || current(&stage) == [Some("sub_1844".to_owned())]).await;
}

#[wasm_bindgen_test]
async fn a_card_that_came_after_the_list_leads_on_to_the_others() {
    for (key, to) in [("j", 2002), ("k", 2004)] {
        let begun = Cell::new(false);
        let network = Network::new(move |asked| {
            let is_first = asked.url.starts_with(LIST) && !begun.replace(true);
            long(asked, if is_first { 0 } else { 7 }, true)
        });
        let stage = open(&at(2003));
        opened(&stage).await;
        until("rows", || shown(&stage, ".page-count") == "2,000 submissions").await;
        settle().await;
        assert_eq!(current(&stage), [None::<String>; 0]);
        assert!(!is_off(&stage, "Next submission") && !is_off(&stage, "Previous submission"));
        press(&body(), key);
        until("the one beside it", || address() == at(to)).await;
        until("its row", || current(&stage) == [Some(format!("sub_{to}"))]).await;
        assert_eq!(shown(&stage, ".page-count"), "2,007 submissions");
        let asked = network.asked(LIST);
        let begun = asked.iter().filter(|asked| asked.url == format!("{LIST}?limit=100"));
        assert_eq!(begun.count(), 2, "the list begins once more, and only once");
    }
}

#[wasm_bindgen_test]
async fn a_row_that_is_awaited_is_not_opened_for_who_went_elsewhere() {
    let _network = Network::new(|asked| {
        let late = if asked.url.contains("cursor=") { 500 } else { 0 };
        long(asked, 0, true).late(late)
    });
    for away in ["Escape", "filter"] {
        let stage = open("/live/forms/frm_1");
        until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
        scroll_to(&stage, 90, "sub_1901").await;
        stage.one("[data-key=sub_1901]").click();
        opened(&stage).await;
        press(&body(), "j");
        settle().await;
        assert_eq!(address(), at(1901), "its row has not come");
        let left = if away == "filter" {
            type_into(&stage.one("input[type=search]"), "needle");
            until("its rows", || shown(&stage, ".page-count") == "25 submissions").await;
            type_into(&stage.one("input[type=search]"), "");
            at(1901)
        } else {
            press(&body(), away);
            "/live/forms/frm_1".to_owned()
        };
        until("elsewhere", || address() == left).await;
        until("all rows", || shown(&stage, ".page-count") == "2,000 submissions").await;
        scroll_to(&stage, 90, "sub_1900").await;
        wait(300).await;
        assert_eq!(address(), left);
    }
}

#[wasm_bindgen_test]
async fn keys_walk_the_cards_after_another_row_was_clicked() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    for (row, title) in [(1, "Person 1"), (4, "Person 4"), (4, "Person 4")] {
        let row = stage.one(&format!("[data-key=sub_{row}]"));
        // A pointer gives it the focus before it presses it.
        row.focus().unwrap();
        row.click();
        until("its card", || shown(&stage, ".drawer-title") == title).await;
        settle().await;
        let active = document().active_element().unwrap();
        assert_eq!(active.class_name(), "drawer-title", "for {title}");
    }
    let active: HtmlElement = document().active_element().unwrap().unchecked_into();
    press(&active, "j");
    until("the next card", || shown(&stage, ".drawer-title") == "Person 5").await;
    // Who came to the rows by keys walks them.
    let row = stage.one("[data-key=sub_5]");
    row.focus().unwrap();
    press(&row, "j");
    settle().await;
    assert_eq!(shown(&stage, ".drawer-title"), "Person 5");
}
