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
use crate::audit::RequestActor;
use crate::auth::accounts::SessionProof;
use crate::auth::identity::{IdentityError, ProvisionOutcome, ProxyAuth, VerifiedIdentity};
use crate::auth::new_session;
use crate::auth::signed_in::{self, SignedIn};
use crate::error::Error;

/// Minimum interval between log entries about identities from untrusted senders.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Middleware that rejects requests with an untrusted identity, on all routes.
pub(crate) async fn reject_untrusted_identity(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    next: Next,
) -> Result<Response, Error> {
    if let Some(rules) = &gateway.proxy_auth {
        rules.reject_untrusted(request.headers(), request.extensions()).map_err(|refusal| {
            log_rejection(&gateway, &refusal);
            Error::UntrustedIdentity(refusal)
        })?;
    }
    Ok(next.run(request).await)
}

/// Logs a rejection for the operator, because the proxy may be misconfigured. The rate is limited.
fn log_rejection(gateway: &Gateway, refusal: &IdentityError) {
    let now = gateway.clock.elapsed();
    let mut logged_at = gateway.rejection_logged_at.lock().unwrap_or_else(PoisonError::into_inner);
    if logged_at.is_none_or(|last| now.saturating_sub(last) >= LOG_INTERVAL) {
        *logged_at = Some(now);
        tracing::warn!("refused: {refusal}");
    }
}

/// Returns the session of the request's cookie, if it belongs to the request's identity.
pub(crate) async fn find_session(
    gateway: &Gateway,
    rules: &ProxyAuth,
    request: &Parts,
) -> Result<Option<SignedIn>, Error> {
    let identity = identify_request(rules, request).await?;
    find_session_of(gateway, rules, &identity, request).await
}

async fn identify_request(rules: &ProxyAuth, request: &Parts) -> Result<VerifiedIdentity, Error> {
    let identity = rules.identify_request(&request.headers, &request.extensions).await;
    identity.map_err(Error::UntrustedIdentity)?.ok_or(Error::NoIdentity)
}

async fn find_session_of(
    gateway: &Gateway,
    rules: &ProxyAuth,
    known: &VerifiedIdentity,
    request: &Parts,
) -> Result<Option<SignedIn>, Error> {
    let Some(signed_in) = signed_in::find_by_cookie(gateway, &request.headers).await? else {
        return Ok(None);
    };
    let owner = rules.identities.find_by_session(&known.identity, signed_in.token_hash).await?;
    if owner.as_ref() != Some(&signed_in.person_id) {
        // A cookie with a foreign identity may be stolen, so its session ends.
        gateway.accounts.delete_session(signed_in.token_hash).await?;
        return Ok(None);
    }
    // The proxy authenticates every request, so this one counts as recently authenticated.
    let proven_at = gateway.clock.now();
    let identity = Some(known.identity.clone());
    Ok(Some(SignedIn { authenticated_at: proven_at, identity, ..signed_in }))
}

/// `GET /session` with a proxy: signs the user in by the proxy's identity.
pub(crate) async fn show_session(
    gateway: &Gateway,
    rules: &ProxyAuth,
    request: &Parts,
) -> Result<Response, Error> {
    let known = identify_request(rules, request).await?;
    if let Some(signed_in) = find_session_of(gateway, rules, &known, request).await? {
        return signed_in::session_response(gateway, Some(&signed_in)).await;
    }
    let person = match rules.identities.find_member(&known.identity).await? {
        Some(person) => person,
        None => provision_account(rules, &known).await?,
    };
    let unlinked = || Error::Unlinked(known.identity.clone(), ProvisionOutcome::Disabled);
    let record = gateway.accounts.find_person(&person).await?.ok_or_else(unlinked)?;
    let signed_in_actor = record.to_actor();
    let session = signed_in::describe_session(gateway, record, Some(known.identity.clone()));
    let mut response = Json(session).into_response();
    let actor = RequestActor::from_parts(gateway, request);
    let signs_in = Some((&actor, signed_in_actor, "proxy"));
    let person_and_proof = (&person, SessionProof::Identity);
    let token = new_session::start_session(
        gateway,
        person_and_proof,
        &request.headers,
        signs_in,
        &mut response,
    )
    .await?;
    rules.identities.mark_session(token, &known.identity).await?;
    Ok(response)
}

/// Creates an account for an unknown identity, if that is enabled.
async fn provision_account(rules: &ProxyAuth, known: &VerifiedIdentity) -> Result<PersonId, Error> {
    match rules.identities.provision_account(known).await? {
        ProvisionOutcome::Person(person) => {
            tracing::info!(identity = %known.identity, "account created for a new identity");
            Ok(person)
        }
        not => Err(Error::Unlinked(known.identity.clone(), not)),
    }
}

/// Rejects password and link sign-in if a proxy authenticates users.
pub(crate) fn require_local_sign_in(gateway: &Gateway) -> Result<(), Error> {
    if gateway.proxy_auth.is_some() { Err(Error::LocalSignInDisabled) } else { Ok(()) }
}
