//! Durability, tested from outside: the real binary is killed up to a thousand times, and runs on a
//! full disk. `cargo xtask test durability` runs these tests.
#![expect(clippy::print_stderr, reason = "the test prints the counts it has checked")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod ask;
mod full_disk;
mod kill;
mod mail_kill;
#[path = "../it/receiver.rs"]
mod receiver;
mod restore;
mod sender;
#[path = "../it/server.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod server;
#[path = "../it/smtp_server.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod smtp_server;
#[path = "../it/test_env.rs"]
#[expect(dead_code, reason = "the other test binaries use the rest")]
mod test_env;
mod webhook_kill;
