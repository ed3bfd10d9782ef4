//! Routes for a member's own access: sessions, password and mail address.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use contract::account::{Access, NewEmail, NewPassword, OpenSession};
use contract::audit::{Act, Action};
use contract::error::Needs;
use contract::people::Proof;
use contract::{Data, SessionId};
use http::StatusCode;

use crate::audit::Asking;
use crate::auth::accounts::{EmailSet, SessionProof, SessionRecord, SignInRecord};
use crate::auth::new_session;
use crate::auth::password::check_strength;
use crate::auth::session;
use crate::auth::signed_in::{self, SignedIn};
use crate::auth::{proxy_auth, roles};
use crate::error::Error;
use crate::{Gateway, body, secret};

/// `GET /sessions`: lists the sessions that have not ended, most recently used first.
pub(crate) async fn list(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
) -> Result<Json<Data<Access>>, Error> {
    let record = signed_in.record(&gateway).await?;
    let now = gateway.clock.now();
    let all = gateway.accounts.list_sessions(&signed_in.person_id).await?;
    let open = all.into_iter().filter(|(session, _)| !signed_in::is_over(session, now));
    let told = |(session, client): (SessionRecord, _)| OpenSession {
        id: secret::session_id(session.token_hash),
        client,
        created_at: session.created_at,
        last_used_at: session.seen_at,
        is_current: session.token_hash == signed_in.token_hash,
    };
    let sessions = open.map(told).collect();
    Ok(Json(Data { data: Access { sessions, has_password: record.password_hash.is_some() } }))
}

