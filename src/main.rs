//! Starts the dashboard in the browser.

#[cfg(target_arch = "wasm32")]
fn main() {
    use dashboard::{app::App, i18n};
    use leptos::prelude::mount_to_body;
    use wasm_bindgen_futures::spawn_local;

    console_error_panic_hook::set_once();
    // Leptos initialises its executor only when it first mounts something.
    spawn_local(async {
        i18n::load().await;
        mount_to_body(App);
    });
}

/// Does nothing on the host, where there is no page.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
