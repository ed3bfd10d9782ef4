//! Tests of the audit events: sign-ins, refusals, and the actors of both.

use contract::audit::{Actor, ActorKind, AuditEvent};
use http::Method;

use crate::memory::{EMAIL, OWNER, PASSWORD, READER};
use crate::world::{SUBMISSION, TestApp, dashboard_request, password_body, with_client_address};

/// Returns the events since the last call.
fn take_events(world: &TestApp) -> Vec<AuditEvent> {
    std::mem::take(&mut *world.store.acts.lock().unwrap())
}

fn summarize_events(
    acts: &[AuditEvent],
) -> Vec<(&'static str, &'static str, Option<&'static str>, bool)> {
    let words = |act: &AuditEvent| {
        (act.action.as_str(), act.outcome.as_str(), act.code, act.account.is_some())
    };
    acts.iter().map(words).collect()
}

/// Returns the distinct users that events name.
fn actor_names(acts: &[AuditEvent]) -> Vec<String> {
    let person = |act: &AuditEvent| match &act.actor.person {
        Some(person) => format!("{} {}", person.id, person.email),
        None => "anonymous".to_owned(),
    };
    let mut all: Vec<_> = acts.iter().map(person).collect();
    all.dedup();
    all
}

/// The owner and the reader, as events name them.
const ADA: &str = "psn_ada ada@example.org";
const BOB: &str = "psn_bob bob@example.org";
const RENAMED: &str = "psn_bob robert@example.org";

/// Signs in as a browser at a fixed address.
async fn sign_in(world: &TestApp, body: &str) -> u16 {
    let mut request =
        with_client_address(dashboard_request(Method::POST, "/session", ""), "203.0.113.9");
    request.headers_mut().insert("content-type", "application/json".parse().unwrap());
    request.headers_mut().insert("user-agent", "Firefox".parse().unwrap());
    *request.body_mut() = axum::body::Body::from(body.to_owned());
    world.send(request).await.status.as_u16()
}

#[tokio::test]
async fn sign_in_audit_has_session_and_address() {
    let world = TestApp::new();
    assert_eq!(sign_in(&world, &password_body(EMAIL, PASSWORD)).await, 200);
    let acts = take_events(&world);
    assert_eq!(summarize_events(&acts), [("session.begun", "ok", None, true)]);
    let actor = &acts[0].actor;
    assert_eq!(actor.kind, ActorKind::Session);
    assert_eq!(acts[0].object.as_ref().map(|it| it.1.clone()), actor.id);
    assert_eq!(actor.address.as_deref(), Some("203.0.113.0/24"));
    assert_eq!(actor.client.browser.as_deref(), Some("Firefox"));
    assert_eq!(
        acts[0].detail_json(),
        r#"{"by":"password","person":{"id":"psn_ada","email":"ada@example.org"}}"#
    );
}

#[tokio::test]
async fn failed_sign_in_is_audited_without_credentials() {
    let world = TestApp::new();
    for (body, expected) in [
        (
            password_body(EMAIL, "wrong-marked"),
            ("session.begun", "denied", Some("wrong_password"), true),
        ),
        (
            password_body("marked@example.org", "x"),
            ("session.begun", "denied", Some("wrong_password"), false),
        ),
        (r#"{"token":"marked"}"#.to_owned(), ("session.begun", "denied", Some("dead_link"), false)),
    ] {
        assert_eq!(sign_in(&world, &body).await, 401);
        let acts = take_events(&world);
        assert_eq!(summarize_events(&acts), [expected]);
        assert!(!format!("{acts:?}").contains("marked"), "{acts:?}");
        assert_eq!(
            (acts[0].actor.id.as_ref(), actor_names(&acts)),
            (None, vec!["anonymous".to_owned()])
        );
    }
    for _ in 0..4 {
        sign_in(&world, &password_body(EMAIL, "x")).await;
    }
    take_events(&world);
    assert_eq!(sign_in(&world, &password_body(EMAIL, "x")).await, 429);
    let acts = take_events(&world);
    assert_eq!(
        summarize_events(&acts),
        [("session.begun", "denied", Some("too_many_tries"), true)]
    );
    assert_eq!(actor_names(&acts), ["anonymous"]);
}

#[tokio::test]
async fn forged_request_is_audited_for_account() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    take_events(&world);
    for (cookie, is_known) in [(cookie.as_str(), true), ("", false)] {
        let mut forged = with_client_address(
            dashboard_request(Method::POST, "/account/keys", cookie),
            "[2001:db8:1:2::3]",
        );
        forged.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
        world.send(forged).await.assert_error(403, "forbidden");
        let acts = take_events(&world);
        assert_eq!(
            summarize_events(&acts),
            [("request.forged", "denied", Some("not_our_page"), is_known)]
        );
        assert_eq!(acts[0].actor.address.as_deref(), Some("2001:db8:1::/48"));
        // Another site sent the request, so the event does not name the user of the cookie.
        assert_eq!(actor_names(&acts), ["anonymous"]);
    }
    // The request does not count as a use of the session.
    assert_eq!(*world.store.touches.lock().unwrap(), 0);
}

