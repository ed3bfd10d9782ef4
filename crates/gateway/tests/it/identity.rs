//! Tests of sign-in through a proxy: sessions start by its identity, and end when the identity
//! changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::body::Body;
use axum::response::IntoResponse as _;
use contract::{Environment, PersonId};
use gateway::identity::{
    HeaderSource, Identity, IdentityLinks, IdentitySource, ProvisionOutcome, ProxyAuth,
    ProxyHeader, TrustedPeer, VerifiedIdentity,
};
use gateway::{Config, StoreError};
use http::{Method, Request};

use crate::memory::{EMAIL, ManualClock, MemoryAccounts, OWNER, READER, StaticKeys};
use crate::world::{
    ReceivedResponse, SUBMISSION, TestApp, dashboard_request, password_body, test_assets,
};

const NAME: &str = "x-auth-email";
const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Linked identities in memory.
#[derive(Default)]
struct MemoryIdentities {
    people: Mutex<HashMap<Identity, PersonId>>,
    sessions: Mutex<HashMap<[u8; 32], Identity>>,
    outcome: Mutex<Option<ProvisionOutcome>>,
}

#[async_trait]
impl IdentityLinks for MemoryIdentities {
    async fn find_member(&self, identity: &Identity) -> Result<Option<PersonId>, StoreError> {
        Ok(self.people.lock().unwrap().get(identity).cloned())
    }

    async fn find_by_session(
        &self,
        identity: &Identity,
        token_hash: [u8; 32],
    ) -> Result<Option<PersonId>, StoreError> {
        let is_its = self.sessions.lock().unwrap().get(&token_hash) == Some(identity);
        if is_its { self.find_member(identity).await } else { Ok(None) }
    }

    async fn mark_session(&self, hash: [u8; 32], identity: &Identity) -> Result<(), StoreError> {
        self.sessions.lock().unwrap().insert(hash, identity.clone());
        Ok(())
    }

    async fn provision_account(
        &self,
        known: &VerifiedIdentity,
    ) -> Result<ProvisionOutcome, StoreError> {
        let provided = self.outcome.lock().unwrap().clone().unwrap_or(ProvisionOutcome::Disabled);
        if let ProvisionOutcome::Person(person) = &provided {
            self.people.lock().unwrap().insert(known.identity.clone(), person.clone());
        }
        Ok(provided)
    }
}

/// A gateway behind a proxy, with the owner and a reader linked.
struct ProxiedGateway {
    world: TestApp,
    identities: Arc<MemoryIdentities>,
}

