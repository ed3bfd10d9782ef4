//! Members of the account, and re-authentication.

use contract::people::{Invited, NewPerson, Proof};
use contract::{Data, Person, PersonId};

use super::{
    ApiError,
    request::{act, get, post, read, remove},
};
use crate::routes;

/// Lists the members, the owner first.
pub async fn people() -> Result<Vec<Person>, ApiError> {
    Ok(get::<Data<Vec<Person>>>(routes::PEOPLE, None).await?.body.data)
}

/// Adds a member with the role `Reader`. Only this response contains the token of the sign-in link.
pub async fn add_reader(email: String) -> Result<Invited, ApiError> {
    Ok(read(post(routes::PEOPLE, &NewPerson { email }).await?).await?.body)
}

/// Creates another sign-in link for a reader.
pub async fn link_reader(id: &PersonId) -> Result<Invited, ApiError> {
    Ok(read(act(&routes::person_link(id)).await?).await?.body)
}

/// Removes a reader and ends all their sessions.
pub async fn remove_reader(id: &PersonId) -> Result<(), ApiError> {
    remove(&routes::person(id)).await.map(|_| ())
}

/// Re-authenticates the user by password.
pub async fn prove(password: String) -> Result<(), ApiError> {
    post(routes::PROOF, &Proof { password }).await.map(|_| ())
}
