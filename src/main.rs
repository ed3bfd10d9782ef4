//! Starts the dashboard in the browser.

use dashboard::{app::App, texts};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

fn main() {
    // Where the build splits, a panic is a bare trap without words: see `xtask/src/panics.rs`.
    #[cfg(not(split))]
    console_error_panic_hook::set_once();
    // Leptos has a queue of its own only once it has mounted something.
    spawn_local(async {
        texts::load().await;
        mount_to_body(App);
    });
}
