//! The real binary, on data directories of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, helpers included")]

mod archive;
mod assertions;
mod audit;
mod behind_proxy;
mod bombs;
mod commands;
mod csv;
mod database;
mod forwarding;
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
mod leases;
mod life;
mod lifecycle;
mod limit;
mod manual;
mod matrix;

mod operator;
mod own_tls;
mod revoked;
mod roles;
mod sample;
mod server;
mod socket;
mod tls;
mod world;
