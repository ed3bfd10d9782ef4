//! Tests of the files in `docs/deploy`: the real binary behind the real nginx and Caddy, and the
//! files for systemd and containers. `cargo xtask test deploy` runs them.
#![expect(clippy::print_stderr, reason = "a skipped test reports its reason")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod auth_proxy;
#[expect(dead_code, reason = "the `many` tests use the rest")]
mod proxy;
#[path = "../it/server.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod server;
mod static_files;
mod systemd;
mod systemd_unit;
mod test_auth_proxy;
#[path = "../it/test_env.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod test_env;
mod tls_in_front;
