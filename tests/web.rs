//! Component tests of the dashboard in a real browser: each test mounts one component and checks
//! its DOM.
#![cfg(target_arch = "wasm32")]
#![expect(
    clippy::unwrap_used,
    reason = "clippy.toml allows `unwrap` in tests, but not in their helpers"
)]

#[path = "web/api.rs"]
mod api;
#[path = "web/clock.rs"]
mod clock;
#[path = "web/components/mod.rs"]
mod components;
#[path = "web/event_streams.rs"]
mod event_streams;
#[path = "web/layout.rs"]
mod layout;
#[path = "web/network.rs"]
mod network;
#[path = "web/pages/mod.rs"]
mod pages;
#[path = "web/stage.rs"]
mod stage;
#[path = "web/state/mod.rs"]
mod state;
#[path = "web/ui/mod.rs"]
mod ui;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
