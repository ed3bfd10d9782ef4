//! What the routes note in the audit log, and in whose name. Nothing is written here: the store
//! does that, together with the act.

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

/// Who asks, as whoever mounted the routes tells it, or else as the request does.
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

    /// What a signed-in owner does.
    pub(crate) fn does(self, service: &Service, account: &AccountId, action: Action) -> Act {
        Act::new(service.now(), &self.0, action).of(account)
    }

    /// What a caller does: the key, or the person who is signed in.
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
    /// Returns the store, whose next write notes an act.
    pub(crate) fn noting(&self, act: Act) -> Arc<dyn Store> {
        self.store().noting(act)
    }

    /// Notes that a caller was refused: too many requests, or something that is not theirs. Never
    /// waits.
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

    /// Notes that somebody without a known key was refused. Never waits.
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
