//! Calculations of `ui`: pure Rust without Leptos, web-sys or a clock.

pub mod axis;
pub mod list_window;
pub mod month;
pub mod row_step;
pub mod text_bundle;
pub mod time;
pub mod touch_intent;
