//! End-to-end tests: a form owner uses the real binary in a real Chromium or Firefox.
//!
//! `cargo xtask test e2e` builds what the tests need and runs them; `cargo xtask test e2e-firefox`
//! runs them in Firefox.

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
