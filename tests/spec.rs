//! The specification, executable: a module for each of its sections, a test for each of its rules,
//! through the real router with a real database. What the specification leaves open stands in
//! `docs/api.md` and is tested beside the rule that it belongs to.
//! What is found is found through the router; the store is only filled, or broken, beside it.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

#[path = "../crates/api/tests/it/app.rs"]
#[expect(dead_code, reason = "the specification has no intake")]
mod app;

use app::{App, Key};
use contract::{Environment, Form, Plan};

/// An account with a live form and a live key.
async fn set_up() -> (App, Key, Form) {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    let form = app.form(&account, Environment::Live, &["name", "note"]).await;
    (app, key, form)
}

mod spec {
    mod authentication;
    mod broken;
    mod delete;
    mod errors;
    mod events;
    mod export;
    mod get;
    mod limits;
    mod list;
    mod one_meaning;
    mod resources;
    mod states;
    mod versioning;
}
