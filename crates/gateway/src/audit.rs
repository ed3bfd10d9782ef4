//! The audit events of the gateway (sign-ins and refusals), and the actor of a request.
//! [`Accounts`](crate::Accounts) stores the events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use contract::AccountId;
use contract::audit::{ActingPerson, Action, Actor, AuditEvent, network_of};
use http::header::USER_AGENT;
use http::request::Parts;
use http::{HeaderMap, Method};

use crate::auth::accounts::Accounts;
use crate::auth::roles::{self, Authorized};
use crate::auth::signed_in;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;
use crate::{Gateway, secret};

/// Network address and client of a request. The session supplies the user.
#[derive(Clone, Default)]
pub(crate) struct RequestActor(Actor);

impl FromRequestParts<Arc<Gateway>> for RequestActor {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Arc<Gateway>,
    ) -> Result<Self, Infallible> {
        Ok(Self::from_parts(gateway, parts))
    }
}

impl RequestActor {
    /// Reads the address and the client of a request.
    pub(crate) fn from_parts(gateway: &Gateway, parts: &Parts) -> Self {
        Self(Actor {
            address: Some(network_of(signed_in::client_address(parts))),
            client: gateway.accounts.describe_client(user_agent(&parts.headers)),
            request: Some(secret::generate_request_id()),
            ..Actor::default()
        })
    }

    /// Returns the actor of the request, with the signed-in user.
    pub(crate) fn actor_of_user(&self, owner: &SignedIn) -> Actor {
        self.actor_of_session(owner.token_hash, owner.to_actor())
    }

    fn actor_of_session(&self, token_hash: [u8; 32], person: ActingPerson) -> Actor {
        let id = secret::session_id(token_hash);
        self.0.clone().with_session(id.as_str(), person)
    }

    /// Returns an event for an action of the signed-in user.
    pub(crate) fn event(&self, gateway: &Gateway, owner: &SignedIn, action: Action) -> AuditEvent {
        AuditEvent::new(gateway.clock.now(), &self.actor_of_user(owner), action)
            .with_account(&owner.account_id)
    }

    /// Checks that the signed-in user may call a route, and records a refusal in the audit log.
    pub(crate) async fn authorize(
        &self,
        gateway: &Gateway,
        signed_in: &SignedIn,
        method: &Method,
        path: &str,
    ) -> Result<Authorized, Error> {
        let authorized = roles::authorize(gateway, signed_in.clone(), method, path).await;
        authorized.inspect_err(|_| self.record_forbidden(gateway, signed_in))
    }

    /// Records that the signed-in user requested something that their role does not permit.
    pub(crate) fn record_forbidden(&self, gateway: &Gateway, signed_in: &SignedIn) {
        let event = self.event(gateway, signed_in, Action::Refused);
        gateway.accounts.enqueue_audit(event.into_denied("forbidden"));
    }

    /// Returns the event of a sign-in that starts a session.
    pub(crate) fn sign_in_event(
        &self,
        gateway: &Gateway,
        person: ActingPerson,
        token_hash: [u8; 32],
    ) -> AuditEvent {
        let account = person.account.clone();
        let actor = self.actor_of_session(token_hash, person);
        let id = secret::session_id(token_hash);
        AuditEvent::new(gateway.clock.now(), &actor, Action::SignedIn)
            .with_account(&account)
            .with_object("session", &id)
    }

    /// Returns an event for an action of a request without a session.
    pub(crate) fn anonymous_event(&self, gateway: &Gateway, action: Action) -> AuditEvent {
        AuditEvent::new(gateway.clock.now(), &self.0, action)
    }

    /// Records the refusal of a request without a session, under `account` if the request named
    /// one.
    pub(crate) fn record_refusal(
        &self,
        gateway: &Gateway,
        account: Option<&AccountId>,
        action: Action,
        code: &'static str,
    ) {
        let event = self.anonymous_event(gateway, action).into_denied(code);
        gateway.accounts.enqueue_audit(match account {
            Some(account) => event.with_account(account),
            None => event,
        });
    }
}

impl Gateway {
    /// Returns the accounts; their next write also stores an audit event.
    pub(crate) fn with_audit(&self, event: AuditEvent) -> Arc<dyn Accounts> {
        Arc::clone(&self.accounts).with_audit(event)
    }
}

/// Returns the `User-Agent` header, or an empty string.
pub(crate) fn user_agent(headers: &HeaderMap) -> &str {
    headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default()
}
