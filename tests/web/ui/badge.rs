//! A badge is icon, word and tint.

use std::collections::HashSet;

use dashboard::ui::badge::{Badge, Tone};
use dashboard::ui::icon::Glyph;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr};

const TONES: [Tone; 5] = [Tone::Positive, Tone::Mixed, Tone::Negative, Tone::Neutral, Tone::Info];

#[wasm_bindgen_test]
fn every_tone_has_a_tint_and_an_icon_of_its_own() {
    let stage = Stage::new(|| {
        TONES.into_iter().map(|tone| view! { <Badge text="word" tone /> }).collect_view()
    });
    let tints: HashSet<_> = stage.all(".badge").iter().map(|b| attr(b, "data-tone")).collect();
    let icons: HashSet<_> = stage.all("path").iter().map(|path| attr(path, "d")).collect();
    assert_eq!((tints.len(), icons.len()), (5, 5));
}

#[wasm_bindgen_test]
fn the_word_is_there_and_the_icon_can_be_chosen() {
    let stage = Stage::new(|| view! { <Badge text="Live" icon=Glyph::Check /> });
    assert_eq!(stage.text(".badge"), "Live");
    assert_eq!(attr(&stage.one("path"), "d").as_deref(), Some(Glyph::Check.path()));
}
