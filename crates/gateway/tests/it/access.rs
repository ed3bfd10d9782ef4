//! Tests of sessions, password and mail address of a member.

use std::sync::Arc;

use contract::Data;
use contract::account::AccountAccess;
use contract::audit::{Action, AuditEvent};
use gateway::{EMAIL_CODE_S, IDLE_S, REAUTHENTICATION_S};
use http::Method;
use serde_json::{Value, json};

use crate::app::{ReceivedResponse, TestApp, dashboard_request, password_body};
use crate::mailer::{Behaviour, RecordedMail, RecordingMailer, app_with_mail};
use crate::memory::{EMAIL, OWNER, PASSWORD};

const NEW: &str = "an even older stapler";

async fn get_access(app: &TestApp, cookie: &str) -> AccountAccess {
    let answer = app.call(Method::GET, "/sessions", cookie).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, "no-store"));
    serde_json::from_slice::<Data<AccountAccess>>(&answer.body).unwrap().data
}

async fn put_password(app: &TestApp, cookie: &str, body: &Value) -> ReceivedResponse {
    let mut request =
        dashboard_request(Method::PUT, "/password", cookie).map(|_| body.to_string().into());
    request.headers_mut().insert("content-type", "application/json".parse().unwrap());
    app.send(request).await
}

async fn is_signed_in(app: &TestApp, cookie: &str) -> bool {
    app.call(Method::GET, "/sessions", cookie).await.status == 200
}

#[tokio::test]
async fn owner_lists_own_sessions() {
    let app = TestApp::new();
    let first = app.sign_in().await;
    app.clock.advance(60);
    let second = app.sign_in().await;
    let sessions = get_access(&app, &second).await;
    assert!(sessions.has_password);
    let listed: Vec<_> = sessions
        .sessions
        .iter()
        .map(|it| (it.is_current, it.created_at == it.last_used_at))
        .collect();
    assert_eq!(listed, [(true, true), (false, true)]);
    let seen_by_first = get_access(&app, &first).await.sessions;
    let current: Vec<_> = seen_by_first.iter().filter(|it| it.is_current).collect();
    assert_eq!((current.len(), &current[0].id), (1, &sessions.sessions[1].id));
    // Expired sessions are not listed.
    app.clock.advance(IDLE_S - 30);
    assert_eq!(get_access(&app, &second).await.sessions.len(), 2);
    app.clock.advance(60);
    assert_eq!(get_access(&app, &second).await.sessions.len(), 1);
}

#[tokio::test]
async fn session_id_is_no_credential() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let id = get_access(&app, &cookie).await.sessions[0].id.clone();
    let opaque = id.as_str().trim_start_matches("ses_");
    assert!(!cookie.contains(opaque));
    assert!(!is_signed_in(&app, &format!("sheaf={opaque}")).await);
}

#[tokio::test]
async fn single_session_or_all_others_end() {
    let app = TestApp::new();
    let other = app.sign_in().await;
    let two = app.sign_in().await;
    let current = app.sign_in().await;
    let session_ids = async |cookie: &str| {
        let all = get_access(&app, cookie).await.sessions;
        all.into_iter().find(|it| it.is_current).unwrap().id
    };
    let path = format!("/sessions/{}", session_ids(&other).await);
    assert_eq!(app.call(Method::DELETE, &path, &current).await.status, 204);
    assert!(!is_signed_in(&app, &other).await && is_signed_in(&app, &two).await);
    app.call(Method::DELETE, &path, &current).await.assert_error(404, "not_found");
    app.call(Method::DELETE, "/sessions/x", &current).await.assert_error(404, "not_found");

    assert_eq!(app.call(Method::DELETE, "/sessions", &current).await.status, 204);
    assert!(!is_signed_in(&app, &two).await && is_signed_in(&app, &current).await);
}

#[tokio::test]
async fn new_password_replaces_all_sessions() {
    let app = TestApp::new();
    let other = app.sign_in().await;
    let current = app.sign_in().await;
    let answer = put_password(&app, &current, &json!({ "current": PASSWORD, "new": NEW })).await;
    assert_eq!(answer.status, 204);
    let cookie = answer.cookie();
    assert!(is_signed_in(&app, &cookie).await);
    assert!(!is_signed_in(&app, &current).await && !is_signed_in(&app, &other).await);
    let sign_in = async |password: &str| {
        app.post("/session", "", &password_body(EMAIL, password)).await.status.as_u16()
    };
    assert_eq!((sign_in(PASSWORD).await, sign_in(NEW).await), (401, 200));
}

