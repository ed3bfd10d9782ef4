//! A popover opens next to its button and exposes its state.

use dashboard::ui::{
    icon::Glyph,
    popover::{Popover, PopoverHandle},
};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::clock::wait_until;
use crate::stage::{Stage, attr, click, is_focused, owner};

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
        click(&trigger).await;
        assert_eq!(panel.matches(":popover-open").unwrap(), open);
        assert_eq!(attr(&trigger, "aria-expanded"), Some(open.to_string()));
        assert_eq!(stage.all("input").len(), 1, "the content is reused");
    }
}

#[wasm_bindgen_test]
async fn handle_opens_popover_and_button_gets_lost_focus() {
    let _owner = owner();
    let handle = PopoverHandle::default();
    let closed = RwSignal::new(0);
    let stage = Stage::styled((600, 300), move || {
        view! {
            <Popover
                label="Filter"
                icon=Glyph::Filter
                handle
                on_close=move |()| closed.update(|closed| *closed += 1)
            >
                <input />
            </Popover>
        }
    });
    handle.show();
    wait_until("the content", || stage.all(":popover-open input").len() == 1).await;
    assert_eq!(attr(&stage.one("button"), "aria-expanded").as_deref(), Some("true"));
    assert_eq!(closed.get_untracked(), 0);
    stage.one(":popover-open").hide_popover().unwrap();
    wait_until("the end", || closed.get_untracked() == 1).await;
    assert!(is_focused(&stage.one("button")));
}