/// Covers the gateway's own routes that change something.
#[tokio::test]
async fn owner_actions_are_audited_once() {
    let world = TestApp::new();
    let mine = world.sign_in().await;
    let other = world.sign_in().await;
    let sessions = world.call(Method::GET, "/sessions", &mine).await;
    let list: serde_json::Value = serde_json::from_slice(&sessions.body).unwrap();
    let all = list["data"]["sessions"].as_array().unwrap();
    let stranger = all.iter().find(|it| it["current"] == false).unwrap()["id"].as_str().unwrap();
    take_events(&world);
    assert_eq!(
        world.call(Method::DELETE, &format!("/sessions/{stranger}"), &mine).await.status,
        204
    );
    let acts = take_events(&world);
    assert_eq!(summarize_events(&acts), [("session.ended", "ok", None, true)]);
    assert_eq!(acts[0].object, Some(("session", stranger.to_owned())));
    assert_ne!(acts[0].actor.id.as_deref(), Some(stranger));
    assert_eq!(world.call(Method::GET, "/sessions", &other).await.status, 401);

    assert_eq!(world.call(Method::DELETE, "/sessions", &mine).await.status, 204);
    assert_eq!(
        summarize_events(&take_events(&world)),
        [("session.others_ended", "ok", None, true)]
    );

    let set = async |current: &str| {
        let mut put = dashboard_request(Method::PUT, "/password", &mine);
        put.headers_mut().insert("content-type", "application/json".parse().unwrap());
        let body = serde_json::json!({"current": current, "new": "a marked new password"});
        *put.body_mut() = axum::body::Body::from(body.to_string());
        world.send(put).await
    };
    assert_eq!(set("wrong").await.status, 403);
    let acts = take_events(&world);
    assert_eq!(
        summarize_events(&acts),
        [("password.changed", "denied", Some("wrong_password"), true)]
    );
    assert_eq!(actor_names(&acts), [ADA]);
    let answer = set(PASSWORD).await;
    assert_eq!(answer.status, 204);
    let acts = take_events(&world);
    assert_eq!(summarize_events(&acts), [("password.changed", "ok", None, true)]);
    assert_eq!(actor_names(&acts), [ADA]);
    assert!(!format!("{acts:?}").contains("marked"));

    assert_eq!(world.call(Method::DELETE, "/session", &answer.cookie()).await.status, 204);
    assert_eq!(summarize_events(&take_events(&world)), [("session.ended", "ok", None, true)]);
}

#[tokio::test]
async fn forwarded_request_carries_actor() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    take_events(&world);
    let get =
        with_client_address(dashboard_request(Method::GET, SUBMISSION, &cookie), "203.0.113.9");
    assert_eq!(world.send(get).await.status, 200);
    assert_eq!(summarize_events(&take_events(&world)), []);
    let seen = world.seen.lock().unwrap();
    let actor: &Actor = seen.last().unwrap().extensions().get().unwrap();
    assert_eq!(
        (actor.kind, actor.address.as_deref()),
        (ActorKind::Session, Some("203.0.113.0/24"))
    );
    assert!(actor.id.as_ref().is_some_and(|id| id.starts_with("ses_")));
    let person = actor.person.as_ref().unwrap();
    assert_eq!((person.id.as_str(), person.email.as_str()), (OWNER, EMAIL));
    assert_eq!(person.account.as_str(), "acc_ada");
}

#[tokio::test]
async fn event_names_user_by_current_address() {
    let world = TestApp::new();
    let cookie = world.sign_in_as(READER).await;
    assert_eq!(actor_names(&take_events(&world)), [BOB]);
    // Refusals for a reader name the reader, not the owner of the account.
    world.call(Method::DELETE, SUBMISSION, &cookie).await.assert_error(403, "forbidden");
    world.call(Method::POST, "/account/keys", &cookie).await.assert_error(403, "forbidden");
    let acts = take_events(&world);
    assert_eq!(
        summarize_events(&acts),
        [("request.refused", "denied", Some("forbidden"), true); 2]
    );
    assert_eq!(actor_names(&acts), [BOB]);
    let wrong = r#"{"password":"wrong"}"#;
    assert_eq!(world.post("/session/proof", &cookie, wrong).await.status, 403);
    assert_eq!(actor_names(&take_events(&world)), [BOB]);

    world.store.change_member(READER, |it| it.person.email = "robert@example.org".to_owned());
    let right = format!(r#"{{"password":"{PASSWORD}"}}"#);
    let cookie = world.post("/session/proof", &cookie, &right).await.cookie();
    assert_eq!(actor_names(&take_events(&world)), [RENAMED]);
    assert_eq!(world.call(Method::DELETE, "/session", &cookie).await.status, 204);
    assert_eq!(actor_names(&take_events(&world)), [RENAMED]);
}

#[tokio::test]
async fn link_sign_in_is_audited_for_reader() {
    let world = TestApp::new();
    let owner_is_in = world.sign_in().await;
    let link = world.call(Method::POST, &format!("/people/{READER}/link"), &owner_is_in).await;
    assert_eq!(link.status, 201);
    let acts = take_events(&world);
    assert_eq!(acts.len(), 2);
    assert_eq!(actor_names(&acts), [ADA]);
    let link: serde_json::Value = serde_json::from_slice(&link.body).unwrap();
    let body = serde_json::json!({ "token": link["token"] }).to_string();
    assert_eq!(sign_in(&world, &body).await, 200);
    assert_eq!(actor_names(&take_events(&world)), [BOB]);
}
