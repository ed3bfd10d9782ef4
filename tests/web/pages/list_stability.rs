//! State that stays while the list changes: focus, scroll position, counts, and the date scroller.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::document;
use wasm_bindgen_test::wasm_bindgen_test;

use super::list::{LIST, check_for_new_rows, first_row, long_list_gateway, open_list, row_keys};
use super::{
    address, answer_as_gateway, list_page, open_dashboard, query_parameter, text_of, wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, is_focused, press_with, settle, type_into, type_key, wait};

/// Returns a gateway that fails list requests while `lost` is true.
fn lossy_gateway(lost: &Rc<Cell<bool>>) -> impl Fn(&RecordedRequest) -> Reply + 'static {
    let lost = Rc::clone(lost);
    move |asked| {
        let lost = lost.get() && asked.url.starts_with(LIST);
        if lost { Reply { lost, ..Reply::default() } } else { answer_as_gateway(asked) }
    }
}

#[wasm_bindgen_test]
async fn new_rows_keep_focus_in_search() {
    let there = Rc::new(Cell::new(false));
    let come = Rc::clone(&there);
    let _network =
        Network::new(move |asked| match query_parameter(&asked.url, "search").as_deref() {
            Some("soon") if come.get() => list_page(&[3, 13], &asked.url),
            _ => answer_as_gateway(asked),
        });
    let stage = open_dashboard("/live/forms/frm_1?search=soon");
    wait_until("the empty state", || text_of(&stage, ".empty-title") == "No matching submissions")
        .await;
    let search = stage.one("input[type=search]");
    search.focus().unwrap();
    there.set(true);
    check_for_new_rows();
    wait_until("the new rows", || first_row(&stage).as_deref() == Some("sub_3")).await;
    settle().await;
    assert!(is_focused(&search), "the search field keeps the focus");
    type_key(&search, "e").await;
    assert!(stage.all("dialog[open]").is_empty());
}

#[wasm_bindgen_test]
async fn loading_new_rows_keeps_later_focus() {
    let newer = Rc::new(Cell::new(0));
    let newer_count = Rc::clone(&newer);
    let late = Rc::new(Cell::new(0));
    let waits = Rc::clone(&late);
    let _network =
        Network::new(move |asked| long_list_gateway(newer_count.get())(asked).delayed(waits.get()));
    let stage = open_list("/live/forms/frm_1").await;
    newer.set(7);
    check_for_new_rows();
    wait_until("the news", || text_of(&stage, ".list-news").contains("7 new")).await;
    late.set(300);
    super::button(&stage, "7 new").click();
    let search = stage.one("input[type=search]");
    search.focus().unwrap();
    wait_until("the newest", || first_row(&stage).as_deref() == Some("sub_2007")).await;
    settle().await;
    assert!(is_focused(&search));
}

#[wasm_bindgen_test]
async fn failed_filter_keeps_scroll_position() {
    let lost = Rc::new(Cell::new(false));
    let _network = Network::new(lossy_gateway(&lost));
    let stage = open_list("/live/forms/frm_1").await;
    let grid = stage.one(".grid");
    grid.set_scroll_top(2_000);
    wait_until("the scroll position", || first_row(&stage).as_deref() != Some("sub_0")).await;
    wait(500).await;
    lost.set(true);
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the failure", || !stage.all(".list-foot").is_empty()).await;
    assert!(stage.text(".list-foot").contains("Showing the previous results"));
    settle().await;
    assert_eq!(grid.scroll_top(), 2_000, "after the first failure");
    // The retry starts automatically.
    wait(5_600).await;
    assert_eq!(grid.scroll_top(), 2_000, "after the second failure");
    lost.set(false);
    wait(5_000).await;
    wait_until("its rows", || text_of(&stage, ".page-count") == "25 submissions").await;
    settle().await;
    assert_eq!(stage.one(".grid").scroll_top(), 0, "a new list starts at the top");
}