/// `DELETE /sessions`: ends all sessions except the current one.
pub(crate) async fn end_others(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
) -> Result<StatusCode, Error> {
    let act = asking.does(&gateway, &signed_in, Action::OthersSignedOut);
    let act = act.on("account", &signed_in.account_id);
    let accounts = gateway.noting(act);
    accounts.delete_other_sessions(&signed_in.person_id, signed_in.token_hash).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /sessions/{id}`: ends one of the member's sessions.
pub(crate) async fn end(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
    Path(id): Path<String>,
) -> Result<StatusCode, Error> {
    let id: SessionId = id.parse().map_err(|_| Error::NotFound)?;
    let all = gateway.accounts.list_sessions(&signed_in.person_id).await?;
    let mut hashes = all.into_iter().map(|(session, _)| session.token_hash);
    let found = hashes.find(|hash| secret::session_id(*hash) == id).ok_or(Error::NotFound)?;
    let act = asking.does(&gateway, &signed_in, Action::SignedOut).on("session", &id);
    gateway.noting(act).delete_session(found).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `PUT /password`: sets the password, and requires the current one if there is one. Ends all
/// sessions and starts a new one for the caller.
pub(crate) async fn set_password(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
    request: Request,
) -> Result<Response, Error> {
    proxy_auth::sign_in_is_here(&gateway)?;
    let (parts, body) = request.into_parts();
    let act = asking.does(&gateway, &signed_in, Action::PasswordSet);
    let act = act.on("account", &signed_in.account_id);
    let body = body::read_json(&parts.headers, body, body::SIGN_IN_BYTES_MAX).await?;
    let NewPassword { current, new } = serde_json::from_slice(&body).map_err(|_| {
        Error::Invalid("the body must hold `new`, and `current` where there is a password")
    })?;
    check_strength(&new)?;
    let record = signed_in.record(&gateway).await?;
    let was = record.password_hash.clone();
    if was.is_some() {
        match knows(&gateway, record, current.unwrap_or_default()).await {
            Ok(true) => {}
            Ok(false) => {
                gateway.accounts.note_soon(act.denied("wrong_password"));
                return Err(Error::NotThePassword);
            }
            Err(error) => {
                gateway.accounts.note_soon(act.denied("too_many_tries"));
                return Err(error);
            }
        }
    } else if !roles::is_fresh(&gateway, &signed_in) {
        gateway.accounts.note_soon(act.denied("stale"));
        return Err(Error::Unproven(Needs::SignIn));
    }
    let hash = gateway.passwords.hash(new).await??;
    if !gateway.noting(act).set_password(&signed_in.person_id, was, hash.clone()).await? {
        return Err(Error::PasswordChanged);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let proof = SessionProof::Password(hash);
    let who = (&signed_in.person_id, proof);
    new_session::begin(&gateway, who, &parts.headers, None, &mut response).await?;
    Ok(response)
}

/// `PUT /account/email`: changes the member's own mail address. Requires recent authentication.
/// Ends the links sent to the old address and all other sessions.
pub(crate) async fn set_email(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
    request: Request,
) -> Result<StatusCode, Error> {
    proxy_auth::sign_in_is_here(&gateway)?;
    let (parts, body) = request.into_parts();
    let body = body::read_json(&parts.headers, body, body::SIGN_IN_BYTES_MAX).await?;
    let NewEmail { email } =
        serde_json::from_slice(&body).map_err(|_| Error::Invalid("the body must hold `email`"))?;
    let email = session::checked_email(&email)?;
    let act = asking.does(&gateway, &signed_in, Action::EmailSet);
    let act = act.on("person", &signed_in.person_id);
    if !roles::is_fresh(&gateway, &signed_in) {
        gateway.accounts.note_soon(act.denied("stale"));
        return Err(roles::lacks(&gateway, &signed_in).await?);
    }
    let act = act.named("before", &signed_in.email).named("email", &email);
    admit_email(&gateway, &signed_in, &act)?;
    let accounts = gateway.noting(act.clone());
    match accounts.set_email(&signed_in.person_id, email, signed_in.token_hash).await? {
        EmailSet::Done => Ok(StatusCode::NO_CONTENT),
        EmailSet::Taken => {
            gateway.accounts.note_soon(act.denied("taken"));
            Err(Error::PersonExists)
        }
        EmailSet::Gone => Err(Error::NoSession),
    }
}

/// Counts a request that reveals whether a mail address has a member. The limit per member prevents
/// enumeration of addresses. A refusal is recorded as `act`.
pub(crate) fn admit_email(gateway: &Gateway, signed_in: &SignedIn, act: &Act) -> Result<(), Error> {
    let admitted = gateway.throttle.admit_email(&signed_in.person_id, gateway.clock.elapsed());
    admitted.map_err(|retry_after_s| {
        gateway.accounts.note_soon(act.clone().denied("too_many_tries"));
        Error::TooManyEmails { retry_after_s }
    })
}

/// `POST /session/proof`: re-authenticates the member by password. The session continues with a new
/// token.
pub(crate) async fn prove(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
    request: Request,
) -> Result<Response, Error> {
    proxy_auth::sign_in_is_here(&gateway)?;
    let (parts, body) = request.into_parts();
    let body = body::read_json(&parts.headers, body, body::SIGN_IN_BYTES_MAX).await?;
    let Proof { password } = serde_json::from_slice(&body)
        .map_err(|_| Error::Invalid("the body must hold `password`"))?;
    let record = signed_in.record(&gateway).await?;
    let has_password = record.password_hash.is_some();
    let act = asking.does(&gateway, &signed_in, Action::Proven).on("person", &signed_in.person_id);
    if !knows(&gateway, record, password).await? {
        gateway.accounts.note_soon(act.denied("wrong_password"));
        return Err(if has_password { Error::NotProven } else { Error::Unproven(Needs::SignIn) });
    }
    // The token is replaced, so that an older copy of the cookie does not gain the new rights.
    let (token, token_hash) = secret::mint_token();
    let now = gateway.clock.now();
    if !gateway.noting(act).prove_session(signed_in.token_hash, token_hash, now).await? {
        return Err(Error::NoSession);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    signed_in::give(&gateway, &token, &mut response);
    Ok(response)
}

/// Checks the password of a signed-in member. These attempts have their own counter, which
/// anonymous sign-ins cannot exhaust.
async fn knows(gateway: &Gateway, record: SignInRecord, password: String) -> Result<bool, Error> {
    let person = &record.person.id;
    let admitted = gateway.throttle.admit_person(person, gateway.clock.elapsed());
    admitted.map_err(|retry_after_s| Error::TooManyTries { retry_after_s })?;
    let is_right = gateway.passwords.verify(password, record.password_hash).await?;
    if is_right {
        gateway.throttle.succeed_person(person);
    }
    Ok(is_right)
}
