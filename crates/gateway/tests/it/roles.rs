//! Tests of roles: readers read, editors triage, owners change, and some actions require a recent authentication.

use contract::people::Invitation;
use contract::{Data, ErrorBody, Person, Role, Session};
use gateway::{INVITATION_S, REAUTHENTICATION_S};
use http::Method;

use crate::app::{ReceivedResponse, SUBMISSION, TestApp};
use crate::memory::{EMAIL, OWNER, PASSWORD, READER};
use crate::routes::session_routes;

async fn get_session(app: &TestApp, cookie: &str) -> Option<Session> {
    let answer = app.call(Method::GET, "/session", cookie).await;
    serde_json::from_slice::<Data<Option<Session>>>(&answer.body).unwrap().data
}

async fn reauthenticate(app: &TestApp, cookie: &str, password: &str) -> ReceivedResponse {
    let body = serde_json::json!({ "password": password }).to_string();
    app.post("/session/proof", cookie, &body).await
}

fn status_and_needs(answer: &ReceivedResponse) -> (u16, Option<String>) {
    (answer.status.as_u16(), serde_json::from_slice::<ErrorBody>(&answer.body).unwrap().needs)
}

#[tokio::test]
async fn session_shows_user_and_role() {
    let app = TestApp::new();
    let session = get_session(&app, &app.sign_in_as(READER).await).await.unwrap();
    assert_eq!((session.role, session.email.as_deref()), (Role::Reader, Some("bob@example.org")));
    assert_eq!(session.account.email, EMAIL, "the account has the owner's address");
    assert_eq!(get_session(&app, &app.sign_in().await).await.unwrap().role, Role::Owner);
}

/// Routes that a reader may request; all other routes require the owner.
const FOR_READERS: [&str; 10] = [
    "GET /api/live/v1/forms/frm_1/submissions",
    "GET /api/live/v1/forms/frm_1/submissions/export",
    "GET /api/live/v1/submissions/sub_1",
    "GET /api/test/v1/forms/frm_1/submissions",
    "GET /api/test/v1/forms/frm_1/submissions/export",
    "GET /api/test/v1/submissions/sub_1",
    "GET /account/forms",
    "GET /sessions",
    "DELETE /sessions",
    "DELETE /sessions/ses_1",
];

#[tokio::test]
async fn reader_may_only_read() {
    let app = TestApp::new();
    let cookie = app.sign_in_as(READER).await;
    for (method, path) in session_routes() {
        // These have their own tests, or exist for no role.
        let is_own = ["/session", "/session/proof", "/password"].contains(&path.as_str());
        let is_nothing = path.starts_with("/api") && !path.contains("_1");
        if is_own || is_nothing {
            continue;
        }
        let before = app.seen.lock().unwrap().len();
        let answer = app.call(method.clone(), &path, &cookie).await;
        let route = format!("{method} {path}");
        if FOR_READERS.contains(&route.as_str()) {
            assert!(matches!(answer.status.as_u16(), 200 | 204 | 404), "{route}");
        } else {
            answer.assert_error(403, "forbidden");
            assert_eq!(app.seen.lock().unwrap().len(), before, "{route} was forwarded");
        }
    }
    assert!(app.seen.lock().unwrap().iter().all(|request| request.method() == Method::GET));
}

#[tokio::test]
async fn role_change_and_removal_apply_immediately() {
    let app = TestApp::new();
    let cookie = app.sign_in_as(READER).await;
    app.call(Method::DELETE, SUBMISSION, &cookie).await.assert_error(403, "forbidden");
    app.store.change_member(READER, |it| it.person.role = Role::Owner);
    assert_eq!(app.call(Method::DELETE, SUBMISSION, &cookie).await.status, 200);
    app.store.change_member(READER, |it| it.person.role = Role::Reader);
    app.call(Method::DELETE, SUBMISSION, &cookie).await.assert_error(403, "forbidden");
    let owner = app.sign_in().await;
    let path = format!("/people/{READER}");
    assert_eq!(app.call(Method::DELETE, &path, &owner).await.status, 204);
    app.call(Method::GET, SUBMISSION, &cookie).await.assert_error(401, "unauthorized");
    assert!(get_session(&app, &cookie).await.is_none());
}

