//! Several machines: three real instances over PostgreSQL behind the nginx of `docs/deploy/many`,
//! killed, restarted and revoked under load. `cargo xtask test many` runs these tests.
#![expect(clippy::print_stderr, reason = "the test prints the counts it has checked")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod app;
#[path = "../durability/ask.rs"]
mod ask;
#[path = "../it/event_stream.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod event_stream;
#[path = "../../../api/tests/it/app.rs"]
#[expect(dead_code, reason = "requests go over HTTP here")]
mod in_process;
mod instance;
mod kills;
mod live;
mod mail;
#[path = "../deploy/proxy.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod proxy;
#[path = "../it/receiver.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod receiver;
mod rolling;
mod sender;
#[path = "../it/server.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod server;
mod shared_state;
mod site;
#[path = "../it/smtp_server.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod smtp_server;
mod spec;
#[path = "../it/test_env.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod test_env;
mod webhooks;
