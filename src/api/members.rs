//! Members of the account, and re-authentication.

use contract::people::{Invitation, NewPerson, PasswordConfirmation, PersonChange};
use contract::{Person, PersonId};

use super::{
    ApiError,
    request::{get_data, patch, post, post_empty, read_json, remove},
};
use crate::routes;

/// Lists the members, the owner first.
pub async fn list_members() -> Result<Vec<Person>, ApiError> {
    get_data(routes::MEMBERS, None).await
}

/// Adds a member. Only this response contains the token of the sign-in link.
pub async fn add_member(member: &NewPerson) -> Result<Invitation, ApiError> {
    Ok(read_json(post(routes::MEMBERS, member).await?).await?.body)
}

/// Changes the role of a member.
pub async fn change_member(id: &PersonId, change: &PersonChange) -> Result<(), ApiError> {
    patch(&routes::member_url(id), change).await.map(|_| ())
}

/// Creates another sign-in link for a member.
pub async fn create_member_link(id: &PersonId) -> Result<Invitation, ApiError> {
    Ok(read_json(post_empty(&routes::member_link_url(id)).await?).await?.body)
}

/// Removes a member and ends all their sessions.
pub async fn remove_member(id: &PersonId) -> Result<(), ApiError> {
    remove(&routes::member_url(id)).await.map(|_| ())
}

/// Re-authenticates the user by password.
pub async fn reauthenticate(password: String) -> Result<(), ApiError> {
    post(routes::REAUTHENTICATION, &PasswordConfirmation { password }).await.map(|_| ())
}
