//! Integration tests of the gateway's router, with upstreams in the same process and on loopback.
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by panicking")]

mod access;

mod app;
mod assets;
mod audit;
mod browsers;
mod csrf;
mod email_links;
mod first_rows;
mod forward;
mod garbage;
mod identity;
mod invitations;
mod leak;
mod mailer;
mod memory;
mod remote;
mod roles;
mod routes;
mod session;
mod sign_in;
