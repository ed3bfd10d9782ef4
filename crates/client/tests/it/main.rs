//! Tests of the client on sockets, against the API server and against misbehaving servers.
#![expect(clippy::unwrap_used, reason = "tests panic on unexpected errors")]

mod api_server;
#[expect(dead_code, reason = "the tests of the API use the rest")]
#[path = "../../../api/tests/it/app.rs"]
mod app;
mod misbehaving_servers;
mod scripted_server;
