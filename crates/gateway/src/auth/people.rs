//! Routes for the members of an account: the owner lists, adds, changes and removes editors and
//! readers.
//!
//! A member signs in by a link, which the gateway sends by e-mail if it can, and which the owner
//! can pass on in any case. Where a proxy identifies users, links are disabled, and the operator
//! links identities instead.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Request, State};
use contract::audit::{Action, AuditEvent};
use contract::form_access;
use contract::notification::MailLanguage;
use contract::people::{Invitation, NewPerson, PersonChange};
use contract::{Data, FormId, Person, PersonId, Role};
use http::{HeaderMap, StatusCode};
use tokio::time::timeout;

use crate::audit::RequestActor;
use crate::auth::accounts::AddMemberOutcome;
use crate::auth::email_link::create_link;
use crate::auth::mailer::mail_language;
use crate::auth::roles::{RecentlyAuthenticated, SignedInOwner};
use crate::auth::signed_in::SignedIn;
use crate::auth::{access, proxy_auth, session};
use crate::error::Error;
use crate::{Gateway, body};

/// Lifetime of an invitation link in seconds: 24 hours, because the recipient may be offline for a
/// while.
pub const INVITATION_S: i64 = 24 * 3600;
/// Expected request bodies, for error messages.
const NEW_BODY: &str = r#"the body must be `{"email": "…", "role": "editor" or "reader"}`"#;
const CHANGE_BODY: &str =
    r#"the body must be `{"role": "editor" or "reader", "forms": ["frm_…"] or null}`"#;
/// Maximum wait for the mail server. It is shorter than the time limit of the dashboard's requests,
/// so that the link arrives there in any case.
const SENDING_MAX: Duration = Duration::from_secs(8);

/// `GET /people`: lists the members, the owner first.
pub(crate) async fn list_members(
    State(gateway): State<Arc<Gateway>>,
    SignedInOwner(signed_in): SignedInOwner,
) -> Result<Json<Data<Vec<Person>>>, Error> {
    let data = gateway.accounts.list_people(&signed_in.account_id).await?;
    Ok(Json(Data { data }))
}

/// `POST /people`: adds a member and returns their sign-in link.
pub(crate) async fn add_member(
    State(gateway): State<Arc<Gateway>>,
    RecentlyAuthenticated(SignedInOwner(signed_in)): RecentlyAuthenticated,
    actor: RequestActor,
    request: Request,
) -> Result<(StatusCode, Json<Invitation>), Error> {
    let (parts, body) = request.into_parts();
    let mut new: NewPerson = body::read_small(&parts.headers, body, NEW_BODY).await?;
    new.email = session::parse_email(&new.email)?;
    check_role(new.role)?;
    check_forms(&gateway, &signed_in, new.forms.as_deref()).await?;
    let now = gateway.clock.now();
    let event = actor.event(&gateway, &signed_in, Action::PersonAdded);
    let event = PersonChange::from_new(&new).add_to_event(event);
    let event = event.with_object("account", &signed_in.account_id);
    access::count_email_request(&gateway, &signed_in, &event)?;
    let accounts = gateway.with_audit(event.clone());
    let added = accounts.insert_member(&signed_in.account_id, new, now).await?;
    if let AddMemberOutcome::Exists = added {
        gateway.accounts.enqueue_audit(event.into_denied("taken"));
        return Err(Error::PersonExists);
    }
    // Successful additions are not counted, so an owner may add many members in a row.
    gateway.throttle.local().uncount_email(&signed_in.person_id);
    let AddMemberOutcome::Added(person) = added else { return Err(Error::TooManyPeople) };
    if proxy_auth::require_local_sign_in(&gateway).is_err() {
        let invited = Invitation { data: person, token: None, expires_at: None, mailed: false };
        return Ok((StatusCode::CREATED, Json(invited)));
    }
    let event =
        actor.event(&gateway, &signed_in, Action::LinkMade).with_object("person", &person.id);
    let language = mail_language(&parts.headers);
    create_invitation(&gateway, &signed_in, person, event, language).await
}

/// `POST /people/{id}/link`: creates another link for a member with a lost or expired link.
pub(crate) async fn create_member_link(
    State(gateway): State<Arc<Gateway>>,
    RecentlyAuthenticated(SignedInOwner(signed_in)): RecentlyAuthenticated,
    actor: RequestActor,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<Invitation>), Error> {
    proxy_auth::require_local_sign_in(&gateway)?;
    let people = gateway.accounts.list_people(&signed_in.account_id).await?;
    let is_invited = |person: &Person| person.role != Role::Owner && person.id.as_str() == id;
    let person = people.into_iter().find(is_invited).ok_or(Error::NotFound)?;
    let event =
        actor.event(&gateway, &signed_in, Action::LinkMade).with_object("person", &person.id);
    create_invitation(&gateway, &signed_in, person, event, mail_language(&headers)).await
}

