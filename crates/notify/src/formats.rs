//! Messages in the formats of other services. Each format escapes the markup of its service, so
//! that an answer is only text there.

pub(crate) mod discord;
mod markdown;
pub(crate) mod message;
pub(crate) mod ntfy;
pub(crate) mod slack;
pub(crate) mod teams;

#[cfg(test)]
mod hostile_tests;
