//! The session at the gateway.

use contract::{CurrentSession, Data, EmailLinkRequest, LinkPerson, LinkToken, Session, SignIn};

use super::{
    ApiError,
    request::{get, post, read_json, remove},
};
use crate::routes;

/// Returns the current session, if a user is signed in, and how users can sign in.
pub async fn get_session() -> Result<CurrentSession, ApiError> {
    Ok(get::<CurrentSession>(routes::SESSION, None).await?.body)
}

/// Requests a sign-in link by email. Succeeds even if no member has the address.
pub async fn request_sign_in_link(email: String) -> Result<(), ApiError> {
    post(routes::EMAIL_LINK, &EmailLinkRequest { email }).await.map(|_| ())
}

/// Returns the email address of the user that a sign-in link belongs to. The link stays valid.
pub async fn get_link_email(token: &str) -> Result<String, ApiError> {
    let body = LinkToken { token: token.to_owned() };
    let person: Data<LinkPerson> = read_json(post(routes::SESSION_LINK, &body).await?).await?.body;
    Ok(person.data.email)
}

/// Signs in with a password or the token of a link.
pub async fn sign_in(credentials: &SignIn) -> Result<Session, ApiError> {
    let session: Data<Session> = read_json(post(routes::SESSION, credentials).await?).await?.body;
    Ok(session.data)
}

/// Signs out.
pub async fn sign_out() -> Result<(), ApiError> {
    remove(routes::SESSION).await.map(|_| ())
}
