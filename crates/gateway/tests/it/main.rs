//! Integration tests of the gateway: its router, driven from outside, in front of upstreams in the
//! same process and on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, helpers included")]

mod access;

mod assets;
mod audit;
mod csrf;
mod forward;
mod garbage;
mod identity;
mod leak;
mod memory;
mod picture;
mod remote;
mod roles;
mod routes;
mod session;
mod sign_in;
mod world;
