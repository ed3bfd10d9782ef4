//! What the tray says of what waits and goes: how long, how far, and what does not hold.

use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::super::{button, gateway, open, shown, until};
use super::{delete, deletes};
use crate::network::Network;
use crate::stage::Stage;

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
