//! Tests of the real binary. Each uses its own data directory.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod archive;
mod assertions;
mod audit;
mod behind_proxy;
mod body_bombs;
mod commands;
mod csv;
mod database;
mod file_size_limit;
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
mod insight;
mod intake;
mod leases;
mod lifecycle;
mod manual;
mod matrix;
mod startup_shutdown;

mod operator;
mod outgoing_tls;
mod receiver;
mod revoked;
mod roles;
mod sample;
mod server;
mod server_tls;
mod socket;
mod verify;
mod webhook;
mod webhook_docs;
mod world;
