//! The audit events of the gateway (sign-ins and refusals), and the actor of a request.
//! [`Accounts`](crate::Accounts) stores the events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use contract::AccountId;
use contract::audit::{Act, ActingPerson, Action, Actor, network};
use http::header::USER_AGENT;
use http::request::Parts;
use http::{HeaderMap, Method};

use crate::auth::accounts::Accounts;
use crate::auth::roles::{self, Admitted};
use crate::auth::signed_in;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;
use crate::{Gateway, secret};

/// Network address and client of a request. The session supplies the user.
#[derive(Clone, Default)]
pub(crate) struct Asking(Actor);

impl FromRequestParts<Arc<Gateway>> for Asking {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Arc<Gateway>,
    ) -> Result<Self, Infallible> {
        Ok(Self::of(gateway, parts))
    }
}

impl Asking {
    /// Reads the address and the client of a request.
    pub(crate) fn of(gateway: &Gateway, parts: &Parts) -> Self {
        Self(Actor {
            address: Some(network(signed_in::address(parts))),
            client: gateway.accounts.client(agent(&parts.headers)),
            request: Some(secret::mint_request()),
            ..Actor::default()
        })
    }

    /// Returns the actor of the request, with the signed-in user.
    pub(crate) fn as_owner(&self, owner: &SignedIn) -> Actor {
        self.as_session(owner.token_hash, owner.acting())
    }

    fn as_session(&self, token_hash: [u8; 32], person: ActingPerson) -> Actor {
        let id = secret::session_id(token_hash);
        self.0.clone().by_session(id.as_str(), person)
    }

    /// Returns an event for an action of the signed-in user.
    pub(crate) fn does(&self, gateway: &Gateway, owner: &SignedIn, action: Action) -> Act {
        Act::new(gateway.clock.now(), &self.as_owner(owner), action).of(&owner.account_id)
    }

    /// Checks that the signed-in user may call a route, and records a refusal in the audit log.
    pub(crate) async fn admit(
        &self,
        gateway: &Gateway,
        signed_in: &SignedIn,
        method: &Method,
        path: &str,
    ) -> Result<Admitted, Error> {
        let admitted = roles::admit(gateway, signed_in.clone(), method, path).await;
        admitted.inspect_err(|_| self.forbidden(gateway, signed_in))
    }

    /// Records that the signed-in user requested something that their role does not permit.
    pub(crate) fn forbidden(&self, gateway: &Gateway, signed_in: &SignedIn) {
        let act = self.does(gateway, signed_in, Action::Refused);
        gateway.accounts.note_soon(act.denied("forbidden"));
    }

    /// Returns the event of a sign-in that starts a session.
    pub(crate) fn signs_in(
        &self,
        gateway: &Gateway,
        person: ActingPerson,
        token_hash: [u8; 32],
    ) -> Act {
        let account = person.account.clone();
        let actor = self.as_session(token_hash, person);
        let id = secret::session_id(token_hash);
        Act::new(gateway.clock.now(), &actor, Action::SignedIn).of(&account).on("session", &id)
    }

    /// Records the refusal of a request without a session, under `account` if the request named
    /// one.
    pub(crate) fn refused(
        &self,
        gateway: &Gateway,
        account: Option<&AccountId>,
        action: Action,
        code: &'static str,
    ) {
        let act = Act::new(gateway.clock.now(), &self.0, action).denied(code);
        gateway.accounts.note_soon(match account {
            Some(account) => act.of(account),
            None => act,
        });
    }
}

impl Gateway {
    /// Returns the accounts; their next write also stores an audit event.
    pub(crate) fn noting(&self, act: Act) -> Arc<dyn Accounts> {
        Arc::clone(&self.accounts).noting(act)
    }
}

/// Returns the `User-Agent` header, or an empty string.
pub(crate) fn agent(headers: &HeaderMap) -> &str {
    headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default()
}
