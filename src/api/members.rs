//! Who may come into the account, and the proof that it is still the same person who asks.

use contract::people::{Invited, NewPerson, Proof};
use contract::{Data, Person, PersonId};

use super::{
    ApiError,
    request::{act, get, post, read, remove},
};
use crate::routes;

/// Lists who may come in, the owner first.
pub async fn people() -> Result<Vec<Person>, ApiError> {
    Ok(get::<Data<Vec<Person>>>(routes::PEOPLE, None).await?.body.data)
}

/// Lets a reader in. The answer is the only one that holds the token of their link.
pub async fn add_reader(email: String) -> Result<Invited, ApiError> {
    Ok(read(post(routes::PEOPLE, &NewPerson { email }).await?).await?.body)
}

/// Makes another link for a reader.
pub async fn link_reader(id: &PersonId) -> Result<Invited, ApiError> {
    Ok(read(act(&routes::person_link(id)).await?).await?.body)
}

/// Removes a reader. Wherever they are signed in, that ends.
pub async fn remove_reader(id: &PersonId) -> Result<(), ApiError> {
    remove(&routes::person(id)).await.map(|_| ())
}

/// Shows by the password that it is still the same person.
pub async fn prove(password: String) -> Result<(), ApiError> {
    post(routes::PROOF, &Proof { password }).await.map(|_| ())
}
