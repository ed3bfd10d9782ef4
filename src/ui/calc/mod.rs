//! The calculations of `ui`, without a browser: pure Rust, no Leptos, no web-sys, no clock.

pub mod axis;
pub mod bundle;
pub mod month;
pub mod step;
pub mod time;
pub mod touch;
pub mod window;
