//! Who is signed in: a session is a row kept by [`Accounts`](crate::Accounts) and a random token in
//! a cookie. The row holds the token's hash alone.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::Json;
use axum::extract::ConnectInfo;
use axum::response::{IntoResponse, Response};
use contract::account::KnownElsewhere;
use contract::audit::ActingPerson;
use contract::{AccountId, Data, PersonId, Role, Session, Timestamp};
use http::HeaderMap;
use http::header::SET_COOKIE;
use http::request::Parts;

use crate::auth::accounts::{SessionRecord, SignInRecord, Standing};
use crate::auth::cookie;
use crate::auth::identity::Identity;
use crate::error::Error;
use crate::{Gateway, secret};

/// A session that is not used ends after so long: 12 hours.
pub const IDLE_S: i64 = 12 * 3600;
/// Every session ends so long after the sign-in: 14 days.
pub const ABSOLUTE_S: i64 = 14 * 24 * 3600;
/// How often at most the use of a session is noted: once a minute.
pub const TOUCH_S: i64 = 60;

/// Whoever is signed in, be they owner or reader.
#[derive(Clone)]
pub(crate) struct SignedIn {
    pub(crate) account_id: AccountId,
    pub(crate) person_id: PersonId,
    /// As of this request: who is made a reader is one with the next.
    pub(crate) role: Role,
    /// As of this request too.
    pub(crate) email: String,
    pub(crate) token_hash: [u8; 32],
    /// When they last showed who they are.
    pub(crate) proven_at: Timestamp,
    /// What they are called by a proxy that says who comes; `None` where they signed in here.
    pub(crate) identity: Option<Identity>,
}

impl SignedIn {
    /// Returns what the sign-in of this person needs; somebody who was removed in this very moment
    /// has no session any more.
    pub(crate) async fn record(&self, gateway: &Gateway) -> Result<SignInRecord, Error> {
        gateway.accounts.find_person(&self.person_id).await?.ok_or(Error::NoSession)
    }

    /// Returns the person as whoever acts.
    pub(crate) fn acting(&self) -> ActingPerson {
        let (account, id) = (self.account_id.clone(), self.person_id.clone());
        ActingPerson { account, id, email: self.email.clone() }
    }
}

/// Says who is signed in, if anyone.
pub(crate) async fn answer(
    gateway: &Gateway,
    signed_in: Option<&SignedIn>,
) -> Result<Response, Error> {
    let record = match signed_in {
        Some(signed_in) => gateway.accounts.find_person(&signed_in.person_id).await?,
        None => None,
    };
    let identity = signed_in.and_then(|signed_in| signed_in.identity.clone());
    Ok(match record {
        Some(record) => Json(describe(gateway, record, identity)).into_response(),
        None => Json(Data { data: None::<Session> }).into_response(),
    })
}

/// Gives the cookie of a token with a response.
pub(crate) fn give(gateway: &Gateway, token: &str, response: &mut Response) {
    if let Some(cookie) = cookie::give(token, gateway.secure_cookies) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
}

/// Returns whose session the cookie of a request is, and notes that it was used. Where a proxy says
/// who comes, that is not enough.
pub(crate) async fn by_cookie(
    gateway: &Gateway,
    headers: &HeaderMap,
) -> Result<Option<SignedIn>, Error> {
    let Some(token) = cookie::read(headers, gateway.secure_cookies) else { return Ok(None) };
    let token_hash = secret::hash_token(token);
    let found = gateway.accounts.find_session(token_hash).await?;
    let Some((session, standing)) = found else { return Ok(None) };
    let now = gateway.clock.now();
    if is_over(&session, now) {
        gateway.accounts.delete_session(token_hash).await?;
        return Ok(None);
    }
    if now.seconds() - session.seen_at.seconds() >= TOUCH_S {
        gateway.accounts.touch_session(token_hash, now).await?;
    }
    let SessionRecord { person_id, proven_at, .. } = session;
    let Standing { account_id, role, email } = standing;
    let identity = None;
    Ok(Some(SignedIn { account_id, person_id, role, email, token_hash, proven_at, identity }))
}

/// Returns whose session the cookie of a request is, over or not, and notes nothing of its use.
pub(crate) async fn whose(gateway: &Gateway, headers: &HeaderMap) -> Option<AccountId> {
    let token = cookie::read(headers, gateway.secure_cookies)?;
    let found = gateway.accounts.find_session(secret::hash_token(token)).await;
    found.ok().flatten().map(|(_, standing)| standing.account_id)
}

/// Where the clock was set back, a session may seem to come from the future. One from so far ahead
/// is over too: it would live longer by as much.
pub(crate) fn is_over(session: &SessionRecord, now: Timestamp) -> bool {
    let idle_s = now.seconds() - session.seen_at.seconds();
    let age_s = now.seconds() - session.created_at.seconds();
    idle_s.abs() >= IDLE_S || age_s >= ABSOLUTE_S
}

/// Says who a person is, and as whom a proxy knows them.
pub(crate) fn describe(
    gateway: &Gateway,
    record: SignInRecord,
    identity: Option<Identity>,
) -> Data<Session> {
    let SignInRecord { account, person, .. } = record;
    let (role, email) = (person.role, Some(person.email));
    let environments = gateway.credentials.environments();
    let managed = gateway.account_api.is_some();
    let known = known_elsewhere(gateway, identity);
    Data { data: Session { account, role, email, environments, managed, known } }
}

/// Says as whom somebody is known, for the dashboard.
fn known_elsewhere(gateway: &Gateway, identity: Option<Identity>) -> Option<KnownElsewhere> {
    let (sign_out_url, identity) = (gateway.identity.as_ref()?.sign_out_url.clone(), identity?);
    let (issuer, subject) = (identity.issuer().to_owned(), identity.subject().to_owned());
    Some(KnownElsewhere { issuer, subject, sign_out_url })
}

/// Returns where a request comes from. Where the server does not tell, all share one address:
/// rather too strict than without a bound.
pub(crate) fn address(parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip())
}
