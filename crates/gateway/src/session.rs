//! Signing in and out, and who is signed in.
//!
//! A session is a row kept by [`Accounts`](crate::Accounts) and a random token in a cookie; the row
//! holds the token's hash alone. [`Owner`] is the proof that a request has a session: whatever
//! acts for an account takes one as an argument, so that it cannot be reached without.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Json;
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use contract::account::canonical_email;
use contract::audit::{ActingPerson, Action};
use contract::fold::fold;
use contract::{
    AccountId, Data, LinkPerson, LinkToken, PersonId, Role, Session, SignIn, Timestamp,
};
use http::header::SET_COOKIE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};

use crate::accounts::{SessionProof, SessionRecord, SignInRecord, Standing};
use crate::audit::{Asking, agent};
use crate::error::Error;
use crate::identity::Identity;
use crate::{Gateway, arrive, body, cookie, secret};

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

impl FromRequestParts<Arc<Gateway>> for SignedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Error> {
        find(gateway, parts).await?.ok_or(Error::NoSession)
    }
}

/// `GET /session`: says who is signed in. That nobody is, is an answer too, and no error, unless a
/// proxy is to say who comes.
pub(crate) async fn show(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Error> {
    let (parts, _) = request.into_parts();
    match &gateway.identity {
        Some(rules) => arrive::show(&gateway, rules, &parts).await,
        None => answer(&gateway, by_cookie(&gateway, &parts.headers).await?.as_ref()).await,
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

/// `POST /session`: signs in by password or by link, under a new token.
pub(crate) async fn sign_in(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Error> {
    arrive::sign_in_is_here(&gateway)?;
    let (parts, body) = request.into_parts();
    let body = body::read_json(&parts.headers, body, body::SIGN_IN_BYTES_MAX).await?;
    let asking = Asking::of(&gateway, &parts);
    let from = (address(&parts), &asking);
    let (record, proof, by) = match serde_json::from_slice(&body) {
        Ok(SignIn::Password { email, password }) => {
            let (record, hash) = by_password(&gateway, from, &folded(&email), password).await?;
            (record, SessionProof::Password(hash), "password")
        }
        Ok(SignIn::Link { token }) => {
            let record = by_link(&gateway, from, &token).await?;
            (record, SessionProof::Link(secret::hash_token(&token)), "link")
        }
        Err(_) => {
            return Err(Error::Invalid(
                "the body must hold `email` and `password`, or the `token` of a sign-in link",
            ));
        }
    };
    let (id, person) = (record.person.id.clone(), record.acting());
    let mut response = Json(describe(&gateway, record, None)).into_response();
    let signs_in = Some((&asking, person, by));
    begin(&gateway, (&id, proof), &parts.headers, signs_in, &mut response).await?;
    // The browser has one session: its old one ends, of this person or of another.
    if let Some(old) = cookie::read(&parts.headers, gateway.secure_cookies) {
        gateway.accounts.delete_session(secret::hash_token(old)).await?;
    }
    Ok(response)
}

/// `POST /session/link`: says whom a sign-in link signs in, and leaves the link as it is. The
/// dashboard shows the address and asks before it signs in. Otherwise a link from somebody else
/// could put a person into a foreign account without their notice.
pub(crate) async fn show_link(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Error> {
    arrive::sign_in_is_here(&gateway)?;
    let (parts, body) = request.into_parts();
    let body = body::read_json(&parts.headers, body, body::SIGN_IN_BYTES_MAX).await?;
    let asking = Asking::of(&gateway, &parts);
    let LinkToken { token } = serde_json::from_slice(&body)
        .map_err(|_| Error::Invalid("the body must hold the `token` of a sign-in link"))?;
    let record = by_link(&gateway, (address(&parts), &asking), &token).await?;
    Ok(Json(Data { data: LinkPerson { email: record.person.email } }).into_response())
}

/// `DELETE /session`: signs out, here and on the server.
pub(crate) async fn sign_out(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
) -> Result<Response, Error> {
    let act = asking.does(&gateway, &signed_in, Action::SignedOut);
    let act = act.on("session", &secret::session_id(signed_in.token_hash));
    gateway.noting(act).delete_session(signed_in.token_hash).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie::clear(gateway.secure_cookies) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Returns the person of an address and a password, and the hash that the password matches.
async fn by_password(
    gateway: &Gateway,
    (address, asking): (IpAddr, &Asking),
    email: &str,
    password: String,
) -> Result<(SignInRecord, String), Error> {
    let admitted = admit(gateway, Some(email), address).await;
    let record = match canonical_email(email) {
        Some(_) => gateway.accounts.find_by_email(email).await?,
        None => None,
    };
    let id = record.as_ref().map(|record| record.account.id.clone());
    let refused = |code| asking.refused(gateway, id.as_ref(), Action::SignedIn, code);
    admitted.inspect_err(|_| refused("too_many_tries"))?;
    let hash = record.as_ref().and_then(|record| record.password_hash.clone());
    let is_right = gateway.passwords.verify(password, hash.clone()).await?;
    let found = record.zip(hash).filter(|_| is_right);
    if found.is_some() {
        gateway.throttle.succeed(email).await;
    }
    found.ok_or(Error::WrongPassword).inspect_err(|_| refused("wrong_password"))
}

/// Returns the person of a sign-in link. It does not use the link up: that happens in the
/// transaction that inserts the session.
async fn by_link(
    gateway: &Gateway,
    (address, asking): (IpAddr, &Asking),
    token: &str,
) -> Result<SignInRecord, Error> {
    let refused = |code| asking.refused(gateway, None, Action::SignedIn, code);
    admit(gateway, None, address).await.inspect_err(|_| refused("too_many_tries"))?;
    let now = gateway.clock.now();
    let record = if secret::is_token(token) {
        gateway.accounts.find_link(secret::hash_token(token), now).await?
    } else {
        None
    };
    record.ok_or(Error::DeadLink).inspect_err(|_| refused("dead_link"))
}

pub(crate) async fn admit(
    gateway: &Gateway,
    email: Option<&str>,
    address: IpAddr,
) -> Result<(), Error> {
    let now = gateway.clock.elapsed();
    let admitted = gateway.throttle.admit(email, address, now).await;
    admitted.map_err(|retry_after_s| Error::TooManyTries { retry_after_s })
}

/// Begins a session under a new token, and gives its cookie with a response. It is noted where it
/// is a sign-in, and by what. Returns the token's hash.
///
/// # Errors
/// The proof no longer holds: the password has changed, or the link has been used.
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

/// Gives the cookie of a token with a response.
pub(crate) fn give(gateway: &Gateway, token: &str, response: &mut Response) {
    if let Some(cookie) = cookie::give(token, gateway.secure_cookies) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
}

/// Returns who is signed in, if anyone.
pub(crate) async fn find(gateway: &Gateway, request: &Parts) -> Result<Option<SignedIn>, Error> {
    match &gateway.identity {
        Some(rules) => arrive::find(gateway, rules, request).await,
        None => by_cookie(gateway, &request.headers).await,
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
    let known = arrive::told(gateway, identity);
    Data { data: Session { account, role, email, environments, managed, known } }
}

/// Returns the form of an address for lookups and for counting tries. The store folds addresses in
/// the same way, so all spellings of one person's address share one count.
pub(crate) fn folded(email: &str) -> String {
    fold(email.trim())
}

/// Returns an email address in the form that is stored.
///
/// # Errors
/// A text that is no address.
pub(crate) fn checked_email(text: &str) -> Result<String, Error> {
    let wrong = "`email` must be an email address such as `you@example.com`";
    canonical_email(text).ok_or(Error::Invalid(wrong))
}

/// Returns where a request comes from. Where the server does not tell, all share one address:
/// rather too strict than without a bound.
pub(crate) fn address(parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip())
}
