//! Why a request has no answer.

use contract::error::Needs;

use crate::i18n;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiError {
    /// The gateway could not be reached, or did not answer in time.
    Network,
    /// An auth proxy in front of the gateway wants a new sign-in.
    SessionEnded,
    /// The dashboard cancelled the request. It shows no message.
    Aborted,
    /// The answer was an error (§7).
    Status {
        /// The HTTP status.
        status: u16,
        /// The machine-readable code; empty where the body was not the specified one.
        code: String,
        /// What is wrong and what to do.
        message: String,
        /// Seconds to wait; on 429 only.
        retry_after_s: Option<u64>,
    },
    /// It is done only for whoever has just shown that it is still them, and by what they can.
    Unproven(Needs),
    /// The answer was not of the shape that the specification says.
    Decode(String),
}

impl ApiError {
    /// Returns the HTTP status, where an answer came.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            Self::Unproven(_) => Some(403),
            Self::Network | Self::SessionEnded | Self::Aborted | Self::Decode(_) => None,
        }
    }

    /// Returns what went wrong and what to do, in a sentence.
    pub fn message(&self) -> String {
        match self {
            Self::Network => i18n::failures().unreachable.to_owned(),
            Self::SessionEnded => i18n::failures().session_ended.to_owned(),
            Self::Aborted => i18n::failures().given_up.to_owned(),
            Self::Status { message, .. } => message.clone(),
            Self::Unproven(Needs::Password) => i18n::failures().needs_password.to_owned(),
            Self::Unproven(Needs::SignIn) => i18n::failures().needs_sign_in.to_owned(),
            Self::Decode(problem) => (i18n::failures().unreadable)(problem),
        }
    }
}
