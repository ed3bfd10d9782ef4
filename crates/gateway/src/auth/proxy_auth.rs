//! Sessions of users identified by a proxy. They need no sign-in and get an ordinary session.
//!
//! The proxy's identity is checked on every request. A session is valid only for the identity that
//! created it; a request with another identity ends it and gets a new one.

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

/// Minimum interval between log entries about identities from untrusted senders.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// Middleware that rejects requests with an untrusted identity, on all routes.
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

/// Logs a rejection for the operator, because the proxy may be misconfigured. The rate is limited.
fn tell(gateway: &Gateway, refusal: &Refusal) {
    let now = gateway.clock.elapsed();
    let mut told_at = gateway.stranger_told_at.lock().unwrap_or_else(PoisonError::into_inner);
    if told_at.is_none_or(|told_at| now.saturating_sub(told_at) >= TELL_EVERY) {
        *told_at = Some(now);
        tracing::warn!("refused: {refusal}");
    }
}

/// Returns the session of the request's cookie, if it belongs to the request's identity.
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
        // A cookie with a foreign identity may be stolen, so its session ends.
        gateway.accounts.delete_session(signed_in.token_hash).await?;
        return Ok(None);
    }
    // The proxy authenticates every request, so this one counts as recently authenticated.
    let (proven_at, identity) = (gateway.clock.now(), Some(known.identity.clone()));
    Ok(Some(SignedIn { proven_at, identity, ..signed_in }))
}

/// `GET /session` with a proxy: signs the user in by the proxy's identity.
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

/// Creates an account for an unknown identity, if that is enabled.
async fn provide(rules: &Rules, known: &Known) -> Result<PersonId, Error> {
    match rules.identities.provide(known).await? {
        Provided::Person(person) => {
            tracing::info!(identity = %known.identity, "account created for a new identity");
            Ok(person)
        }
        not => Err(Error::Unlinked(known.identity.clone(), not)),
    }
}

/// Rejects password and link sign-in if a proxy authenticates users.
pub(crate) fn sign_in_is_here(gateway: &Gateway) -> Result<(), Error> {
    if gateway.identity.is_some() { Err(Error::SignInElsewhere) } else { Ok(()) }
}
