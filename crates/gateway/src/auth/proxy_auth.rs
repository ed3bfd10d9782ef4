//! How somebody comes in whom a proxy vouches for: without a sign-in, by a session like any other.
//!
//! Who comes is asked of every request. A session opens nothing for anybody but the identity by
//! which it began: whoever comes with another one has lost it, and gets one of their own.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::PersonId;
use http::request::Parts;

use crate::Gateway;
use crate::audit::Asking;
use crate::auth::accounts::SessionProof;
use crate::auth::identity::{Known, Provided, Refusal, Rules};
use crate::auth::new_session;
use crate::auth::signed_in::{self, SignedIn};
use crate::error::Error;

/// How often at most the log tells of requests that say who comes, and are no proxy's.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// Refuses what says who comes and may not, whatever it asks for.
pub(crate) async fn guard(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    next: Next,
) -> Result<Response, Error> {
    if let Some(rules) = &gateway.identity {
        rules.check(request.headers(), request.extensions()).map_err(|refusal| {
            tell(&gateway, &refusal);
            Error::NotBelieved(refusal)
        })?;
    }
    Ok(next.run(request).await)
}

/// Tells whoever runs the server, who may have set the proxy up wrongly. A flood tells no more.
fn tell(gateway: &Gateway, refusal: &Refusal) {
    let now = gateway.clock.elapsed();
    let mut told_at = gateway.stranger_told_at.lock().unwrap_or_else(PoisonError::into_inner);
    if told_at.is_none_or(|told_at| now.saturating_sub(told_at) >= TELL_EVERY) {
        *told_at = Some(now);
        tracing::warn!("refused: {refusal}");
    }
}

/// Returns whose session the cookie of a request is, where it is that of whoever comes.
pub(crate) async fn find(
    gateway: &Gateway,
    rules: &Rules,
    request: &Parts,
) -> Result<Option<SignedIn>, Error> {
    let known = identify(rules, request).await?;
    find_of(gateway, rules, &known, request).await
}

async fn identify(rules: &Rules, request: &Parts) -> Result<Known, Error> {
    let known = rules.identify(&request.headers, &request.extensions).await;
    known.map_err(Error::NotBelieved)?.ok_or(Error::NoIdentity)
}

async fn find_of(
    gateway: &Gateway,
    rules: &Rules,
    known: &Known,
    request: &Parts,
) -> Result<Option<SignedIn>, Error> {
    let Some(signed_in) = signed_in::by_cookie(gateway, &request.headers).await? else {
        return Ok(None);
    };
    let of = rules.identities.find_by_session(&known.identity, signed_in.token_hash).await?;
    if of.as_ref() != Some(&signed_in.person_id) {
        gateway.accounts.delete_session(signed_in.token_hash).await?;
        return Ok(None);
    }
    // The proxy has shown with this very request who they are.
    let (proven_at, identity) = (gateway.clock.now(), Some(known.identity.clone()));
    Ok(Some(SignedIn { proven_at, identity, ..signed_in }))
}

/// `GET /session`, where a proxy says who comes: they are signed in by it.
pub(crate) async fn show(
    gateway: &Gateway,
    rules: &Rules,
    request: &Parts,
) -> Result<Response, Error> {
    let known = identify(rules, request).await?;
    if let Some(signed_in) = find_of(gateway, rules, &known, request).await? {
        return signed_in::answer(gateway, Some(&signed_in)).await;
    }
    let person = match rules.identities.find(&known.identity).await? {
        Some(person) => person,
        None => provide(rules, &known).await?,
    };
    let unlinked = || Error::Unlinked(known.identity.clone(), Provided::Nothing);
    let record = gateway.accounts.find_person(&person).await?.ok_or_else(unlinked)?;
    let acting = record.acting();
    let said = signed_in::describe(gateway, record, Some(known.identity.clone()));
    let mut response = Json(said).into_response();
    let asking = Asking::of(gateway, request);
    let signs_in = Some((&asking, acting, "proxy"));
    let who = (&person, SessionProof::Identity);
    let token = new_session::begin(gateway, who, &request.headers, signs_in, &mut response).await?;
    rules.identities.mark_session(token, &known.identity).await?;
    Ok(response)
}

/// Gives somebody an account whom nothing here knows yet, where that is wanted.
async fn provide(rules: &Rules, known: &Known) -> Result<PersonId, Error> {
    match rules.identities.provide(known).await? {
        Provided::Person(person) => {
            tracing::info!(identity = %known.identity, "somebody new has an account");
            Ok(person)
        }
        not => Err(Error::Unlinked(known.identity.clone(), not)),
    }
}

/// Lets nobody sign in by what a proxy's word stands in place of.
pub(crate) fn sign_in_is_here(gateway: &Gateway) -> Result<(), Error> {
    if gateway.identity.is_some() { Err(Error::SignInElsewhere) } else { Ok(()) }
}
