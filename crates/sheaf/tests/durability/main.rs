//! What was taken is kept, seen from outside: the real binary, killed a thousand times, and on a
//! disk that is full. Run by `cargo xtask test durability`.
#![expect(clippy::print_stderr, reason = "what was counted belongs to what is proven")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, helpers included")]

mod ask;
mod full;
mod kill;
mod restore;
mod sender;
#[path = "../it/server.rs"]
#[expect(dead_code, reason = "the other tests ask for more")]
mod server;
#[path = "../it/world.rs"]
#[expect(dead_code, reason = "the other tests ask for more")]
mod world;
