//! Badges: icon, text and tone.

use std::collections::HashSet;

use dashboard::ui::badge::{Badge, StatusTone};
use dashboard::ui::icon::Glyph;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr};

const TONES: [StatusTone; 5] = [
    StatusTone::Positive,
    StatusTone::Mixed,
    StatusTone::Negative,
    StatusTone::Neutral,
    StatusTone::Info,
];

#[wasm_bindgen_test]
fn each_tone_has_its_own_icon() {
    let stage = Stage::new(|| {
        TONES.into_iter().map(|tone| view! { <Badge text="word" tone /> }).collect_view()
    });
    let tints: HashSet<_> = stage.all(".badge").iter().map(|b| attr(b, "data-tone")).collect();
    let icons: HashSet<_> = stage.all("path").iter().map(|path| attr(path, "d")).collect();
    assert_eq!((tints.len(), icons.len()), (5, 5));
}

#[wasm_bindgen_test]
fn badge_shows_text_and_given_icon() {
    let stage = Stage::new(|| view! { <Badge text="Live" icon=Glyph::Check /> });
    assert_eq!(stage.text(".badge"), "Live");
    assert_eq!(attr(&stage.one("path"), "d").as_deref(), Some(Glyph::Check.path()));
}