/// `PATCH /people/{id}`: changes the role or the forms of a member. The change applies from their
/// next request on.
pub(crate) async fn change_member(
    State(gateway): State<Arc<Gateway>>,
    RecentlyAuthenticated(SignedInOwner(signed_in)): RecentlyAuthenticated,
    actor: RequestActor,
    Path(id): Path<String>,
    request: Request,
) -> Result<StatusCode, Error> {
    let id: PersonId = id.parse().map_err(|_| Error::NotFound)?;
    let (parts, body) = request.into_parts();
    let change: PersonChange = body::read_small(&parts.headers, body, CHANGE_BODY).await?;
    if change == PersonChange::default() {
        return Err(Error::Invalid(CHANGE_BODY));
    }
    change.role.map_or(Ok(()), check_role)?;
    let forms = change.forms.as_ref().and_then(Option::as_deref);
    check_forms(&gateway, &signed_in, forms).await?;
    let event = actor.event(&gateway, &signed_in, Action::PersonChanged).with_object("person", &id);
    let accounts = gateway.with_audit(change.add_to_event(event));
    let changed = accounts.change_member(&signed_in.account_id, &id, change).await?;
    if changed { Ok(StatusCode::NO_CONTENT) } else { Err(Error::NotFound) }
}

/// Rejects the role of an owner, which no member can receive.
fn check_role(role: Role) -> Result<(), Error> {
    match role {
        Role::Owner => Err(Error::Invalid("`role` must be `editor` or `reader`, but is `owner`")),
        Role::Editor | Role::Reader => Ok(()),
    }
}

/// Checks a member's list of forms. A gateway in front of another server does not know its forms,
/// so that any id is accepted.
async fn check_forms(
    gateway: &Gateway,
    signed_in: &SignedIn,
    forms: Option<&[FormId]>,
) -> Result<(), Error> {
    let Some(forms) = forms else { return Ok(()) };
    form_access::check_list(forms)?;
    if gateway.account_api.is_none() {
        return Ok(());
    }
    let invalid = gateway.accounts.find_invalid_form(&signed_in.account_id, forms).await?;
    invalid.map_or(Ok(()), |invalid| Err(invalid.into()))
}

/// `DELETE /people/{id}`: removes a member and ends their sessions immediately.
pub(crate) async fn remove_member(
    State(gateway): State<Arc<Gateway>>,
    RecentlyAuthenticated(SignedInOwner(signed_in)): RecentlyAuthenticated,
    actor: RequestActor,
    Path(id): Path<String>,
) -> Result<StatusCode, Error> {
    let id: PersonId = id.parse().map_err(|_| Error::NotFound)?;
    let event = actor.event(&gateway, &signed_in, Action::PersonRemoved).with_object("person", &id);
    let was_there = gateway.with_audit(event).delete_member(&signed_in.account_id, &id).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::NotFound) }
}

async fn create_invitation(
    gateway: &Gateway,
    inviter: &SignedIn,
    person: Person,
    event: AuditEvent,
    language: MailLanguage,
) -> Result<(StatusCode, Json<Invitation>), Error> {
    let (token, expires_at) = create_link(gateway, &person, INVITATION_S, event).await?;
    let mailed = mail_invitation(gateway, inviter, &person, &token, language).await;
    let invitation =
        Invitation { data: person, token: Some(token), expires_at: Some(expires_at), mailed };
    Ok((StatusCode::CREATED, Json(invitation)))
}

/// Sends an invitation by e-mail. Returns `false` if the gateway has no e-mail, a limit is reached,
/// or the mail server did not accept it.
async fn mail_invitation(
    gateway: &Gateway,
    inviter: &SignedIn,
    person: &Person,
    token: &str,
    language: MailLanguage,
) -> bool {
    let Some(mail) = &gateway.mail else { return false };
    if !mail.admit_invitation(gateway, &inviter.account_id, &person.email) {
        tracing::warn!(person = %person.id, "account mail: too many invitations; one was not sent");
        return false;
    }
    let sending = mail.mailer.send_invitation(person, &inviter.email, token, language);
    match timeout(SENDING_MAX, sending).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::warn!(%error, person = %person.id, "account mail: invitation not sent");
            false
        }
        Err(_) => {
            tracing::warn!(person = %person.id, "account mail: invitation not sent in time");
            false
        }
    }
}
