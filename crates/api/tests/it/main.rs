//! The tests of the service from outside: one binary, a module for each part.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod app;
mod audit;
mod auth;
mod clock;
mod export;
mod forms;
mod insight;
mod intake;
mod keys;
mod large;
mod openapi;
mod rate_limit;
mod shared_limits;
mod summary;
mod trash;
mod wire;
