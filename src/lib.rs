//! The dashboard of Sheaf, a client of the specification's API that runs in the browser.
//!
//! It has no API key: every request goes to the gateway, which adds one. State lives in the URL
//! first, then in local signals, then in the few contexts of `state`.
//!
//! On the host, only the modules that need no browser are compiled, for their tests.

#[cfg(target_arch = "wasm32")]
pub mod api;
#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod components;
pub mod domain;
pub mod i18n;
#[cfg(target_arch = "wasm32")]
pub mod layout;
#[cfg(target_arch = "wasm32")]
mod lazy;
#[cfg(target_arch = "wasm32")]
pub mod pages;
pub mod routes;
#[cfg(target_arch = "wasm32")]
pub mod state;
#[cfg(target_arch = "wasm32")]
pub mod ui;

/// The design system; on the host, only its calculations.
#[cfg(not(target_arch = "wasm32"))]
pub mod ui {
    pub mod calc;
}
