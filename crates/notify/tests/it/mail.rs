//! Tests of the mail worker with a real store and an SMTP server in this process.

mod account;
mod auto_replies;
mod digests;
mod failures;
mod leases;
mod limits;
mod mail_fixture;
mod views;
