//! Sends the deliveries of the outbox to webhooks, and e-mail: see [`mail`].
//!
//! [`Worker`] leases due deliveries from the store, sends them as signed requests, and records each
//! attempt. A delivery is attempted at least once: if the process dies during an attempt, its lease
//! ends and another worker repeats it with the same `webhook-id`. [`AddressPolicy`] keeps requests
//! away from private networks.

mod address;
mod attempt;
mod content;
mod counters;
#[cfg(test)]
mod fixtures;
mod formats;
mod ip;
pub mod mail;
mod pace;
mod schedule;
mod sender;
mod signature;
mod target;
mod worker;

pub use address::{AddressPolicy, Resolver};
pub use counters::Counters;
pub use target::UrlError;
pub use worker::Worker;
