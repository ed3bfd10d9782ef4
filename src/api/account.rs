//! Sessions, password and email address of the signed-in user.

use contract::SessionId;
use contract::account::{AccountAccess, NewEmail, NewPassword};
use contract::people::Preferences;

use super::{
    ApiError,
    request::{get_data, put, remove},
};
use crate::routes;

/// Returns the active sessions, and whether the user has a password.
pub async fn get_access() -> Result<AccountAccess, ApiError> {
    get_data(routes::SESSIONS, None).await
}

/// Ends a session.
pub async fn end_session(id: &SessionId) -> Result<(), ApiError> {
    remove(&routes::session_url(id)).await.map(|_| ())
}

/// Ends all sessions except the current one.
pub async fn end_other_sessions() -> Result<(), ApiError> {
    remove(routes::SESSIONS).await.map(|_| ())
}

/// Returns the preferences of the signed-in member, on a server with the capability `triage`.
pub async fn get_preferences() -> Result<Preferences, ApiError> {
    get_data(routes::ACCOUNT_PREFERENCES, None).await
}

/// Replaces the preferences of the signed-in member.
pub async fn set_preferences(preferences: &Preferences) -> Result<(), ApiError> {
    put(routes::ACCOUNT_PREFERENCES, preferences).await.map(|_| ())
}

/// Sets the password. All other sessions end.
pub async fn set_password(password: &NewPassword) -> Result<(), ApiError> {
    put(routes::PASSWORD, password).await.map(|_| ())
}

/// Result of a request to change the email address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailChange {
    /// The address is changed. All other sessions ended.
    Done,
    /// The server sent a code to the new address, and changes it when the request has the code.
    CodeSent,
}

/// Changes the email address of the signed-in user.
pub async fn set_email(email: String, code: Option<String>) -> Result<EmailChange, ApiError> {
    let response = put(routes::EMAIL, &NewEmail { email, code }).await?;
    Ok(if response.status() == 202 { EmailChange::CodeSent } else { EmailChange::Done })
}
