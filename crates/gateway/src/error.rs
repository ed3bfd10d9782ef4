//! Why the gateway itself refuses or fails, and how that is told (§7).
//!
//! Every refusal is the specified JSON. No text here carries a secret, nor anything that the
//! upstream or the store said: that goes to the log.

use std::any::Any;

use axum::Json;
use axum::response::{IntoResponse, Response};
use contract::error::Needs;
use contract::people::PEOPLE_MAX;
use contract::{Environment, ErrorBody, ErrorCode};
use http::header::{ALLOW, RETRY_AFTER};
use http::{HeaderValue, StatusCode};

use crate::auth::accounts::StoreError;
use crate::auth::identity::{Identity, Provided, Refusal};
use crate::auth::password::{Busy, HashError, WeakPassword};

/// Every way in which the gateway does not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("sign in first")]
    NoSession,
    #[error("no account has this mail address and password; check both, or ask for a sign-in link")]
    WrongPassword,
    #[error("this is not the password so far; the new one was not set")]
    NotThePassword,
    #[error("the password was changed meanwhile; sign in with the new one")]
    PasswordChanged,
    #[error("this is for the account's owner; a reader may look, search and export")]
    ReadersMayNot,
    #[error("{}", unproven(*.0))]
    Unproven(Needs),
    #[error("this is not the password of this account; nothing was done")]
    NotProven,
    #[error("somebody with this mail address may come in already; take another one")]
    PersonExists,
    #[error("an account may have at most {PEOPLE_MAX} people; remove one first")]
    TooManyPeople,
    #[error("{0}")]
    WeakPassword(#[from] WeakPassword),
    #[error("this sign-in link was used already or is too old; ask for a new one")]
    DeadLink,
    #[error("too many tries to sign in; try again in {retry_after_s} s")]
    TooManyTries { retry_after_s: u64 },
    #[error("too many mail addresses were tried; try again in {retry_after_s} s")]
    TooManyEmails { retry_after_s: u64 },
    #[error("the request did not come from the dashboard: {0}")]
    NotOurPage(&'static str),
    #[error("{0}")]
    NotBelieved(Refusal),
    #[error("nobody says who you are; come in by the sign-in of your organisation")]
    NoIdentity,
    #[error("{}", unlinked(.0, .1))]
    Unlinked(Identity, Provided),
    #[error("people sign in by their organisation here; passwords and sign-in links are off")]
    SignInElsewhere,
    #[error("there is nothing here; check the address")]
    NotFound,
    #[error("this gateway has no key for the {0} environment; give it one at its start")]
    NoKey(Environment),
    #[error("the method must be one of `{0}` here")]
    MethodNotAllowed(&'static str),
    #[error("{0}")]
    Invalid(&'static str),
    #[error("the body may have {bytes_max} bytes at most")]
    BodyTooLarge { bytes_max: usize },
    #[error("the body must be JSON: send `content-type: application/json` and no encoding")]
    NotJson,
    #[error("the body did not arrive in time; send it again")]
    BodyTooSlow,
    #[error("too many sign-ins at once; try again in a moment")]
    Busy,
    #[error("the service cannot be reached, or broke off; try again in a moment")]
    UpstreamFailed,
    #[error("the service did not answer in time; try again in a moment")]
    UpstreamSlow,
    #[error("the service answered in a way that it should not: {0}")]
    UpstreamOdd(&'static str),
    #[error("the service takes no more requests now; try again in {retry_after_s} s")]
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
    /// Makes an error of what a route panicked with.
    pub(crate) fn of_panic(cause: &(dyn Any + Send)) -> Self {
        let text = cause.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
        Self::Panicked(text.unwrap_or("no message").to_owned())
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::NoSession
            | Self::WrongPassword
            | Self::DeadLink
            | Self::PasswordChanged
            | Self::NoIdentity
            | Self::NotBelieved(Refusal::Forged(_)) => StatusCode::UNAUTHORIZED,
            Self::TooManyTries { .. } | Self::TooManyEmails { .. } | Self::UpstreamBusy { .. } => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::NotOurPage(_)
            | Self::NotThePassword
            | Self::ReadersMayNot
            | Self::Unproven(_)
            | Self::NotProven
            | Self::Unlinked(..)
            | Self::SignInElsewhere => StatusCode::FORBIDDEN,
            Self::PersonExists | Self::TooManyPeople => StatusCode::CONFLICT,
            Self::NotFound | Self::NoKey(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Invalid(_) | Self::WeakPassword(_) | Self::NotBelieved(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::UpstreamFailed | Self::UpstreamOdd(_) => StatusCode::BAD_GATEWAY,
            Self::UpstreamSlow => StatusCode::GATEWAY_TIMEOUT,
            Self::Hash(_) | Self::Store(_) | Self::Panicked(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The specification has seven codes; what it does not foresee takes the nearest.
    fn code(&self) -> ErrorCode {
        match self.status().as_u16() {
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

fn unlinked(identity: &Identity, provided: &Provided) -> String {
    let why = match provided {
        Provided::AddressTaken => ". Somebody has that mail address here, which proves nothing",
        Provided::NoAddress => ". An account of their own needs a mail address",
        Provided::Nothing | Provided::Person(_) => "",
    };
    format!(
        "you come as {identity}, and nobody here is linked with that{why}; ask whoever runs this \
         server to do so (`sheaf account link-identity`)"
    )
}

fn unproven(needs: Needs) -> &'static str {
    match needs {
        Needs::Password => "this needs your password anew; give it, and ask again",
        Needs::SignIn => {
            "this needs a new sign-in; sign in by a new link, and do it within five minutes"
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        if let Self::Store(source) = &self {
            tracing::error!(error = %source, "the store of accounts failed");
        }
        if let Self::Hash(source) = &self {
            tracing::error!(error = %source, "a password could not be hashed");
        }
        if let Self::Panicked(text) = &self {
            tracing::error!(error = %text, "a route panicked");
        }
        let retry_after = self.retry_after_s();
        let needs = match &self {
            Self::Unproven(needs) => Some(needs.as_str().to_owned()),
            _ => None,
        };
        let body =
            ErrorBody { retry_after, needs, ..ErrorBody::new(self.code(), &self.to_string()) };
        let mut response = (self.status(), Json(body)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Self::MethodNotAllowed(methods) = self {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
        }
        response
    }
}
