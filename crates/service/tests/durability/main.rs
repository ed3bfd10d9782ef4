//! What was taken is kept: the long proofs, which `cargo xtask test durability` runs.
//!
//! Each starts processes of its own, of this same program, and does to them what no test in one
//! process can: kills them, or looks at every write that they make.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod child;
mod dice;
#[path = "../it/store/make.rs"]
#[expect(dead_code, reason = "the other tests make more kinds of things")]
mod make;
mod power;
