//! Row selection: by check box, click, keyboard, range, and all at once.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, MouseEvent, MouseEventInit};

use super::{
    address, answer_as_gateway, button, open_dashboard, query_parameter, text_of, wait_for_text,
    wait_until,
};
use crate::network::Network;
use crate::stage::{Stage, attr, press_key, press_with};

fn find_row(stage: &Stage, number: usize) -> HtmlElement {
    stage.one(&format!(".grid-track [data-key=sub_{number}]"))
}

fn selected_keys(stage: &Stage) -> Vec<String> {
    let rows = stage.all(".grid-track [aria-selected=true]");
    rows.iter().filter_map(|row| attr(row, "data-key")).collect()
}

fn click_with(element: &HtmlElement, shift: bool, ctrl: bool) {
    let init = MouseEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_shift_key(shift);
    init.set_ctrl_key(ctrl);
    let event = MouseEvent::new_with_mouse_event_init_dict("click", &init).unwrap();
    element.dispatch_event(&event).unwrap();
}

async fn open_list() -> Stage {
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("rows", || !stage.all(".grid-track [data-key]").is_empty()).await;
    stage
}

/// Returns the elements that `aria-labelledby` refers to.
fn labelling_elements(stage: &Stage, element: &HtmlElement) -> Vec<HtmlElement> {
    let ids = attr(element, "aria-labelledby").unwrap_or_default();
    ids.split(' ').map(|id| stage.one(&format!("#{id}"))).collect()
}

#[wasm_bindgen_test]
async fn rows_are_labelled_and_selected_by_click_and_range() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_list().await;
    for number in [0, 3] {
        let row = find_row(&stage, number);
        let check: HtmlElement = row.query_selector("input").unwrap().unwrap().unchecked_into();
        let cells = || {
            let all = row.query_selector_all("[data-slot]").unwrap();
            (0..all.length()).map(move |at| all.item(at).unwrap().unchecked_into::<HtmlElement>())
        };
        let own = labelling_elements(&stage, &check);
        assert_eq!(attr(&own[0], "aria-label").as_deref(), Some("Select row"));
        assert!(own[0] == check && cells().take(2).eq(own[1..].iter().cloned()));
        let of_row = labelling_elements(&stage, &row);
        assert_eq!(of_row[0].text_content().as_deref(), Some(""), "it is not known to be unread");
        assert!(
            cells().eq(of_row[1..].iter().cloned()),
            "the row's name must not include the check box"
        );
    }
    let grid = stage.one(".grid");
    assert_eq!(attr(&grid, "aria-multiselectable").as_deref(), Some("true"));
    assert_eq!(attr(&find_row(&stage, 0), "aria-selected").as_deref(), Some("false"));
    let top = stage.one(".grid-track").get_bounding_client_rect().top();
    stage.all(".grid-track .grid-check input")[2].click();
    wait_until("one", || selected_keys(&stage) == ["sub_2"]).await;
    wait_until("its bar", || text_of(&stage, ".selection-count") == "1 selected").await;
    assert_eq!(attr(&stage.one(".selection"), "role").as_deref(), Some("toolbar"));
    let now = stage.one(".grid-track").get_bounding_client_rect().top();
    assert!((now - top).abs() < 0.5, "the list moved");
    assert_eq!(address(), "/live/forms/frm_1", "a card was opened");
    click_with(&find_row(&stage, 4), true, false);
    wait_until("a range", || selected_keys(&stage) == ["sub_2", "sub_3", "sub_4"]).await;
    click_with(&find_row(&stage, 0), false, true);
    wait_until("one more", || selected_keys(&stage).len() == 4).await;
    assert!(text_of(&stage, "[role=status]").contains("4 selected"));
    let check: web_sys::HtmlInputElement =
        stage.all(".grid-track .grid-check input")[3].clone().unchecked_into();
    assert!(check.checked());
    button(&stage, "Clear").click();
    wait_until("none", || selected_keys(&stage).is_empty()).await;
    wait_until("no bar", || stage.all(".selection").is_empty()).await;
    wait_for_text(&stage, "[role=status]", "Nothing selected").await;
}

#[wasm_bindgen_test]
async fn keyboard_selects_extends_and_clears() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_list().await;
    press_key(&document().body().unwrap(), "j");
    let focused = || document().active_element().and_then(|row| row.get_attribute("data-key"));
    wait_until("the first row", || focused().as_deref() == Some("sub_0")).await;
    press_key(&find_row(&stage, 0), "x");
    wait_until("one", || selected_keys(&stage) == ["sub_0"]).await;
    press_key(&find_row(&stage, 0), " ");
    wait_until("none", || selected_keys(&stage).is_empty()).await;
    for (key, end) in [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2)] {
        let from = document().active_element().unwrap().unchecked_into::<HtmlElement>();
        press_with(&from, key, true, false);
        let last = format!("sub_{end}");
        wait_until("the row", || focused().as_ref() == Some(&last)).await;
        wait_until("the range", || selected_keys(&stage).len() == end + 1).await;
    }
    press_key(&find_row(&stage, 2), "Escape");
    wait_until("none", || selected_keys(&stage).is_empty()).await;
    press_with(&find_row(&stage, 2), "a", false, true);
    wait_until("the loaded rows", || text_of(&stage, ".selection-count") == "100 selected").await;
    press_with(&find_row(&stage, 2), "a", false, true);
    wait_until("all", || text_of(&stage, ".selection-count") == "All 250 that match are selected")
        .await;
    // Deselecting one row limits the selection to the loaded rows.
    press_key(&find_row(&stage, 2), "x");
    wait_until("the loaded rows but one", || text_of(&stage, ".selection-count") == "99 selected")
        .await;
}

#[wasm_bindgen_test]
async fn range_spans_rows_not_loaded() {
    let network = Network::new(|asked| {
        // A range is looked up by date, so that the rows in the middle stay unloaded.
        let before = query_parameter(&asked.url, "date_to");
        match before.filter(|_| asked.url.contains("/submissions?")) {
            Some(_) if asked.url.contains("limit=100") && !asked.url.contains("cursor") => {
                let rows: Vec<u32> = (0..super::ROWS).collect();
                super::list_page(&rows, &asked.url)
            }
            _ => answer_as_gateway(asked),
        }
    });
    let stage = open_list().await;
    stage.all(".grid-track .grid-check input")[1].click();
    let grid = stage.one(".grid");
    let end = || {
        grid.set_scroll_top(grid.scroll_height());
        !stage.all("[data-key=sub_249]").is_empty()
    };
    wait_until("the end", end).await;
    let asked = network.requests("/submissions?").len();
    click_with(&find_row(&stage, 249), true, false);
    wait_until("all but the first", || text_of(&stage, ".selection-count") == "249 selected").await;
    assert!(network.requests("/submissions?").len() <= asked + 3);
    assert_eq!(selected_keys(&stage).last().map(String::as_str), Some("sub_249"));
}

#[wasm_bindgen_test]
async fn loaded_search_result_is_selected_by_id() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_dashboard("/live/forms/frm_1?search=needle");
    wait_until("rows", || text_of(&stage, ".page-count") == "25 submissions").await;
    press_with(&stage.all(".grid-track .grid-row")[0], "a", false, true);
    wait_until("the bar", || text_of(&stage, ".selection-count") == "25 selected").await;
    assert!(!text_of(&stage, ".selection").contains("Select all"));
    button(&stage, "Export selection").click();
    wait_until("the export", || text_of(&stage, "dialog[open]").contains("Selected (25)")).await;
}
