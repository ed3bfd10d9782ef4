//! The real binary, on data directories of its own.

mod commands;
mod csv;
mod help;
mod http;
mod import;
mod life;
mod sample;
mod server;
mod world;
