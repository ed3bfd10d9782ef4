//! Tests of the worker with a real store and real receivers on this host.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod concurrency;
mod content;
mod failures;
mod fixture;
mod leases;
mod mail;
mod receiver;
mod retries;
