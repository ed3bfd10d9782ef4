//! Errors of requests.

use contract::error::ReauthMethod;

use crate::i18n;

/// Reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiError {
    /// The gateway could not be reached, or did not answer in time.
    Network,
    /// An auth proxy in front of the gateway requires a new sign-in.
    SessionEnded,
    /// The dashboard cancelled the request. The UI shows no message.
    Aborted,
    /// The response is an error (Specification, section 7).
    Status {
        /// HTTP status.
        status: u16,
        /// Machine-readable code; empty if the body does not follow the specification.
        code: String,
        /// Message with the problem and what to do.
        message: String,
        /// Seconds to wait; only with status 429.
        retry_after_s: Option<u64>,
    },
    /// The action requires a recent re-authentication, of the contained kind.
    ReauthenticationRequired(ReauthMethod),
    /// The response does not follow the specification.
    Decode(String),
}

impl ApiError {
    /// Returns the HTTP status, if there was a response.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            Self::ReauthenticationRequired(_) => Some(403),
            Self::Network | Self::SessionEnded | Self::Aborted | Self::Decode(_) => None,
        }
    }

    /// Returns a sentence with the problem and what to do.
    pub fn message(&self) -> String {
        match self {
            Self::Network => i18n::failures().unreachable.to_owned(),
            Self::SessionEnded => i18n::failures().session_ended.to_owned(),
            Self::Aborted => i18n::failures().given_up.to_owned(),
            Self::Status { message, .. } => message.clone(),
            Self::ReauthenticationRequired(ReauthMethod::Password) => {
                i18n::failures().needs_password.to_owned()
            }
            Self::ReauthenticationRequired(ReauthMethod::SignIn) => {
                i18n::failures().needs_sign_in.to_owned()
            }
            Self::Decode(problem) => (i18n::failures().unreadable)(problem),
        }
    }
}
