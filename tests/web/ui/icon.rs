//! Icons: decorative, and each with its own path.

use std::collections::HashSet;

use dashboard::ui::icon::{Glyph, Icon, Mark};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, owner, settle};

#[wasm_bindgen_test]
fn each_glyph_is_distinct_and_hidden() {
    let stage = Stage::new(|| {
        Glyph::ALL.iter().map(|glyph| view! { <Icon glyph=*glyph /> }).collect_view()
    });
    let drawn = stage.all("svg[aria-hidden=true]");
    assert_eq!(drawn.len(), Glyph::ALL.len());
    let paths: HashSet<_> = stage.all("path").iter().map(|path| attr(path, "d")).collect();
    assert_eq!(paths.len(), Glyph::ALL.len());
}

#[wasm_bindgen_test]
async fn glyph_changes_with_its_signal() {
    let _owner = owner();
    let glyph = RwSignal::new(Glyph::Copy);
    let stage = Stage::new(move || view! { <Icon glyph size=20 /> });
    assert_eq!(attr(&stage.one("svg"), "width").as_deref(), Some("20"));
    glyph.set(Glyph::Check);
    settle().await;
    assert_eq!(attr(&stage.one("path"), "d").as_deref(), Some(Glyph::Check.path()));
}

#[wasm_bindgen_test]
fn mark_is_hidden_from_screen_readers() {
    let stage = Stage::new(|| view! { <Mark /> });
    assert_eq!(attr(&stage.one("svg"), "aria-hidden").as_deref(), Some("true"));
}
