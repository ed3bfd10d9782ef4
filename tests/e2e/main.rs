//! The journeys of a form owner, in a real Chromium or Firefox, on the real binary.
//!
//! `cargo xtask test e2e` builds what they need and runs them, `… e2e-firefox` in Firefox.

mod account;
mod activity;
mod api_page;
mod behind_proxy;
mod canary;
mod card;
mod chosen;
mod directions;
mod ended;
mod export;
mod filters;
mod first;
mod foreign;
mod forged;
mod forms;
mod german;
mod habits;
mod harness;
mod hostile;
mod import;
mod insights;
mod intake;
mod keys;
mod limits;
mod list;
mod look;
mod offline;
mod parts;
mod people;
mod preferences;
mod print;
mod sign_in;
mod still;
mod told;
mod trash;
mod views;
mod workbook;
