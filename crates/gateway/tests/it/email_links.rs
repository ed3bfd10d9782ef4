//! Tests of sign-in links that users request by e-mail.

use contract::audit::{Action, AuditEvent, AuditOutcome};
use contract::notification::MailLanguage;
use gateway::{EMAIL_LINK_S, secret};
use http::{HeaderValue, Method};
use serde_json::{Value, json};

use crate::app::{ReceivedResponse, TestApp, dashboard_request, with_client_address};
use crate::mailer::{Behaviour, RecordedMail, RecordingMailer, app_with_mail};
use crate::memory::{EMAIL, OWNER};

const ROUTE: &str = "/session/email-link";

async fn request_link(app: &TestApp, email: &str) -> ReceivedResponse {
    app.post(ROUTE, "", &json!({ "email": email }).to_string()).await
}

/// Returns the tokens of the links in e-mails.
fn tokens(mails: Vec<RecordedMail>) -> Vec<String> {
    let token = |mail| match mail {
        RecordedMail::Link { token, .. } => token,
        other => panic!("not a link: {other:?}"),
    };
    mails.into_iter().map(token).collect()
}

/// Requests a link for the owner, and returns all links that were sent. Tasks run in order, so the
/// links of earlier requests are among them.
async fn links_until_owner(app: &TestApp, mailer: &RecordingMailer) -> Vec<RecordedMail> {
    assert_eq!(request_link(app, EMAIL).await.status, 202);
    mailer.wait_for(1).await
}

fn link_events(app: &TestApp) -> Vec<AuditEvent> {
    let events = app.store.events.lock().unwrap();
    events.iter().filter(|event| event.action == Action::LinkMade).cloned().collect()
}

#[tokio::test]
async fn requested_link_signs_in_once() {
    let (app, mailer) = app_with_mail();
    assert_eq!(request_link(&app, " ADA@Example.org ").await.status, 202);
    let mails = mailer.wait_for(1).await;
    let [RecordedMail::Link { recipient, token, .. }] = mails.as_slice() else {
        panic!("{mails:?}");
    };
    assert_eq!(recipient, EMAIL);
    let links: Vec<_> = app.store.links.lock().unwrap().keys().copied().collect();
    assert_eq!(links, [secret::hash_token(token)], "only the hash is stored");
    let body = json!({ "token": token }).to_string();
    assert_eq!(app.post("/session", "", &body).await.status, 200);
    app.post("/session", "", &body).await.assert_error(401, "unauthorized");
}

#[tokio::test]
async fn requested_link_is_valid_for_15_minutes() {
    let (app, mailer) = app_with_mail();
    for (age_s, status) in [(EMAIL_LINK_S - 1, 200), (EMAIL_LINK_S, 401)] {
        let links = links_until_owner(&app, &mailer).await;
        let body = json!({ "token": tokens(links)[0] }).to_string();
        app.clock.advance(age_s);
        assert_eq!(app.post("/session", "", &body).await.status, status, "{age_s}");
        mailer.take();
    }
}

