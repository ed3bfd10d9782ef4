//! What `docs/deploy` shows, with its very files: the real binary behind the real nginx and Caddy,
//! and the files of systemd and containers. Run by `cargo xtask test deploy`.
#![expect(clippy::print_stderr, reason = "what was left out is said")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, helpers included")]

mod auth_proxy;
mod guard;
mod manager;
#[expect(dead_code, reason = "the site of many machines asks for more")]
mod proxy;
#[path = "../it/server.rs"]
#[expect(dead_code, reason = "the other tests ask for more")]
mod server;
mod static_files;
mod tls_in_front;
mod unit;
#[path = "../it/world.rs"]
#[expect(dead_code, reason = "the other tests ask for more")]
mod world;
