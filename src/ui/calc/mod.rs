//! Calculations of `ui`: pure Rust without Leptos, web-sys or a clock.

pub mod axis;
pub mod bundle;
pub mod month;
pub mod step;
pub mod time;
pub mod touch;
pub mod window;
