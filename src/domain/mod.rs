//! What the dashboard knows without a browser: pure Rust, no Leptos, no web-sys, no clock.
//!
//! - The list: [`filter`] reads the URL, [`list_model`] keeps the loaded rows, [`selection`] the
//!   selected ones. [`columns`] and [`row`] say what a row shows, [`search_highlight`] what a
//!   search found in it.
//! - A submission: [`answers`] formats it, [`curl`] gets it from a shell.
//! - Actions: [`deletion`] deletes one by one, [`export`] has the options of an export.
//! - Forms: [`fields`] edits their fields, [`field_stats`] counts answers for charts.
//! - The page: [`commands`] have keys, [`palette`] finds them; [`saved_views`], [`theme`] and
//!   [`time`] are its settings and texts.
//! - The account: [`activity`] formats the audit log, [`invite_instructions`] lets a member in.
//! - [`script_names`] are shared with the scripts in `public`.

pub mod activity;
pub mod answers;
pub mod commands;
pub mod curl;
pub mod deletion;
pub mod export;
pub mod field_stats;
pub mod fields;
pub mod filter;
pub mod invite_instructions;
pub mod list_model;
pub mod palette;
pub mod saved_views;
pub mod script_names;
pub mod search_highlight;
pub mod selection;
pub mod theme;
pub mod time;

// Shared with the first rows that come with the page.
pub use row_view::{choice as columns, role as row};
