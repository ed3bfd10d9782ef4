//! The people of an account: its owner sees them, lets readers in, and removes them.
//!
//! A reader gets in by a link that the owner hands over; nothing here sends mail. Where a proxy
//! says who comes, links are off, and no token is made: whoever runs the server links identities.

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

/// How long the link of an invitation works: 24 hours, since whoever gets it may be away.
pub const INVITATION_S: i64 = 24 * 3600;

/// `GET /people`: everybody who may come in, the owner first.
pub(crate) async fn list(
    State(gateway): State<Arc<Gateway>>,
    Owner(signed_in): Owner,
) -> Result<Json<Data<Vec<Person>>>, Error> {
    let data = gateway.accounts.list_people(&signed_in.account_id).await?;
    Ok(Json(Data { data }))
}

/// `POST /people`: lets a reader in, and gives the link for them.
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
    // An owner may add many readers in a row.
    gateway.throttle.return_email(&signed_in.person_id);
    let Added::Reader(person) = added else { return Err(Error::TooManyPeople) };
    if proxy_auth::sign_in_is_here(&gateway).is_err() {
        let invited = Invited { data: person, token: None, expires_at: None };
        return Ok((StatusCode::CREATED, Json(invited)));
    }
    let act = asking.does(&gateway, &signed_in, Action::LinkMade).on("person", &person.id);
    Ok((StatusCode::CREATED, invite(&gateway, person, act).await?))
}

/// `POST /people/{id}/link`: gives another link for a reader, whose first one was lost or is over.
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

/// `DELETE /people/{id}`: removes a reader. Wherever they are signed in, that ends at once.
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
