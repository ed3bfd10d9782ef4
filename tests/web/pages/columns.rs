//! List columns: chosen, ordered, resized and stored per form.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsValue;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::list::{LIST, first_row, open_list};
use super::{
    answer_as_gateway, button, form, list_page, local_storage, press_button, text_of, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, click, settle, type_key};

/// Stored columns of the forms. Cleared at the start and the end of a test.
struct StoredColumns;

impl StoredColumns {
    fn clear() -> Self {
        clear_stored_columns();
        Self
    }

    fn stored(form: &str) -> String {
        local_storage().get_item(&format!("sheaf-columns-{form}")).unwrap().unwrap_or_default()
    }
}

impl Drop for StoredColumns {
    fn drop(&mut self) {
        clear_stored_columns();
    }
}

fn clear_stored_columns() {
    for key in ["sheaf-columns-frm_1", "sheaf-columns-frm_2", "sheaf-time"] {
        local_storage().remove_item(key).unwrap();
    }
}

/// Returns the titles of the visible columns.
fn visible_titles(stage: &Stage) -> Vec<String> {
    let heads = stage.all("[role=columnheader][data-slot]").into_iter();
    let text = |head: HtmlElement| head.text_content().unwrap_or_default();
    heads.filter(|head| head.offset_width() > 0).map(text).collect()
}

/// Shows or hides a column in the open panel, and returns its check box.
async fn toggle(stage: &Stage, name: &str) -> HtmlElement {
    let named = |item: &HtmlElement| item.text_content().unwrap_or_default() == name;
    let index = stage.all(".columns-item").iter().position(named).unwrap();
    click(&stage.all(".columns-item input")[index]).await;
    stage.all(".columns-item input")[index].clone()
}

async fn open_list_with_panel(path: &str) -> Stage {
    let stage = open_list(path).await;
    press_button(&stage, "Columns").await;
    stage
}

#[wasm_bindgen_test]
async fn column_choice_order_and_width_persist() {
    let _network = Network::new(answer_as_gateway);
    let _stored = StoredColumns::clear();
    let stage = open_list_with_panel("/live/forms/frm_1").await;
    assert_eq!(visible_titles(&stage), ["Submitted", "Your name", "What happened?", "Sentiment"]);
    let device = toggle(&stage, "Device").await;
    assert_eq!(document().active_element().unwrap(), *device);
    let chosen = ["Submitted", "Your name", "What happened?", "Phone", "Sentiment"];
    assert_eq!(visible_titles(&stage)[..5], chosen);
    assert_eq!(visible_titles(&stage).last().unwrap(), "Device");
    assert!(
        text_of(&stage, "[data-key=sub_0]").contains("Desktop"),
        "the device has the same label as on the card"
    );
    press_button(&stage, "Move Submitted down").await;
    assert_eq!(visible_titles(&stage)[..2], ["Your name", "Submitted"]);
    let width = |stage: &Stage| stage.all("[role=columnheader][data-slot]")[0].offset_width();
    let before = width(&stage);
    type_key(&stage.all(".grid-resize")[0], "ArrowRight").await;
    assert_eq!(width(&stage), before + 16);
    assert_eq!(document().active_element().unwrap(), *stage.all(".grid-resize")[0]);
    drop(stage);
    let stage = open_list_with_panel("/live/forms/frm_1").await;
    assert_eq!(visible_titles(&stage)[..2], ["Your name", "Submitted"]);
    assert_eq!(visible_titles(&stage).last().unwrap(), "Device");
    assert_eq!(width(&stage), before + 16);
    press_button(&stage, "Reset columns").await;
    assert_eq!(visible_titles(&stage), ["Submitted", "Your name", "What happened?", "Sentiment"]);
    assert_eq!(StoredColumns::stored("frm_1"), "");
}

#[wasm_bindgen_test]
async fn first_column_is_sticky_on_sideways_scroll() {
    let _network = Network::new(answer_as_gateway);
    let _stored = StoredColumns::clear();
    let own = "a.name,device,browser,at,sentiment,a.text,took,campaign,-source,-country,-a.missing";
    local_storage().set_item("sheaf-columns-frm_1", own).unwrap();
    let stage = open_list("/live/forms/frm_1").await;
    settle().await;
    let grid = stage.one(".grid");
    assert!(grid.scroll_width() > grid.client_width(), "{}", grid.scroll_width());
    grid.set_scroll_left(grid.scroll_width());
    settle().await;
    let edge = grid.get_bounding_client_rect();
    for row in [".grid-head .grid-row", ".grid-rows [data-key=sub_0]"] {
        let cells = stage.all(&format!("{row} > .grid-cell"));
        let first = &cells[0];
        let last = cells.last().unwrap();
        let at = (first.get_bounding_client_rect().left() - edge.left()).round();
        assert!(at.abs() < 1.0, "{row}: the first cell is {at} px from the edge");
        assert!(
            last.get_bounding_client_rect().right() <= edge.right() + 1.0,
            "{row}: the last cell is cut off"
        );
    }
    // 224 px for the side bar, and the width of a phone for the list.
    stage.resize(224 + 390);
    wait_until("two lines", || stage.all("[data-key=sub_0]")[0].offset_height() == 68).await;
    let cells = stage.all("[data-key=sub_0] > .grid-cell").into_iter();
    let shown: Vec<_> = cells
        .filter(|cell| cell.offset_width() > 0)
        .map(|cell| (attr(&cell, "data-slot").unwrap(), cell.text_content().unwrap()))
        .collect();
    let slots: Vec<_> = shown.iter().map(|(slot, _)| slot.as_str()).collect();
    assert_eq!(slots, ["title", "text", "mark", "aside"]);
    assert_eq!(
        shown[..2].iter().map(|it| it.1.as_str()).collect::<Vec<_>>(),
        ["Person 0", "Desktop"]
    );
    assert!(grid.scroll_width() <= grid.client_width(), "a card is wider than the window");
}

