//! Tests of sign-in: by link, by password, and limits of guessing.

use axum::extract::Request;
use gateway::{Clock, secret};
use http::Method;

use crate::app::{
    ReceivedResponse, TestApp, dashboard_request, password_body, with_client_address,
};
use crate::memory::{EMAIL, OWNER, PASSWORD};

async fn attempt_sign_in(app: &TestApp, address: &str, body: &str) -> ReceivedResponse {
    app.send(with_json(
        with_client_address(dashboard_request(Method::POST, "/session", ""), address),
        body,
    ))
    .await
}

fn with_json(mut request: Request, body: &str) -> Request {
    request.headers_mut().insert("content-type", "application/json".parse().unwrap());
    *request.body_mut() = axum::body::Body::from(body.to_owned());
    request
}

/// Creates a sign-in link that expires after `seconds`, and returns the request body for it.
fn create_link(app: &TestApp, seconds: i64) -> String {
    let (token, hash) = secret::generate_token();
    let end = contract::Timestamp::from_millis(app.clock.now().millis() + seconds * 1000);
    app.store.links.lock().unwrap().insert(hash, (OWNER.parse().unwrap(), end.unwrap()));
    serde_json::json!({ "token": token }).to_string()
}

#[tokio::test]
async fn link_works_once_before_expiry() {
    let app = TestApp::new();
    let body = create_link(&app, 900);
    for _ in 0..2 {
        let shown = app.post("/session/link", "", &body).await;
        assert_eq!(
            (shown.status.as_u16(), &*shown.body),
            (200, br#"{"data":{"email":"ada@example.org"}}"#.as_slice())
        );
        assert!(!shown.headers.contains_key("set-cookie"));
    }
    let first = app.post("/session", "", &body).await;
    assert_eq!(first.status, 200);
    app.post("/session/link", "", &body).await.assert_error(401, "unauthorized");
    assert_eq!(app.call(Method::GET, "/session", &first.cookie()).await.status, 200);
    app.post("/session", "", &body).await.assert_error(401, "unauthorized");
    let late = create_link(&app, 900);
    app.clock.advance(900);
    app.post("/session", "", &late).await.assert_error(401, "unauthorized");
    for token in ["", "short", "../../x", &"x".repeat(3000)] {
        let body = serde_json::json!({ "token": token }).to_string();
        let answer = app.post("/session", "", &body).await;
        answer.assert_error(401, "unauthorized");
        assert!(!answer.headers.contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn mail_address_is_normalised() {
    let app = TestApp::new();
    let answer = app.post("/session", "", &password_body("  ADA@Example.ORG ", PASSWORD)).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn response_does_not_reveal_account() {
    let app = TestApp::new();
    let mut answers = Vec::new();
    let bodies = [
        (EMAIL, "wrong password"),
        ("nobody@example.org", PASSWORD),
        ("not an address", "x"),
        ("nopassword@example.org", ""),
        ("a@b@c", PASSWORD),
        (&"x".repeat(2000), PASSWORD),
    ];
    for (email, password) in bodies {
        let answer = app.post("/session", "", &password_body(email, password)).await;
        answer.assert_error(401, "unauthorized");
        answers.push((format!("{:?}", answer.headers), answer.body));
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
}

#[tokio::test]
async fn unknown_address_takes_as_long() {
    let app = TestApp::new();
    let hash = gateway::password::hash_password(PASSWORD).unwrap();
    app.store.change_member(OWNER, |it| it.password_hash = Some(hash));
    let mut ticks = [0; 2];
    for (email, ticks) in [EMAIL, "nobody@example.org"].iter().zip(&mut ticks) {
        let before = cpu_ticks();
        for _ in 0..4 {
            app.post("/session", "", &password_body(email, "wrong password")).await;
        }
        *ticks = cpu_ticks() - before;
    }
    // Without the dummy hash it would be about fifty times less.
    assert!(ticks[1] * 5 > ticks[0], "{ticks:?}");
}

/// Returns the CPU time of this process in hundredths of a second. Unlike elapsed time, it does not
/// depend on the load of the machine.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let times = after_name.split_whitespace().skip(11).take(2);
    times.map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

#[tokio::test]
async fn guesses_are_delayed_across_spellings_and_addresses() {
    let app = TestApp::new();
    let spellings = [EMAIL, "ADA@example.org", " ada@example.org"];
    for (n, email) in spellings.iter().cycle().take(5).enumerate() {
        let address = format!("10.0.0.{n}");
        attempt_sign_in(&app, &address, &password_body(email, "wrong"))
            .await
            .assert_error(401, "unauthorized");
    }
    let refused = attempt_sign_in(&app, "10.0.1.1", &password_body(EMAIL, PASSWORD)).await;
    refused.assert_error(429, "rate_limit_exceeded");
    assert_eq!(refused.error_body().retry_after, Some(2));
    assert_eq!(refused.header("retry-after"), "2");
    // An unknown address is delayed in the same way, so the delay reveals nothing.
    for n in 0..5 {
        let address = format!("10.0.2.{n}");
        attempt_sign_in(&app, &address, &password_body("nobody@example.org", "wrong")).await;
    }
    let unknown =
        attempt_sign_in(&app, "10.0.3.1", &password_body("nobody@example.org", "wrong")).await;
    assert_eq!(unknown.body, refused.body);
    // The link still works, and after the delay the password does too.
    let body = create_link(&app, 900);
    assert_eq!(attempt_sign_in(&app, "10.0.4.1", &body).await.status, 200);
    app.clock.advance(2);
    let retried = attempt_sign_in(&app, "10.0.4.2", &password_body(EMAIL, PASSWORD)).await;
    assert_eq!(retried.status, 200);
}

#[tokio::test]
async fn concurrent_password_change_fails_sign_in() {
    let app = TestApp::new();
    let password = password_body(EMAIL, PASSWORD);
    for body in [password, create_link(&app, 900)] {
        let hash =
            app.store.find_member(|it| it.person.email == EMAIL).unwrap().unwrap().password_hash;
        *app.store.next_hash.lock().unwrap() = Some("$argon2id$another".to_owned());
        let answer = app.post("/session", "", &body).await;
        answer.assert_error(401, "unauthorized");
        assert!(!answer.headers.contains_key("set-cookie"));
        assert!(app.store.sessions.lock().unwrap().is_empty());
        app.store.change_member(OWNER, |it| it.password_hash = hash);
    }
}

/// The store compares addresses with full case folding, so all of these belong to one member.
#[tokio::test]
async fn spellings_of_address_share_one_count() {
    let app = TestApp::new();
    for (n, name) in
        ["sissi", "SISSI", "\u{17f}issi", "s\u{131}ssi", "si\u{df}i"].iter().enumerate()
    {
        let body = password_body(&format!("{name}@example.org"), "wrong");
        attempt_sign_in(&app, &format!("10.0.0.{n}"), &body)
            .await
            .assert_error(401, "unauthorized");
    }
    let body = password_body("si\u{1e9e}i@example.org", "wrong");
    attempt_sign_in(&app, "10.0.1.1", &body).await.assert_error(429, "rate_limit_exceeded");
}

#[tokio::test]
async fn success_resets_failed_attempts() {
    let app = TestApp::new();
    let wrong = password_body(EMAIL, "wrong");
    for round in 0..2 {
        for n in 0..4 {
            let address = format!("10.2.{round}.{n}");
            attempt_sign_in(&app, &address, &wrong).await.assert_error(401, "unauthorized");
        }
        let right = password_body(EMAIL, PASSWORD);
        assert_eq!(app.post("/session", "", &right).await.status, 200);
    }
}

#[tokio::test]
async fn concurrent_guesses_are_all_counted() {
    let app = TestApp::new();
    let guesses = (0..15).map(|n| {
        let app = &app;
        async move {
            let address = format!("10.1.0.{n}");
            attempt_sign_in(app, &address, &password_body(EMAIL, "wrong")).await.status.as_u16()
        }
    });
    let statuses = futures_util::future::join_all(guesses).await;
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5, "{statuses:?}");
}

#[tokio::test]
async fn address_has_twenty_attempts_a_minute() {
    let app = TestApp::new();
    let body = r#"{"token":"x"}"#;
    for _ in 0..20 {
        attempt_sign_in(&app, "192.0.2.1", body).await.assert_error(401, "unauthorized");
    }
    attempt_sign_in(&app, "192.0.2.1", body).await.assert_error(429, "rate_limit_exceeded");
    let shown =
        with_client_address(dashboard_request(Method::POST, "/session/link", ""), "192.0.2.1");
    app.send(with_json(shown, body)).await.assert_error(429, "rate_limit_exceeded");
    attempt_sign_in(&app, "192.0.2.2", body).await.assert_error(401, "unauthorized");
    app.clock.advance(60);
    attempt_sign_in(&app, "192.0.2.1", body).await.assert_error(401, "unauthorized");
}

#[tokio::test]
async fn invalid_bodies_are_explained() {
    let app = TestApp::new();
    for body in ["", "{", "[]", "{}", r#"{"email":"a@b.c"}"#, r#"{"token":1}"#, "null", "\u{0}"] {
        let answer = app.post("/session", "", body).await;
        answer.assert_error(400, "validation_error");
        assert!(answer.error_body().message.contains("`email` and `password`"));
    }
    let big = password_body(EMAIL, &"x".repeat(4096));
    app.post("/session", "", &big).await.assert_error(413, "validation_error");
}
