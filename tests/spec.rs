//! Executable form of the specification: a module per section and a test per rule. The tests send
//! requests through the real router with a real database. Where the specification leaves a choice,
//! `docs/api.md` names it, and the test is next to the rule that it belongs to. Tests read results
//! through the router only; they use the store directly to insert rows or to break it.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "../crates/api/tests/it/app.rs"]
#[expect(dead_code, reason = "the specification has no intake")]
mod app;

mod spec {
    mod authentication;
    mod broken;
    mod delete;
    mod errors;
    mod events;
    mod export;
    mod get;
    mod golden;
    mod limits;
    mod list;
    mod one_meaning;
    mod resources;
    mod states;
    mod versioning;
}
