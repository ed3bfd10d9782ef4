//! Routes for a member's own access: sessions, password and mail address.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use contract::account::{AccountAccess, NewEmail, NewPassword, OpenSession};
use contract::audit::{Action, AuditEvent};
use contract::error::ReauthMethod;
use contract::people::PasswordConfirmation;
use contract::{Data, SessionId};
use http::{HeaderMap, StatusCode};

use crate::audit::RequestActor;
use crate::auth::accounts::{MemberRecord, SessionProof, SessionRecord, SetEmailOutcome};
use crate::auth::email_code::EmailChange;
use crate::auth::mailer::AccountNotice;
use crate::auth::password::check_strength;
use crate::auth::signed_in::{self, SignedIn};
use crate::auth::{browser, email_code, mailer, new_session, proxy_auth, roles, session};
use crate::error::Error;
use crate::{Gateway, body, secret};

/// `GET /sessions`: lists the sessions that have not ended, most recently used first.
pub(crate) async fn list_sessions(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    headers: HeaderMap,
) -> Result<Json<Data<AccountAccess>>, Error> {
    let record = signed_in.load_record(&gateway).await?;
    let now = gateway.clock.now();
    let listed = gateway.accounts.list_sessions(&signed_in.person_id).await?;
    let open = listed.into_iter().filter(|(session, _)| !signed_in::has_expired(session, now));
    let to_open_session = |(session, client): (SessionRecord, _)| OpenSession {
        id: secret::session_id(session.token_hash),
        client,
        created_at: session.created_at,
        last_used_at: session.last_used_at,
        is_current: session.token_hash == signed_in.token_hash,
    };
    let sessions = open.map(to_open_session).collect();
    let has_password = record.password_hash.is_some();
    let can_reset_password =
        has_password && browser::can_reset_password(&gateway, &headers, &signed_in);
    Ok(Json(Data { data: AccountAccess { sessions, has_password, can_reset_password } }))
}

