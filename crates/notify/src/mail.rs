//! E-mail: about submissions to notified addresses and senders, and to members about their account.
//!
//! A [`Mailer`] sends e-mails by SMTP. It sends links with secrets while a person waits for them.
//! A [`MailWorker`] sends those that wait in the store, each at least once: if the process dies
//! while it sends one, the lease ends and another worker repeats it.

mod account_delivery;
mod account_mail;
mod auto_reply;
mod auto_reply_delivery;
mod config;
mod connection;
mod delivery;
mod direct;
mod dkim;
mod document;
mod due;
mod error;
#[cfg(test)]
mod fixtures;
mod html;
mod links;
mod mailbox;
mod mention;
mod message;
mod outcome;
mod sample;
mod schedule;
mod smtp;
mod submission_mail;
mod texts;
mod transport;
mod view_digest;
mod worker;

pub use config::{MailConfig, MailFrom, SmtpServer};
pub use direct::{DirectContent, DirectMail};
pub use dkim::DkimKey;
pub use error::{MailConfigError, MailError};
pub use links::{LinkPurpose, MailLinks};
pub use mailbox::is_mailbox;
pub use transport::Mailer;
pub use worker::MailWorker;
