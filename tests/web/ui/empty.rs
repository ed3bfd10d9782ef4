//! Empty states: title, text and at most one action.

use dashboard::ui::{empty::Empty, icon::Glyph};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::Stage;

#[wasm_bindgen_test]
fn empty_state_shows_title_text_action() {
    let stage = Stage::new(|| {
        view! {
            <Empty icon=Glyph::Search title="None match" text="Try fewer words.">
                <button>"Clear filters"</button>
            </Empty>
        }
    });
    assert_eq!(stage.text("h2"), "None match");
    assert_eq!(stage.text("p"), "Try fewer words.");
    assert_eq!(stage.text(".empty-action button"), "Clear filters");
}

#[wasm_bindgen_test]
fn missing_action_renders_no_element() {
    let stage = Stage::new(|| view! { <Empty icon=Glyph::Form title="Nothing" /> });
    assert!(stage.all(".empty-action").is_empty());
}
