//! Errors of e-mail.

use crate::formats::message::{clean_line, truncate};

/// Maximum length of a value in an error, and of what the server answered, in characters.
const VALUE_CHARS_MAX: usize = 100;
const ANSWER_CHARS_MAX: usize = 240;

/// Reasons why an e-mail was not sent. The texts are for owners and operators.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// The server refused the recipient or the message for good.
    #[error("the mail server refused the e-mail: {0}")]
    Refused(String),
    /// Everything else between this server and the mail server. A later attempt may succeed.
    #[error("{0}")]
    Server(String),
    /// As [`MailError::Server`], but the message was transferred without an answer, so it may have
    /// been sent.
    #[error("{0}")]
    Unanswered(String),
    /// The address is not valid, so it is refused like [`MailError::Refused`].
    #[error("{0}")]
    Address(String),
}

impl MailError {
    /// Returns whether a later attempt may succeed.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Server(_) | Self::Unanswered(_))
    }
}

/// Reasons why the settings for e-mail are not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailConfigError {
    /// The URL of the SMTP server.
    #[error(
        "the URL of the SMTP server must be like `smtps://user@host:465` or \
         `smtp://user@host:587?tls=required`, but {0}"
    )]
    Server(String),
    /// The password.
    #[error("{0}")]
    Password(&'static str),
    /// The sender.
    #[error("the sender must be like `Forms <forms@example.com>`, but is `{0}`")]
    From(String),
    /// The certificates of authorities.
    #[error("the SMTP certificate authority is not valid: {0}")]
    Authority(String),
    /// The DKIM key or its selector.
    #[error("{0}")]
    Dkim(String),
}

/// Returns the begin of a value, on one line, for an error.
pub(crate) fn excerpt(value: &str) -> String {
    truncate(&clean_line(value), VALUE_CHARS_MAX).0
}

/// Returns what a server answered, on one line and shortened.
pub(crate) fn answer(text: &str) -> String {
    truncate(&clean_line(text), ANSWER_CHARS_MAX).0
}
