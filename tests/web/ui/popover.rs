//! A popover opens next to its button and exposes its state.

use dashboard::ui::{icon::Glyph, popover::Popover};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, settle};

#[wasm_bindgen_test]
async fn popover_toggles_with_its_button() {
    let stage = Stage::styled((600, 300), || {
        view! {
            <Popover label="Date" icon=Glyph::Calendar>
                <input />
            </Popover>
        }
    });
    let trigger = stage.one("button");
    let panel = stage.one("[role=dialog]");
    assert_eq!(trigger.text_content().as_deref(), Some("Date"));
    assert_eq!(attr(&panel, "aria-label").as_deref(), Some("Date"));
    assert!(stage.all("input").is_empty(), "the content is built on first open");
    for open in [true, false] {
        trigger.click();
        settle().await;
        assert_eq!(panel.matches(":popover-open").unwrap(), open);
        assert_eq!(attr(&trigger, "aria-expanded"), Some(open.to_string()));
        assert_eq!(stage.all("input").len(), 1, "the content is reused");
    }
}