#[wasm_bindgen_test]
async fn columns_are_stored_per_form() {
    let _stored = StoredColumns::clear();
    let _network = Network::new(|asked| match asked.url.as_str() {
        "/account/forms" => Reply::ok(&json!({ "data": [
            form("frm_1", "Feedback", "live"), form("frm_2", "Other", "live"),
        ]})),
        url if url.starts_with("/api/live/v1/forms/frm_2/submissions") => list_page(&[1, 2], url),
        url if url.starts_with(LIST) => list_page(&[3, 4], url),
        _ => answer_as_gateway(asked),
    });
    let stage = open_list_with_panel("/live/forms/frm_1").await;
    toggle(&stage, "Browser").await;
    button(&stage, "Columns").click();
    assert!(visible_titles(&stage).contains(&"Browser".to_owned()));
    let other = stage.all(".nav-link").into_iter();
    other.filter(|link| link.text_content().unwrap().contains("Other")).for_each(|it| it.click());
    wait_until("the other form", || first_row(&stage).as_deref() == Some("sub_1")).await;
    settle().await;
    assert!(
        !visible_titles(&stage).contains(&"Browser".to_owned()),
        "{:?}",
        visible_titles(&stage)
    );
    press_button(&stage, "Columns").await;
    toggle(&stage, "Your name").await;
    drop(stage);
    assert!(
        StoredColumns::stored("frm_1").contains(",browser"),
        "{}",
        StoredColumns::stored("frm_1")
    );
    assert!(
        StoredColumns::stored("frm_2").contains("-a.name"),
        "{}",
        StoredColumns::stored("frm_2")
    );
    let stage = open_list("/live/forms/frm_1").await;
    assert!(visible_titles(&stage).contains(&"Browser".to_owned()));
    assert!(visible_titles(&stage).contains(&"Your name".to_owned()));
}

/// Dispatches a pointer event on a column separator.
fn dispatch_pointer_event(handle: &HtmlElement, name: &str, x: i32) {
    let send = js_sys::Function::new_with_args(
        "handle, name, clientX",
        "handle.dispatchEvent(new PointerEvent(name, \
         { bubbles: true, cancelable: true, pointerId: 1, clientX }))",
    );
    send.call3(&JsValue::NULL, handle, &name.into(), &x.into()).unwrap();
}

#[wasm_bindgen_test]
async fn column_is_resized_by_pointer() {
    let _network = Network::new(answer_as_gateway);
    let _stored = StoredColumns::clear();
    let stage = open_list("/live/forms/frm_1").await;
    settle().await;
    let head = || stage.all("[role=columnheader][data-slot]")[1].clone();
    let handle = || stage.all(".grid-resize")[1].clone();
    let reported_width = || attr(&handle(), "aria-valuenow").unwrap();
    // The column grows with the table, and the separator reports its width.
    let before = head().offset_width();
    assert!(before > 170, "{before}");
    assert_eq!(reported_width(), before.to_string());
    dispatch_pointer_event(&handle(), "pointerdown", 500);
    dispatch_pointer_event(&handle(), "pointermove", 540);
    assert_eq!((head().offset_width(), reported_width()), (before + 40, (before + 40).to_string()));
    dispatch_pointer_event(&handle(), "pointercancel", 540);
    assert_eq!(
        (head().offset_width(), reported_width()),
        (before, before.to_string()),
        "a cancelled drag changed the width"
    );
    assert_eq!(StoredColumns::stored("frm_1"), "");
    dispatch_pointer_event(&handle(), "pointerdown", 500);
    dispatch_pointer_event(&handle(), "pointermove", 500 + 3_000);
    let dragged = head().offset_width();
    assert_eq!(dragged.to_string(), attr(&handle(), "aria-valuemax").unwrap());
    dispatch_pointer_event(&handle(), "pointerup", 500 + 3_000);
    settle().await;
    assert_eq!(head().offset_width(), dragged, "the width after the drag is stored");
    assert!(
        StoredColumns::stored("frm_1").contains(&format!("a.name:{dragged}")),
        "{}",
        StoredColumns::stored("frm_1")
    );
}

#[wasm_bindgen_test]
async fn time_format_persists_after_reload() {
    let _network = Network::new(answer_as_gateway);
    let _stored = StoredColumns::clear();
    let stage = open_list_with_panel("/live/forms/frm_1").await;
    let time = |stage: &Stage| stage.all(".grid-rows .time")[0].text_content().unwrap();
    assert!(!time(&stage).contains("2026"), "{}", time(&stage));
    click(&stage.all(":popover-open input")[0]).await;
    assert!(time(&stage).contains("2026"), "{}", time(&stage));
    drop(stage);
    let stage = open_list_with_panel("/live/forms/frm_1").await;
    assert!(time(&stage).contains("2026"), "{}", time(&stage));
    click(&stage.all(":popover-open input")[0]).await;
    assert!(!time(&stage).contains("2026"), "{}", time(&stage));
    assert_eq!(local_storage().get_item("sheaf-time").unwrap(), None);
}
