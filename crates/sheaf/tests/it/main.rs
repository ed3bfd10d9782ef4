//! Tests of the real binary. Each uses its own data directory.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

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
