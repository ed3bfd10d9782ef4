//! The client on real sockets: against the real service, and against servers that misbehave.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

#[expect(dead_code, reason = "the service's own tests use the rest")]
#[path = "../../../api/tests/it/app.rs"]
mod app;
mod bad;
mod real;
mod script;
