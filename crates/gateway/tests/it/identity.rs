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

use crate::app::{
    ReceivedResponse, SUBMISSION, TestApp, dashboard_request, password_body, test_assets,
};
use crate::memory::{EMAIL, ManualClock, MemoryAccounts, OWNER, READER, StaticKeys};

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
        identity: &VerifiedIdentity,
    ) -> Result<ProvisionOutcome, StoreError> {
        let provided = self.outcome.lock().unwrap().clone().unwrap_or(ProvisionOutcome::Disabled);
        if let ProvisionOutcome::Person(person) = &provided {
            self.people.lock().unwrap().insert(identity.identity.clone(), person.clone());
        }
        Ok(provided)
    }
}

/// A gateway behind a proxy, with the owner and a reader linked.
struct ProxiedGateway {
    app: TestApp,
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
        let seen = crate::app::Seen::default();
        Self { app: TestApp { router, store, clock, seen }, identities: links }
    }

    /// Sends a dashboard request as the proxy would forward it for `subject`.
    async fn call(
        &self,
        method: Method,
        path: &str,
        cookie: &str,
        subject: &str,
    ) -> ReceivedResponse {
        self.app.send(with_identity(dashboard_request(method, path, cookie), subject)).await
    }

    async fn sign_in(&self, subject: &str) -> String {
        let answer = self.call(Method::GET, "/session", "", subject).await;
        assert_eq!(answer.status, 200, "{answer:?}", answer = answer.body);
        answer.cookie()
    }

    fn session_count(&self) -> usize {
        self.app.store.sessions.lock().unwrap().len()
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
    let proxied = ProxiedGateway::new();
    let answer = proxied.call(Method::GET, "/session", "", "Alice@EXAMPLE.org").await;
    let session: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(
        (&session["data"]["email"], &session["data"]["role"]),
        (&EMAIL.into(), &"owner".into())
    );
    let identity = serde_json::json!({
        "issuer": format!("header:{NAME}"), "subject": ALICE, "sign_out_url": "/oauth2/sign_out",
    });
    assert_eq!(session["data"]["known"], identity);
    let cookie = answer.cookie();
    assert_eq!(proxied.call(Method::GET, SUBMISSION, &cookie, ALICE).await.status, 200);
    // A second request keeps the same session.
    let again = proxied.call(Method::GET, "/session", &cookie, ALICE).await;
    assert!(again.status == 200 && !again.headers.contains_key("set-cookie"));
    assert_eq!(proxied.session_count(), 1);
    let reader = proxied.sign_in(BOB).await;
    let refused = proxied.call(Method::DELETE, SUBMISSION, &reader, BOB).await;
    refused.assert_error(403, "forbidden");
    // Events name the user, not only the shared account.
    let events = proxied.app.store.events.lock().unwrap();
    let recorded: Vec<_> = events
        .iter()
        .map(|event| (event.action.as_str(), event.actor.person.as_ref().unwrap().id.as_str()))
        .collect();
    let session_started = "session.begun";
    let refused = "request.refused";
    assert_eq!(recorded, [(session_started, OWNER), (session_started, READER), (refused, READER)]);
}

