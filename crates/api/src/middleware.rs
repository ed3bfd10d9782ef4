//! Middleware: authentication, rate limits, the limit on large responses, and the permissions of
//! roles.

pub(crate) mod auth;
pub(crate) mod in_flight;
pub(crate) mod rate_limit;
pub(crate) mod roles;
