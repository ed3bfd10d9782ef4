//! By what an account is open: its sessions, each of which its owner can end, and its password.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use contract::account::{Access, NewPassword, OpenSession};
use contract::audit::Action;
use contract::{Data, SessionId};
use http::StatusCode;

use crate::accounts::SessionRecord;
use crate::audit::Asking;
use crate::error::Error;
use crate::password::check_strength;
use crate::session::{self, Owner};
use crate::{Gateway, body, secret};

/// How long after a sign-in by link a first password may be set: ten minutes.
pub const FRESH_S: i64 = 600;

/// `GET /sessions`: the sign-ins that have not ended, the last used first.
pub(crate) async fn list(
    State(gateway): State<Arc<Gateway>>,
    owner: Owner,
) -> Result<Json<Data<Access>>, Error> {
    let record = owner.record(&gateway).await?;
    let now = gateway.clock.now();
    let all = gateway.accounts.list_sessions(&owner.account_id).await?;
    let open = all.into_iter().filter(|(session, _)| !session::is_over(session, now));
    let told = |(session, client): (SessionRecord, _)| OpenSession {
        id: secret::session_id(session.token_hash),
        client,
        created_at: session.created_at,
        last_used_at: session.seen_at,
        is_current: session.token_hash == owner.token_hash,
    };
    let sessions = open.map(told).collect();
    Ok(Json(Data { data: Access { sessions, has_password: record.password_hash.is_some() } }))
}

/// `DELETE /sessions`: ends all but the one that asks.
pub(crate) async fn end_others(
    State(gateway): State<Arc<Gateway>>,
    owner: Owner,
    asking: Asking,
) -> Result<StatusCode, Error> {
    let act = asking.does(&gateway, &owner, Action::OthersSignedOut);
    let act = act.on("account", &owner.account_id);
    gateway.noting(act).delete_other_sessions(&owner.account_id, owner.token_hash).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /sessions/{id}`: ends one of the owner's.
pub(crate) async fn end(
    State(gateway): State<Arc<Gateway>>,
    owner: Owner,
    asking: Asking,
    Path(id): Path<String>,
) -> Result<StatusCode, Error> {
    let id: SessionId = id.parse().map_err(|_| Error::NotFound)?;
    let all = gateway.accounts.list_sessions(&owner.account_id).await?;
    let mut hashes = all.into_iter().map(|(session, _)| session.token_hash);
    let found = hashes.find(|hash| secret::session_id(*hash) == id).ok_or(Error::NotFound)?;
    let act = asking.does(&gateway, &owner, Action::SignedOut).on("session", &id);
    gateway.noting(act).delete_session(found).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `PUT /password`: sets the password, by the one so far. Every session ends, and whoever asked
/// gets a new one.
pub(crate) async fn set_password(
    State(gateway): State<Arc<Gateway>>,
    owner: Owner,
    asking: Asking,
    request: Request,
) -> Result<Response, Error> {
    let (parts, body) = request.into_parts();
    let act = asking.does(&gateway, &owner, Action::PasswordSet);
    let act = act.on("account", &owner.account_id);
    let body = body::read_json(&parts.headers, body, body::SIGN_IN_BYTES_MAX).await?;
    let NewPassword { current, new } = serde_json::from_slice(&body).map_err(|_| {
        Error::Invalid("the body must hold `new`, and `current` where there is a password")
    })?;
    check_strength(&new)?;
    let record = owner.record(&gateway).await?;
    if record.password_hash.is_some() {
        let email = session::canonical(&record.account.email);
        if let Err(error) = session::admit(&gateway, Some(&email), session::address(&parts)) {
            gateway.accounts.note_soon(act.denied("too_many_tries"));
            return Err(error);
        }
        let given = current.unwrap_or_default();
        if !gateway.passwords.verify(given, record.password_hash).await? {
            gateway.accounts.note_soon(act.denied("wrong_password"));
            return Err(Error::NotThePassword);
        }
        gateway.throttle.lock().unwrap_or_else(PoisonError::into_inner).succeed(&email);
    } else if gateway.clock.now().seconds() - owner.created_at.seconds() > FRESH_S {
        gateway.accounts.note_soon(act.denied("stale"));
        return Err(Error::Stale);
    }
    let hash = gateway.passwords.hash(new).await?;
    gateway.noting(act).set_password(&owner.account_id, hash).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    session::begin(&gateway, &owner.account_id, &parts.headers, None, &mut response).await?;
    Ok(response)
}
