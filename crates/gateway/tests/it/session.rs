//! Tests of the start, the lifetime and the end of sessions.

use gateway::{ABSOLUTE_S, IDLE_S, TOUCH_S, secret};
use http::Method;

use crate::app::{SUBMISSION, TestApp, password_body};
use crate::memory::{EMAIL, PASSWORD};

/// Response of `GET /session` without a session.
const NO_SESSION: &str = r#"{"data":null}"#;

async fn is_signed_in(app: &TestApp, cookie: &str) -> bool {
    let session = app.call(Method::GET, "/session", cookie).await;
    assert_eq!(session.status, 200, "`GET /session` always succeeds");
    let forwarded = app.call(Method::GET, SUBMISSION, cookie).await.status;
    assert_eq!(session.body != NO_SESSION, forwarded == 200, "the two responses disagree");
    forwarded == 200
}

#[tokio::test]
async fn session_shows_account_and_user() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let answer = app.call(Method::GET, "/session", &cookie).await;
    assert_eq!(
        answer.body,
        concat!(
            r#"{"data":{"account":{"id":"acc_ada","email":"ada@example.org","plan":"pro"},"#,
            r#""role":"owner","email":"ada@example.org","#,
            r#""modes":["live","test"],"managed":true}}"#,
        )
    );
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[tokio::test]
async fn session_cookie_has_strict_attributes() {
    let body = password_body(EMAIL, PASSWORD);
    let plain = TestApp::new().post("/session", "", &body).await;
    let set_cookie = plain.header("set-cookie");
    let (cookie, attributes) = set_cookie.split_once("; ").unwrap();
    assert!(cookie.starts_with("sheaf=") && cookie.len() == "sheaf=".len() + 43, "{set_cookie}");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");

    let upstream =
        tower::service_fn(|_| async { Ok::<_, std::io::Error>(http::Response::default()) });
    let tls = TestApp::with_upstream(upstream, true, vec![], false);
    let set_cookie = tls.post("/session", "", &body).await;
    let set_cookie = set_cookie.header("set-cookie");
    assert!(set_cookie.starts_with("__Host-Http-sheaf="), "{set_cookie}");
    assert!(set_cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{set_cookie}");
    assert!(!set_cookie.contains("Domain"));
}

#[tokio::test]
async fn only_token_hash_is_stored() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let token = cookie.strip_prefix("sheaf=").unwrap();
    let stored: Vec<_> = app.store.sessions.lock().unwrap().keys().copied().collect();
    assert_eq!(stored, [secret::hash_token(token)]);
}

#[tokio::test]
async fn idle_session_expires() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    app.clock.advance(IDLE_S - 1);
    assert!(is_signed_in(&app, &cookie).await);
    app.clock.advance(IDLE_S - 1);
    assert!(is_signed_in(&app, &cookie).await, "its last use was not updated");
    app.clock.advance(IDLE_S);
    assert!(!is_signed_in(&app, &cookie).await);
    assert!(app.store.sessions.lock().unwrap().is_empty(), "it is still stored");
}

#[tokio::test]
async fn clock_jump_of_a_day_ends_session() {
    for (jump_s, stays) in [(3600, true), (-3600, true), (86_400, false), (-86_400, false)] {
        let app = TestApp::new();
        let cookie = app.sign_in().await;
        app.clock.advance(jump_s);
        assert_eq!(is_signed_in(&app, &cookie).await, stays, "{jump_s}");
        let second = app.sign_in().await;
        assert!(is_signed_in(&app, &second).await, "{jump_s}: sign-in fails");
    }
}

#[tokio::test]
async fn used_session_expires_after_absolute_lifetime() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let step = IDLE_S - 1;
    let mut age = 0;
    while age + step < ABSOLUTE_S {
        app.clock.advance(step);
        age += step;
        assert!(is_signed_in(&app, &cookie).await, "ended after {age} s");
    }
    app.clock.advance(ABSOLUTE_S - age);
    assert!(!is_signed_in(&app, &cookie).await);
}

#[tokio::test]
async fn last_use_is_updated_once_a_minute() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    for _ in 0..10 {
        assert!(is_signed_in(&app, &cookie).await);
    }
    assert_eq!(*app.store.touches.lock().unwrap(), 0);
    app.clock.advance(TOUCH_S);
    for _ in 0..10 {
        assert!(is_signed_in(&app, &cookie).await);
    }
    assert_eq!(*app.store.touches.lock().unwrap(), 1);
}

#[tokio::test]
async fn sign_in_replaces_session_and_token() {
    let app = TestApp::new();
    let first = app.sign_in().await;
    let body = password_body(EMAIL, PASSWORD);
    let second = app.post("/session", &first, &body).await.cookie();
    assert_ne!(first, second);
    assert!(!is_signed_in(&app, &first).await && is_signed_in(&app, &second).await);
    // A token that an attacker planted is not adopted.
    let planted = format!("sheaf={}", "A".repeat(43));
    let third = app.post("/session", &planted, &body).await.cookie();
    assert_ne!(third, planted);
    assert!(!is_signed_in(&app, &planted).await && is_signed_in(&app, &third).await);
}

#[tokio::test]
async fn sign_out_deletes_session_on_server() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let other = app.sign_in().await;
    let answer = app.call(Method::DELETE, "/session", &cookie).await;
    assert_eq!(answer.status, 204);
    assert!(answer.header("set-cookie").starts_with("sheaf=; "));
    assert!(answer.header("set-cookie").ends_with("; Max-Age=0"));
    assert!(!is_signed_in(&app, &cookie).await && is_signed_in(&app, &other).await);
}

#[tokio::test]
async fn closed_account_has_no_session() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    app.store.people.lock().unwrap().clear();
    assert_eq!(app.call(Method::GET, "/session", &cookie).await.body, NO_SESSION);
}

#[tokio::test]
async fn get_session_without_login_is_ok() {
    let app = TestApp::new();
    for cookie in ["", "sheaf=", "sheaf=0123456789abcdefghijABCDEFGHIJ_-0123456789a"] {
        let answer = app.call(Method::GET, "/session", cookie).await;
        assert_eq!((answer.status.as_u16(), answer.body), (200, NO_SESSION.into()));
    }
}

#[tokio::test]
async fn two_session_cookies_are_rejected() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    assert!(!is_signed_in(&app, &format!("{cookie}; {cookie}")).await);
    assert!(is_signed_in(&app, &format!("other=1; {cookie}")).await);
}

#[tokio::test]
async fn foreign_upstream_is_not_managed() {
    let upstream =
        tower::service_fn(|_| async { Ok::<_, std::io::Error>(http::Response::default()) });
    let app = TestApp::with_upstream(upstream, false, vec![contract::Environment::Live], false);
    let cookie = app.sign_in().await;
    let session = app.call(Method::GET, "/session", &cookie).await;
    assert!(session.body.ends_with(br#""modes":["live"],"managed":false}}"#));
    app.call(Method::GET, "/account/forms", &cookie).await.assert_error(404, "not_found");
    let other = app.call(Method::GET, "/api/test/v1/submissions/sub_1", &cookie).await;
    other.assert_error(404, "not_found");
    assert!(other.error_body().message.contains("no API key for the `test` environment"));
}
