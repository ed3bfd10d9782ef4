//! Tests of security notices, of known browsers, and of a new password after a sign-in by link.

use std::sync::Arc;

use contract::account::ClientInfo;
use contract::notification::MailLanguage;
use gateway::{AccountNotice, REAUTHENTICATION_S};
use http::header::{CONTENT_TYPE, SET_COOKIE, USER_AGENT};
use http::{HeaderValue, Method, Request};
use serde_json::{Value, json};

use crate::app::{ReceivedResponse, TestApp, dashboard_request, password_body};
use crate::mailer::{Behaviour, RecordedMail, RecordingMailer, app_with_mail};
use crate::memory::{EMAIL, OWNER, PASSWORD, READER};

const NEW: &str = "an even older stapler";

/// A browser that keeps the gateway's cookies.
struct BrowserSession<'a> {
    app: &'a TestApp,
    cookies: Vec<(String, String)>,
}

impl<'a> BrowserSession<'a> {
    fn new(app: &'a TestApp) -> Self {
        Self { app, cookies: Vec::new() }
    }

    async fn send(&mut self, method: Method, path: &str, body: &Value) -> ReceivedResponse {
        let pairs: Vec<_> =
            self.cookies.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let request = dashboard_request(method, path, &pairs.join("; "));
        let mut request: Request<_> = request.map(|_| body.to_string().into());
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.headers_mut().insert(USER_AGENT, HeaderValue::from_static("Firefox"));
        let answer = self.app.send(request).await;
        for cookie in answer.headers.get_all(SET_COOKIE) {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (key, value) = pair.split_once('=').unwrap();
            self.cookies.retain(|(name, _)| name != key);
            self.cookies.push((key.to_owned(), value.to_owned()));
        }
        answer
    }

    async fn sign_in(&mut self, email: &str) {
        let body = serde_json::from_str(&password_body(email, PASSWORD)).unwrap();
        assert_eq!(self.send(Method::POST, "/session", &body).await.status, 200);
    }

    async fn sign_in_by_link(&mut self, person: &str) {
        let (token, hash) = gateway::secret::generate_token();
        let link = (person.parse().unwrap(), contract::Timestamp::MAX);
        self.app.store.links.lock().unwrap().insert(hash, link);
        let body = json!({ "token": token });
        assert_eq!(self.send(Method::POST, "/session", &body).await.status, 200);
    }

    async fn can_reset(&mut self) -> bool {
        let answer = self.send(Method::GET, "/sessions", &json!({})).await;
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        body["data"]["can_reset_password"] == true
    }

    fn cookie(&mut self, name: &str) -> &mut String {
        &mut self.cookies.iter_mut().find(|(key, _)| key == name).unwrap().1
    }
}

fn notice(recipient: &str, notice: AccountNotice) -> RecordedMail {
    let language = MailLanguage::English;
    RecordedMail::Notice { recipient: recipient.to_owned(), language, notice }
}

fn new_sign_in(recipient: &str) -> RecordedMail {
    let client = ClientInfo { browser: Some("Firefox".to_owned()), device: None };
    notice(recipient, AccountNotice::NewSignIn(client))
}

fn app() -> (TestApp, Arc<RecordingMailer>) {
    app_with_mail()
}

#[tokio::test]
async fn unknown_browser_is_reported_once() {
    let (app, mailer) = app();
    let mut browser = BrowserSession::new(&app);
    browser.sign_in(EMAIL).await;
    assert_eq!(mailer.take(), [new_sign_in(EMAIL)]);
    assert_eq!(browser.send(Method::DELETE, "/session", &json!({})).await.status, 204);
    browser.sign_in(EMAIL).await;
    browser.sign_in_by_link(OWNER).await;
    assert_eq!(mailer.take(), []);
    BrowserSession::new(&app).sign_in(EMAIL).await;
    assert_eq!(mailer.take(), [new_sign_in(EMAIL)]);
}

#[tokio::test]
async fn browser_is_known_for_each_member() {
    let (app, mailer) = app();
    let mut browser = BrowserSession::new(&app);
    for email in [EMAIL, "bob@example.org"] {
        browser.sign_in(email).await;
        assert_eq!(mailer.take(), [new_sign_in(email)]);
    }
    for email in [EMAIL, "bob@example.org"] {
        browser.sign_in(email).await;
        assert_eq!(mailer.take(), [], "{email}");
    }
}

#[tokio::test]
async fn forged_browser_cookie_is_not_trusted() {
    let (app, mailer) = app();
    let mut browser = BrowserSession::new(&app);
    browser.sign_in(EMAIL).await;
    mailer.take();
    let real = browser.cookie("sheaf-browser").clone();
    let flipped = format!("{}{}", &real[..42], if real.ends_with('A') { 'E' } else { 'A' });
    for forged in ["", ".", "x", &"A".repeat(43), &flipped, &"A.".repeat(900)] {
        forged.clone_into(browser.cookie("sheaf-browser"));
        browser.sign_in(EMAIL).await;
        assert_eq!(mailer.take(), [new_sign_in(EMAIL)], "{forged}");
        let signatures = browser.cookie("sheaf-browser").clone();
        assert!(signatures.starts_with(&real) && signatures.len() <= 4 * 44, "{signatures}");
    }
}

#[tokio::test]
async fn browser_cookie_has_strict_attributes() {
    let (app, _) = app();
    let answer = app.post("/session", "", &password_body(EMAIL, PASSWORD)).await;
    let cookies: Vec<_> =
        answer.headers.get_all(SET_COOKIE).iter().map(|cookie| cookie.to_str().unwrap()).collect();
    let [session, browser] = cookies.as_slice() else { panic!("{cookies:?}") };
    assert!(session.starts_with("sheaf="));
    assert!(browser.starts_with("sheaf-browser=") && !browser.contains("ada"));
    let attributes = "; Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000";
    assert!(browser.ends_with(attributes), "{browser}");
}

