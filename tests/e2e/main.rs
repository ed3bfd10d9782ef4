//! End-to-end tests: a form owner uses the real binary in a real Chromium or Firefox.
//!
//! `cargo xtask test e2e` builds what the tests need and runs them; `cargo xtask test e2e-firefox`
//! runs them in Firefox.

mod accessibility;
mod account;
mod activity;
mod api_page;
mod behind_proxy;
mod board;
mod canary;
mod card;
mod cross_site_requests;
mod email_link;
mod every_page;
mod export;
mod export_selection;
mod filters;
mod first_rows;
mod foreign_server;
mod forms;
mod german;
mod harness;
mod inbox;
mod injection;
mod insights;
mod intake;
mod keys;
mod lazy_chunks;
mod limits;
mod list;
mod live;
mod members;
mod notifications;
mod offline;
mod preferences;
mod print;
mod proxy_session_end;
mod shortcuts;
mod sign_in;
mod sorting;
mod static_export;
mod text_direction;
mod trash;
mod triage;
mod views;
mod webhooks;
mod workbook;
