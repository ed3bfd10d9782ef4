//! Routes for signing in and out.
//!
//! [`SignedIn`] is the extractor of a request's session. Handlers that act for an account take it
//! as an argument, so they cannot run without a session.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use contract::account::canonical_email;
use contract::audit::Action;
use contract::fold::fold;
use contract::{Data, LinkPerson, LinkToken, SignIn};
use http::StatusCode;
use http::header::SET_COOKIE;
use http::request::Parts;

use crate::audit::RequestActor;
use crate::auth::accounts::{MemberRecord, SessionProof};
use crate::auth::browser::SigningIn;
use crate::auth::new_session::start_session;
use crate::auth::signed_in::{
    SignedIn, client_address, describe_session, find_by_cookie, session_response,
};
use crate::auth::{cookie, proxy_auth};
use crate::error::Error;
use crate::{Gateway, body, secret};

impl FromRequestParts<Arc<Gateway>> for SignedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Error> {
        find_session(gateway, parts).await?.ok_or(Error::NoSession)
    }
}

/// `GET /session`: returns the signed-in user, or `null` without an error. If a proxy identifies
/// users, a request without an identity is an error.
pub(crate) async fn show_session(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Error> {
    let (parts, _) = request.into_parts();
    match &gateway.proxy_auth {
        Some(rules) => proxy_auth::show_session(&gateway, rules, &parts).await,
        None => {
            session_response(&gateway, find_by_cookie(&gateway, &parts.headers).await?.as_ref())
                .await
        }
    }
}

/// `POST /session`: signs in by password or by link, and starts a session with a new token.
pub(crate) async fn sign_in(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Error> {
    proxy_auth::require_local_sign_in(&gateway)?;
    let (parts, body) = request.into_parts();
    let expected = "the body must hold `email` and `password`, or the `token` of a sign-in link";
    let credentials: SignIn = body::read_small(&parts.headers, body, expected).await?;
    let actor = RequestActor::from_parts(&gateway, &parts);
    let from = (client_address(&parts), &actor);
    let (record, proof, by) = match credentials {
        SignIn::Password { email, password } => {
            let (record, hash) =
                authenticate_by_password(&gateway, from, &fold_email(&email), password).await?;
            (record, SessionProof::Password(hash), "password")
        }
        SignIn::Link { token } => {
            let record = authenticate_by_link(&gateway, from, &token).await?;
            (record, SessionProof::Link(secret::hash_token(&token)), "link")
        }
    };
    let id = record.person.id.clone();
    let person = record.to_actor();
    let signing_in = SigningIn::new(&gateway, &record, &proof).await?;
    let mut response = Json(describe_session(&gateway, record, None)).into_response();
    let signs_in = Some((&actor, person, by));
    let token_hash =
        start_session(&gateway, (&id, proof), &parts.headers, signs_in, &mut response).await?;
    if let Some(signing_in) = signing_in {
        signing_in.finish(&gateway, &parts.headers, token_hash, &mut response).await;
    }
    // A browser has one session. Its previous one ends, of the same user or of another.
    if let Some(old) = cookie::read_token(&parts.headers, gateway.secure_cookies) {
        gateway.accounts.delete_session(secret::hash_token(old)).await?;
    }
    Ok(response)
}

/// `POST /session/link`: returns the member of a sign-in link without consuming it. The dashboard
/// shows the address and asks before it signs in. Otherwise a link from an attacker could sign a
/// user in to the attacker's account unnoticed.
pub(crate) async fn show_link(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Error> {
    proxy_auth::require_local_sign_in(&gateway)?;
    let (parts, body) = request.into_parts();
    let expected = "the body must hold the `token` of a sign-in link";
    let LinkToken { token } = body::read_small(&parts.headers, body, expected).await?;
    let actor = RequestActor::from_parts(&gateway, &parts);
    let record = authenticate_by_link(&gateway, (client_address(&parts), &actor), &token).await?;
    Ok(Json(Data { data: LinkPerson { email: record.person.email } }).into_response())
}

/// `DELETE /session`: ends the session and deletes the cookie.
pub(crate) async fn sign_out(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
) -> Result<Response, Error> {
    let event = actor.event(&gateway, &signed_in, Action::SignedOut);
    let event = event.with_object("session", &secret::session_id(signed_in.token_hash));
    gateway.with_audit(event).delete_session(signed_in.token_hash).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie::clear_cookie(gateway.secure_cookies) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Returns the member with an address and a password, and the hash that the password matches.
async fn authenticate_by_password(
    gateway: &Gateway,
    (address, actor): (IpAddr, &RequestActor),
    email: &str,
    password: String,
) -> Result<(MemberRecord, String), Error> {
    // The record is loaded before the refusal, so that the audit entry names the account.
    let admitted = count_attempt(gateway, Some(email), address).await;
    let record = match canonical_email(email) {
        Some(_) => gateway.accounts.find_by_email(email).await?,
        None => None,
    };
    let id = record.as_ref().map(|record| record.account.id.clone());
    let refused = |code| actor.record_refusal(gateway, id.as_ref(), Action::SignedIn, code);
    admitted.inspect_err(|_| refused("too_many_tries"))?;
    let hash = record.as_ref().and_then(|record| record.password_hash.clone());
    // Runs without a record too, so that the response time reveals no account.
    let is_right = gateway.passwords.verify(password, hash.clone()).await?;
    let found = record.zip(hash).filter(|_| is_right);
    if found.is_some() {
        gateway.throttle.record_success(email).await;
    }
    found.ok_or(Error::WrongPassword).inspect_err(|_| refused("wrong_password"))
}

/// Returns the member of a sign-in link. The link is consumed later, in the transaction that
/// inserts the session.
async fn authenticate_by_link(
    gateway: &Gateway,
    (address, actor): (IpAddr, &RequestActor),
    token: &str,
) -> Result<MemberRecord, Error> {
    let refused = |code| actor.record_refusal(gateway, None, Action::SignedIn, code);
    count_attempt(gateway, None, address).await.inspect_err(|_| refused("too_many_tries"))?;
    let now = gateway.clock.now();
    let record = if secret::is_token(token) {
        gateway.accounts.find_link(secret::hash_token(token), now).await?
    } else {
        None
    };
    record.ok_or(Error::InvalidLink).inspect_err(|_| refused("dead_link"))
}

pub(crate) async fn count_attempt(
    gateway: &Gateway,
    email: Option<&str>,
    address: IpAddr,
) -> Result<(), Error> {
    let now = gateway.clock.elapsed();
    let admitted = gateway.throttle.admit(email, address, now).await;
    admitted.map_err(|retry_after_s| Error::TooManyTries { retry_after_s })
}

/// Returns the signed-in user of a request, if any.
pub(crate) async fn find_session(
    gateway: &Gateway,
    request: &Parts,
) -> Result<Option<SignedIn>, Error> {
    match &gateway.proxy_auth {
        Some(rules) => proxy_auth::find_session(gateway, rules, request).await,
        None => find_by_cookie(gateway, &request.headers).await,
    }
}

/// Returns the form of an address for lookups and for counting attempts. The store folds addresses
/// in the same way, so all spellings of one member's address share one count.
pub(crate) fn fold_email(email: &str) -> String {
    fold(email.trim())
}

/// Returns a mail address in its stored form.
///
/// # Errors
/// If the text is not a mail address.
pub(crate) fn parse_email(text: &str) -> Result<String, Error> {
    let wrong = "`email` must be an email address such as `you@example.com`";
    canonical_email(text).ok_or(Error::Invalid(wrong))
}
