//! The signed-in user of a request. A session consists of a row in [`Accounts`](crate::Accounts)
//! and a random token in a cookie. The row contains only the hash of the token.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::Json;
use axum::extract::ConnectInfo;
use axum::response::{IntoResponse, Response};
use contract::account::ExternalIdentity;
use contract::audit::ActingPerson;
use contract::{AccountId, CurrentSession, Data, FormAccess, PersonId, Role, Session, Timestamp};
use http::HeaderMap;
use http::header::SET_COOKIE;
use http::request::Parts;

use crate::auth::accounts::{MemberRecord, SessionOwner, SessionRecord};
use crate::auth::identity::Identity;
use crate::auth::{cookie, mailer};
use crate::error::Error;
use crate::{Gateway, secret};

/// Lifetime of an unused session in seconds: 12 hours.
pub const IDLE_S: i64 = 12 * 3600;
/// Maximum lifetime of a session in seconds: 14 days.
pub const ABSOLUTE_S: i64 = 14 * 24 * 3600;
/// Minimum interval between updates of a session's last use, in seconds.
pub const TOUCH_S: i64 = 60;

/// A signed-in user of any role.
#[derive(Clone)]
pub(crate) struct SignedIn {
    pub(crate) account_id: AccountId,
    pub(crate) person_id: PersonId,
    /// Current role; a change applies from the next request on.
    pub(crate) role: Role,
    /// Current access to forms.
    pub(crate) forms: FormAccess,
    /// Current mail address.
    pub(crate) email: String,
    pub(crate) token_hash: [u8; 32],
    /// Time of the last authentication.
    pub(crate) authenticated_at: Timestamp,
    /// The identity given by a proxy; `None` if the user signed in here.
    pub(crate) identity: Option<Identity>,
}

impl SignedIn {
    /// Loads the user's sign-in record. Fails with `NoSession` if the user has just been removed.
    pub(crate) async fn load_record(&self, gateway: &Gateway) -> Result<MemberRecord, Error> {
        gateway.accounts.find_person(&self.person_id).await?.ok_or(Error::NoSession)
    }

    /// Returns the user as the actor of audit events.
    pub(crate) fn to_actor(&self) -> ActingPerson {
        let account = self.account_id.clone();
        let id = self.person_id.clone();
        ActingPerson { account, id, email: self.email.clone() }
    }
}

/// Returns the response with the signed-in user, or with `null`.
pub(crate) async fn session_response(
    gateway: &Gateway,
    signed_in: Option<&SignedIn>,
) -> Result<Response, Error> {
    let record = match signed_in {
        Some(signed_in) => gateway.accounts.find_person(&signed_in.person_id).await?,
        None => None,
    };
    let identity = signed_in.and_then(|signed_in| signed_in.identity.clone());
    let data = record.map(|record| describe_session(gateway, record, identity).data);
    let email_links = mailer::link_mail(gateway).is_some();
    Ok(Json(CurrentSession { data, email_links }).into_response())
}

/// Sets the session cookie on a response.
pub(crate) fn set_session_cookie(gateway: &Gateway, token: &str, response: &mut Response) {
    if let Some(cookie) = cookie::set_cookie(token, gateway.secure_cookies) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
}

/// Returns the session of a request's cookie, and updates the time of its last use. If a proxy
/// identifies users, the caller must also check the identity.
pub(crate) async fn find_by_cookie(
    gateway: &Gateway,
    headers: &HeaderMap,
) -> Result<Option<SignedIn>, Error> {
    let Some(token) = cookie::read_token(headers, gateway.secure_cookies) else { return Ok(None) };
    let token_hash = secret::hash_token(token);
    let found = gateway.accounts.find_session(token_hash).await?;
    let Some((session, standing)) = found else { return Ok(None) };
    let now = gateway.clock.now();
    if has_expired(&session, now) {
        gateway.accounts.delete_session(token_hash).await?;
        return Ok(None);
    }
    if now.seconds() - session.last_used_at.seconds() >= TOUCH_S {
        gateway.accounts.touch_session(token_hash, now).await?;
    }
    let SessionRecord { person_id, authenticated_at: proven_at, .. } = session;
    let SessionOwner { account_id, role, forms, email } = standing;
    let identity = None;
    Ok(Some(SignedIn {
        account_id,
        person_id,
        role,
        forms,
        email,
        token_hash,
        authenticated_at: proven_at,
        identity,
    }))
}

/// Returns the account of a request's cookie, even if the session has expired. Does not update the
/// time of its last use.
pub(crate) async fn find_account(gateway: &Gateway, headers: &HeaderMap) -> Option<AccountId> {
    let token = cookie::read_token(headers, gateway.secure_cookies)?;
    let found = gateway.accounts.find_session(secret::hash_token(token)).await;
    found.ok().flatten().map(|(_, standing)| standing.account_id)
}

/// Returns whether a session has expired. After the clock was set back, a session may have been
/// seen in the future. If that is far ahead, the session counts as expired, because it would live
/// longer.
pub(crate) fn has_expired(session: &SessionRecord, now: Timestamp) -> bool {
    let idle_s = now.seconds() - session.last_used_at.seconds();
    let age_s = now.seconds() - session.created_at.seconds();
    idle_s.abs() >= IDLE_S || age_s >= ABSOLUTE_S
}

/// Returns the description of a user for the dashboard, with the identity given by a proxy.
pub(crate) fn describe_session(
    gateway: &Gateway,
    record: MemberRecord,
    identity: Option<Identity>,
) -> Data<Session> {
    let MemberRecord { account, person, .. } = record;
    let role = person.role;
    let email = Some(person.email);
    let environments = gateway.credentials.environments();
    let managed = gateway.account_api.is_some();
    let known = external_identity(gateway, identity);
    Data { data: Session { account, role, email, environments, managed, known } }
}

/// Returns the proxy's identity in the form that the dashboard shows.
fn external_identity(gateway: &Gateway, identity: Option<Identity>) -> Option<ExternalIdentity> {
    let sign_out_url = gateway.proxy_auth.as_ref()?.sign_out_url.clone();
    let identity = identity?;
    let issuer = identity.issuer().to_owned();
    let subject = identity.subject().to_owned();
    Some(ExternalIdentity { issuer, subject, sign_out_url })
}

/// Returns the client address of a request. If the server does not supply it, all clients share one
/// address, so that limits still apply.
pub(crate) fn client_address(parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip())
}
