//! Starts the dashboard in the browser.

use dashboard::app::App;
use leptos::prelude::*;

fn main() {
    // Where the build splits, a panic is a bare trap without words: see `xtask/src/panics.rs`.
    #[cfg(not(split))]
    console_error_panic_hook::set_once();
    mount_to_body(App);
}
