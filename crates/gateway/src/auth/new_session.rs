//! Starts sessions.

use std::sync::Arc;

use axum::response::Response;
use contract::PersonId;
use contract::audit::ActingPerson;
use http::HeaderMap;

use crate::audit::{RequestActor, user_agent};
use crate::auth::accounts::{SessionProof, SessionRecord};
use crate::auth::signed_in::set_session_cookie;
use crate::error::Error;
use crate::{Gateway, secret};

/// Starts a session with a new token and sets its cookie on `response`. If `signs_in` is given, the
/// sign-in and its method are audited. Returns the hash of the token.
///
/// # Errors
/// If the proof no longer holds: the password has changed, or the link has been used.
pub(crate) async fn start_session(
    gateway: &Gateway,
    (person_id, proof): (&PersonId, SessionProof),
    headers: &HeaderMap,
    signs_in: Option<(&RequestActor, ActingPerson, &'static str)>,
    response: &mut Response,
) -> Result<[u8; 32], Error> {
    let (token, token_hash) = secret::generate_token();
    let now = gateway.clock.now();
    let session = SessionRecord {
        token_hash,
        person_id: person_id.clone(),
        created_at: now,
        authenticated_at: now,
        last_used_at: now,
    };
    let client = gateway.accounts.describe_client(user_agent(headers));
    let accounts = match signs_in {
        Some((actor, person, by)) => {
            let event = actor.sign_in_event(gateway, person, token_hash);
            gateway.with_audit(event.with_value("by", by))
        }
        None => Arc::clone(&gateway.accounts),
    };
    let lapsed = match proof {
        SessionProof::Link(_) => Error::InvalidLink,
        SessionProof::Identity | SessionProof::Password(_) => Error::PasswordChanged,
    };
    if !accounts.insert_session(session, client, proof).await? {
        return Err(lapsed);
    }
    set_session_cookie(gateway, &token, response);
    Ok(token_hash)
}