#[tokio::test]
async fn password_change_requires_current_password() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    for body in [json!({ "new": NEW }), json!({ "current": "another stapler", "new": NEW })] {
        put_password(&app, &cookie, &body).await.assert_error(403, "forbidden");
    }
    for body in [json!({}), json!([]), json!({ "current": PASSWORD, "new": NEW, "more": 1 })] {
        put_password(&app, &cookie, &body).await.assert_error(400, "validation_error");
    }
    let weak = json!({ "current": PASSWORD, "new": "short" });
    put_password(&app, &cookie, &weak).await.assert_error(400, "validation_error");
    assert!(is_signed_in(&app, &cookie).await);
    // Guesses are limited as at sign-in.
    let wrong = json!({ "current": "another stapler", "new": NEW });
    let mut last = put_password(&app, &cookie, &wrong).await;
    for _ in 0..8 {
        last = put_password(&app, &cookie, &wrong).await;
    }
    assert_eq!(last.status, 429);
}

#[tokio::test]
async fn failed_sign_ins_do_not_block_reauthentication() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let wrong = password_body(EMAIL, "another stapler");
    let mut last = app.post("/session", "", &wrong).await;
    for _ in 0..30 {
        last = app.post("/session", "", &wrong).await;
    }
    last.assert_error(429, "rate_limit_exceeded");
    let proof = json!({ "password": PASSWORD }).to_string();
    let proven = app.post("/session/proof", &cookie, &proof).await;
    assert_eq!(proven.status, 204);
    let new = json!({ "current": PASSWORD, "new": NEW });
    assert_eq!(put_password(&app, &proven.cookie(), &new).await.status, 204);
}

#[tokio::test]
async fn first_password_requires_recent_link_sign_in() {
    let app = TestApp::new();
    app.store.change_member(OWNER, |it| it.password_hash = None);
    let cookie = app.sign_in().await;
    assert!(!get_access(&app, &cookie).await.has_password);
    app.clock.advance(REAUTHENTICATION_S);
    put_password(&app, &cookie, &json!({ "new": NEW })).await.assert_error(403, "forbidden");
    let cookie = app.sign_in().await;
    assert_eq!(put_password(&app, &cookie, &json!({ "new": NEW })).await.status, 204);
    app.store.change_member(OWNER, |it| assert!(it.password_hash.is_some()));
}

async fn put_email(app: &TestApp, cookie: &str, body: &Value) -> ReceivedResponse {
    let mut request =
        dashboard_request(Method::PUT, "/account/email", cookie).map(|_| body.to_string().into());
    request.headers_mut().insert("content-type", "application/json".parse().unwrap());
    app.send(request).await
}

#[tokio::test]
async fn new_address_ends_other_sessions() {
    let app = TestApp::new();
    let other = app.sign_in().await;
    let cookie = app.sign_in().await;
    let answer = put_email(&app, &cookie, &json!({ "email": " New@Example.org " })).await;
    assert_eq!(answer.status, 204);
    assert!(is_signed_in(&app, &cookie).await && !is_signed_in(&app, &other).await);
    app.store.change_member(OWNER, |it| assert_eq!(it.person.email, "new@example.org"));
    let sign_in = async |email: &str| {
        app.post("/session", "", &password_body(email, PASSWORD)).await.status.as_u16()
    };
    assert_eq!((sign_in(EMAIL).await, sign_in("new@example.org").await), (401, 200));
    let events = app.store.events.lock().unwrap();
    let event = events.iter().find(|event| event.action == Action::EmailSet).unwrap();
    assert!(
        event.detail_json().contains(r#""before":"ada@example.org","email":"new@example.org""#)
    );
}

#[tokio::test]
async fn address_change_requires_recent_authentication() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let new = json!({ "email": "new@example.org" });
    for bad in [json!({}), json!([]), json!({"email": "x"}), json!({"email": "a@b.c", "x": 1})] {
        put_email(&app, &cookie, &bad).await.assert_error(400, "validation_error");
    }
    let request_body = json!({ "email": "bob@example.org" });
    put_email(&app, &cookie, &request_body).await.assert_error(409, "validation_error");
    let refused =
        |event: &AuditEvent| event.action == Action::EmailSet && event.code == Some("taken");
    assert!(app.store.events.lock().unwrap().iter().any(refused), "the refusal is not audited");
    app.clock.advance(REAUTHENTICATION_S);
    let answer = put_email(&app, &cookie, &new).await;
    assert_eq!(answer.status, 403);
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(body["needs"], "password");
    let proof = json!({ "password": PASSWORD }).to_string();
    let proven = app.post("/session/proof", &cookie, &proof).await.cookie();
    assert_eq!(put_email(&app, &proven, &new).await.status, 204);
    put_email(&app, "", &new).await.assert_error(401, "unauthorized");
    assert_eq!(app.call(Method::GET, "/account/email", &proven).await.status, 405);
}

