//! Sign-ins, the password and the mail address of the signed-in person.

use contract::Data;
use contract::SessionId;
use contract::account::{Access, NewEmail, NewPassword};

use super::{
    ApiError,
    request::{get, put, remove},
};
use crate::routes;

/// Tells by what the account is open.
pub async fn access() -> Result<Access, ApiError> {
    Ok(get::<Data<Access>>(routes::SESSIONS, None).await?.body.data)
}

/// Ends a sign-in.
pub async fn end_session(id: &SessionId) -> Result<(), ApiError> {
    remove(&routes::session(id)).await.map(|_| ())
}

/// Ends all sign-ins but this one.
pub async fn end_other_sessions() -> Result<(), ApiError> {
    remove(routes::SESSIONS).await.map(|_| ())
}

/// Sets the password. All other sign-ins end.
pub async fn set_password(password: &NewPassword) -> Result<(), ApiError> {
    put(routes::PASSWORD, password).await.map(|_| ())
}

/// Changes the mail address of the signed-in person. All other sign-ins end.
pub async fn set_email(email: String) -> Result<(), ApiError> {
    put(routes::EMAIL, &NewEmail { email }).await.map(|_| ())
}
