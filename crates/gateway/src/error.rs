//! Errors of the gateway and their responses (specification, section 7).
//!
//! Every error response is the specified JSON. The texts contain no secret and nothing from the
//! upstream or the store; those details go to the log.

use std::any::Any;

use axum::Json;
use axum::response::{IntoResponse, Response};
use contract::error::ReauthMethod;
use contract::form_access::InvalidForms;
use contract::people::PEOPLE_MAX;
use contract::{Environment, ErrorBody, ErrorCode};
use http::header::{ALLOW, RETRY_AFTER};
use http::{HeaderValue, StatusCode};

use crate::auth::accounts::StoreError;
use crate::auth::identity::{Identity, IdentityError, ProvisionOutcome};
use crate::auth::password::{Busy, HashError, WeakPassword};

/// A refused or failed request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("sign in first")]
    NoSession,
    #[error("no account has this mail address and password; check both, or ask for a sign-in link")]
    WrongPassword,
    #[error("the current password is incorrect; the new one was not set")]
    WrongCurrentPassword,
    #[error("the password was changed in the meantime; sign in with the new one")]
    PasswordChanged,
    #[error("this is for the account's owner; ask the owner to do it")]
    OwnerOnly,
    #[error("this is for the account's owner and editors; ask the owner for the role `editor`")]
    EditorOnly,
    #[error("{}", reauthentication_message(*.0))]
    ReauthenticationRequired(ReauthMethod),
    #[error("the password is incorrect; nothing was changed")]
    WrongReauthentication,
    #[error("somebody with this mail address may come in already; take another one")]
    PersonExists,
    #[error("an account may have at most {PEOPLE_MAX} people; remove one first")]
    TooManyPeople,
    #[error("{0}")]
    WeakPassword(#[from] WeakPassword),
    #[error("this sign-in link was used already or is too old; ask for a new one")]
    InvalidLink,
    #[error("the code is wrong or too old; check it, or request a new one")]
    WrongEmailCode,
    #[error("the email with the code could not be sent; check the address, or try again later")]
    MailNotSent,
    #[error("too many tries to sign in; try again in {retry_after_s} s")]
    TooManyTries { retry_after_s: u64 },
    #[error("too many mail addresses were tried; try again in {retry_after_s} s")]
    TooManyEmails { retry_after_s: u64 },
    #[error("the request did not come from the dashboard: {0}")]
    CsrfRejected(&'static str),
    #[error("{0}")]
    UntrustedIdentity(IdentityError),
    #[error("not signed in; sign in through your organisation")]
    NoIdentity,
    #[error("{}", unlinked_message(.0, .1))]
    Unlinked(Identity, ProvisionOutcome),
    #[error("users sign in through their organisation; passwords and sign-in links are disabled")]
    LocalSignInDisabled,
    #[error("not found; check the address")]
    NotFound,
    #[error("the gateway has no API key for the `{0}` environment; configure one")]
    NoKey(Environment),
    #[error("the method must be one of `{0}` for this path")]
    MethodNotAllowed(&'static str),
    #[error("{0}")]
    Invalid(&'static str),
    #[error("{0}")]
    InvalidForms(#[from] InvalidForms),
    #[error("the body may have {bytes_max} bytes at most")]
    BodyTooLarge { bytes_max: usize },
    #[error("the body must be JSON: send `content-type: application/json` and no encoding")]
    NotJson,
    #[error("the body did not arrive in time; send it again")]
    BodyTimedOut,
    #[error("too many sign-ins at once; try again in a moment")]
    Busy,
    #[error("the service cannot be reached or closed the connection; try again in a moment")]
    UpstreamFailed,
    #[error("the service did not answer in time; try again in a moment")]
    UpstreamTimedOut,
    #[error("invalid upstream response: {0}")]
    InvalidUpstreamResponse(&'static str),
    #[error("the service is busy; try again in {retry_after_s} s")]
    UpstreamBusy { retry_after_s: u64 },
    #[error("something went wrong on our side; you may try again")]
    Hash(#[from] HashError),
    #[error("something went wrong on our side; you may try again")]
    Store(#[from] StoreError),
    #[error("something went wrong on our side; you may try again")]
    Panicked(String),
}

impl From<Busy> for Error {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

impl Error {
    /// Creates an error from the payload of a panic.
    pub(crate) fn from_panic(cause: &(dyn Any + Send)) -> Self {
        let text = cause.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
        Self::Panicked(text.unwrap_or("no message").to_owned())
    }

    fn status_code(&self) -> StatusCode {
        match self {
            Self::NoSession
            | Self::WrongPassword
            | Self::InvalidLink
            | Self::PasswordChanged
            | Self::NoIdentity
            | Self::UntrustedIdentity(IdentityError::InvalidAssertion(_)) => {
                StatusCode::UNAUTHORIZED
            }
            Self::TooManyTries { .. } | Self::TooManyEmails { .. } | Self::UpstreamBusy { .. } => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::CsrfRejected(_)
            | Self::WrongCurrentPassword
            | Self::OwnerOnly
            | Self::EditorOnly
            | Self::ReauthenticationRequired(_)
            | Self::WrongReauthentication
            | Self::WrongEmailCode
            | Self::Unlinked(..)
            | Self::LocalSignInDisabled => StatusCode::FORBIDDEN,
            Self::PersonExists | Self::TooManyPeople => StatusCode::CONFLICT,
            Self::NotFound | Self::NoKey(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Invalid(_)
            | Self::InvalidForms(_)
            | Self::WeakPassword(_)
            | Self::UntrustedIdentity(_) => StatusCode::BAD_REQUEST,
            Self::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::UpstreamFailed | Self::InvalidUpstreamResponse(_) | Self::MailNotSent => {
                StatusCode::BAD_GATEWAY
            }
            Self::UpstreamTimedOut => StatusCode::GATEWAY_TIMEOUT,
            Self::Hash(_) | Self::Store(_) | Self::Panicked(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the error code. The specification has seven codes; other cases use the nearest one.
    fn error_code(&self) -> ErrorCode {
        match self.status_code().as_u16() {
            401 => ErrorCode::Unauthorized,
            403 => ErrorCode::Forbidden,
            404 => ErrorCode::NotFound,
            405 => ErrorCode::MethodNotAllowed,
            429 => ErrorCode::RateLimitExceeded,
            500.. => ErrorCode::Internal,
            _ => ErrorCode::Validation,
        }
    }

    fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::TooManyTries { retry_after_s }
            | Self::TooManyEmails { retry_after_s }
            | Self::UpstreamBusy { retry_after_s } => Some(*retry_after_s),
            _ => None,
        }
    }
}

fn unlinked_message(identity: &Identity, provided: &ProvisionOutcome) -> String {
    let why = match provided {
        ProvisionOutcome::AddressTaken => {
            ". A member has this mail address, but an address is no proof"
        }
        ProvisionOutcome::NoAddress => ". A new account needs a mail address",
        ProvisionOutcome::Disabled | ProvisionOutcome::Person(_) => "",
    };
    format!(
        "no account is linked to {identity}{why}; ask the administrator of this server to link \
         it (`sheaf account link-identity`)"
    )
}

fn reauthentication_message(needs: ReauthMethod) -> &'static str {
    match needs {
        ReauthMethod::Password => "confirm your password, then try again",
        ReauthMethod::SignIn => {
            "confirm who you are: sign in with a new link, then try again within five minutes"
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        if let Self::Store(source) = &self {
            tracing::error!(error = %source, "account store failed");
        }
        if let Self::Hash(source) = &self {
            tracing::error!(error = %source, "password hashing failed");
        }
        if let Self::Panicked(text) = &self {
            tracing::error!(error = %text, "request handler panicked");
        }
        let retry_after = self.retry_after_s();
        let needs = match &self {
            Self::ReauthenticationRequired(needs) => Some(needs.as_str().to_owned()),
            _ => None,
        };
        let body = ErrorBody {
            retry_after,
            needs,
            ..ErrorBody::new(self.error_code(), &self.to_string())
        };
        let mut response = (self.status_code(), Json(body)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Self::MethodNotAllowed(methods) = self {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
        }
        response
    }
}
