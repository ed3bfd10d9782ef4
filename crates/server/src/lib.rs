//! Accepts connections and serves a router over them, with limits for everything that waits.
//!
//! [`serve`] runs until shutdown is signalled, and then drains. [`Listeners`] are TCP and Unix
//! sockets, [`Tls`] is a reloadable certificate, [`TrustedProxies`] are the trusted proxies, and
//! [`HttpMetrics`] counts requests and connections. This crate contains no routes and no command
//! line.

mod address;
mod body;
mod client;
pub(crate) mod connection_permits;
mod drain;
mod error;
mod limited_file;
mod linger;
mod listeners;
pub(crate) mod metrics;
pub mod notify;
mod proxies;
mod refusal;
pub(crate) mod request_log;
mod routes;
mod serve;
pub(crate) mod shutdown;
pub mod signals;
mod socket;
mod strict;
pub(crate) mod throughput;
mod tls;

pub use address::{ListenAddress, SocketMode};
pub use client::ProxyTrust;
pub use error::{Error, Result};
pub use limited_file::read_limited_file;
pub use listeners::{BoundAddresses, Listeners, bind_address, bind_all};
pub use metrics::{HttpMetrics, metric_error};
pub use proxies::TrustedProxies;
pub use routes::{NAMES_MAX, RouteNames};
pub use serve::{serve, serve_operators};
pub use shutdown::{Draining, ShutdownSignals};
pub use tls::Tls;