#[tokio::test]
async fn editor_changes_only_what_editors_may() {
    let app = TestApp::new();
    let cookie = app.sign_in_as(READER).await;
    let owner = app.sign_in().await;
    let path = format!("/people/{READER}");
    let editor = r#"{"role":"editor"}"#;
    assert_eq!(app.send_body(Method::PATCH, &path, &owner, editor).await.status, 204);
    assert_eq!(get_session(&app, &cookie).await.unwrap().role, Role::Editor);
    let note = "/account/forms/frm_1/submissions/sub_1/notes";
    for route in [note, "/account/forms/frm_1/trash", "/account/forms/frm_1/spam/restore"] {
        assert_ne!(app.post(route, &cookie, "{}").await.status, 403, "{route}");
    }
    app.call(Method::DELETE, SUBMISSION, &cookie).await.assert_error(403, "forbidden");
    app.post("/account/forms", &cookie, "{}").await.assert_error(403, "forbidden");
    app.send_body(Method::PATCH, &path, &cookie, editor).await.assert_error(403, "forbidden");
    let reader = r#"{"role":"reader"}"#;
    assert_eq!(app.send_body(Method::PATCH, &path, &owner, reader).await.status, 204);
    app.post(note, &cookie, "{}").await.assert_error(403, "forbidden");
    for bad in [r#"{"role":"owner"}"#, r#"{"role":"admin"}"#, "{}", "[]"] {
        app.send_body(Method::PATCH, &path, &owner, bad)
            .await
            .assert_error(400, "validation_error");
    }
    for id in [OWNER, "psn_9", "x"] {
        let path = format!("/people/{id}");
        app.send_body(Method::PATCH, &path, &owner, reader).await.assert_error(404, "not_found");
    }
}