/// `DELETE /sessions`: ends all sessions except the current one.
pub(crate) async fn end_other_sessions(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
) -> Result<StatusCode, Error> {
    let event = actor.event(&gateway, &signed_in, Action::OthersSignedOut);
    let event = event.with_object("account", &signed_in.account_id);
    let accounts = gateway.with_audit(event);
    accounts.delete_other_sessions(&signed_in.person_id, signed_in.token_hash).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /sessions/{id}`: ends one of the member's sessions.
pub(crate) async fn end_session(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
    Path(id): Path<String>,
) -> Result<StatusCode, Error> {
    let id: SessionId = id.parse().map_err(|_| Error::NotFound)?;
    let sessions = gateway.accounts.list_sessions(&signed_in.person_id).await?;
    let mut hashes = sessions.into_iter().map(|(session, _)| session.token_hash);
    let found = hashes.find(|hash| secret::session_id(*hash) == id).ok_or(Error::NotFound)?;
    let event = actor.event(&gateway, &signed_in, Action::SignedOut).with_object("session", &id);
    gateway.with_audit(event).delete_session(found).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `PUT /password`: sets the password, and requires the current one if there is one, unless the
/// member has just signed in by a link. Ends all sessions and starts a new one for the caller.
pub(crate) async fn set_password(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
    request: Request,
) -> Result<Response, Error> {
    proxy_auth::require_local_sign_in(&gateway)?;
    let (parts, body) = request.into_parts();
    let event = actor.event(&gateway, &signed_in, Action::PasswordSet);
    let event = event.with_object("account", &signed_in.account_id);
    let expected = "the body must hold `new`, and `current` where there is a password";
    let NewPassword { current, new } = body::read_small(&parts.headers, body, expected).await?;
    check_strength(&new)?;
    let record = signed_in.load_record(&gateway).await?;
    let was = record.password_hash.clone();
    let is_reset =
        current.is_none() && browser::can_reset_password(&gateway, &parts.headers, &signed_in);
    if was.is_some() && !is_reset {
        match verify_password(&gateway, record, current.unwrap_or_default()).await {
            Ok(true) => {}
            Ok(false) => {
                gateway.accounts.enqueue_audit(event.into_denied("wrong_password"));
                return Err(Error::WrongCurrentPassword);
            }
            Err(error) => {
                gateway.accounts.enqueue_audit(event.into_denied("too_many_tries"));
                return Err(error);
            }
        }
    } else if !roles::is_recently_authenticated(&gateway, &signed_in) {
        gateway.accounts.enqueue_audit(event.into_denied("stale"));
        return Err(Error::ReauthenticationRequired(ReauthMethod::SignIn));
    }
    let hash = gateway.passwords.hash(new).await??;
    if !gateway.with_audit(event).set_password(&signed_in.person_id, was, hash.clone()).await? {
        return Err(Error::PasswordChanged);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let proof = SessionProof::Password(hash);
    let person_and_proof = (&signed_in.person_id, proof);
    let notice = AccountNotice::PasswordChanged;
    mailer::notify(&gateway, &parts.headers, &signed_in.email, notice).await;
    new_session::start_session(&gateway, person_and_proof, &parts.headers, None, &mut response)
        .await?;
    Ok(response)
}

/// `PUT /account/email`: changes the member's own mail address. Requires recent authentication.
/// Ends the links sent to the old address and all other sessions.
///
/// A gateway with e-mail first sends a code to the new address (202), and changes the address when
/// the request is repeated with the code.
pub(crate) async fn set_email(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
    request: Request,
) -> Result<StatusCode, Error> {
    proxy_auth::require_local_sign_in(&gateway)?;
    let (parts, body) = request.into_parts();
    let NewEmail { email, code } =
        body::read_small(&parts.headers, body, "the body must hold `email`").await?;
    let email = session::parse_email(&email)?;
    let event = actor.event(&gateway, &signed_in, Action::EmailSet);
    let event = event.with_object("person", &signed_in.person_id);
    if !roles::is_recently_authenticated(&gateway, &signed_in) {
        gateway.accounts.enqueue_audit(event.into_denied("stale"));
        return Err(roles::reauthentication_error(&gateway, &signed_in).await?);
    }
    let event = event.with_user_text("before", &signed_in.email).with_user_text("email", &email);
    count_email_request(&gateway, &signed_in, &event)?;
    if let Some(mail) = mailer::link_mail(&gateway) {
        let change =
            EmailChange { person: &signed_in.person_id, old: &signed_in.email, new: &email };
        let Some(code) = code else {
            let language = mailer::mail_language(&parts.headers);
            return email_code::send_code(&gateway, mail, &change, language).await;
        };
        if !email_code::is_valid(&gateway, mail, &change, code.trim()) {
            gateway.accounts.enqueue_audit(event.into_denied("wrong_code"));
            return Err(Error::WrongEmailCode);
        }
    }
    let accounts = gateway.with_audit(event.clone());
    match accounts.set_email(&signed_in.person_id, email, signed_in.token_hash).await? {
        SetEmailOutcome::Done => {
            let notice = AccountNotice::EmailChanged;
            mailer::notify(&gateway, &parts.headers, &signed_in.email, notice).await;
            Ok(StatusCode::NO_CONTENT)
        }
        SetEmailOutcome::Taken => {
            gateway.accounts.enqueue_audit(event.into_denied("taken"));
            Err(Error::PersonExists)
        }
        SetEmailOutcome::UnknownMember => Err(Error::NoSession),
    }
}

/// Counts a request that reveals whether a mail address has a member. The limit per member prevents
/// enumeration of addresses. A refusal is recorded as `act`.
pub(crate) fn count_email_request(
    gateway: &Gateway,
    signed_in: &SignedIn,
    event: &AuditEvent,
) -> Result<(), Error> {
    let now = gateway.clock.elapsed();
    let admitted = gateway.throttle.local().admit_email(&signed_in.person_id, now);
    admitted.map_err(|retry_after_s| {
        gateway.accounts.enqueue_audit(event.clone().into_denied("too_many_tries"));
        Error::TooManyEmails { retry_after_s }
    })
}

/// `POST /session/proof`: re-authenticates the member by password. The session continues with a new
/// token.
pub(crate) async fn reauthenticate(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
    request: Request,
) -> Result<Response, Error> {
    proxy_auth::require_local_sign_in(&gateway)?;
    let (parts, body) = request.into_parts();
    let PasswordConfirmation { password } =
        body::read_small(&parts.headers, body, "the body must hold `password`").await?;
    let record = signed_in.load_record(&gateway).await?;
    let has_password = record.password_hash.is_some();
    let event = actor
        .event(&gateway, &signed_in, Action::Proven)
        .with_object("person", &signed_in.person_id);
    if !verify_password(&gateway, record, password).await? {
        gateway.accounts.enqueue_audit(event.into_denied("wrong_password"));
        return Err(if has_password {
            Error::WrongReauthentication
        } else {
            Error::ReauthenticationRequired(ReauthMethod::SignIn)
        });
    }
    // The token is replaced, so that an older copy of the cookie does not gain the new rights.
    let (token, token_hash) = secret::generate_token();
    let now = gateway.clock.now();
    if !gateway
        .with_audit(event)
        .reauthenticate_session(signed_in.token_hash, token_hash, now)
        .await?
    {
        return Err(Error::NoSession);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    signed_in::set_session_cookie(&gateway, &token, &mut response);
    Ok(response)
}

/// Checks the password of a signed-in member. These attempts have their own counter, which
/// anonymous sign-ins cannot exhaust.
async fn verify_password(
    gateway: &Gateway,
    record: MemberRecord,
    password: String,
) -> Result<bool, Error> {
    let person = &record.person.id;
    let admitted = gateway.throttle.local().admit_member(person, gateway.clock.elapsed());
    admitted.map_err(|retry_after_s| Error::TooManyTries { retry_after_s })?;
    let is_right = gateway.passwords.verify(password, record.password_hash).await?;
    if is_right {
        gateway.throttle.local().record_member_success(person);
    }
    Ok(is_right)
}