fn form_count(stage: &Stage) -> String {
    let links = stage.all(".nav-link").into_iter();
    let mut own = links.filter(|link| link.text_content().unwrap().starts_with("Feedback"));
    own.next().unwrap().query_selector(".nav-count").unwrap().unwrap().text_content().unwrap()
}

#[wasm_bindgen_test]
async fn failed_filter_removal_keeps_form_count() {
    let lost = Rc::new(Cell::new(false));
    let _network = Network::new(lossy_gateway(&lost));
    let stage = open_dashboard("/live/forms/frm_1?search=needle");
    wait_until("its rows", || text_of(&stage, ".page-count") == "25 submissions").await;
    wait_until("the form", || form_count(&stage) == "250").await;
    lost.set(true);
    type_into(&stage.one("input[type=search]"), "");
    wait_until("no filter", || address() == "/live/forms/frm_1").await;
    wait_until("the failure", || !stage.all(".list-foot").is_empty()).await;
    settle().await;
    assert_eq!(form_count(&stage), "250");
}

#[wasm_bindgen_test]
async fn date_scroller_stays_while_loading() {
    let waits_ms = Rc::new(Cell::new(0));
    let late = Rc::clone(&waits_ms);
    let _network = Network::new(move |asked| {
        let few = query_parameter(&asked.url, "search").as_deref() == Some("few");
        if few {
            list_page(&[3, 13], &asked.url)
        } else {
            long_list_gateway(0)(asked).delayed(late.get())
        }
    });
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the date scroller", || !stage.all(".rail-month").is_empty()).await;
    let width = || stage.one(".grid").client_width();
    let before = width();
    let rail = stage.one(".rail");
    waits_ms.set(400);
    for text in ["a", "ab"] {
        type_into(&stage.one("input[type=search]"), text);
        for _ in 0..12 {
            wait(20).await;
            assert_eq!(width(), before, "the table moved after `{text}`");
        }
    }
    wait_until("the rows", || row_keys(&stage).iter().all(Option::is_some)).await;
    wait(600).await;
    assert!(rail.is_connected(), "the date scroller was replaced");
    // A short list has no date scroller.
    type_into(&stage.one("input[type=search]"), "few");
    wait_until("few", || text_of(&stage, ".page-count") == "2 submissions").await;
    wait_until("no date scroller", || stage.all(".rail").is_empty()).await;
}

/// Adds the phone rule that hides the list below the open card, so that the list takes no focus.
/// Dropping it removes the rule.
struct PhoneStyle(web_sys::Element);

impl PhoneStyle {
    fn new() -> Self {
        let style = document().create_element("style").unwrap();
        let hides = ".split:has(> .drawer) > .split-list { visibility: hidden }";
        style.set_text_content(Some(hides));
        document().head().unwrap().append_child(&style).unwrap();
        Self(style)
    }
}

impl Drop for PhoneStyle {
    fn drop(&mut self) {
        self.0.remove();
    }
}

#[wasm_bindgen_test]
async fn search_key_closes_covering_card() {
    let _network = Network::new(answer_as_gateway);
    let _phone = PhoneStyle::new();
    let stage = open_list("/live/forms/frm_1").await;
    for key in ["/", "f"] {
        stage.all(".grid-track .grid-row")[1].click();
        wait_until("the card", || !stage.all(".drawer .card").is_empty()).await;
        settle().await;
        let body = document().body().unwrap();
        assert!(press_with(&body, key, false, key == "f"), "`{key}` was not handled");
        wait_until("the list", || stage.all(".drawer").is_empty()).await;
        wait_until("the search", || is_focused(&stage.one("input[type=search]"))).await;
        settle().await;
        assert!(
            is_focused(&stage.one("input[type=search]")),
            "the search lost the focus after `{key}`"
        );
        assert_eq!(address(), "/live/forms/frm_1");
    }
}
