//! The dashboard of Sheaf, a client of the specification's API that runs in the browser.
//!
//! It holds no key: every request goes to the gateway, which adds one. State lives in the URL
//! first, then in local signals, then in the few `stores`.
//!
//! On the host only the modules that need no browser are compiled, for their tests.

#[cfg(target_arch = "wasm32")]
pub mod api;
#[cfg(target_arch = "wasm32")]
pub mod app;
pub mod calc;
pub mod model;
#[cfg(target_arch = "wasm32")]
pub mod page;
#[cfg(target_arch = "wasm32")]
pub mod pages;
pub mod paths;
pub mod scripts;
#[cfg(target_arch = "wasm32")]
pub mod shared;
#[cfg(target_arch = "wasm32")]
pub mod shell;
#[cfg(target_arch = "wasm32")]
pub mod stores;
pub mod texts;
#[cfg(target_arch = "wasm32")]
pub mod ui;
