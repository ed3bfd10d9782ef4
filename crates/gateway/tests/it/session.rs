//! Tests of the start, the lifetime and the end of sessions.

use gateway::{ABSOLUTE_S, IDLE_S, TOUCH_S, secret};
use http::Method;

use crate::memory::{EMAIL, PASSWORD};
use crate::world::{SUBMISSION, TestApp, password_body};

/// Response of `GET /session` without a session.
const NO_SESSION: &str = r#"{"data":null}"#;

async fn is_signed_in(world: &TestApp, cookie: &str) -> bool {
    let who = world.call(Method::GET, "/session", cookie).await;
    assert_eq!(who.status, 200, "`GET /session` always succeeds");
    let forwarded = world.call(Method::GET, SUBMISSION, cookie).await.status;
    assert_eq!(who.body != NO_SESSION, forwarded == 200, "the two responses disagree");
    forwarded == 200
}

#[tokio::test]
async fn session_shows_account_and_user() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    let answer = world.call(Method::GET, "/session", &cookie).await;
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
    let given = plain.header("set-cookie");
    let (cookie, attributes) = given.split_once("; ").unwrap();
    assert!(cookie.starts_with("sheaf=") && cookie.len() == "sheaf=".len() + 43, "{given}");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");

    let upstream =
        tower::service_fn(|_| async { Ok::<_, std::io::Error>(http::Response::default()) });
    let tls = TestApp::with_upstream(upstream, true, vec![], false);
    let given = tls.post("/session", "", &body).await;
    let given = given.header("set-cookie");
    assert!(given.starts_with("__Host-Http-sheaf="), "{given}");
    assert!(given.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{given}");
    assert!(!given.contains("Domain"));
}

#[tokio::test]
async fn only_token_hash_is_stored() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    let token = cookie.strip_prefix("sheaf=").unwrap();
    let stored: Vec<_> = world.store.sessions.lock().unwrap().keys().copied().collect();
    assert_eq!(stored, [secret::hash_token(token)]);
}

#[tokio::test]
async fn idle_session_expires() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    world.clock.advance(IDLE_S - 1);
    assert!(is_signed_in(&world, &cookie).await);
    world.clock.advance(IDLE_S - 1);
    assert!(is_signed_in(&world, &cookie).await, "its last use was not updated");
    world.clock.advance(IDLE_S);
    assert!(!is_signed_in(&world, &cookie).await);
    assert!(world.store.sessions.lock().unwrap().is_empty(), "it is still stored");
}

#[tokio::test]
async fn clock_jump_of_a_day_ends_session() {
    for (jump_s, stays) in [(3600, true), (-3600, true), (86_400, false), (-86_400, false)] {
        let world = TestApp::new();
        let cookie = world.sign_in().await;
        world.clock.advance(jump_s);
        assert_eq!(is_signed_in(&world, &cookie).await, stays, "{jump_s}");
        let anew = world.sign_in().await;
        assert!(is_signed_in(&world, &anew).await, "{jump_s}: sign-in fails");
    }
}

#[tokio::test]
async fn used_session_expires_after_absolute_lifetime() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    let step = IDLE_S - 1;
    let mut age = 0;
    while age + step < ABSOLUTE_S {
        world.clock.advance(step);
        age += step;
        assert!(is_signed_in(&world, &cookie).await, "ended after {age} s");
    }
    world.clock.advance(ABSOLUTE_S - age);
    assert!(!is_signed_in(&world, &cookie).await);
}

#[tokio::test]
async fn last_use_is_updated_once_a_minute() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    for _ in 0..10 {
        assert!(is_signed_in(&world, &cookie).await);
    }
    assert_eq!(*world.store.touches.lock().unwrap(), 0);
    world.clock.advance(TOUCH_S);
    for _ in 0..10 {
        assert!(is_signed_in(&world, &cookie).await);
    }
    assert_eq!(*world.store.touches.lock().unwrap(), 1);
}

#[tokio::test]
async fn sign_in_replaces_session_and_token() {
    let world = TestApp::new();
    let first = world.sign_in().await;
    let body = password_body(EMAIL, PASSWORD);
    let second = world.post("/session", &first, &body).await.cookie();
    assert_ne!(first, second);
    assert!(!is_signed_in(&world, &first).await && is_signed_in(&world, &second).await);
    // A token that an attacker planted is not adopted.
    let planted = format!("sheaf={}", "A".repeat(43));
    let third = world.post("/session", &planted, &body).await.cookie();
    assert_ne!(third, planted);
    assert!(!is_signed_in(&world, &planted).await && is_signed_in(&world, &third).await);
}

#[tokio::test]
async fn sign_out_deletes_session_on_server() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    let other = world.sign_in().await;
    let answer = world.call(Method::DELETE, "/session", &cookie).await;
    assert_eq!(answer.status, 204);
    assert!(answer.header("set-cookie").starts_with("sheaf=; "));
    assert!(answer.header("set-cookie").ends_with("; Max-Age=0"));
    assert!(!is_signed_in(&world, &cookie).await && is_signed_in(&world, &other).await);
}

#[tokio::test]
async fn closed_account_has_no_session() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    world.store.people.lock().unwrap().clear();
    assert_eq!(world.call(Method::GET, "/session", &cookie).await.body, NO_SESSION);
}

#[tokio::test]
async fn get_session_without_login_is_ok() {
    let world = TestApp::new();
    for cookie in ["", "sheaf=", "sheaf=0123456789abcdefghijABCDEFGHIJ_-0123456789a"] {
        let answer = world.call(Method::GET, "/session", cookie).await;
        assert_eq!((answer.status.as_u16(), answer.body), (200, NO_SESSION.into()));
    }
}

#[tokio::test]
async fn two_session_cookies_are_rejected() {
    let world = TestApp::new();
    let cookie = world.sign_in().await;
    assert!(!is_signed_in(&world, &format!("{cookie}; {cookie}")).await);
    assert!(is_signed_in(&world, &format!("other=1; {cookie}")).await);
}

#[tokio::test]
async fn foreign_upstream_is_not_managed() {
    let upstream =
        tower::service_fn(|_| async { Ok::<_, std::io::Error>(http::Response::default()) });
    let world = TestApp::with_upstream(upstream, false, vec![contract::Environment::Live], false);
    let cookie = world.sign_in().await;
    let who = world.call(Method::GET, "/session", &cookie).await;
    assert!(who.body.ends_with(br#""modes":["live"],"managed":false}}"#));
    world.call(Method::GET, "/account/forms", &cookie).await.assert_error(404, "not_found");
    let other = world.call(Method::GET, "/api/test/v1/submissions/sub_1", &cookie).await;
    other.assert_error(404, "not_found");
    assert!(other.error_body().message.contains("no API key for the `test` environment"));
}
