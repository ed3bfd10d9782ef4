//! The fake clock of the tests: it stops until a test advances it (`clock.js`).

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
    /// Advances the clock without running due timers, as if the computer had slept.
    pub(crate) fn sleep(ms: u32);
    #[wasm_bindgen(js_name = trueNow)]
    fn true_now() -> f64;
}

/// Time limits of `wait_until`: real time in milliseconds, and steps of the fake clock.
/// `wait_until` fails only when both are exceeded, so that a slow machine gets the same number of
/// steps.
const WAIT_MAX_MS: f64 = 20_000.0;
const WAIT_MAX_STEPS: u32 = 1_000;

/// Runs effects, observers, immediate responses, and the timers due within 60 ms.
pub(crate) async fn settle() {
    JsFuture::from(settle_all()).await.unwrap();
}

/// Advances the clock by `ms` milliseconds and runs the timers that become due.
pub(crate) async fn wait(ms: u32) {
    JsFuture::from(wait_ms(ms)).await.unwrap();
}

/// Advances the clock in steps until `holds` returns true.
///
/// # Panics
/// If the time limits are exceeded. The message names `what` and the current URL.
pub(crate) async fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let began_ms = true_now();
    let mut number = 0;
    while !holds() {
        let address = leptos::prelude::window().location().href().unwrap();
        let may_wait = number < WAIT_MAX_STEPS || true_now() - began_ms < WAIT_MAX_MS;
        assert!(may_wait, "timed out waiting for {what} at {address}");
        JsFuture::from(step(number)).await.unwrap();
        number += 1;
    }
}