#[tokio::test]
async fn limited_member_reaches_only_named_forms_of_another_server() {
    let app = TestApp::new();
    let (cookie, owner) = (app.sign_in_as(READER).await, app.sign_in().await);
    let path = format!("/people/{READER}");
    let limit = async |forms: &str| {
        let body = format!(r#"{{"forms":{forms}}}"#);
        app.send_body(Method::PATCH, &path, &owner, &body).await
    };
    assert_eq!(limit(r#"["frm_1"]"#).await.status, 204);
    let list = |form: &str| format!("/api/live/v1/forms/{form}/submissions");
    for path in [list("frm_1"), format!("{}/export", list("frm_1"))] {
        assert_eq!(app.call(Method::GET, &path, &cookie).await.status, 200, "{path}");
    }
    app.seen.lock().unwrap().clear();
    for path in [list("frm_2"), format!("{}/export", list("frm_12")), SUBMISSION.to_owned()] {
        app.call(Method::GET, &path, &cookie).await.assert_error(404, "not_found");
        assert!(app.seen.lock().unwrap().is_empty(), "{path} was forwarded");
    }
    for bad in ["[]", r#"["frm_1","frm_1"]"#, r#"["x"]"#, r#"["frm_unknown"]"#, "{}"] {
        limit(bad).await.assert_error(400, "validation_error");
    }
    assert_eq!(app.call(Method::GET, &list("frm_2"), &cookie).await.status, 404);
    assert_eq!(limit("null").await.status, 204);
    assert_eq!(app.call(Method::GET, &list("frm_2"), &cookie).await.status, 200);
    assert_eq!(app.call(Method::GET, SUBMISSION, &cookie).await.status, 200);
}

#[tokio::test]
async fn owner_adds_reader_by_link() {
    let app = TestApp::new();
    let owner = app.sign_in().await;
    let added = app.post("/people", &owner, r#"{"email":" Cyd@Example.org "}"#).await;
    assert_eq!(added.status, 201);
    let added: Invitation = serde_json::from_slice(&added.body).unwrap();
    assert_eq!((added.data.email.as_str(), added.data.role), ("cyd@example.org", Role::Reader));

    let body = serde_json::json!({ "token": added.token }).to_string();
    let signed_in = app.post("/session", "", &body).await;
    assert_eq!(get_session(&app, &signed_in.cookie()).await.unwrap().role, Role::Reader);
    app.post("/session", "", &body).await.assert_error(401, "unauthorized");

    let people = app.call(Method::GET, "/people", &owner).await;
    let people: Data<Vec<Person>> = serde_json::from_slice(&people.body).unwrap();
    assert_eq!(people.data[0].id.as_str(), OWNER);
    assert!(people.data.iter().any(|person| person.id == added.data.id));

    let path = format!("/people/{}/link", added.data.id);
    let again = app.call(Method::POST, &path, &owner).await;
    let again: Invitation = serde_json::from_slice(&again.body).unwrap();
    app.clock.advance(INVITATION_S);
    let body = serde_json::json!({ "token": again.token }).to_string();
    app.post("/session", "", &body).await.assert_error(401, "unauthorized");
}

/// An invitation with a role that no member can have.
const OWNER_INVITED: &str = r#"{"email":"cyd@example.org","role":"owner"}"#;

#[tokio::test]
async fn invalid_member_requests_are_refused() {
    let app = TestApp::new();
    let owner = app.sign_in().await;
    for bad in [
        "{}",
        "[]",
        r#"{"email":"you"}"#,
        r#"{"email":"a@b@c"}"#,
        r#"{"email":"a b@c"}"#,
        OWNER_INVITED,
    ] {
        app.post("/people", &owner, bad).await.assert_error(400, "validation_error");
    }
    for email in [EMAIL, "BOB@example.org"] {
        let body = serde_json::json!({ "email": email }).to_string();
        app.post("/people", &owner, &body).await.assert_error(409, "validation_error");
    }
    for id in [OWNER, "psn_9", "x", "acc_ada"] {
        let path = format!("/people/{id}");
        app.call(Method::DELETE, &path, &owner).await.assert_error(404, "not_found");
        let path = format!("/people/{id}/link");
        app.call(Method::POST, &path, &owner).await.assert_error(404, "not_found");
    }
    assert!(get_session(&app, &owner).await.is_some(), "the owner was removed");
}

/// Actions that require a recent authentication of the owner.
const SENSITIVE_ACTIONS: [(Method, &str, &str); 12] = [
    (Method::POST, "/account/keys", r#"{"name":"a","mode":"live"}"#),
    (Method::DELETE, "/account/keys/key_1", ""),
    (Method::POST, "/account/forms/frm_1/webhooks", r#"{"url":"https://a.example"}"#),
    (Method::PUT, "/account/forms/frm_1/webhooks/whk_1", ""),
    (Method::POST, "/account/forms/frm_1/webhooks/whk_1/rotate", ""),
    (Method::POST, "/account/forms/frm_1/notifications", r#"{"email":"a@b.example"}"#),
    (Method::PUT, "/account/forms/frm_1/notifications/ntf_1", ""),
    (Method::PUT, "/account/forms/frm_1/auto-reply", ""),
    (Method::POST, "/people", r#"{"email":"cyd@example.org"}"#),
    (Method::POST, "/people/psn_bob/link", ""),
    (Method::PATCH, "/people/psn_bob", r#"{"role":"editor"}"#),
    (Method::DELETE, "/people/psn_bob", ""),
];

async fn perform_action(
    app: &TestApp,
    cookie: &str,
    (method, path, body): &(Method, &str, &str),
) -> ReceivedResponse {
    match *body {
        "" => app.call(method.clone(), path, cookie).await,
        body => app.send_body(method.clone(), path, cookie, body).await,
    }
}

#[tokio::test]
async fn sensitive_actions_require_recent_authentication() {
    let app = TestApp::new();
    let mut cookie = app.sign_in().await;
    app.clock.advance(REAUTHENTICATION_S);
    for action in &SENSITIVE_ACTIONS {
        let refused = perform_action(&app, &cookie, action).await;
        refused.assert_error(403, "forbidden");
        assert_eq!(status_and_needs(&refused), (403, Some("password".to_owned())), "{action:?}");
    }
    assert!(app.store.find_member(|it| it.person.id.as_str() == READER).unwrap().is_some());
    assert_eq!(app.call(Method::GET, "/account/keys", &cookie).await.status, 200);

    let proven = reauthenticate(&app, &cookie, PASSWORD).await;
    assert_eq!(proven.status, 204);
    assert_eq!(get_session(&app, &cookie).await, None, "the previous token still works");
    cookie = proven.cookie();
    app.clock.advance(REAUTHENTICATION_S - 1);
    for action in &SENSITIVE_ACTIONS {
        let status = perform_action(&app, &cookie, action).await.status.as_u16();
        assert!(matches!(status, 200 | 201 | 204), "{action:?}: {status}");
    }
    app.clock.advance(1);
    perform_action(&app, &cookie, &SENSITIVE_ACTIONS[0]).await.assert_error(403, "forbidden");
}

#[tokio::test]
async fn authentication_in_future_is_ignored() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    app.clock.advance(-60);
    perform_action(&app, &cookie, &SENSITIVE_ACTIONS[0]).await.assert_error(403, "forbidden");
}

#[tokio::test]
async fn reauthentication_attempts_are_limited() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    app.clock.advance(REAUTHENTICATION_S);
    for body in ["{}", "[]", r#"{"password":"x","more":1}"#] {
        app.post("/session/proof", &cookie, body).await.assert_error(400, "validation_error");
    }
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(reauthenticate(&app, &cookie, "another stapler").await.status.as_u16());
    }
    assert_eq!((statuses[0], statuses[7]), (403, 429), "{statuses:?}");
    assert!(get_session(&app, &cookie).await.is_some());
    perform_action(&app, &cookie, &SENSITIVE_ACTIONS[0]).await.assert_error(403, "forbidden");
    reauthenticate(&app, "", PASSWORD).await.assert_error(401, "unauthorized");
}

#[tokio::test]
async fn sign_in_reauthenticates_without_password() {
    let app = TestApp::new();
    app.store.change_member(OWNER, |it| it.password_hash = None);
    let cookie = app.sign_in().await;
    assert_eq!(perform_action(&app, &cookie, &SENSITIVE_ACTIONS[0]).await.status, 200);
    app.clock.advance(REAUTHENTICATION_S);
    let refused = perform_action(&app, &cookie, &SENSITIVE_ACTIONS[0]).await;
    assert_eq!(status_and_needs(&refused), (403, Some("sign_in".to_owned())));
    assert_eq!(
        status_and_needs(&reauthenticate(&app, &cookie, PASSWORD).await),
        (403, Some("sign_in".to_owned()))
    );
    let cookie = app.sign_in().await;
    assert_eq!(perform_action(&app, &cookie, &SENSITIVE_ACTIONS[0]).await.status, 200);
}

#[tokio::test]
async fn reader_gains_nothing_by_reauthentication() {
    let app = TestApp::new();
    let cookie = app.sign_in_as(READER).await;
    let proven = reauthenticate(&app, &cookie, PASSWORD).await;
    assert_eq!(proven.status, 204);
    for action in &SENSITIVE_ACTIONS {
        let refused = perform_action(&app, &proven.cookie(), action).await;
        assert_eq!(status_and_needs(&refused), (403, None), "{action:?}");
    }
}
