//! What the tray says of what waits and goes: how long, how far, and what does not hold.

use leptos::prelude::document;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::super::{button, gateway, open, select::press_with, session, shown, until};
use super::{delete, deletes, keys};
use crate::network::{Asked, Network, Reply};
use crate::stage::{Stage, attr, focused, press};

/// Presses a button of the one decision, or of the first of several.
fn press_first(stage: &Stage) {
    let entry = stage.all(".tray-entry").remove(0);
    let first = entry.query_selector("button").unwrap().unwrap();
    first.unchecked_into::<HtmlElement>().click();
}

/// Storage that refuses what it is told to keep, until it is dropped.
struct FullStorage;

impl FullStorage {
    fn new() -> Self {
        let script = "Storage.prototype.kept = Storage.prototype.setItem;
            Storage.prototype.setItem = function (key, text) {
                if (key.startsWith('sheaf-tray-') && text.length > 120) {
                    throw new DOMException('full', 'QuotaExceededError');
                }
                this.kept(key, text);
            }";
        js_sys::eval(script).unwrap();
        Self
    }
}

impl Drop for FullStorage {
    fn drop(&mut self) {
        let script = "Storage.prototype.setItem = Storage.prototype.kept;
            delete Storage.prototype.kept";
        js_sys::eval(script).unwrap();
    }
}

#[wasm_bindgen_test]
async fn what_the_browser_does_not_keep_says_so_and_goes_all_the_same() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    let full = FullStorage::new();
    delete(&stage, &[0, 1, 2, 3, 4]).await;
    let text = "This browser does not keep this for Sheaf, so it lasts as long as this page";
    assert!(stage.text(".tray .notice").contains(text));
    // One that is kept beside it does not make the other forgotten.
    until("no dialog", || stage.all("dialog[open]").is_empty()).await;
    stage.all(".grid-track .grid-check input")[0].click();
    until("the bar", || !stage.all(".selection").is_empty()).await;
    button(&stage, "Delete").click();
    until("the question", || !stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Delete 1 submission").click();
    until("both", || stage.all(".tray-entry").len() == 2).await;
    assert_eq!(stage.all(".tray .notice").len(), 1);
    press_first(&stage);
    until("the word", || shown(&stage, ".toasts").contains("5 submissions deleted")).await;
    assert_eq!(deletes(&network).len(), 5);
    drop(full);
    button(&stage, "Undo").click();
}

/// A gateway whose owner has the Free plan.
fn free(asked: &Asked) -> Reply {
    match asked.url.as_str() {
        "/session" => {
            let mut session = session();
            session["data"]["account"]["plan"] = "free".into();
            Reply::ok(&session)
        }
        _ => gateway(asked),
    }
}

#[wasm_bindgen_test]
async fn what_a_plan_makes_slow_says_so_beforehand_and_while_it_goes() {
    let network = Network::new(free);
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 12).await;
    for row in stage.all(".grid-track .grid-check input").iter().take(12) {
        row.click();
    }
    until("the bar", || shown(&stage, ".selection-count") == "12 selected").await;
    button(&stage, "Delete").click();
    let asks = || shown(&stage, "dialog[open]");
    until("the question", || asks().contains("spreads this over about 15 s.")).await;
    button(&stage, "Cancel").click();
    until("no question", || stage.all("dialog[open]").is_empty()).await;
    let row = stage.one("[data-key=sub_0]");
    press_with(&row, "a", false, true);
    until("the loaded", || shown(&stage, ".selection-count") == "100 selected").await;
    button(&stage, "Select all 250 that match").click();
    button(&stage, "Delete").click();
    // 253 requests, of which the window has 90 at once.
    until("the question", || asks().contains("spreads this over about 26 min.")).await;
    button(&stage, "Cancel").click();
    until("no question", || stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Clear").click();
    delete(&stage, &(0..12).collect::<Vec<_>>()).await;
    button(&stage, "Delete now").click();
    let note = "About 15 s left, 1 a second: the rate limit of the plan";
    until("the pace", || shown(&stage, ".tray-note") == note).await;
    until("how far", || shown(&stage, ".tray-text") == "Deleted 1 of 12").await;
    let bar = stage.one(".tray [role=progressbar]");
    assert_eq!(attr(&bar, "aria-valuenow").as_deref(), Some("8"), "1 of 12");
    until("more", || deletes(&network).len() == 2).await;
    until("how far", || attr(&bar, "aria-valuenow").as_deref() == Some("17")).await;
    until("the same in words", || shown(&stage, ".tray-text") == "Deleted 2 of 12").await;
    button(&stage, "Keep the rest").click();
    until("no tray", || stage.all(".tray").is_empty()).await;
}

#[wasm_bindgen_test]
async fn a_refusal_is_counted_down() {
    let _network = Network::new(|asked| match asked.method.as_str() {
        "DELETE" => Reply::too_many(3),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0]).await;
    button(&stage, "Delete now").click();
    for wait in ["3", "2", "1"] {
        let text = format!("Waits {wait} s for the rate limit");
        until(&text, || shown(&stage, ".tray-note") == text).await;
    }
    button(&stage, "Keep the rest").click();
}

#[wasm_bindgen_test]
async fn a_decision_waits_for_ten_seconds() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 10).await;
    stage.all(".grid-track .grid-check input")[0].click();
    until("the bar", || !stage.all(".selection").is_empty()).await;
    button(&stage, "Delete").click();
    until("the question", || !stage.all("dialog[open]").is_empty()).await;
    assert!(shown(&stage, "dialog[open]").contains("for ten seconds"));
    button(&stage, "Delete 1 submission").click();
    let begins = "Deleting 1 submission in 10 s";
    until("its beginning", || shown(&stage, ".tray-text") == begins).await;
    assert!(shown(&stage, "[role=status]").contains("Deleting 1 submission in 10 seconds"));
    for left in ["9", "8"] {
        let goes_on = format!("Deleting 1 submission in {left} s");
        until(&goes_on, || shown(&stage, ".tray-text") == goes_on).await;
    }
    assert_eq!(deletes(&network), Vec::<String>::new());
    button(&stage, "Undo").click();
}

#[wasm_bindgen_test]
async fn a_row_that_has_the_focus_is_asked_about_without_a_selection() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 10).await;
    for number in 0..3 {
        press(&document().body().unwrap(), "j");
        let row = format!("[data-key=sub_{number}]");
        until("the row", || focused(&stage.one(&row))).await;
    }
    assert!(press(&stage.one("[data-key=sub_2]"), "#"));
    until("the question", || shown(&stage, "dialog[open]").contains("Delete “Person 2”?")).await;
    button(&stage, "Delete submission").click();
    until("one less", || shown(&stage, ".page-count") == "249 submissions").await;
    assert_eq!(keys(&stage)[..3], ["sub_0", "sub_1", "sub_3"]);
    button(&stage, "Undo").click();
}
