//! What the tray says of what waits and goes: how long, how far, and what does not hold.

use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::super::{button, gateway, open, select::press_with, session, shown, until};
use super::{delete, deletes, keys};
use crate::network::{Asked, Network, Reply};
use crate::stage::{Stage, attr};

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