#[tokio::test]
async fn response_to_request_does_not_reveal_member() {
    let (app, mailer) = app_with_mail();
    let mut answers = Vec::new();
    for email in ["nobody@example.org", EMAIL, "nopassword@example.org", "x@y", "\u{df}@b.c"] {
        let answer = request_link(&app, email).await;
        assert_eq!(answer.status, 202, "{email}");
        answers.push((format!("{:?}", answer.headers), answer.body));
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
    assert_eq!(tokens(mailer.wait_for(2).await).len(), 2);
}

#[tokio::test]
async fn response_does_not_wait_for_mail_or_store() {
    let (app, mailer) = app_with_mail();
    mailer.set_behaviour(Behaviour::Hang);
    for _ in 0..2 {
        assert_eq!(request_link(&app, EMAIL).await.status, 202);
        assert_eq!(mailer.wait_for(1).await.len(), 1);
    }
    *app.store.broken.lock().unwrap() = true;
    assert_eq!(request_link(&app, EMAIL).await.status, 202);
}

#[tokio::test]
async fn failed_mail_keeps_response() {
    let (app, mailer) = app_with_mail();
    mailer.set_behaviour(Behaviour::Fail);
    assert_eq!(links_until_owner(&app, &mailer).await.len(), 1);
    mailer.set_behaviour(Behaviour::Accept);
    assert_eq!(links_until_owner(&app, &mailer).await.len(), 1);
}

#[tokio::test]
async fn address_gets_three_links_an_hour() {
    let (app, mailer) = app_with_mail();
    for spelling in [EMAIL, "ADA@EXAMPLE.ORG", EMAIL, "Ada@example.org", EMAIL] {
        assert_eq!(request_link(&app, spelling).await.status, 202);
    }
    request_link(&app, "bob@example.org").await;
    let mails = mailer.wait_for(4).await;
    assert_eq!(tokens(mails).len(), 4, "three for one member, one for the other");
    let refused = |event: &&AuditEvent| event.code == Some("too_many_links");
    assert_eq!(link_events(&app).iter().filter(refused).count(), 2);
    app.clock.advance(3600);
    assert_eq!(links_until_owner(&app, &mailer).await.len(), 1);
}

#[tokio::test]
async fn network_has_twenty_requests_a_minute() {
    let (app, mailer) = app_with_mail();
    let send = async |address: &str| {
        let body = json!({ "email": "nobody@example.org" }).to_string();
        let mut request = dashboard_request(Method::POST, ROUTE, "").map(|_| body.into());
        request.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
        app.send(with_client_address(request, address)).await
    };
    for _ in 0..20 {
        assert_eq!(send("192.0.2.1").await.status, 202);
    }
    send("192.0.2.1").await.assert_error(429, "rate_limit_exceeded");
    assert_eq!(send("192.0.2.2").await.status, 202);
    assert!(mailer.take().is_empty());
}

#[tokio::test]
async fn hanging_mails_do_not_accumulate() {
    let (app, mailer) = app_with_mail();
    mailer.set_behaviour(Behaviour::Hang);
    let people = (0..40).map(|n| (format!("psn_{n:03}"), format!("{n}@example.org")));
    let template = app.store.people.lock().unwrap()[1].clone();
    for (id, email) in people {
        let mut record = template.clone();
        record.person.id = id.parse().unwrap();
        record.person.email = email;
        app.store.people.lock().unwrap().push(record);
    }
    for n in 0..40 {
        if n == 20 {
            app.clock.advance(60);
        }
        assert_eq!(request_link(&app, &format!("{n}@example.org")).await.status, 202);
    }
    assert_eq!(mailer.wait_for(32).await.len(), 32);
}

#[tokio::test]
async fn request_is_audited_without_actor() {
    let (app, mailer) = app_with_mail();
    links_until_owner(&app, &mailer).await;
    let events = link_events(&app);
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(event.object, Some(("person", OWNER.to_owned())));
    assert_eq!(event.account.as_ref().map(ToString::to_string).as_deref(), Some("acc_ada"));
    assert_eq!(event.outcome, AuditOutcome::Ok);
    assert!(event.actor.person.is_none());
    let detail: Value = serde_json::from_str(&event.detail_json()).unwrap();
    assert_eq!(detail["by"], "email");
    request_link(&app, "nobody@example.org").await;
    links_until_owner(&app, &mailer).await;
    assert_eq!(link_events(&app).len(), 2, "an unknown address leaves no entry");
}

#[tokio::test]
async fn link_has_language_of_browser() {
    let (app, mailer) = app_with_mail();
    let body = json!({ "email": EMAIL }).to_string();
    let mut request = dashboard_request(Method::POST, ROUTE, "").map(|_| body.into());
    request.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    request.headers_mut().insert("accept-language", HeaderValue::from_static("de-CH,en;q=0.5"));
    request.headers_mut().insert("host", HeaderValue::from_static("evil.example"));
    assert_eq!(app.send(request).await.status, 202);
    let mails = mailer.wait_for(1).await;
    let RecordedMail::Link { language, .. } = &mails[0] else { panic!("{mails:?}") };
    assert_eq!(*language, MailLanguage::German);
}

#[tokio::test]
async fn invalid_requests_are_explained() {
    let (app, mailer) = app_with_mail();
    for body in ["", "{}", "[]", r#"{"email":1}"#, r#"{"email":"a@b.c","more":1}"#] {
        let answer = app.post(ROUTE, "", body).await;
        answer.assert_error(400, "validation_error");
    }
    for email in ["", "a", "a@b@c", "a@b.c\r\nBcc: d@e.f", &format!("{}@b.c", "x".repeat(300))] {
        request_link(&app, email).await.assert_error(400, "validation_error");
    }
    let mut request = dashboard_request(Method::POST, ROUTE, "");
    request.headers_mut().remove("x-sheaf-csrf");
    app.send(request).await.assert_error(403, "forbidden");
    assert!(mailer.take().is_empty());
}

#[tokio::test]
async fn gateway_without_mail_has_no_links() {
    let app = TestApp::new();
    request_link(&app, EMAIL).await.assert_error(404, "not_found");
    let answer = app.call(Method::GET, "/session", "").await;
    assert_eq!(answer.body, r#"{"data":null}"#);
}

#[tokio::test]
async fn session_shows_that_links_are_available() {
    let (app, _) = app_with_mail();
    let answer = app.call(Method::GET, "/session", "").await;
    assert_eq!(answer.body, r#"{"data":null,"email_links":true}"#);
    let cookie = app.sign_in().await;
    let answer = app.call(Method::GET, "/session", &cookie).await;
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!((&body["email_links"], &body["data"]["email"]), (&json!(true), &json!(EMAIL)));
}
