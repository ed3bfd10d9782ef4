//! Sorting of the list by the headers of its columns and by the panel of columns.

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, HtmlSelectElement};

use super::list::{LIST, open_list, scroll_to_end};
use super::{address, answer_as_foreign_gateway, answer_as_gateway, press_button, wait_until};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, dispatch_event, press_key};

/// Returns the header of a column.
fn header(stage: &Stage, title: &str) -> HtmlElement {
    let heads = stage.all("[role=columnheader][data-slot]").into_iter();
    let named = |head: &HtmlElement| attr(head, "aria-label").as_deref() == Some(title);
    heads.into_iter().find(named).unwrap_or_else(|| panic!("no column {title}"))
}

fn header_button(stage: &Stage, title: &str) -> HtmlElement {
    let button = header(stage, title).query_selector("button").unwrap();
    leptos::wasm_bindgen::JsCast::unchecked_into(button.expect("a button"))
}

fn order(stage: &Stage, title: &str) -> String {
    attr(&header(stage, title), "aria-sort").unwrap_or_default()
}

#[wasm_bindgen_test]
async fn headers_sort_the_list() {
    let network = Network::new(answer_as_gateway);
    let stage = open_list("/live/forms/frm_1?search=needle").await;
    assert_eq!(order(&stage, "Submitted"), "descending");
    assert_eq!(order(&stage, "Sentiment"), "none");
    let last_request = || network.requests(LIST).pop().map(|asked| asked.url).unwrap_or_default();
    for (title, sort, direction) in [
        ("Sentiment", "&sort=sentiment_score", "ascending"),
        ("Sentiment", "&sort=-sentiment_score", "descending"),
        ("Your name", "&sort=fld_name", "ascending"),
        ("Submitted", "&sort=%2Bsubmitted_at", "ascending"),
        ("Submitted", "", "descending"),
    ] {
        let pressed = header_button(&stage, title);
        pressed.focus().unwrap();
        pressed.click();
        let query = format!("?search=needle{sort}");
        wait_until("the address", || address() == format!("/live/forms/frm_1{query}")).await;
        let url = format!("{LIST}?search=needle&limit=100{sort}");
        wait_until("the request", || last_request() == url).await;
        wait_until("the header", || order(&stage, title) == direction).await;
        assert_eq!(document().active_element().unwrap(), *pressed, "the focus stays");
    }
    assert_eq!(order(&stage, "Sentiment"), "none");
}

#[wasm_bindgen_test]
async fn sorted_list_loads_next_pages_by_cursor_and_keeps_its_order_in_cards() {
    let network = Network::new(answer_as_gateway);
    let stage = open_list("/live/forms/frm_1?sort=-completion_time_seconds").await;
    assert!(stage.all(".rail").is_empty(), "months need the order by time");
    scroll_to_end(&stage).await;
    let urls: Vec<_> = network.requests(LIST).into_iter().map(|asked| asked.url).collect();
    let sorted = |url: &String| url.contains("sort=-completion_time_seconds");
    assert!(urls.iter().all(|url| sorted(url) && !url.contains("date_to")), "{urls:?}");
    assert_eq!(urls.len(), 3, "{urls:?}");
    stage.all("[aria-rowindex='251']")[0].click();
    let query = "?sort=-completion_time_seconds";
    let card = format!("/live/forms/frm_1/submissions/sub_249{query}");
    wait_until("the card", || address() == card && !stage.all(".drawer-title").is_empty()).await;
    press_key(&document().body().unwrap(), "Escape");
    wait_until("the list", || address() == format!("/live/forms/frm_1{query}")).await;
}

#[wasm_bindgen_test]
async fn refused_order_keeps_rows_and_can_be_changed() {
    let _network = Network::new(|asked| {
        if asked.url.contains("sort=fld_name") {
            return Reply::error(400, "validation_error", "too many matches to sort by a field");
        }
        answer_as_gateway(asked)
    });
    let stage = open_list("/live/forms/frm_1").await;
    header_button(&stage, "Your name").click();
    wait_until("the failure", || !stage.all(".list-foot").is_empty()).await;
    assert!(stage.text(".list-foot").contains("too many matches"), "{}", stage.text(".list-foot"));
    header_button(&stage, "Submitted").click();
    wait_until("the list", || stage.all(".list-foot").is_empty()).await;
    wait_until("the header", || order(&stage, "Submitted") == "ascending").await;
}

#[wasm_bindgen_test]
async fn panel_of_columns_sorts_too() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_list("/live/forms/frm_1").await;
    press_button(&stage, "Columns").await;
    let select: HtmlSelectElement =
        leptos::wasm_bindgen::JsCast::unchecked_into(stage.one(".popover select").clone());
    assert_eq!(select.value(), "");
    select.set_value("-fld_name");
    dispatch_event(&select, "change");
    wait_until("the order", || address() == "/live/forms/frm_1?sort=-fld_name").await;
    wait_until("the header", || order(&stage, "Your name") == "descending").await;
    // No column shows this value.
    select.set_value("-updated_at");
    dispatch_event(&select, "change");
    wait_until("the order", || address() == "/live/forms/frm_1?sort=-updated_at").await;
    wait_until("the header", || order(&stage, "Your name") == "none").await;
    assert_eq!(order(&stage, "Submitted"), "none");
    select.set_value("");
    dispatch_event(&select, "change");
    wait_until("the list", || address() == "/live/forms/frm_1").await;
}

#[wasm_bindgen_test]
async fn foreign_server_has_one_order() {
    let network = Network::new(answer_as_foreign_gateway);
    let stage = open_list("/live/forms/frm_1?sort=sentiment_score").await;
    assert_eq!(network.requests(LIST)[0].url, format!("{LIST}?limit=100"));
    assert_eq!(order(&stage, "Submitted"), "");
    assert!(header(&stage, "Submitted").query_selector("button").unwrap().is_none());
    assert!(stage.text(".page").contains("sort"), "the ignored parameter is reported");
}