#[tokio::test]
async fn first_link_of_new_member_is_not_reported() {
    let (app, mailer) = app();
    BrowserSession::new(&app).sign_in_by_link("psn_eve").await;
    assert_eq!(mailer.take(), []);
    BrowserSession::new(&app).sign_in_by_link("psn_eve").await;
    assert_eq!(mailer.take(), [new_sign_in("nopassword@example.org")]);
    BrowserSession::new(&app).sign_in_by_link(READER).await;
    assert_eq!(mailer.take(), [new_sign_in("bob@example.org")], "a member with a password");
}

#[tokio::test]
async fn failed_sign_in_is_not_reported() {
    let (app, mailer) = app();
    let answer = app.post("/session", "", &password_body(EMAIL, "wrong password")).await;
    answer.assert_error(401, "unauthorized");
    assert!(!answer.headers.contains_key(SET_COOKIE));
    assert_eq!(mailer.take(), []);
}

#[tokio::test]
async fn failed_notice_does_not_fail_sign_in() {
    let (app, mailer) = app();
    mailer.set_behaviour(Behaviour::Fail);
    BrowserSession::new(&app).sign_in(EMAIL).await;
    assert_eq!(mailer.take(), [new_sign_in(EMAIL)]);
}

/// Changes the email address with the code that the new address gets.
async fn change_email(
    browser: &mut BrowserSession<'_>,
    mailer: &RecordingMailer,
    email: &str,
) -> ReceivedResponse {
    let body = json!({ "email": email });
    assert_eq!(browser.send(Method::PUT, "/account/email", &body).await.status, 202);
    let mails = mailer.take();
    let [RecordedMail::Code { recipient, code, .. }] = mails.as_slice() else {
        panic!("{mails:?}");
    };
    assert_eq!(recipient, email);
    let body = json!({ "email": email, "code": code });
    browser.send(Method::PUT, "/account/email", &body).await
}

#[tokio::test]
async fn new_password_and_address_are_reported() {
    let (app, mailer) = app();
    let mut browser = BrowserSession::new(&app);
    browser.sign_in(EMAIL).await;
    mailer.take();
    let wrong = json!({ "current": "wrong", "new": NEW });
    assert_eq!(browser.send(Method::PUT, "/password", &wrong).await.status, 403);
    assert_eq!(mailer.take(), []);
    let body = json!({ "current": PASSWORD, "new": NEW });
    assert_eq!(browser.send(Method::PUT, "/password", &body).await.status, 204);
    assert_eq!(mailer.take(), [notice(EMAIL, AccountNotice::PasswordChanged)]);
    assert_eq!(change_email(&mut browser, &mailer, "bob@example.org").await.status, 409);
    assert_eq!(mailer.take(), []);
    assert_eq!(change_email(&mut browser, &mailer, "new@example.org").await.status, 204);
    assert_eq!(mailer.take(), [notice(EMAIL, AccountNotice::EmailChanged)]);
}

#[tokio::test]
async fn link_permits_new_password_for_five_minutes() {
    let (app, mailer) = app();
    let body = json!({ "new": NEW });
    let mut browser = BrowserSession::new(&app);
    browser.sign_in_by_link(OWNER).await;
    assert!(browser.can_reset().await);
    app.clock.advance(REAUTHENTICATION_S);
    assert!(!browser.can_reset().await);
    let late = browser.send(Method::PUT, "/password", &body).await;
    late.assert_error(403, "forbidden");
    browser.sign_in_by_link(OWNER).await;
    mailer.take();
    assert_eq!(browser.send(Method::PUT, "/password", &body).await.status, 204);
    assert_eq!(mailer.take(), [notice(EMAIL, AccountNotice::PasswordChanged)]);
    // The session is a new one, so the permission has ended.
    assert!(!browser.can_reset().await);
    browser.send(Method::PUT, "/password", &body).await.assert_error(403, "forbidden");
    let body = password_body(EMAIL, NEW);
    assert_eq!(app.post("/session", "", &body).await.status, 200);
}

#[tokio::test]
async fn permission_belongs_to_one_session() {
    let (app, _) = app();
    let mut by_link = BrowserSession::new(&app);
    by_link.sign_in_by_link(OWNER).await;
    let grant = by_link.cookie("sheaf-reset").clone();
    let mut by_password = BrowserSession::new(&app);
    by_password.sign_in(EMAIL).await;
    assert!(!by_password.can_reset().await);
    let signature = by_password.cookie("sheaf-browser").clone();
    for stolen in [grant, signature, String::new()] {
        by_password.cookies.retain(|(key, _)| key != "sheaf-reset");
        by_password.cookies.push(("sheaf-reset".to_owned(), stolen));
        assert!(!by_password.can_reset().await);
        let answer = by_password.send(Method::PUT, "/password", &json!({ "new": NEW })).await;
        answer.assert_error(403, "forbidden");
    }
    // A given current password is always checked.
    let body = json!({ "current": "wrong", "new": NEW });
    by_link.send(Method::PUT, "/password", &body).await.assert_error(403, "forbidden");
}

#[tokio::test]
async fn gateway_without_mail_sets_only_session_cookie() {
    let app = TestApp::new();
    let mut browser = BrowserSession::new(&app);
    browser.sign_in_by_link(OWNER).await;
    let names: Vec<_> = browser.cookies.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(names, ["sheaf"]);
    assert!(!browser.can_reset().await);
}
