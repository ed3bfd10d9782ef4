//! Chips with a remove button.

use dashboard::ui::chip::Chip;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, owner};

#[wasm_bindgen_test]
fn remove_button_names_its_chip() {
    let _owner = owner();
    let removed = RwSignal::new(false);
    let stage = Stage::new(move || {
        view! { <Chip name="Source" value="google" on_remove=move |()| removed.set(true) /> }
    });
    let button = stage.one("button");
    assert_eq!(attr(&button, "title").as_deref(), Some("Remove Source: google"));
    button.click();
    assert!(removed.get_untracked());
}

#[wasm_bindgen_test]
fn text_edits_its_chip() {
    let _owner = owner();
    let edited = RwSignal::new(false);
    let stage = Stage::new(move || {
        view! {
            <Chip
                name="Source"
                value="google"
                on_edit=move |()| edited.set(true)
                on_remove=|()| {}
            />
        }
    });
    let text = stage.one(".chip-edit");
    assert_eq!(attr(&text, "title").as_deref(), Some("Edit Source: google"));
    text.click();
    assert!(edited.get_untracked());
}
