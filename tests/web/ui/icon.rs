//! Icons are decoration, and no two are alike.

use std::collections::HashSet;

use dashboard::ui::icon::{Glyph, Icon, Mark};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, owner, settle};

#[wasm_bindgen_test]
fn every_glyph_is_drawn_hidden_and_unlike_the_others() {
    let stage =
        Stage::new(|| Glyph::ALL.into_iter().map(|glyph| view! { <Icon glyph /> }).collect_view());
    let drawn = stage.all("svg[aria-hidden=true]");
    assert_eq!(drawn.len(), Glyph::ALL.len());
    let paths: HashSet<_> = stage.all("path").iter().map(|path| attr(path, "d")).collect();
    assert_eq!(paths.len(), Glyph::ALL.len());
}

#[wasm_bindgen_test]
async fn a_glyph_may_change() {
    let _owner = owner();
    let glyph = RwSignal::new(Glyph::Copy);
    let stage = Stage::new(move || view! { <Icon glyph size=20 /> });
    assert_eq!(attr(&stage.one("svg"), "width").as_deref(), Some("20"));
    glyph.set(Glyph::Check);
    settle().await;
    assert_eq!(attr(&stage.one("path"), "d").as_deref(), Some(Glyph::Check.path()));
}

#[wasm_bindgen_test]
fn the_mark_is_decoration_too() {
    let stage = Stage::new(|| view! { <Mark /> });
    assert_eq!(attr(&stage.one("svg"), "aria-hidden").as_deref(), Some("true"));
}