#[tokio::test]
async fn proxy_identity_is_checked_on_every_request() {
    let proxied = ProxiedGateway::new();
    let cookie = proxied.sign_in(ALICE).await;
    for path in ["/session", SUBMISSION, "/sessions", "/account/forms"] {
        proxied.call(Method::GET, path, &cookie, "").await.assert_error(401, "unauthorized");
        let around = dashboard_request(Method::GET, path, &cookie);
        proxied.app.send(around).await.assert_error(401, "unauthorized");
    }
    // Without a session only `GET /session` works, which starts one.
    proxied.call(Method::GET, SUBMISSION, "", ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(proxied.call(Method::GET, SUBMISSION, &cookie, ALICE).await.status, 200);
    // After the operator unlinks an identity, the next request is rejected.
    proxied.identities.people.lock().unwrap().clear();
    proxied.call(Method::GET, SUBMISSION, &cookie, ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(proxied.session_count(), 0);
}

#[tokio::test]
async fn other_identity_replaces_session() {
    let proxied = ProxiedGateway::new();
    let alice = proxied.sign_in(ALICE).await;
    let answer = proxied.call(Method::GET, "/session", &alice, BOB).await;
    let session: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(session["data"]["email"], BOB);
    let bob = answer.cookie();
    assert_ne!(alice, bob);
    assert_eq!(proxied.session_count(), 1, "the previous session continues");
    proxied.call(Method::GET, SUBMISSION, &alice, ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(proxied.call(Method::GET, SUBMISSION, &bob, BOB).await.status, 200);
    proxied.call(Method::GET, SUBMISSION, &bob, ALICE).await.assert_error(401, "unauthorized");
    assert_eq!(proxied.session_count(), 0, "a stolen cookie still works");

    // Two identities of one member do not share sessions.
    let second = Identity::new(&format!("header:{NAME}"), "alice").unwrap();
    proxied.identities.people.lock().unwrap().insert(second, OWNER.parse().unwrap());
    let alice = proxied.sign_in(ALICE).await;
    proxied.call(Method::GET, SUBMISSION, &alice, "alice").await.assert_error(401, "unauthorized");
}

#[tokio::test]
async fn identity_of_other_senders_is_rejected() {
    let proxied = ProxiedGateway::new();
    let cookie = proxied.sign_in(ALICE).await;
    for path in ["/session", SUBMISSION, "/account/forms", "/", "/live/forms/frm_1", "/theme.js"] {
        for name in [NAME, "X_Auth_Email", "x.auth.email"] {
            let mut from_stranger = dashboard_request(Method::GET, path, &cookie);
            let name: http::HeaderName = name.parse().unwrap();
            from_stranger.headers_mut().insert(name.clone(), ALICE.parse().unwrap());
            let mut without_secret = dashboard_request(Method::GET, path, &cookie);
            without_secret.headers_mut().insert(name.clone(), ALICE.parse().unwrap());
            without_secret.extensions_mut().insert(TrustedPeer::ByAddress);
            let mut twice = with_identity(dashboard_request(Method::GET, path, &cookie), ALICE);
            twice.headers_mut().append(name, ALICE.parse().unwrap());
            for request in [from_stranger, without_secret, twice] {
                proxied.app.send(request).await.assert_error(400, "validation_error");
            }
        }
        let request = with_identity(dashboard_request(Method::GET, path, &cookie), "a@b@c");
        proxied.app.send(request).await.assert_error(400, "validation_error");
    }
    assert_eq!(proxied.session_count(), 1);
}

#[tokio::test]
async fn local_sign_in_is_disabled_behind_proxy() {
    let proxied = ProxiedGateway::new();
    let cookie = proxied.sign_in(ALICE).await;
    let (token, hash) = gateway::secret::generate_token();
    let link = (OWNER.parse().unwrap(), contract::Timestamp::MAX);
    proxied.app.store.links.lock().unwrap().insert(hash, link);
    let link = serde_json::json!({ "token": token }).to_string();
    for (method, path, body) in [
        (Method::POST, "/session", password_body(EMAIL, crate::memory::PASSWORD)),
        (Method::POST, "/session", link),
        (Method::PUT, "/password", r#"{"new":"a good new password"}"#.to_owned()),
        (Method::POST, "/session/proof", r#"{"password":"plain old stapler"}"#.to_owned()),
    ] {
        let mut request = with_identity(dashboard_request(method, path, &cookie), ALICE);
        request.headers_mut().insert("content-type", "application/json".parse().unwrap());
        *request.body_mut() = Body::from(body);
        let refused = proxied.app.send(request).await;
        refused.assert_error(403, "forbidden");
        assert!(refused.error_body().message.contains("passwords and sign-in links are disabled"));
    }
    assert_eq!(proxied.app.store.links.lock().unwrap().len(), 1, "a link was consumed");
    // An older session that was started by a password is not valid.
    let unproxied = TestApp::new();
    let cookie = unproxied.sign_in().await;
    *proxied.app.store.sessions.lock().unwrap() = unproxied.store.sessions.lock().unwrap().clone();
    proxied.call(Method::GET, SUBMISSION, &cookie, ALICE).await.assert_error(401, "unauthorized");
}

/// A link would not work behind a proxy, so no token is created or returned.
#[tokio::test]
async fn reader_is_added_without_link() {
    let proxied = ProxiedGateway::new();
    let cookie = proxied.sign_in(ALICE).await;
    let post = async |path: &str, body: &'static str| {
        let mut request = with_identity(dashboard_request(Method::POST, path, &cookie), ALICE);
        request.headers_mut().insert("content-type", "application/json".parse().unwrap());
        *request.body_mut() = Body::from(body);
        proxied.app.send(request).await
    };
    let added = post("/people", r#"{"email":"cyd@example.org"}"#).await;
    assert_eq!(added.status, 201);
    let added_person: serde_json::Value = serde_json::from_slice(&added.body).unwrap();
    assert_eq!(added_person["data"]["email"], "cyd@example.org");
    assert!(
        added_person.get("token").is_none() && added_person.get("expires_at").is_none(),
        "{added_person}"
    );
    let path = format!("/people/{}/link", added_person["data"]["id"].as_str().unwrap());
    post(&path, "").await.assert_error(403, "forbidden");
    assert!(proxied.app.store.links.lock().unwrap().is_empty());
}

#[tokio::test]
async fn csrf_and_expiry_apply_behind_proxy() {
    let proxied = ProxiedGateway::new();
    let mut unmarked = with_identity(dashboard_request(Method::GET, "/session", ""), ALICE);
    unmarked.headers_mut().remove("x-sheaf-csrf");
    proxied.app.send(unmarked).await.assert_error(403, "forbidden");
    let mut foreign = with_identity(dashboard_request(Method::GET, "/session", ""), ALICE);
    foreign.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    proxied.app.send(foreign).await.assert_error(403, "forbidden");
    assert_eq!(proxied.session_count(), 0);
    let cookie = proxied.sign_in(ALICE).await;
    assert!(cookie.starts_with("sheaf="));
    assert_eq!(proxied.call(Method::DELETE, "/session", &cookie, ALICE).await.status, 204);
    assert_eq!(proxied.session_count(), 0);
    // Sessions expire as usual.
    let cookie = proxied.sign_in(ALICE).await;
    proxied.app.clock.advance(gateway::IDLE_S);
    proxied.call(Method::GET, SUBMISSION, &cookie, ALICE).await.assert_error(401, "unauthorized");
}

#[tokio::test]
async fn unknown_identity_gets_hint_or_account() {
    let proxied = ProxiedGateway::new();
    let get_session = async || proxied.call(Method::GET, "/session", "", "Carol@example.org").await;
    for (provided, expect) in [
        (None, "no account is linked to `carol@example.org` of `header:x-auth-email`"),
        (Some(ProvisionOutcome::AddressTaken), "an address is no proof"),
        (Some(ProvisionOutcome::NoAddress), "needs a mail address"),
    ] {
        *proxied.identities.outcome.lock().unwrap() = provided;
        let refused = get_session().await;
        refused.assert_error(403, "forbidden");
        let message = refused.error_body().message;
        assert!(message.contains(expect) && message.contains("link-identity"), "{message}");
        assert!(!refused.headers.contains_key("set-cookie"));
    }
    *proxied.identities.outcome.lock().unwrap() =
        Some(ProvisionOutcome::Person(READER.parse().unwrap()));
    let cookie = get_session().await.cookie();
    assert_eq!(
        proxied.call(Method::GET, SUBMISSION, &cookie, "carol@example.org").await.status,
        200
    );
    // A link to a removed member gives no access.
    proxied.app.store.people.lock().unwrap().retain(|it| it.person.id.as_str() != READER);
    get_session().await.assert_error(403, "forbidden");
}