impl ProxiedGateway {
    fn new() -> Self {
        let store = Arc::<MemoryAccounts>::default();
        let clock = Arc::<ManualClock>::default();
        let links = Arc::<MemoryIdentities>::default();
        for (subject, person) in [("alice@example.org", OWNER), ("bob@example.org", READER)] {
            let identity = Identity::new(&format!("header:{NAME}"), subject).unwrap();
            links.people.lock().unwrap().insert(identity, person.parse().unwrap());
        }
        let [field, secret] = [NAME, "x-proxy-secret"].map(|name| ProxyHeader::new(name).unwrap());
        let rules = ProxyAuth {
            source: IdentitySource::Header(HeaderSource::new(field, secret, SECRET).unwrap()),
            identities: links.clone(),
            sign_out_url: Some("/oauth2/sign_out".to_owned()),
        };
        let config = Config {
            assets: test_assets(),
            clock: clock.clone(),
            proxy_auth: Some(rules),
            ..Config::default()
        };
        let upstream = tower::service_fn(|_: Request<Body>| async {
            let json = [(http::header::CONTENT_TYPE, "application/json")];
            Ok::<_, std::convert::Infallible>((json, r#"{"data":1}"#).into_response())
        });
        let keys = StaticKeys::credentials_for(Environment::ALL.to_vec());
        let router = gateway::router(config, store.clone(), keys, upstream, None);
        let seen = crate::world::Seen::default();
        Self { world: TestApp { router, store, clock, seen }, identities: links }
    }

    /// Sends a dashboard request as the proxy would forward it for `subject`.
    async fn call(
        &self,
        method: Method,
        path: &str,
        cookie: &str,
        subject: &str,
    ) -> ReceivedResponse {
        self.world.send(with_identity(dashboard_request(method, path, cookie), subject)).await
    }

    async fn sign_in(&self, subject: &str) -> String {
        let answer = self.call(Method::GET, "/session", "", subject).await;
        assert_eq!(answer.status, 200, "{answer:?}", answer = answer.body);
        answer.cookie()
    }

    fn session_count(&self) -> usize {
        self.world.store.sessions.lock().unwrap().len()
    }
}

/// Returns a request from the trusted proxy with an identity.
fn with_identity(mut request: Request<Body>, subject: &str) -> Request<Body> {
    let headers = request.headers_mut();
    headers.insert("x-proxy-secret", SECRET.parse().unwrap());
    if !subject.is_empty() {
        headers.insert(NAME, subject.parse().unwrap());
    }
    request.extensions_mut().insert(TrustedPeer::ByAddress);
    request
}

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

#[tokio::test]
async fn proxied_user_becomes_linked_member() {
    let behind = ProxiedGateway::new();
    let answer = behind.call(Method::GET, "/session", "", "Alice@EXAMPLE.org").await;
    let said: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!((&said["data"]["email"], &said["data"]["role"]), (&EMAIL.into(), &"owner".into()));
    let known = serde_json::json!({
        "issuer": format!("header:{NAME}"), "subject": ALICE, "sign_out_url": "/oauth2/sign_out",
    });
    assert_eq!(said["data"]["known"], known);
    let cookie = answer.cookie();
    assert_eq!(behind.call(Method::GET, SUBMISSION, &cookie, ALICE).await.status, 200);
    // A second request keeps the same session.
    let again = behind.call(Method::GET, "/session", &cookie, ALICE).await;
    assert!(again.status == 200 && !again.headers.contains_key("set-cookie"));
    assert_eq!(behind.session_count(), 1);
    let reader = behind.sign_in(BOB).await;
    let refused = behind.call(Method::DELETE, SUBMISSION, &reader, BOB).await;
    refused.assert_error(403, "forbidden");
    // Events name the user, not only the shared account.
    let acts = behind.world.store.acts.lock().unwrap();
    let recorded: Vec<_> = acts
        .iter()
        .map(|act| (act.action.as_str(), act.actor.person.as_ref().unwrap().id.as_str()))
        .collect();
    let begun = "session.begun";
    let refused = "request.refused";
    assert_eq!(recorded, [(begun, OWNER), (begun, READER), (refused, READER)]);
}

#[tokio::test]
async fn proxy_identity_is_checked_on_every_request() {
    let behind = ProxiedGateway::new();
    let cookie = behind.sign_in(ALICE).await;
    for path in ["/session", SUBMISSION, "/sessions", "/account/forms"] {
        behind.call(Method::GET, path, &cookie, "").await.assert_error(401, "unauthorized");
        let around = dashboard_request(Method::GET, path, &cookie);
        behind.world.send(around).await.assert_error(401, "unauthorized");
    }
    // Without a session only `GET /session` works, which starts one.
    behind.call(Method::GET, SUBMISSION, "", ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(behind.call(Method::GET, SUBMISSION, &cookie, ALICE).await.status, 200);
    // After the operator unlinks an identity, the next request is rejected.
    behind.identities.people.lock().unwrap().clear();
    behind.call(Method::GET, SUBMISSION, &cookie, ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(behind.session_count(), 0);
}

#[tokio::test]
async fn other_identity_replaces_session() {
    let behind = ProxiedGateway::new();
    let alice = behind.sign_in(ALICE).await;
    let answer = behind.call(Method::GET, "/session", &alice, BOB).await;
    let said: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(said["data"]["email"], BOB);
    let bob = answer.cookie();
    assert_ne!(alice, bob);
    assert_eq!(behind.session_count(), 1, "the previous session continues");
    behind.call(Method::GET, SUBMISSION, &alice, ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(behind.call(Method::GET, SUBMISSION, &bob, BOB).await.status, 200);
    behind.call(Method::GET, SUBMISSION, &bob, ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(behind.session_count(), 0, "a stolen cookie still works");

    // Two identities of one member do not share sessions.
    let second = Identity::new(&format!("header:{NAME}"), "alice").unwrap();
    behind.identities.people.lock().unwrap().insert(second, OWNER.parse().unwrap());
    let alice = behind.sign_in(ALICE).await;
    behind.call(Method::GET, SUBMISSION, &alice, "alice").await.assert_error(401, "unauthorized");
}

#[tokio::test]
async fn identity_of_other_senders_is_rejected() {
    let behind = ProxiedGateway::new();
    let cookie = behind.sign_in(ALICE).await;
    for path in ["/session", SUBMISSION, "/account/forms", "/", "/live/forms/frm_1", "/theme.js"] {
        for name in [NAME, "X_Auth_Email", "x.auth.email"] {
            let mut stranger = dashboard_request(Method::GET, path, &cookie);
            let name: http::HeaderName = name.parse().unwrap();
            stranger.headers_mut().insert(name.clone(), ALICE.parse().unwrap());
            let mut without_secret = dashboard_request(Method::GET, path, &cookie);
            without_secret.headers_mut().insert(name.clone(), ALICE.parse().unwrap());
            without_secret.extensions_mut().insert(TrustedPeer::ByAddress);
            let mut twice = with_identity(dashboard_request(Method::GET, path, &cookie), ALICE);
            twice.headers_mut().append(name, ALICE.parse().unwrap());
            for request in [stranger, without_secret, twice] {
                behind.world.send(request).await.assert_error(400, "validation_error");
            }
        }
        let odd = with_identity(dashboard_request(Method::GET, path, &cookie), "a@b@c");
        behind.world.send(odd).await.assert_error(400, "validation_error");
    }
    assert_eq!(behind.session_count(), 1);
}

#[tokio::test]
async fn local_sign_in_is_disabled_behind_proxy() {
    let behind = ProxiedGateway::new();
    let cookie = behind.sign_in(ALICE).await;
    let (token, hash) = gateway::secret::generate_token();
    let link = (OWNER.parse().unwrap(), contract::Timestamp::MAX);
    behind.world.store.links.lock().unwrap().insert(hash, link);
    let link = serde_json::json!({ "token": token }).to_string();
    for (method, path, body) in [
        (Method::POST, "/session", password_body(EMAIL, crate::memory::PASSWORD)),
        (Method::POST, "/session", link),
        (Method::PUT, "/password", r#"{"new":"a good new password"}"#.to_owned()),
        (Method::POST, "/session/proof", r#"{"password":"plain old stapler"}"#.to_owned()),
    ] {
        let mut asked = with_identity(dashboard_request(method, path, &cookie), ALICE);
        asked.headers_mut().insert("content-type", "application/json".parse().unwrap());
        *asked.body_mut() = Body::from(body);
        let refused = behind.world.send(asked).await;
        refused.assert_error(403, "forbidden");
        assert!(refused.error_body().message.contains("passwords and sign-in links are disabled"));
    }
    assert_eq!(behind.world.store.links.lock().unwrap().len(), 1, "a link was consumed");
    // An older session that was started by a password is not valid.
    let own = TestApp::new();
    let cookie = own.sign_in().await;
    *behind.world.store.sessions.lock().unwrap() = own.store.sessions.lock().unwrap().clone();
    behind.call(Method::GET, SUBMISSION, &cookie, ALICE).await.assert_error(401, "unauthorized");
}

/// A link would not work behind a proxy, so no token is created or returned.
#[tokio::test]
async fn reader_is_added_without_link() {
    let behind = ProxiedGateway::new();
    let cookie = behind.sign_in(ALICE).await;
    let post = async |path: &str, body: &'static str| {
        let mut asked = with_identity(dashboard_request(Method::POST, path, &cookie), ALICE);
        asked.headers_mut().insert("content-type", "application/json".parse().unwrap());
        *asked.body_mut() = Body::from(body);
        behind.world.send(asked).await
    };
    let added = post("/people", r#"{"email":"cyd@example.org"}"#).await;
    assert_eq!(added.status, 201);
    let said: serde_json::Value = serde_json::from_slice(&added.body).unwrap();
    assert_eq!(said["data"]["email"], "cyd@example.org");
    assert!(said.get("token").is_none() && said.get("expires_at").is_none(), "{said}");
    let path = format!("/people/{}/link", said["data"]["id"].as_str().unwrap());
    post(&path, "").await.assert_error(403, "forbidden");
    assert!(behind.world.store.links.lock().unwrap().is_empty());
}

#[tokio::test]
async fn csrf_and_expiry_apply_behind_proxy() {
    let behind = ProxiedGateway::new();
    let mut unmarked = with_identity(dashboard_request(Method::GET, "/session", ""), ALICE);
    unmarked.headers_mut().remove("x-sheaf-csrf");
    behind.world.send(unmarked).await.assert_error(403, "forbidden");
    let mut foreign = with_identity(dashboard_request(Method::GET, "/session", ""), ALICE);
    foreign.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    behind.world.send(foreign).await.assert_error(403, "forbidden");
    assert_eq!(behind.session_count(), 0);
    let cookie = behind.sign_in(ALICE).await;
    assert!(cookie.starts_with("sheaf="));
    assert_eq!(behind.call(Method::DELETE, "/session", &cookie, ALICE).await.status, 204);
    assert_eq!(behind.session_count(), 0);
    // Sessions expire as usual.
    let cookie = behind.sign_in(ALICE).await;
    behind.world.clock.advance(gateway::IDLE_S);
    behind.call(Method::GET, SUBMISSION, &cookie, ALICE).await.assert_error(401, "unauthorized");
}

#[tokio::test]
async fn unknown_identity_gets_hint_or_account() {
    let behind = ProxiedGateway::new();
    let ask = async || behind.call(Method::GET, "/session", "", "Carol@example.org").await;
    for (provided, expect) in [
        (None, "no account is linked to `carol@example.org` of `header:x-auth-email`"),
        (Some(ProvisionOutcome::AddressTaken), "an address is no proof"),
        (Some(ProvisionOutcome::NoAddress), "needs a mail address"),
    ] {
        *behind.identities.outcome.lock().unwrap() = provided;
        let refused = ask().await;
        refused.assert_error(403, "forbidden");
        let message = refused.error_body().message;
        assert!(message.contains(expect) && message.contains("link-identity"), "{message}");
        assert!(!refused.headers.contains_key("set-cookie"));
    }
    *behind.identities.outcome.lock().unwrap() =
        Some(ProvisionOutcome::Person(READER.parse().unwrap()));
    let cookie = ask().await.cookie();
    assert_eq!(
        behind.call(Method::GET, SUBMISSION, &cookie, "carol@example.org").await.status,
        200
    );
    // A link to a removed member gives no access.
    behind.world.store.people.lock().unwrap().retain(|it| it.person.id.as_str() != READER);
    ask().await.assert_error(403, "forbidden");
}
