//! Drawer: takes the focus when it opens, and closes on Escape unless the focus is in a field or in
//! a dialog above it.

use dashboard::ui::{dialog::Dialog, drawer::Drawer};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, is_focused, owner, press_key, settle};

#[wasm_bindgen_test]
async fn drawer_closes_on_escape_and_button() {
    let _owner = owner();
    let closed = RwSignal::new(0);
    let stage = Stage::new(move || {
        view! {
            <Drawer title="Submission" on_close=move |()| closed.update(|n| *n += 1)>
                <input id="inside" />
            </Drawer>
        }
    });
    settle().await;
    assert!(is_focused(&stage.one("h2")));
    let labelled_by = attr(&stage.one("section"), "aria-labelledby").unwrap();
    assert_eq!(stage.text(&format!("#{labelled_by}")), "Submission");
    assert!(stage.one(".drawer-actions").first_element_child().is_none());

    press_key(&stage.one("h2"), "Escape");
    assert_eq!(closed.get_untracked(), 1);
    press_key(&stage.one("#inside"), "Escape");
    assert_eq!(closed.get_untracked(), 1, "Escape in a field is left to the field");
    stage.one("button[title=Close]").click();
    assert_eq!(closed.get_untracked(), 2);

    let body = document().body().unwrap();
    drop(stage);
    press_key(&body, "Escape");
    assert_eq!(closed.get_untracked(), 2, "it still listened after it was removed");
}

#[wasm_bindgen_test]
async fn escape_closes_only_dialog_above_drawer() {
    let _owner = owner();
    let closed = RwSignal::new(false);
    let stage = Stage::new(move || {
        view! {
            <Drawer title="S" on_close=move |()| closed.set(true)>"text"</Drawer>
            <Dialog open=true title="D" on_close=|()| ()>"text"</Dialog>
        }
    });
    settle().await;
    press_key(&stage.one("dialog"), "Escape");
    assert!(!closed.get_untracked());
}
