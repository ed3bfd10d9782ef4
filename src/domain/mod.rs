//! What the dashboard knows without a browser: pure Rust, no Leptos, no web-sys, no clock.
//!
//! In reading order: [`filter`] is what the page's URL says; [`feed`] the growing list under it;
//! [`answers`] how a submission reads, [`row`] and [`columns`] which of it in the list, [`found`]
//! where it has what is searched for; [`charted`] which answers are worth a plot; [`time`] how days
//! and spans read; [`saved`] which filters have a name; [`export`] what is made a file of;
//! [`fields`] how a form is edited; [`selection`] which rows are meant, and [`deletion`] what a
//! long deletion has still to do; [`keys`] what can be done by a key, and [`palette`] what of all
//! that fits what is typed; [`activity`] what notes say, and [`way_in`] what lets somebody in whom
//! a proxy signs in; [`terminal`] how a shell calls the API, and [`theme`] how themes and densities
//! are named; [`script_names`] what the scripts in `public` call things.

pub mod activity;
pub mod answers;
pub mod charted;
pub mod deletion;
pub mod export;
pub mod feed;
pub mod fields;
pub mod filter;
pub mod found;
pub mod keys;
pub mod palette;
pub mod saved;
pub mod script_names;
pub mod selection;
pub mod terminal;
pub mod theme;
pub mod time;
pub mod way_in;

// Shared with the first rows that come with the page.
pub use rows::{choice as columns, role as row};
