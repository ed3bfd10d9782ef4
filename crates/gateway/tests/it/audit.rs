//! Tests of the audit events: sign-ins, refusals, and the actors of both.

use contract::audit::{Actor, ActorKind, AuditEvent};
use http::Method;

use crate::app::{SUBMISSION, TestApp, dashboard_request, password_body, with_client_address};
use crate::memory::{EMAIL, OWNER, PASSWORD, READER};

/// Returns the events since the last call.
fn take_events(app: &TestApp) -> Vec<AuditEvent> {
    std::mem::take(&mut *app.store.events.lock().unwrap())
}

fn summarize_events(
    events: &[AuditEvent],
) -> Vec<(&'static str, &'static str, Option<&'static str>, bool)> {
    let summary = |event: &AuditEvent| {
        (event.action.as_str(), event.outcome.as_str(), event.code, event.account.is_some())
    };
    events.iter().map(summary).collect()
}

/// Returns the distinct users that events name.
fn actor_names(events: &[AuditEvent]) -> Vec<String> {
    let person = |event: &AuditEvent| match &event.actor.person {
        Some(person) => format!("{} {}", person.id, person.email),
        None => "anonymous".to_owned(),
    };
    let mut people: Vec<_> = events.iter().map(person).collect();
    people.dedup();
    people
}

/// The owner and the reader, as events name them.
const ADA: &str = "psn_ada ada@example.org";
const BOB: &str = "psn_bob bob@example.org";
const RENAMED: &str = "psn_bob robert@example.org";

/// Signs in as a browser at a fixed address.
async fn sign_in(app: &TestApp, body: &str) -> u16 {
    let mut request =
        with_client_address(dashboard_request(Method::POST, "/session", ""), "203.0.113.9");
    request.headers_mut().insert("content-type", "application/json".parse().unwrap());
    request.headers_mut().insert("user-agent", "Firefox".parse().unwrap());
    *request.body_mut() = axum::body::Body::from(body.to_owned());
    app.send(request).await.status.as_u16()
}

#[tokio::test]
async fn sign_in_audit_has_session_and_address() {
    let app = TestApp::new();
    assert_eq!(sign_in(&app, &password_body(EMAIL, PASSWORD)).await, 200);
    let events = take_events(&app);
    assert_eq!(summarize_events(&events), [("session.begun", "ok", None, true)]);
    let actor = &events[0].actor;
    assert_eq!(actor.kind, ActorKind::Session);
    assert_eq!(events[0].object.as_ref().map(|it| it.1.clone()), actor.id);
    assert_eq!(actor.address.as_deref(), Some("203.0.113.0/24"));
    assert_eq!(actor.client.browser.as_deref(), Some("Firefox"));
    assert_eq!(
        events[0].detail_json(),
        r#"{"by":"password","person":{"id":"psn_ada","email":"ada@example.org"}}"#
    );
}

#[tokio::test]
async fn failed_sign_in_is_audited_without_credentials() {
    let app = TestApp::new();
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
        assert_eq!(sign_in(&app, &body).await, 401);
        let events = take_events(&app);
        assert_eq!(summarize_events(&events), [expected]);
        assert!(!format!("{events:?}").contains("marked"), "{events:?}");
        assert_eq!(
            (events[0].actor.id.as_ref(), actor_names(&events)),
            (None, vec!["anonymous".to_owned()])
        );
    }
    for _ in 0..4 {
        sign_in(&app, &password_body(EMAIL, "x")).await;
    }
    take_events(&app);
    assert_eq!(sign_in(&app, &password_body(EMAIL, "x")).await, 429);
    let events = take_events(&app);
    assert_eq!(
        summarize_events(&events),
        [("session.begun", "denied", Some("too_many_tries"), true)]
    );
    assert_eq!(actor_names(&events), ["anonymous"]);
}

#[tokio::test]
async fn forged_request_is_audited_for_account() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    take_events(&app);
    for (cookie, is_known) in [(cookie.as_str(), true), ("", false)] {
        let mut forged = with_client_address(
            dashboard_request(Method::POST, "/account/keys", cookie),
            "[2001:db8:1:2::3]",
        );
        forged.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
        app.send(forged).await.assert_error(403, "forbidden");
        let events = take_events(&app);
        assert_eq!(
            summarize_events(&events),
            [("request.forged", "denied", Some("not_our_page"), is_known)]
        );
        assert_eq!(events[0].actor.address.as_deref(), Some("2001:db8:1::/48"));
        // Another site sent the request, so the event does not name the user of the cookie.
        assert_eq!(actor_names(&events), ["anonymous"]);
    }
    // The request does not count as a use of the session.
    assert_eq!(*app.store.touches.lock().unwrap(), 0);
}

