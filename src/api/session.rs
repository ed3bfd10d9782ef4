//! The session at the gateway.

use contract::{Data, LinkPerson, LinkToken, Session, SignIn};

use super::{
    ApiError,
    request::{get, post, read_json, remove},
};
use crate::routes;

/// Returns the current session, if a user is signed in.
pub async fn get_session() -> Result<Option<Session>, ApiError> {
    Ok(get::<Data<Option<Session>>>(routes::SESSION, None).await?.body.data)
}

/// Returns the email address of the user that a sign-in link belongs to. The link stays valid.
pub async fn get_link_email(token: &str) -> Result<String, ApiError> {
    let body = LinkToken { token: token.to_owned() };
    let person: Data<LinkPerson> = read_json(post(routes::SESSION_LINK, &body).await?).await?.body;
    Ok(person.data.email)
}

/// Signs in with a password or the token of a link.
pub async fn sign_in(proof: &SignIn) -> Result<Session, ApiError> {
    let session: Data<Session> = read_json(post(routes::SESSION, proof).await?).await?.body;
    Ok(session.data)
}

/// Signs out.
pub async fn sign_out() -> Result<(), ApiError> {
    remove(routes::SESSION).await.map(|_| ())
}
