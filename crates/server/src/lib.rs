//! Accepts connections and serves a router over them, with a limit on everything that waits.
//!
//! [`serve`] runs until it is told to end, and then drains. [`Listeners`] are addresses and
//! sockets, [`Tls`] is a certificate that may change, [`Proxies`] are those whose headers are
//! trusted, and [`Meter`] counts requests and connections. This crate knows no routes and no
//! command line.

mod address;
mod body;
mod client;
mod drain;
mod ends;
mod error;
mod linger;
mod listeners;
mod meter;
mod noted;
pub mod notify;
mod pace;
mod places;
mod proxies;
mod refusal;
mod routes;
mod serve;
pub mod signals;
mod socket;
mod strict;
mod tls;

pub use address::{Address, SocketMode};
pub use client::ThroughProxy;
pub use ends::{Ends, Near};
pub use error::{Error, Result};
pub use listeners::{Bound, Listeners, bind_as, open};
pub use meter::{Meter, metric_error};
pub use proxies::Proxies;
pub use routes::{NAMES_MAX, Routes};
pub use serve::{serve, serve_few};
pub use tls::Tls;
