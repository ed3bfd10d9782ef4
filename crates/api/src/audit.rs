//! Audit entries of the routes, and their actors. The store writes each entry in the transaction of
//! the change.

use crate::Service;
use crate::error::Error;
use crate::middleware::auth::Caller;
use crate::middleware::rate_limit::RateLimitKey;
use aide::OperationInput;
use axum::extract::FromRequestParts;
use contract::audit::{ActingPerson, Action, Actor, AuditEvent, network_of};
use contract::key::KeyState;
use contract::triage::Reader;
use contract::{AccountId, Form, PersonId, Timestamp};
use http::request::Parts;
use http::{Extensions, HeaderMap, StatusCode, header};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use store::Store;
use store::secret;

/// Error message of a request that needs a signed-in member.
pub(crate) const NOT_SIGNED_IN: &str = "no member is signed in; sign in first";

/// The signed-in member of a request from the gateway; `None` for API keys.
pub(crate) struct RequestMember(Option<ActingPerson>);

impl OperationInput for RequestMember {}

impl<S: Sync> FromRequestParts<S> for RequestMember {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get::<Actor>().and_then(|actor| actor.person.clone())))
    }
}

impl RequestMember {
    /// Finds the member with their read state; `None` if no member of the account is signed in.
    pub(crate) async fn find_reader(
        &self,
        service: &Service,
        account: &AccountId,
    ) -> Result<Option<Reader>, Error> {
        match self.person(account) {
            None => Ok(None),
            Some(person) => Ok(service.store().find_reader(person).await?),
        }
    }

    /// Returns the signed-in member of an account.
    pub(crate) fn person(&self, account: &AccountId) -> Option<&PersonId> {
        let own = self.0.as_ref().filter(|person| person.account == *account);
        own.map(|person| &person.id)
    }
}

/// Actor of a request: set by the gateway in the extensions, or else derived from the request.
pub(crate) struct RequestActor(Actor);

impl OperationInput for RequestActor {}

impl<S: Sync> FromRequestParts<S> for RequestActor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::from_request(&parts.extensions, &parts.headers))
    }
}

impl RequestActor {
    fn from_request(extensions: &Extensions, headers: &HeaderMap) -> Self {
        let known_actor = extensions.get::<Actor>().cloned();
        let mut actor = known_actor.unwrap_or_else(|| {
            let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
            let address = crate::router::address_in(extensions).map(network_of);
            Actor {
                address,
                client: crate::client_of_user_agent(agent.unwrap_or_default()),
                ..Actor::default()
            }
        });
        actor.request.get_or_insert_with(secret::generate_request_id);
        Self(actor)
    }

    /// Returns the signed-in member.
    pub(crate) fn member(&self) -> RequestMember {
        RequestMember(self.0.person.clone())
    }

    /// Returns the signed-in member of an account.
    ///
    /// # Errors
    /// 401 if the request has no member of this account.
    pub(crate) fn person(&self, account: &AccountId) -> Result<PersonId, Error> {
        let person = self.member().person(account).cloned();
        person.ok_or_else(|| Error::unauthorized(NOT_SIGNED_IN))
    }

    /// Returns the event of an action of a signed-in member, or of the recipient of a link on a
    /// public page.
    pub(crate) fn account_event(
        &self,
        service: &Service,
        account: &AccountId,
        action: Action,
    ) -> AuditEvent {
        AuditEvent::new(service.now(), &self.0, action).with_account(account)
    }

    /// Returns the event of a caller's action. The actor is the key or the signed-in user.
    pub(crate) fn caller_event(
        self,
        service: &Service,
        caller: &Caller,
        action: Action,
    ) -> AuditEvent {
        let actor = match &caller.key {
            Some(key) => self.0.with_api_key(key.id.as_str()),
            None => self.0,
        };
        let event = AuditEvent::new(service.now(), &actor, action).with_account(&caller.account.id);
        event.with_environment(caller.environment)
    }
}

/// Adds a part of a form, such as a webhook, and the form to an event.
pub(crate) fn with_form_part(
    event: AuditEvent,
    form: &Form,
    kind: &'static str,
    id: &impl ToString,
) -> AuditEvent {
    event
        .with_environment(form.environment)
        .with_object(kind, id)
        .with_value("form", form.id.as_str())
        .with_user_text("name", &form.name)
}

impl Service {
    /// Returns a store that adds an audit entry to its next write.
    pub(crate) fn with_audit(&self, event: AuditEvent) -> Arc<dyn Store> {
        self.store().with_audit(event)
    }

    /// Enqueues an audit entry for a caller's rejected request, if it was rate limited or
    /// forbidden. Never waits.
    pub(crate) fn enqueue_refusal(
        &self,
        caller: &Caller,
        status: StatusCode,
        (given_actor, address): (Option<Actor>, Option<IpAddr>),
        now: Timestamp,
    ) {
        let (action, code) = match status {
            StatusCode::TOO_MANY_REQUESTS => (Action::Limited, "rate_limit_exceeded"),
            StatusCode::FORBIDDEN => match caller.key_state {
                KeyState::Active => (Action::Refused, "forbidden"),
                KeyState::Revoked => (Action::Refused, "key_revoked"),
                KeyState::Expired => (Action::Refused, "key_expired"),
            },
            _ => return,
        };
        let actor = given_actor
            .filter(|_| matches!(caller.rate_limit_key, RateLimitKey::Dashboard(..)))
            .unwrap_or_else(|| Actor { address: address.map(network_of), ..Actor::default() });
        let actor = match &caller.key {
            Some(key) => actor.with_api_key(key.id.as_str()),
            None => actor,
        };
        let event =
            AuditEvent::new(now, &actor, action).with_account(&caller.account.id).into_denied(code);
        self.store().enqueue_audit(event.with_environment(caller.environment));
    }

    /// Enqueues an audit entry for a rejected request without a known key. Never waits.
    pub(crate) fn enqueue_anonymous_refusal(
        &self,
        action: Action,
        code: &'static str,
        address: Option<IpAddr>,
    ) {
        let actor = Actor { address: address.map(network_of), ..Actor::default() };
        self.store().enqueue_audit(AuditEvent::new(self.now(), &actor, action).into_denied(code));
    }
}
