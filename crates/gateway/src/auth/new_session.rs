//! Starts sessions.

use std::sync::Arc;

use axum::response::Response;
use contract::PersonId;
use contract::audit::ActingPerson;
use http::HeaderMap;

use crate::audit::{Asking, agent};
use crate::auth::accounts::{SessionProof, SessionRecord};
use crate::auth::signed_in::give;
use crate::error::Error;
use crate::{Gateway, secret};

/// Starts a session with a new token and sets its cookie on `response`. If `signs_in` is given, the
/// sign-in and its method are audited. Returns the hash of the token.
///
/// # Errors
/// If the proof no longer holds: the password has changed, or the link has been used.
pub(crate) async fn begin(
    gateway: &Gateway,
    (person_id, proof): (&PersonId, SessionProof),
    headers: &HeaderMap,
    signs_in: Option<(&Asking, ActingPerson, &'static str)>,
    response: &mut Response,
) -> Result<[u8; 32], Error> {
    let (token, token_hash) = secret::mint_token();
    let now = gateway.clock.now();
    let session = SessionRecord {
        token_hash,
        person_id: person_id.clone(),
        created_at: now,
        proven_at: now,
        seen_at: now,
    };
    let client = gateway.accounts.client(agent(headers));
    let accounts = match signs_in {
        Some((asking, person, by)) => {
            let act = asking.signs_in(gateway, person, token_hash);
            gateway.noting(act.with("by", by))
        }
        None => Arc::clone(&gateway.accounts),
    };
    let lapsed = match proof {
        SessionProof::Link(_) => Error::DeadLink,
        SessionProof::Identity | SessionProof::Password(_) => Error::PasswordChanged,
    };
    if !accounts.insert_session(session, client, proof).await? {
        return Err(lapsed);
    }
    give(gateway, &token, response);
    Ok(token_hash)
}
