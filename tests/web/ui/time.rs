//! Times and countdowns in the browser's language.

use dashboard::ui::time::{Countdown, Instant, RelativeTime, full_text, relative_text};
use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, owner, settle, wait};

const HOUR_MS: f64 = 3_600_000.0;

#[wasm_bindgen_test]
fn relative_time_has_full_time_title() {
    let at_ms = Date::now() - 3.0 * HOUR_MS;
    let stage = Stage::new(move || view! { <RelativeTime at_ms /> });
    let time = stage.one("time");
    assert!(stage.text("time").contains('3'), "{}", stage.text("time"));
    assert_eq!(attr(&time, "title"), Some(full_text(at_ms)));
    let parsed_ms = Date::parse(&attr(&time, "datetime").unwrap());
    assert!((parsed_ms - at_ms).abs() < 1.0, "{parsed_ms}");
}

#[wasm_bindgen_test]
async fn relative_time_updates() {
    let _owner = owner();
    let now_ms = RwSignal::new(HOUR_MS);
    let stage = Stage::new(move || view! { <RelativeTime at_ms=HOUR_MS now_ms /> });
    assert_eq!(stage.text("time"), relative_text(0.0, 0.0));
    now_ms.set(3.0 * HOUR_MS);
    settle().await;
    assert_eq!(stage.text("time"), relative_text(0.0, 2.0 * HOUR_MS));
}

#[wasm_bindgen_test]
fn relative_text_depends_on_distance() {
    let texts: Vec<_> =
        [0.0, 1.0, 30.0, 800.0].map(|hours| relative_text(0.0, hours * HOUR_MS)).into();
    let mut distinct = texts.clone();
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "{texts:?}");
}

#[wasm_bindgen_test]
fn invalid_time_shows_a_dash() {
    let stage = Stage::new(|| view! { <Instant at_ms=f64::NAN /> });
    assert_eq!(stage.text("time"), "—");
    assert_eq!(attr(&stage.one("time"), "datetime"), None);
    let stage = Stage::new(|| view! { <Instant at_ms=1_795_000_000_000.0 /> });
    assert!(stage.text("time").contains("2026"));
    let stage = Stage::new(|| view! { <RelativeTime at_ms=f64::INFINITY /> });
    assert_eq!(stage.text("time"), "—");
}

#[wasm_bindgen_test]
async fn countdown_ends_once_and_stops_on_unmount() {
    let _owner = owner();
    let ended = RwSignal::new(0);
    let gone = RwSignal::new(0);
    let stage = Stage::new(move || {
        view! { <Countdown seconds=1 on_end=move |()| ended.update(|n| *n += 1) /> }
    });
    drop(Stage::new(move || {
        view! { <Countdown seconds=1 on_end=move |()| gone.update(|n| *n += 1) /> }
    }));
    assert_eq!(stage.text("[role=timer]"), "0:01");
    assert_eq!(ended.get_untracked(), 0);
    wait(1800).await;
    assert_eq!(stage.text("[role=timer]"), "0:00");
    assert_eq!((ended.get_untracked(), gone.get_untracked()), (1, 0));
}