/// Covers the gateway's own routes that change something.
#[tokio::test]
async fn owner_actions_are_audited_once() {
    let app = TestApp::new();
    let mine = app.sign_in().await;
    let other = app.sign_in().await;
    let sessions = app.call(Method::GET, "/sessions", &mine).await;
    let list: serde_json::Value = serde_json::from_slice(&sessions.body).unwrap();
    let listed = list["data"]["sessions"].as_array().unwrap();
    let other_id = listed.iter().find(|it| it["current"] == false).unwrap()["id"].as_str().unwrap();
    take_events(&app);
    assert_eq!(app.call(Method::DELETE, &format!("/sessions/{other_id}"), &mine).await.status, 204);
    let events = take_events(&app);
    assert_eq!(summarize_events(&events), [("session.ended", "ok", None, true)]);
    assert_eq!(events[0].object, Some(("session", other_id.to_owned())));
    assert_ne!(events[0].actor.id.as_deref(), Some(other_id));
    assert_eq!(app.call(Method::GET, "/sessions", &other).await.status, 401);

    assert_eq!(app.call(Method::DELETE, "/sessions", &mine).await.status, 204);
    assert_eq!(summarize_events(&take_events(&app)), [("session.others_ended", "ok", None, true)]);

    let set = async |current: &str| {
        let mut put = dashboard_request(Method::PUT, "/password", &mine);
        put.headers_mut().insert("content-type", "application/json".parse().unwrap());
        let body = serde_json::json!({"current": current, "new": "a marked new password"});
        *put.body_mut() = axum::body::Body::from(body.to_string());
        app.send(put).await
    };
    assert_eq!(set("wrong").await.status, 403);
    let events = take_events(&app);
    assert_eq!(
        summarize_events(&events),
        [("password.changed", "denied", Some("wrong_password"), true)]
    );
    assert_eq!(actor_names(&events), [ADA]);
    let answer = set(PASSWORD).await;
    assert_eq!(answer.status, 204);
    let events = take_events(&app);
    assert_eq!(summarize_events(&events), [("password.changed", "ok", None, true)]);
    assert_eq!(actor_names(&events), [ADA]);
    assert!(!format!("{events:?}").contains("marked"));

    assert_eq!(app.call(Method::DELETE, "/session", &answer.cookie()).await.status, 204);
    assert_eq!(summarize_events(&take_events(&app)), [("session.ended", "ok", None, true)]);
}

#[tokio::test]
async fn forwarded_request_carries_actor() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    take_events(&app);
    let get =
        with_client_address(dashboard_request(Method::GET, SUBMISSION, &cookie), "203.0.113.9");
    assert_eq!(app.send(get).await.status, 200);
    assert_eq!(summarize_events(&take_events(&app)), []);
    let seen = app.seen.lock().unwrap();
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
    let app = TestApp::new();
    let cookie = app.sign_in_as(READER).await;
    assert_eq!(actor_names(&take_events(&app)), [BOB]);
    // Refusals for a reader name the reader, not the owner of the account.
    app.call(Method::DELETE, SUBMISSION, &cookie).await.assert_error(403, "forbidden");
    app.call(Method::POST, "/account/keys", &cookie).await.assert_error(403, "forbidden");
    let events = take_events(&app);
    assert_eq!(
        summarize_events(&events),
        [("request.refused", "denied", Some("forbidden"), true); 2]
    );
    assert_eq!(actor_names(&events), [BOB]);
    let wrong = r#"{"password":"wrong"}"#;
    assert_eq!(app.post("/session/proof", &cookie, wrong).await.status, 403);
    assert_eq!(actor_names(&take_events(&app)), [BOB]);

    app.store.change_member(READER, |it| it.person.email = "robert@example.org".to_owned());
    let right = format!(r#"{{"password":"{PASSWORD}"}}"#);
    let cookie = app.post("/session/proof", &cookie, &right).await.cookie();
    assert_eq!(actor_names(&take_events(&app)), [RENAMED]);
    assert_eq!(app.call(Method::DELETE, "/session", &cookie).await.status, 204);
    assert_eq!(actor_names(&take_events(&app)), [RENAMED]);
}

#[tokio::test]
async fn link_sign_in_is_audited_for_reader() {
    let app = TestApp::new();
    let owner_is_in = app.sign_in().await;
    let link = app.call(Method::POST, &format!("/people/{READER}/link"), &owner_is_in).await;
    assert_eq!(link.status, 201);
    let events = take_events(&app);
    assert_eq!(events.len(), 2);
    assert_eq!(actor_names(&events), [ADA]);
    let link: serde_json::Value = serde_json::from_slice(&link.body).unwrap();
    let body = serde_json::json!({ "token": link["token"] }).to_string();
    assert_eq!(sign_in(&app, &body).await, 200);
    assert_eq!(actor_names(&take_events(&app)), [BOB]);
}
