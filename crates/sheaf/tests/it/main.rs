//! The real binary, on data directories of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, helpers included")]

mod audit;
mod commands;
mod csv;
mod framing;
mod help;
mod http;
mod import;
mod import_changed;
mod import_order;
mod import_resumed;
mod import_round_trip;
mod import_tools;
mod ingest;
mod insight;
mod life;
mod limit;
mod manual;
mod own_tls;
mod roles;
mod sample;
mod server;
mod tls;
mod world;
