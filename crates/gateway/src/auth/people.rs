//! Routes for the members of an account: the owner lists, adds and removes readers.
//!
//! A reader signs in by a link that the owner passes on; the gateway sends no mail. Where a proxy
//! identifies users, links are disabled, and the operator links identities instead.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use contract::audit::{Act, Action};
use contract::people::{Invited, NewPerson};
use contract::{Data, Person, PersonId, Role, Timestamp};
use http::StatusCode;

use crate::audit::Asking;
use crate::auth::accounts::Added;
use crate::auth::roles::{Owner, Proven};
use crate::auth::{access, proxy_auth, session};
use crate::error::Error;
use crate::{Gateway, body, secret};

/// Lifetime of an invitation link in seconds: 24 hours, because the recipient may be offline for a
/// while.
pub const INVITATION_S: i64 = 24 * 3600;

/// `GET /people`: lists the members, the owner first.
pub(crate) async fn list(
    State(gateway): State<Arc<Gateway>>,
    Owner(signed_in): Owner,
) -> Result<Json<Data<Vec<Person>>>, Error> {
    let data = gateway.accounts.list_people(&signed_in.account_id).await?;
    Ok(Json(Data { data }))
}

/// `POST /people`: adds a reader and returns their sign-in link.
pub(crate) async fn add(
    State(gateway): State<Arc<Gateway>>,
    Proven(Owner(signed_in)): Proven,
    asking: Asking,
    request: Request,
) -> Result<(StatusCode, Json<Invited>), Error> {
    let (parts, body) = request.into_parts();
    let body = body::read_json(&parts.headers, body, body::SIGN_IN_BYTES_MAX).await?;
    let NewPerson { email } =
        serde_json::from_slice(&body).map_err(|_| Error::Invalid("the body must hold `email`"))?;
    let email = session::checked_email(&email)?;
    let now = gateway.clock.now();
    let act = asking.does(&gateway, &signed_in, Action::PersonAdded);
    let act = act.on("account", &signed_in.account_id);
    access::admit_email(&gateway, &signed_in, &act)?;
    let accounts = gateway.noting(act.clone());
    let added = accounts.insert_reader(&signed_in.account_id, email, now).await?;
    if let Added::Exists = added {
        gateway.accounts.note_soon(act.denied("taken"));
        return Err(Error::PersonExists);
    }
    // Successful additions are not counted, so an owner may add many readers in a row.
    gateway.throttle.return_email(&signed_in.person_id);
    let Added::Reader(person) = added else { return Err(Error::TooManyPeople) };
    if proxy_auth::sign_in_is_here(&gateway).is_err() {
        let invited = Invited { data: person, token: None, expires_at: None };
        return Ok((StatusCode::CREATED, Json(invited)));
    }
    let act = asking.does(&gateway, &signed_in, Action::LinkMade).on("person", &person.id);
    Ok((StatusCode::CREATED, invite(&gateway, person, act).await?))
}

/// `POST /people/{id}/link`: creates another link for a reader with a lost or expired link.
pub(crate) async fn link(
    State(gateway): State<Arc<Gateway>>,
    Proven(Owner(signed_in)): Proven,
    asking: Asking,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Invited>), Error> {
    proxy_auth::sign_in_is_here(&gateway)?;
    let all = gateway.accounts.list_people(&signed_in.account_id).await?;
    let is_it = |person: &Person| person.role == Role::Reader && person.id.as_str() == id;
    let person = all.into_iter().find(is_it).ok_or(Error::NotFound)?;
    let act = asking.does(&gateway, &signed_in, Action::LinkMade).on("person", &person.id);
    Ok((StatusCode::CREATED, invite(&gateway, person, act).await?))
}

/// `DELETE /people/{id}`: removes a reader and ends their sessions immediately.
pub(crate) async fn remove(
    State(gateway): State<Arc<Gateway>>,
    Proven(Owner(signed_in)): Proven,
    asking: Asking,
    Path(id): Path<String>,
) -> Result<StatusCode, Error> {
    let id: PersonId = id.parse().map_err(|_| Error::NotFound)?;
    let act = asking.does(&gateway, &signed_in, Action::PersonRemoved).on("person", &id);
    let was_there = gateway.noting(act).delete_reader(&signed_in.account_id, &id).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::NotFound) }
}

async fn invite(gateway: &Gateway, person: Person, act: Act) -> Result<Json<Invited>, Error> {
    let (token, hash) = secret::mint_token();
    let end = gateway.clock.now().micros() + INVITATION_S * 1_000_000;
    let expires_at = Timestamp::from_micros(end).unwrap_or(Timestamp::MAX);
    gateway.noting(act).insert_link(hash, &person.id, expires_at).await?;
    Ok(Json(Invited { data: person, token: Some(token), expires_at: Some(expires_at) }))
}
