//! Helpers for keyboard and screen reader users.

use dashboard::ui::visually_hidden::{Kbd, SkipLink, VisuallyHidden};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, is_focused};

#[wasm_bindgen_test]
fn skip_link_moves_focus_without_url_change() {
    let before = window().location().href().unwrap();
    let stage = Stage::new(|| {
        view! {
            <SkipLink target="landing" text="Skip to content" />
            <main id="landing" tabindex="-1">"content"</main>
        }
    });
    stage.one("a").click();
    assert!(is_focused(&stage.one("#landing")));
    assert_eq!(window().location().href().unwrap(), before);
}

#[wasm_bindgen_test]
fn hidden_text_and_keys_keep_content() {
    let stage = Stage::styled((300, 100), || {
        view! {
            <VisuallyHidden>"for ears"</VisuallyHidden>
            <Kbd key="j" />
        }
    });
    let hidden = stage.one(".visually-hidden");
    assert_eq!(hidden.text_content().as_deref(), Some("for ears"));
    assert!(hidden.offset_width() <= 1);
    assert_eq!(stage.text("kbd"), "j");
}
