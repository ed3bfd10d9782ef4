//! Tests of the service from outside: one binary, with a module for each part.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod app;
mod audit;
mod auth;
mod auto_reply;
mod clock;
mod deliveries;
mod export;
mod forms;
mod inbox;
mod insight;
mod intake;
mod keys;
mod large;
mod mail_server;
mod notification_links;
mod notification_mails;
mod notification_views;
mod notifications;
mod openapi;
mod rate_limit;
mod restricted_keys;
mod shared_limits;
mod summary;
mod trash;
mod triage;
mod views;
mod webhooks;
mod wire;
