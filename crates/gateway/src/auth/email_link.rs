//! Sign-in links that users request by e-mail.
//!
//! The response and its time do not depend on the address: the lookup and the e-mail run in a
//! separate task.

use std::sync::Arc;

use axum::extract::{Request, State};
use contract::audit::{Action, AuditEvent};
use contract::notification::MailLanguage;
use contract::{EmailLinkRequest, Person, Timestamp};
use http::StatusCode;

use crate::audit::RequestActor;
use crate::auth::accounts::StoreError;
use crate::auth::mailer::{GatewayMail, link_mail, mail_language};
use crate::auth::session;
use crate::auth::signed_in::client_address;
use crate::error::Error;
use crate::{Gateway, body, secret};

/// Lifetime of a requested sign-in link in seconds: 15 minutes.
pub const EMAIL_LINK_S: i64 = 15 * 60;

/// `POST /session/email-link`: sends a sign-in link to a member with this address, if there is one.
pub(crate) async fn request_link(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<StatusCode, Error> {
    let mail = Arc::clone(link_mail(&gateway).ok_or(Error::NotFound)?);
    let (parts, body) = request.into_parts();
    let EmailLinkRequest { email } =
        body::read_small(&parts.headers, body, "the body must hold `email`").await?;
    session::parse_email(&email)?;
    let actor = RequestActor::from_parts(&gateway, &parts);
    // Counts by network only: a delay by address would reveal nothing, but lock out its member.
    session::count_attempt(&gateway, None, client_address(&parts)).await.inspect_err(|_| {
        actor.record_refusal(&gateway, None, Action::LinkMade, "too_many_tries");
    })?;
    let Ok(slot) = Arc::clone(&mail.sending).try_acquire_owned() else {
        // Not an error: it would reveal that earlier addresses have members.
        tracing::warn!("account mail: too many sign-in links at once; one was not sent");
        return Ok(StatusCode::ACCEPTED);
    };
    let language = mail_language(&parts.headers);
    tokio::spawn(async move {
        let email = session::fold_email(&email);
        if let Err(error) = send_link(&gateway, &mail, &actor, &email, language).await {
            tracing::error!(%error, "account store failed");
        }
        drop(slot);
    });
    Ok(StatusCode::ACCEPTED)
}

async fn send_link(
    gateway: &Gateway,
    mail: &GatewayMail,
    actor: &RequestActor,
    email: &str,
    language: MailLanguage,
) -> Result<(), StoreError> {
    let Some(record) = gateway.accounts.find_by_email(email).await? else { return Ok(()) };
    let person = &record.person;
    if !mail.admit_link(gateway, &person.email) {
        let account = Some(&record.account.id);
        actor.record_refusal(gateway, account, Action::LinkMade, "too_many_links");
        return Ok(());
    }
    let event = actor
        .anonymous_event(gateway, Action::LinkMade)
        .with_account(&record.account.id)
        .with_object("person", &person.id)
        .with_value("by", "email");
    let (token, _) = create_link(gateway, person, EMAIL_LINK_S, event).await?;
    if let Err(error) = mail.mailer.send_sign_in_link(person, &token, language).await {
        tracing::warn!(%error, person = %person.id, "account mail: sign-in link not sent");
    }
    Ok(())
}

/// Creates a sign-in link. Returns its token and its expiry.
///
/// # Errors
/// The store fails.
pub(crate) async fn create_link(
    gateway: &Gateway,
    person: &Person,
    lifetime_s: i64,
    event: AuditEvent,
) -> Result<(String, Timestamp), StoreError> {
    let (token, hash) = secret::generate_token();
    let end = gateway.clock.now().micros() + lifetime_s * 1_000_000;
    let expires_at = Timestamp::from_micros(end).unwrap_or(Timestamp::MAX);
    gateway.with_audit(event).insert_link(hash, &person.id, expires_at).await?;
    Ok((token, expires_at))
}
