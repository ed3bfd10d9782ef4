//! Skip link and keys.

use dashboard::ui::keyboard::{Kbd, SkipLink};
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
fn key_has_its_label() {
    let stage = Stage::new(|| view! { <Kbd key="j" /> });
    assert_eq!(stage.text("kbd"), "j");
}
