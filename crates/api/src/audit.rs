//! Audit entries of the routes, and their actors. The store writes each entry in the transaction of
//! the change.

use crate::Service;
use crate::middleware::auth::Caller;
use crate::middleware::rate_limit::Payer;
use aide::OperationInput;
use axum::extract::FromRequestParts;
use contract::audit::{Act, Action, Actor, network};
use contract::{AccountId, Timestamp};
use http::request::Parts;
use http::{Extensions, HeaderMap, StatusCode, header};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use store::Store;
use store::secret;

/// Actor of a request: set by the gateway in the extensions, or else derived from the request.
pub(crate) struct Asking(Actor);

impl OperationInput for Asking {}

impl<S: Sync> FromRequestParts<S> for Asking {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions, &parts.headers))
    }
}

impl Asking {
    fn of(extensions: &Extensions, headers: &HeaderMap) -> Self {
        let told = extensions.get::<Actor>().cloned();
        let mut actor = told.unwrap_or_else(|| {
            let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
            let address = crate::router::address_in(extensions).map(network);
            Actor { address, client: crate::client(agent.unwrap_or_default()), ..Actor::default() }
        });
        actor.request.get_or_insert_with(secret::mint_request);
        Self(actor)
    }

    /// Returns the event of a signed-in owner's action.
    pub(crate) fn does(self, service: &Service, account: &AccountId, action: Action) -> Act {
        Act::new(service.now(), &self.0, action).of(account)
    }

    /// Returns the event of a caller's action. The actor is the key or the signed-in user.
    pub(crate) fn calls(self, service: &Service, caller: &Caller, action: Action) -> Act {
        let actor = match &caller.key {
            Some(key) => self.0.by_key(key.id.as_str()),
            None => self.0,
        };
        let act = Act::new(service.now(), &actor, action).of(&caller.account.id);
        act.within(caller.environment)
    }
}

impl Service {
    /// Returns a store that adds an audit entry to its next write.
    pub(crate) fn noting(&self, act: Act) -> Arc<dyn Store> {
        self.store().noting(act)
    }

    /// Enqueues an audit entry for a caller's rejected request, if it was rate limited or
    /// forbidden. Never waits.
    pub(crate) fn note_refusal(
        &self,
        caller: &Caller,
        status: StatusCode,
        (told, address): (Option<Actor>, Option<IpAddr>),
        now: Timestamp,
    ) {
        let (action, code) = match status {
            StatusCode::TOO_MANY_REQUESTS => (Action::Limited, "rate_limit_exceeded"),
            StatusCode::FORBIDDEN if caller.is_revoked => (Action::Refused, "key_revoked"),
            StatusCode::FORBIDDEN => (Action::Refused, "forbidden"),
            _ => return,
        };
        let actor = told
            .filter(|_| matches!(caller.payer, Payer::Dashboard(..)))
            .unwrap_or_else(|| Actor { address: address.map(network), ..Actor::default() });
        let actor = match &caller.key {
            Some(key) => actor.by_key(key.id.as_str()),
            None => actor,
        };
        let act = Act::new(now, &actor, action).of(&caller.account.id).denied(code);
        self.store().note_soon(act.within(caller.environment));
    }

    /// Enqueues an audit entry for a rejected request without a known key. Never waits.
    pub(crate) fn note_stranger(
        &self,
        action: Action,
        code: &'static str,
        address: Option<IpAddr>,
    ) {
        let actor = Actor { address: address.map(network), ..Actor::default() };
        self.store().note_soon(Act::new(self.now(), &actor, action).denied(code));
    }
}
