//! What requests go through before their handler: keys, rate limits, and a bound on large answers.

pub(crate) mod auth;
pub(crate) mod in_flight;
pub(crate) mod rate_limit;
