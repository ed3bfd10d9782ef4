//! The API of the specification, and the owner's actions beside it.
//!
//! A request goes from [`routes`] through `auth` and `rate_limit` to the [`store`]; answers
//! return the same way. This crate owns the database. It never names the gateway and knows nothing
//! of browsers.

pub mod clock;
pub mod store;