/// The responses reveal which addresses have a member.
#[tokio::test]
async fn address_requests_are_limited_per_member() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let body = json!({ "email": "bob@example.org" });
    for _ in 0..3 {
        put_email(&app, &cookie, &body).await.assert_error(409, "validation_error");
    }
    for _ in 0..2 {
        let answer = app.post("/people", &cookie, &body.to_string()).await;
        answer.assert_error(409, "validation_error");
    }
    for _ in 0..2 {
        put_email(&app, &cookie, &body).await.assert_error(429, "rate_limit_exceeded");
    }
    let answer = app.post("/people", &cookie, &body.to_string()).await;
    answer.assert_error(429, "rate_limit_exceeded");
    let limited = |event: &AuditEvent| event.code == Some("too_many_tries");
    assert!(app.store.events.lock().unwrap().iter().any(limited), "the refusal is not audited");

    // Re-authentication does not reset the count.
    let proof = json!({ "password": PASSWORD }).to_string();
    let cookie = app.post("/session/proof", &cookie, &proof).await.cookie();
    put_email(&app, &cookie, &body).await.assert_error(429, "rate_limit_exceeded");
    app.clock.advance(2);
    put_email(&app, &cookie, &body).await.assert_error(409, "validation_error");
    put_email(&app, &cookie, &body).await.assert_error(429, "rate_limit_exceeded");
}

#[tokio::test]
async fn added_readers_are_not_counted() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    for n in 0..8 {
        let body = json!({ "email": format!("reader{n}@example.org") }).to_string();
        assert_eq!(app.post("/people", &cookie, &body).await.status, 201, "{n}");
    }
}

/// Requests a code for an address, and returns the code that was sent.
async fn request_code(
    (app, mailer): &(TestApp, Arc<RecordingMailer>),
    cookie: &str,
    email: &str,
) -> String {
    let answer = put_email(app, cookie, &json!({ "email": email })).await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (202, 0));
    match mailer.wait_for(1).await.pop() {
        Some(RecordedMail::Code { recipient, code, .. }) => {
            assert_eq!(recipient, email);
            assert!(code.len() == 8 && code.bytes().all(|digit| digit.is_ascii_digit()), "{code}");
            code
        }
        other => panic!("no code: {other:?}"),
    }
}

#[tokio::test]
async fn new_address_is_confirmed_by_code() {
    let app = app_with_mail();
    let cookie = app.0.sign_in().await;
    app.1.take();
    let code = request_code(&app, &cookie, "new@example.org").await;
    let (test_app, mailer) = &app;
    test_app.store.change_member(OWNER, |it| assert_eq!(it.person.email, EMAIL));
    let wrong = json!({ "email": "new@example.org", "code": "0000000" });
    put_email(test_app, &cookie, &wrong).await.assert_error(403, "forbidden");
    let other = json!({ "email": "other@example.org", "code": code });
    put_email(test_app, &cookie, &other).await.assert_error(403, "forbidden");
    let refused = |event: &AuditEvent| event.code == Some("wrong_code");
    assert!(
        test_app.store.events.lock().unwrap().iter().any(refused),
        "the refusal is not audited"
    );
    let right = json!({ "email": "NEW@example.org", "code": format!(" {code} ") });
    assert_eq!(put_email(test_app, &cookie, &right).await.status, 204);
    test_app.store.change_member(OWNER, |it| assert_eq!(it.person.email, "new@example.org"));
    let notices = mailer.take();
    let reports_change = |mail: &RecordedMail| matches!(mail, RecordedMail::Notice { recipient, .. } if recipient == EMAIL);
    assert!(notices.iter().any(reports_change), "{notices:?}");
    // The current address is part of the code, so it works once.
    put_email(test_app, &cookie, &right).await.assert_error(403, "forbidden");
}

#[tokio::test]
async fn code_expires_after_thirty_minutes() {
    let app = app_with_mail();
    let cookie = app.0.sign_in().await;
    app.1.take();
    let code = request_code(&app, &cookie, "new@example.org").await;
    app.0.clock.advance(2 * EMAIL_CODE_S);
    let proof = json!({ "password": PASSWORD }).to_string();
    let cookie = app.0.post("/session/proof", &cookie, &proof).await.cookie();
    let body = json!({ "email": "new@example.org", "code": code });
    put_email(&app.0, &cookie, &body).await.assert_error(403, "forbidden");
}

#[tokio::test]
async fn request_of_code_does_not_reveal_member() {
    let app = app_with_mail();
    let cookie = app.0.sign_in().await;
    app.1.take();
    let code = request_code(&app, &cookie, "bob@example.org").await;
    let body = json!({ "email": "bob@example.org", "code": code });
    put_email(&app.0, &cookie, &body).await.assert_error(409, "validation_error");
}

#[tokio::test]
async fn mailbox_is_not_flooded_with_codes() {
    let app = app_with_mail();
    let cookie = app.0.sign_in().await;
    app.1.take();
    for _ in 0..3 {
        request_code(&app, &cookie, "new@example.org").await;
    }
    let body = json!({ "email": "new@example.org" });
    put_email(&app.0, &cookie, &body).await.assert_error(429, "rate_limit_exceeded");
    assert_eq!(app.1.take(), []);
}

#[tokio::test]
async fn code_that_was_not_sent_is_an_error() {
    let app = app_with_mail();
    let cookie = app.0.sign_in().await;
    app.1.set_behaviour(Behaviour::Fail);
    let body = json!({ "email": "new@example.org" });
    put_email(&app.0, &cookie, &body).await.assert_error(502, "internal_error");
}
