//! The time of the tests: it stands still until a test moves it (`clock.js`).

use js_sys::Promise;
use leptos::wasm_bindgen::{self, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(module = "/tests/web/clock.js")]
extern "C" {
    #[wasm_bindgen(js_name = settle)]
    fn settle_all() -> Promise;
    #[wasm_bindgen(js_name = wait)]
    fn wait_ms(ms: u32) -> Promise;
    fn step(number: u32) -> Promise;
    /// Moves the clock without running what is due, as when the page sleeps.
    pub(crate) fn sleep(ms: u32);
    #[wasm_bindgen(js_name = trueNow)]
    fn true_now() -> f64;
}

/// How long a condition may take: by the true clock, in milliseconds, and in steps of the clock. It
/// fails once both have passed, so that a slow machine has as many steps.
const PATIENCE_MS: f64 = 20_000.0;
const PATIENCE_STEPS: u32 = 1_000;

/// Runs effects, observers, requests that are answered at once, and timers of the next 60 ms.
pub(crate) async fn settle() {
    JsFuture::from(settle_all()).await.unwrap();
}

/// Moves the time on and runs what is due meanwhile.
pub(crate) async fn wait(ms: u32) {
    JsFuture::from(wait_ms(ms)).await.unwrap();
}

/// Moves the time on until something holds.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    let began_ms = true_now();
    let mut number = 0;
    while !holds() {
        let address = leptos::prelude::window().location().href().unwrap();
        let may_wait = number < PATIENCE_STEPS || true_now() - began_ms < PATIENCE_MS;
        assert!(may_wait, "waited in vain for {what}, at {address}");
        JsFuture::from(step(number)).await.unwrap();
        number += 1;
    }
}
